//! How the connection to a server is: not there, being made, up, or left alone since it failed.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use futures::future::{BoxFuture, Shared};
use tokio::time::Instant;

use super::backoff::Backoff;
use super::connection::Connection;
use super::handshake::Era;
use super::opening::{Start, StartError, StartErrorKind};
use super::process::Process;
use super::state::UpstreamState;
use super::wire::Wire;

/// A connection that lasted this long was a good one: its end is not a sign of a crash loop.
const LASTING: Duration = Duration::from_secs(10);

/// Who needs a server that is left alone for no longer than this, waits for it.
pub(super) const SHORT_PAUSE: Duration = Duration::from_secs(1);

/// How long a server that wants a sign-in is taken at its word. It is asked again soon, for a
/// person may sign in meanwhile, in another process.
const UNTIL_SIGNED_IN: Duration = Duration::from_secs(1);

pub(super) type StartResult = Result<Arc<Connection>, StartError>;

pub(super) type StartFuture = Shared<BoxFuture<'static, StartResult>>;

/// How the connection to a server is.
pub(super) struct Lifecycle {
    pub(super) now: Phase,
    /// Since when it is like that.
    pub(super) since: SystemTime,
    pub(super) era: Option<Era>,
    pub(super) version: Option<Arc<str>>,
    pub(super) connected_in: Option<Duration>,
    pub(super) backoff: Backoff,
    pub(super) last_error: Option<String>,
    /// What is still ending, since nobody used it. It may hold what the next one needs.
    pub(super) leaving: Option<Process>,
}

pub(super) enum Phase {
    /// Whoever needs it, starts it.
    Idle {
        /// Why it is not there any more, if it was.
        why: Option<String>,
    },
    Starting {
        ended: StartFuture,
        start: Arc<Start>,
    },
    Up {
        connection: Arc<Connection>,
        since: Instant,
    },
    /// It failed, and is left alone until then.
    Down { until: Instant, error: StartError },
}

impl Lifecycle {
    /// Of a server that was not started yet, and is known to want to be talked to so.
    pub(super) fn new(era: Option<Era>) -> Self {
        Self {
            now: Phase::Idle { why: None },
            since: SystemTime::now(),
            era,
            version: None,
            connected_in: None,
            backoff: Backoff::default(),
            last_error: None,
            leaving: None,
        }
    }

    pub(super) fn turn(&mut self, now: Phase) {
        self.now = now;
        self.since = SystemTime::now();
    }

    pub(super) fn is_up_on(&self, wire: &Arc<Wire>) -> bool {
        matches!(&self.now, Phase::Up { connection, .. } if Arc::ptr_eq(connection.parts().0, wire))
    }

    /// Only who has the lock can give the connection to somebody who has none yet.
    pub(super) fn is_used(&self) -> bool {
        matches!(&self.now, Phase::Up { connection, .. } if Arc::strong_count(connection) > 1)
    }

    /// Lets go of the connection, for this reason. The next one waits until its process has ended.
    pub(super) fn leave(&mut self, why: String) {
        if let Phase::Up { connection, .. } = &self.now {
            let (_, process) = connection.parts();
            self.leaving = process.cloned();
        }
        self.turn(Phase::Idle { why: Some(why) });
    }

    /// An end is not a failure yet: the server is started again when it is next needed. One that
    /// ends again and again, soon after its start, is left alone for a while.
    pub(super) fn note_end(&mut self, name: &str, how: &str) {
        let Phase::Up { since, .. } = &self.now else {
            return;
        };
        let (error, pause) = if since.elapsed() >= LASTING {
            self.backoff.reset();
            (format!("MCP server `{name}` {how}"), Duration::ZERO)
        } else {
            let error = format!("MCP server `{name}` {how} soon after its start");
            (error, self.backoff.fail())
        };
        self.last_error = Some(error.clone());
        self.turn(match pause.is_zero() {
            true => Phase::Idle { why: Some(error) },
            false => Phase::Down {
                until: Instant::now() + pause,
                error: StartError::failed(error),
            },
        });
    }

    pub(super) fn note_failure(&mut self, error: StartError) {
        let pause = match error.kind {
            StartErrorKind::Failed => self.backoff.fail(),
            StartErrorKind::NeedsSignIn => UNTIL_SIGNED_IN,
        };
        self.last_error = Some(error.message.clone());
        self.turn(Phase::Down {
            until: Instant::now() + pause,
            error,
        });
    }

    /// What who needs a server is told that is left alone for so long.
    pub(super) fn not_yet(&self, error: &StartError, left: Duration) -> StartError {
        let left = Duration::from_millis(left.as_millis() as u64).max(Duration::from_millis(1));
        StartError::failed(format!(
            "{error}\nIt failed {} times in a row and is not tried again for {}",
            self.backoff.failures(),
            humantime::format_duration(left)
        ))
    }

    /// The state, and why it is that.
    pub(super) fn reads(&self, name: &str) -> (UpstreamState, Option<String>) {
        let sentence = |does: &str| Some(format!("MCP server `{name}` {does}"));
        match &self.now {
            Phase::Idle { why } => (UpstreamState::NotStarted, why.clone()),
            Phase::Starting { start, .. } => (UpstreamState::Starting, sentence(&start.progress())),
            Phase::Up { connection, .. } if connection.is_open() => {
                match connection.needs_sign_in() {
                    Some(why) => (UpstreamState::NeedsSignIn, Some(why)),
                    None => (UpstreamState::Ready, None),
                }
            }
            Phase::Up { .. } => (UpstreamState::NotStarted, sentence("has ended")),
            Phase::Down { until, error } => {
                let left = until.saturating_duration_since(Instant::now());
                let state = match error.kind {
                    StartErrorKind::NeedsSignIn => UpstreamState::NeedsSignIn,
                    StartErrorKind::Failed if left.is_zero() => UpstreamState::Failed,
                    StartErrorKind::Failed => UpstreamState::Waiting {
                        until: SystemTime::now() + left,
                    },
                };
                (state, Some(error.message.clone()))
            }
        }
    }
}
