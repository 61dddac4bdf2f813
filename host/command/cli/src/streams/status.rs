//! The status of a wait. On a terminal, one line is redrawn in place, and erased before other
//! output. Elsewhere, only long waits are reported, in lines that stay.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::DIM;
use super::descriptor::Descriptor;
use super::layout;
use super::queue::Queue;

/// Shorter waits are not shown.
const PATIENCE: Duration = Duration::from_secs(1);
/// How often the line is drawn.
pub(super) const TICK: Duration = Duration::from_millis(100);
/// Without a terminal, how often the elapsed time is reported.
const INTERVAL: Duration = Duration::from_secs(5);

/// Moves to the line's begin, and clears from there on: after a terminal was made narrower, the
/// line has become several.
pub(super) const ERASE: &[u8] = b"\r\x1b[J";
const FRAMES: [&str; 10] = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];

/// The current status.
pub(super) struct Status {
    redraws: bool,
    coloured: bool,
    wait: Option<Wait>,
    /// When the line was drawn that is there.
    drawn: Option<Instant>,
    last_line: Option<String>,
}

struct Wait {
    what: WaitReason,
    since: Instant,
    /// Where nothing is redrawn: after how long something is said next.
    next: Duration,
    /// What came of looking last.
    seen: Option<Obstacle>,
}

enum WaitReason {
    /// Code is compiled, which takes seconds and happens once.
    Compiling(String),
    /// Any other wait. Shown only on terminals.
    Other(String, ReasonLookup),
}

/// What blocks the work at the moment, and since when.
pub(crate) struct Obstacle {
    pub(crate) what: String,
    pub(crate) since: Instant,
}

/// What blocks the work at the moment, if known: looked up whenever the line is
/// drawn.
pub(crate) type ReasonLookup = Arc<dyn Fn() -> Option<Obstacle> + Send + Sync>;

impl Default for Status {
    fn default() -> Self {
        Self {
            redraws: Descriptor::Err.redraws(),
            coloured: Descriptor::Err.wants_colours(),
            wait: None,
            drawn: None,
            last_line: None,
        }
    }
}

impl Status {
    fn set(&mut self, what: WaitReason, since: Instant) {
        self.end();
        self.wait = Some(Wait {
            what,
            since,
            next: PATIENCE,
            seen: None,
        });
    }

    /// The wait is over.
    pub(super) fn end(&mut self) {
        let Some(Wait {
            what, since, next, ..
        }) = self.wait.take()
        else {
            return;
        };
        // The end is reported only if the beginning was.
        if let (WaitReason::Compiling(guest), true) = (what, next > PATIENCE) {
            let seconds = since.elapsed().as_secs_f32();
            self.last_line = Some(format!("ampoule: compiled {guest} in {seconds:.1} s\n"));
        }
    }

    /// The report of what has just ended.
    pub(super) fn take_last_line(&mut self) -> Option<Vec<u8>> {
        self.last_line.take().map(String::into_bytes)
    }

    /// Whether there is nothing to be drawn, now or later.
    pub(super) fn is_idle(&self) -> bool {
        self.wait.is_none()
    }

    /// Whether a line is there that must be erased before something else is written. It then counts
    /// as erased.
    pub(super) fn erase(&mut self) -> bool {
        self.drawn.take().is_some()
    }

    /// How to look up what the line is about to say. That may take locks of others, which log in
    /// their turn: not while this one's is held.
    pub(super) fn look(&self) -> Option<ReasonLookup> {
        match &self.wait.as_ref()?.what {
            WaitReason::Other(_, look) if self.redraws => Some(Arc::clone(look)),
            _ => None,
        }
    }

    /// Takes what came of it.
    pub(super) fn see(&mut self, seen: Option<Obstacle>) {
        if let Some(wait) = &mut self.wait {
            wait.seen = seen;
        }
    }

    /// What is to be written now, if anything.
    pub(super) fn draw(&mut self) -> Option<Vec<u8>> {
        let Some(wait) = &mut self.wait else {
            return None;
        };
        let elapsed = wait.since.elapsed();
        if !self.redraws {
            return wait.line(elapsed).map(String::into_bytes);
        }
        let is_fresh = self.drawn.is_some_and(|drawn| drawn.elapsed() < TICK);
        if elapsed < PATIENCE || is_fresh {
            return None;
        }
        self.drawn = Some(Instant::now());
        let columns = Descriptor::Err.width().unwrap_or_default();
        let mut drawn = ERASE.to_vec();
        let line = wait.drawn(elapsed, columns);
        drawn.extend(if self.coloured {
            format!("{DIM}{line}{DIM:#}\r").into_bytes()
        } else {
            format!("{line}\r").into_bytes()
        });
        Some(drawn)
    }
}

impl Wait {
    /// The line on a terminal. It never fills it, so that the cursor stays in it.
    fn drawn(&self, elapsed: Duration, columns: usize) -> String {
        let frame = FRAMES[(elapsed.as_millis() / TICK.as_millis()) as usize % FRAMES.len()];
        let time = format!(" {} s", elapsed.as_secs());
        let (what, time) = match (&self.what, &self.seen) {
            (WaitReason::Compiling(guest), _) => {
                (format!("compiling {guest}, once on this machine"), time)
            }
            (WaitReason::Other(..), Some(Obstacle { what, since })) => {
                (what.clone(), format!(" ({} s)", since.elapsed().as_secs()))
            }
            (WaitReason::Other(what, _), None) => (what.clone(), time),
        };
        let room = columns.saturating_sub(" ⠋ ".chars().count() + time.len() + 1);
        format!(" {frame} {}{time}", layout::cut(&what, room))
    }

    /// The next line where none is redrawn.
    fn line(&mut self, elapsed: Duration) -> Option<String> {
        let WaitReason::Compiling(guest) = &self.what else {
            return None;
        };
        if elapsed < self.next {
            return None;
        }
        let line = if self.next == PATIENCE {
            format!("ampoule: compiling {guest}; this happens once …\n")
        } else {
            format!("ampoule: … {} s so far\n", elapsed.as_secs())
        };
        self.next = elapsed + INTERVAL;
        Some(line)
    }
}

/// Shows the status until it is dropped.
pub(crate) struct Waiting {
    queue: Arc<Queue>,
    since: Instant,
}

impl Waiting {
    pub(super) fn new(queue: Arc<Queue>) -> Self {
        Self {
            queue,
            since: Instant::now(),
        }
    }

    /// Code is compiled.
    pub(crate) fn compiling(&self, what: impl fmt::Display) {
        let what = WaitReason::Compiling(what.to_string());
        self.queue
            .set_status(|status| status.set(what, Instant::now()));
    }

    /// Something else is under way, since this value was made.
    pub(crate) fn on(&self, what: String) {
        self.looking(what, Arc::new(|| None));
    }

    /// The same, with a lookup of what blocks the work.
    pub(crate) fn looking(&self, what: String, look: ReasonLookup) {
        let what = WaitReason::Other(what, look);
        self.queue.set_status(|status| status.set(what, self.since));
    }
}

impl Waiting {
    /// Ends the wait.
    pub(crate) fn end(&self) {
        self.queue.set_status(Status::end);
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.end();
    }
}
