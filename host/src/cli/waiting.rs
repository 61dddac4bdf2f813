//! What is said on standard error while a guest is compiled.

use std::io::{self, Write};
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::{Instant, timeout};

use crate::isolate::Event;

/// What takes no longer goes unsaid.
const PATIENCE: Duration = Duration::from_secs(1);
/// How often it is said how long it has taken by now.
const INTERVAL: Duration = Duration::from_secs(5);

/// Knows what is compiled at the moment.
#[derive(Clone)]
pub(super) struct Waiting {
    compiled: watch::Sender<Option<&'static str>>,
}

impl Waiting {
    pub(super) fn new() -> Self {
        Self {
            compiled: watch::Sender::new(None),
        }
    }

    /// Hears of a run that its guest is compiled.
    pub(super) fn hear(&self, event: Event<'_>) {
        match event {
            Event::Compiling(language) => self.begin(language.guest()),
            Event::Compiled(_) => self.end(),
            _ => {}
        }
    }

    pub(super) fn begin(&self, guest: &'static str) {
        self.compiled.send_replace(Some(guest));
    }

    pub(super) fn end(&self) {
        self.compiled.send_replace(None);
    }

    /// Does some work, and says meanwhile what it waits for.
    pub(super) async fn say_while<T>(&self, work: impl Future<Output = T>) -> T {
        let mut compiled = self.compiled.subscribe();
        let saying = async {
            loop {
                // The sender is here, so there is always something to wait for. Where nobody reads, the work goes on.
                let _ = say(&mut compiled).await;
            }
        };
        tokio::select! {
            biased;
            done = work => done,
            () = saying => unreachable!("it says something until the work is done"),
        }
    }
}

/// Tells of one compilation, from its beginning to its end.
async fn say(compiled: &mut watch::Receiver<Option<&'static str>>) -> io::Result<()> {
    let begun = compiled.wait_for(Option::is_some).await;
    let guest = begun.map_or(None, |guest| *guest).unwrap_or_default();
    let started = Instant::now();
    let mut said = false;
    let mut wait = PATIENCE;
    while timeout(wait, compiled.wait_for(Option::is_none))
        .await
        .is_err()
    {
        if said {
            let seconds = started.elapsed().as_secs();
            writeln!(io::stderr(), "ampoule: … {seconds} s by now")?;
        } else {
            writeln!(
                io::stderr(),
                "ampoule: compiling {guest}; this happens once …"
            )?;
        }
        (said, wait) = (true, INTERVAL);
    }
    if said {
        let seconds = started.elapsed().as_secs_f32();
        writeln!(io::stderr(), "ampoule: compiled {guest} in {seconds:.1} s")?;
    }
    Ok(())
}
