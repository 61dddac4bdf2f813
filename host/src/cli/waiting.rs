//! What is said on standard error while a guest is compiled.

use std::io::{self, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::{Instant, sleep};

use crate::isolate::Event;

/// What takes no longer goes unsaid.
const PATIENCE: Duration = Duration::from_secs(1);
/// How often it is said how long it has taken by now.
const INTERVAL: Duration = Duration::from_secs(5);
/// How often it is looked whether there is something to say.
const LOOK: Duration = Duration::from_millis(100);

/// Knows what is compiled at the moment.
#[derive(Clone, Default)]
pub(super) struct Waiting(Arc<Mutex<Option<Compiling>>>);

struct Compiling {
    guest: &'static str,
    since: Instant,
    /// After how long something is said next.
    next: Duration,
}

impl Waiting {
    /// Hears of a run that its guest is compiled.
    pub(super) fn hear(&self, event: Event<'_>) {
        match event {
            Event::Compiling(language) => self.begin(language.guest()),
            Event::Compiled(_) => self.end(),
            _ => {}
        }
    }

    pub(super) fn begin(&self, guest: &'static str) {
        *self.lock() = Some(Compiling {
            guest,
            since: Instant::now(),
            next: PATIENCE,
        });
    }

    pub(super) fn end(&self) {
        // What was not said to begin is not said to have ended.
        let compiled = self.lock().take().filter(|it| it.next > PATIENCE);
        if let Some(Compiling { guest, since, .. }) = compiled {
            let seconds = since.elapsed().as_secs_f32();
            tell(&format!("compiled {guest} in {seconds:.1} s"));
        }
    }

    /// Does some work, and says meanwhile what it waits for.
    pub(super) async fn say_while<T>(&self, work: impl Future<Output = T>) -> T {
        let saying = async {
            loop {
                sleep(LOOK).await;
                self.say();
            }
        };
        tokio::select! {
            done = work => done,
            () = saying => unreachable!("it says something until the work is done"),
        }
    }

    fn say(&self) {
        let mut compiling = self.lock();
        let Some(Compiling { guest, since, next }) = &mut *compiling else {
            return;
        };
        let elapsed = since.elapsed();
        if elapsed < *next {
            return;
        }
        if *next == PATIENCE {
            tell(&format!("compiling {guest}; this happens once …"));
        } else {
            tell(&format!("… {} s by now", elapsed.as_secs()));
        }
        *next = elapsed + INTERVAL;
    }

    fn lock(&self) -> MutexGuard<'_, Option<Compiling>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Where nobody reads, the work goes on.
fn tell(what: &str) {
    let _ = writeln!(io::stderr(), "ampoule: {what}");
}
