//! What is being waited for. On a terminal that is one line, drawn over again and again, and gone before anything else is written. Elsewhere, only what
//! takes many seconds is told, in lines that stay.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::DIM;
use super::descriptor::Descriptor;
use super::layout;
use super::queue::Queue;

/// What takes no longer goes unsaid.
const PATIENCE: Duration = Duration::from_secs(1);
/// How often the line is drawn.
pub(super) const TICK: Duration = Duration::from_millis(100);
/// Where there is no terminal, how often it is said how long it has taken by now.
const INTERVAL: Duration = Duration::from_secs(5);

/// Moves to the line's begin, and clears from there on: after a terminal was made narrower, the line has become several.
pub(super) const ERASE: &[u8] = b"\r\x1b[J";
const FRAMES: [&str; 10] = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];

/// What is said at the moment.
pub(super) struct Status {
    redraws: bool,
    coloured: bool,
    wait: Option<Wait>,
    /// When the line was drawn that is there.
    drawn: Option<Instant>,
    last_line: Option<String>,
}

struct Wait {
    what: What,
    since: Instant,
    /// Where nothing is redrawn: after how long something is said next.
    next: Duration,
}

enum What {
    /// Code is compiled, which takes seconds and happens once.
    Compiling(String),
    /// Anything else. It is said on terminals alone.
    Other(String),
}

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
    fn set(&mut self, what: What, since: Instant) {
        self.end();
        self.wait = Some(Wait {
            what,
            since,
            next: PATIENCE,
        });
    }

    /// Nothing is waited for any longer.
    pub(super) fn end(&mut self) {
        let Some(Wait { what, since, next }) = self.wait.take() else {
            return;
        };
        // What was not said to begin is not said to have ended.
        if let (What::Compiling(guest), true) = (what, next > PATIENCE) {
            let seconds = since.elapsed().as_secs_f32();
            self.last_line = Some(format!("ampoule: compiled {guest} in {seconds:.1} s\n"));
        }
    }

    /// What is to be said of what has just ended.
    pub(super) fn take_last_line(&mut self) -> Option<Vec<u8>> {
        self.last_line.take().map(String::into_bytes)
    }

    /// Whether there is nothing to be drawn, now or later.
    pub(super) fn is_idle(&self) -> bool {
        self.wait.is_none()
    }

    /// Whether a line is there that must be erased before something else is written. It then counts as erased.
    pub(super) fn erase(&mut self) -> bool {
        self.drawn.take().is_some()
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
        let what = match &self.what {
            What::Compiling(guest) => format!("compiling {guest}, once on this machine"),
            What::Other(what) => what.clone(),
        };
        let room = columns.saturating_sub(" ⠋ ".chars().count() + time.len() + 1);
        format!(" {frame} {}{time}", layout::cut(&what, room))
    }

    /// The next line where none is redrawn.
    fn line(&mut self, elapsed: Duration) -> Option<String> {
        let What::Compiling(guest) = &self.what else {
            return None;
        };
        if elapsed < self.next {
            return None;
        }
        let line = if self.next == PATIENCE {
            format!("ampoule: compiling {guest}; this happens once …\n")
        } else {
            format!("ampoule: … {} s by now\n", elapsed.as_secs())
        };
        self.next = elapsed + INTERVAL;
        Some(line)
    }
}

/// Says what is being waited for, until it is dropped.
pub(in crate::cli) struct Waiting {
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
    pub(in crate::cli) fn compiling(&self, guest: &str) {
        let what = What::Compiling(guest.to_owned());
        self.queue
            .set_status(|status| status.set(what, Instant::now()));
    }

    /// Something else is under way, since this value was made.
    pub(in crate::cli) fn on(&self, what: String) {
        let what = What::Other(what);
        self.queue.set_status(|status| status.set(what, self.since));
    }
}

impl Waiting {
    /// It is waited for no longer.
    pub(in crate::cli) fn end(&self) {
        self.queue.set_status(Status::end);
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.end();
    }
}
