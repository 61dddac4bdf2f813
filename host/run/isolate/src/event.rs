//! What happens in a run, told as it happens.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

use ampoule_tools::RunId;
use parking_lot::{Mutex, MutexGuard};
use serde::Serialize;
use tokio::sync::watch;

use crate::output::Line;
use crate::script::Language;
use crate::usage::{CallUsage, as_millis};

/// Something that happened in a run, and when.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct RunEvent {
    /// The run it happened in.
    pub run: RunId,
    /// Which of the run's events it is, counting from 0.
    pub number: u64,
    /// When, counted from the moment the run was asked for.
    #[serde(rename = "atMs", serialize_with = "as_millis")]
    pub at: Duration,
    /// What happened.
    #[serde(flatten)]
    pub event: Event,
}

/// Something that happened in a run.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(
    tag = "event",
    rename_all = "kebab-case",
    rename_all_fields = "camelCase"
)]
#[non_exhaustive]
pub enum Event {
    /// The guest of the script's language is not compiled yet. The run waits for that, which takes
    /// seconds and happens once per machine; its time does not count.
    #[non_exhaustive]
    Compiling {
        /// The script's language.
        language: Language,
    },
    /// The guest has been compiled, and the run begins.
    #[non_exhaustive]
    Compiled {
        /// The script's language.
        language: Language,
    },
    /// The script printed something.
    Output(Line),
    /// It started a call.
    #[non_exhaustive]
    CallStarted {
        /// Which of the run's calls it is, counted from 0: its place in the usage.
        call: u32,
        /// The binding's name.
        server: Arc<str>,
        /// The tool's name.
        tool: Arc<str>,
    },
    /// It took the end of a call.
    #[non_exhaustive]
    CallEnded {
        /// Which of the run's calls it is, counted from 0.
        call: u32,
        /// What it used, and how it ended.
        #[serde(flatten)]
        usage: CallUsage,
    },
    /// It asked which tools there are, and waits: a server may have to start first.
    #[non_exhaustive]
    ToolsAwaited {
        /// The one server that it asked about, by the name it used.
        server: Option<String>,
    },
    /// It learned which tools there are, or that they can't be known.
    ToolsTold,
    /// It waits for long, and has no isolate until it is [`Woken`](Self::Woken).
    Parked,
    /// It continues, in a new isolate.
    Woken,
    /// It told how far it is, by `progress`. Of what it tells within a tenth of a second, some is
    /// left out.
    #[non_exhaustive]
    Progress {
        /// How much of all that it has to do is done, from 0 to 1, if it said so.
        fraction: Option<f64>,
        /// What it does, in its own words; at most 1 KiB.
        text: String,
    },
}

impl Event {
    /// The guest of a language is being compiled.
    #[doc(hidden)]
    pub fn compiling(language: Language) -> Self {
        Self::Compiling { language }
    }

    /// The guest of a language has been compiled.
    #[doc(hidden)]
    pub fn compiled(language: Language) -> Self {
        Self::Compiled { language }
    }

    /// The script told how far it is.
    #[doc(hidden)]
    pub fn progress(fraction: Option<f64>, text: impl Into<String>) -> Self {
        let text = text.into();
        Self::Progress { fraction, text }
    }
}

/// Learns what happens in a run.
pub type Listener = Box<dyn FnMut(&RunEvent) + Send>;

/// How many events are kept for those who listen later, or slowly.
const KEPT: usize = 1024;
/// How much text is kept in them, in bytes.
const KEPT_BYTES: usize = 1 << 20;

/// The listeners of what happens in a run.
pub struct Observers {
    run: RunId,
    began: Instant,
    number: u64,
    listener: Option<Listener>,
    log: Option<Arc<EventLog>>,
}

impl Observers {
    /// Nobody, until somebody is added.
    pub fn of(run: RunId) -> Self {
        Self {
            run,
            began: Instant::now(),
            number: 0,
            listener: None,
            log: None,
        }
    }

    /// A listener gets each event where it happens.
    pub fn listener(&mut self, listener: Option<Listener>) {
        self.listener = listener;
    }

    /// Events are kept there.
    pub fn log(&mut self, log: Arc<EventLog>) {
        self.log = Some(log);
    }

    /// Whether anybody listens.
    pub fn any(&self) -> bool {
        self.listener.is_some() || self.log.is_some()
    }

    /// Tells what happened. It is made only if anybody listens.
    pub fn tell(&mut self, event: impl FnOnce() -> Event) {
        if !self.any() {
            return;
        }
        let event = RunEvent {
            run: self.run,
            number: self.number,
            at: self.began.elapsed(),
            event: event(),
        };
        self.number += 1;
        if let Some(listener) = &mut self.listener
            && catch_unwind(AssertUnwindSafe(|| listener(&event))).is_err()
        {
            tracing::error!(run = %self.run, "a listener panicked, and gets no more events");
            self.listener = None;
        }
        if let Some(log) = &self.log {
            log.add(event);
        }
    }
}

