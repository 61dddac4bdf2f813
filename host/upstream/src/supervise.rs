//! Keeps at most one connection: made when it is first needed, shared, and made again after it
//! ended.

use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::{BoxFuture, Shared};
use parking_lot::{Mutex, MutexGuard};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::connection::Connection;
use super::handshake::Era;
use super::opening::{Start, StartError, Target};

/// A connection that lasted this long was a good one: its end is no sign of a crash loop.
const LASTING: Duration = Duration::from_secs(10);

/// The pause before the third attempt in a row; it doubles with each further one. The second comes
/// at once.
const FIRST_PAUSE: Duration = Duration::from_millis(500);

const LONGEST_PAUSE: Duration = Duration::from_secs(60);

type Started = Result<Arc<Connection>, StartError>;

/// The connection to one server.
pub(super) struct Supervisor {
    target: Target,
    stop: CancellationToken,
    state: Mutex<State>,
}

struct State {
    now: Now,
    era: Option<Era>,
    /// Attempts in a row that brought no lasting connection.
    failures: u32,
    not_before: Option<(Instant, StartError)>,
}

enum Now {
    Idle,
    Starting {
        ended: Shared<BoxFuture<'static, Started>>,
        start: Arc<Start>,
    },
    Up {
        connection: Arc<Connection>,
        since: Instant,
    },
}

impl Supervisor {
    /// `stop` ends the connection, and the making of one.
    pub(super) fn new(target: Target, era: Option<Era>, stop: CancellationToken) -> Arc<Self> {
        let state = State {
            now: Now::Idle,
            era,
            failures: 0,
            not_before: None,
        };
        Arc::new(Self {
            target,
            stop,
            state: Mutex::new(state),
        })
    }

    /// The connection. All who ask while one is being made get the same.
    pub(super) async fn connection(self: &Arc<Self>) -> Started {
        let starting = {
            let mut state = self.lock();
            match &state.now {
                Now::Up { connection, .. } if connection.is_open() => {
                    return Ok(Arc::clone(connection));
                }
                Now::Up { since, .. } => {
                    let lasted = since.elapsed();
                    state.note_end(&self.target.name, lasted);
                    self.start(&mut state)?
                }
                Now::Idle => self.start(&mut state)?,
                Now::Starting { ended, .. } => ended.clone(),
            }
        };
        starting.await
    }

    /// The connection, if there is one already.
    pub(super) fn current(&self) -> Option<Arc<Connection>> {
        match &self.lock().now {
            Now::Up { connection, .. } if connection.is_open() => Some(Arc::clone(connection)),
            _ => None,
        }
    }

    /// How the start is going that is under way, in words that follow the server's name.
    pub(super) fn starting(&self) -> Option<String> {
        match &self.lock().now {
            Now::Starting { start, .. } => Some(start.progress()),
            Now::Idle | Now::Up { .. } => None,
        }
    }

    pub(super) fn name(&self) -> &str {
        &self.target.name
    }

    /// How the server wants to be talked to, as far as is known.
    pub(super) fn era(&self) -> Option<Era> {
        self.lock().era
    }

    /// Makes a connection in a task of its own: it goes on when who asked for it stops waiting.
    fn start(
        self: &Arc<Self>,
        state: &mut State,
    ) -> Result<Shared<BoxFuture<'static, Started>>, StartError> {
        if self.stop.is_cancelled() {
            return Err(self.stopped());
        }
        let now = Instant::now();
        if let Some((at, last)) = &state.not_before
            && *at > now
        {
            let pause = Duration::from_millis((*at - now).as_millis() as u64);
            let pause = humantime::format_duration(pause.max(Duration::from_millis(1)));
            return Err(StartError::Failed(format!(
                "{last}\nIt failed {} times in a row and is not tried again for {pause}",
                state.failures
            )));
        }
        let (supervisor, era, start) = (Arc::clone(self), state.era, Start::new());
        let starting = Arc::clone(&start);
        let task = self.target.tasks.spawn(async move {
            let connecting = supervisor.target.connect(era, &starting, &supervisor.stop);
            let result = supervisor
                .stop
                .run_until_cancelled(connecting)
                .await
                .unwrap_or_else(|| Err(supervisor.stopped()));
            supervisor.settle(result.map(Arc::new))
        });
        let name = Arc::clone(&self.target.name);
        let ended = async move {
            task.await.unwrap_or_else(|_| {
                Err(StartError::Failed(format!(
                    "MCP server `{name}` can't be started: the runtime is ending"
                )))
            })
        };
        let ended = ended.boxed().shared();
        state.now = Now::Starting {
            ended: ended.clone(),
            start,
        };
        Ok(ended)
    }

    /// Notes how the making of a connection ended.
    fn settle(&self, started: Started) -> Started {
        let mut state = self.lock();
        match &started {
            Ok(connection) => {
                // A server that was just started may have other tools than before.
                self.target
                    .changes
                    .fetch_add(1, std::sync::atomic::Ordering::Release);
                state.era = Some(connection.era);
                state.now = Now::Up {
                    connection: Arc::clone(connection),
                    since: Instant::now(),
                };
            }
            Err(error) => {
                if !self.stop.is_cancelled() {
                    tracing::warn!(server = %self.target.name, %error);
                }
                state.now = Now::Idle;
                state.note_failure(error.clone());
            }
        }
        started
    }

    fn stopped(&self) -> StartError {
        StartError::Failed(format!("MCP server `{}` was stopped", self.target.name))
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }
}

impl State {
    fn note_end(&mut self, name: &str, lasted: Duration) {
        if lasted >= LASTING {
            self.failures = 0;
            self.not_before = None;
        } else {
            self.note_failure(StartError::Failed(format!(
                "MCP server `{name}` ended soon after its start"
            )));
        }
        self.now = Now::Idle;
    }

    fn note_failure(&mut self, error: StartError) {
        // Trying again costs nothing, and works as soon as somebody has signed in.
        if matches!(error, StartError::NeedsSignIn(_)) {
            return;
        }
        self.failures += 1;
        let pause = match self.failures {
            0 | 1 => Duration::ZERO,
            more => FIRST_PAUSE
                .saturating_mul(1 << (more - 2).min(16))
                .min(LONGEST_PAUSE),
        };
        self.not_before = Some((Instant::now() + pause, error));
    }
}