impl Drop for Observers {
    fn drop(&mut self) {
        if let Some(log) = &self.log {
            log.end();
        }
    }
}

/// The latest events of a run, for any number of listeners, none of which the run waits for.
pub struct EventLog {
    state: Mutex<Backlog>,
    changed: watch::Sender<()>,
}

#[derive(Default)]
struct Backlog {
    events: VecDeque<Arc<RunEvent>>,
    bytes: usize,
    /// The number of the one that comes next.
    next: u64,
    ended: bool,
}

impl Backlog {
    fn first(&self) -> u64 {
        self.next - self.events.len() as u64
    }
}

impl Default for EventLog {
    fn default() -> Self {
        Self {
            state: Mutex::default(),
            changed: watch::Sender::new(()),
        }
    }
}

impl EventLog {
    fn state(&self) -> MutexGuard<'_, Backlog> {
        self.state.lock()
    }

    fn add(&self, event: RunEvent) {
        let mut kept = self.state();
        kept.next += 1;
        kept.bytes += bytes(&event);
        kept.events.push_back(Arc::new(event));
        while kept.events.len() > KEPT || kept.bytes > KEPT_BYTES && kept.events.len() > 1 {
            if let Some(oldest) = kept.events.pop_front() {
                kept.bytes -= bytes(&oldest);
            }
        }
        drop(kept);
        self.changed.send_replace(());
    }

    fn end(&self) {
        self.state().ended = true;
        self.changed.send_replace(());
    }

    /// The events, from the oldest that is kept on.
    pub fn events(self: &Arc<Self>) -> Events {
        Events {
            log: Arc::clone(self),
            changed: self.changed.subscribe(),
            next: 0,
            missed: 0,
        }
    }
}

fn bytes(event: &RunEvent) -> usize {
    match &event.event {
        Event::Output(line) => line.text.len(),
        Event::ToolsAwaited { server } => server.as_ref().map_or(0, String::len),
        Event::Progress { text, .. } => text.len(),
        _ => 0,
    }
}

/// What happens in a run, one after the other. A listener that is too slow, or starts late, misses
/// the oldest: the run waits for no listener. A clone continues by itself from where this stands.
#[derive(Clone)]
pub struct Events {
    log: Arc<EventLog>,
    changed: watch::Receiver<()>,
    next: u64,
    missed: u64,
}

impl Events {
    /// The next event; none once the run is over and all have been seen. Dropping the future loses
    /// nothing.
    pub async fn next(&mut self) -> Option<Arc<RunEvent>> {
        loop {
            self.changed.mark_unchanged();
            {
                let kept = self.log.state();
                let missed = kept.first().saturating_sub(self.next);
                self.missed += missed;
                self.next += missed;
                if let Some(event) = kept.events.get((self.next - kept.first()) as usize) {
                    self.next += 1;
                    return Some(Arc::clone(event));
                }
                if kept.ended {
                    return None;
                }
            }
            // The log is there as long as this is.
            let _ = self.changed.changed().await;
        }
    }

    /// How many events have been missed so far.
    pub fn missed(&self) -> u64 {
        self.missed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn observed() -> (Observers, Events) {
        let log = Arc::<EventLog>::default();
        let mut observers = Observers::of(RunId::new());
        observers.log(Arc::clone(&log));
        (observers, log.events())
    }

    #[tokio::test]
    async fn a_slow_listener_misses_the_oldest_and_knows_how_many() {
        let (mut observers, mut events) = observed();
        for _ in 0..KEPT + 10 {
            observers.tell(|| Event::ToolsTold);
        }
        assert_eq!(events.next().await.unwrap().number, 10);
        assert_eq!(events.missed(), 10);
        drop(observers);
        let mut last = 10;
        while let Some(event) = events.next().await {
            assert_eq!(event.number, last + 1);
            last = event.number;
        }
        assert_eq!((last, events.missed()), (KEPT as u64 + 9, 10));
    }

    #[tokio::test]
    async fn output_is_kept_up_to_a_size() {
        let (mut observers, mut events) = observed();
        let text = "x".repeat(KEPT_BYTES / 4);
        for _ in 0..10 {
            observers.tell(|| Event::Output(Line::log(text.clone())));
        }
        assert_eq!(events.next().await.unwrap().number, 6);
    }

    #[tokio::test]
    async fn a_listener_that_panics_gets_no_more_events() {
        let (mut observers, mut events) = observed();
        observers.listener(Some(Box::new(|_| panic!("on purpose"))));
        observers.tell(|| Event::ToolsTold);
        observers.tell(|| Event::ToolsTold);
        drop(observers);
        let mut seen = 0;
        while events.next().await.is_some() {
            seen += 1;
        }
        assert_eq!(seen, 2);
    }
}
