//! Keeps at most one connection: made when it is first needed, shared, and made again when it is
//! next needed after it ended.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use ampoule_tools::Abilities;
use futures::FutureExt;
use parking_lot::{Mutex, MutexGuard};
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;

use super::connection::Connection;
use super::handshake::Era;
use super::idle;
use super::lifecycle::{Lifecycle, Phase, SHORT_PAUSE, StartFuture, StartResult};
use super::opening::{Start, StartError, StartErrorKind, Target};
use super::state::{UpstreamState, UpstreamStatus};
use super::wire::Wire;

/// The connection to one server.
pub(super) struct Supervisor {
    target: Target,
    stop: CancellationToken,
    /// How long nobody may use a connection before it is ended.
    idle: Option<Duration>,
    state: Mutex<Lifecycle>,
}

/// What there is for who needs a connection.
enum Step {
    Have(Arc<Connection>),
    Await(StartFuture),
    /// There will be a start at that time.
    Pause(Instant),
}

impl Supervisor {
    /// `stop` ends the connection, and the making of one. What nobody uses is ended after `idle`.
    pub(super) fn new(
        target: Target,
        era: Option<Era>,
        idle: Option<Duration>,
        stop: CancellationToken,
    ) -> Arc<Self> {
        Arc::new(Self {
            target,
            stop,
            idle: idle.filter(|idle| !idle.is_zero()),
            state: Mutex::new(Lifecycle::new(era)),
        })
    }

    /// The connection. All who ask while one is being made get the same.
    pub(super) async fn connection(self: &Arc<Self>) -> StartResult {
        loop {
            match self.step()? {
                Step::Have(connection) => return Ok(connection),
                Step::Await(starting) => return starting.await,
                Step::Pause(until) => {
                    self.stop.run_until_cancelled(sleep_until(until)).await;
                }
            }
        }
    }

    fn step(self: &Arc<Self>) -> Result<Step, StartError> {
        let mut state = self.lock();
        match &state.now {
            Phase::Up { connection, .. } if connection.is_open() => {
                return Ok(Step::Have(Arc::clone(connection)));
            }
            Phase::Up { .. } if !self.stop.is_cancelled() => {
                state.note_end(&self.target.name, "ended")
            }
            _ => {}
        }
        match &state.now {
            Phase::Starting { ended, .. } => return Ok(Step::Await(ended.clone())),
            Phase::Down { until, error } if !self.stop.is_cancelled() => {
                let left = until.saturating_duration_since(Instant::now());
                match error.kind {
                    _ if left.is_zero() => {}
                    StartErrorKind::NeedsSignIn => return Err(error.clone()),
                    StartErrorKind::Failed if left <= SHORT_PAUSE => {
                        return Ok(Step::Pause(*until));
                    }
                    StartErrorKind::Failed => return Err(state.not_yet(error, left)),
                }
            }
            _ => {}
        }
        self.start(&mut state).map(Step::Await)
    }

    /// The connection, if there is one already.
    pub(super) fn current(&self) -> Option<Arc<Connection>> {
        match &self.lock().now {
            Phase::Up { connection, .. } if connection.is_open() => Some(Arc::clone(connection)),
            _ => None,
        }
    }

    /// How the start is going that is under way, in words that follow the server's name.
    pub(super) fn starting(&self) -> Option<String> {
        match &self.lock().now {
            Phase::Starting { start, .. } => Some(start.progress()),
            _ => None,
        }
    }

    /// What keeps the server from being used now, unless that it is not started is all.
    pub(super) fn trouble(&self) -> Option<String> {
        let state = self.lock();
        let (until, error) = match &state.now {
            Phase::Down { until, error } => (until, error),
            Phase::Up { connection, .. } if connection.is_open() => {
                return connection.needs_sign_in();
            }
            _ => return None,
        };
        let left = until.saturating_duration_since(Instant::now());
        Some(match error.kind {
            StartErrorKind::Failed if left > SHORT_PAUSE => state.not_yet(error, left).message,
            _ => error.message.clone(),
        })
    }

    /// How it is doing. That many tools are known.
    pub(super) fn status(&self, tools: Option<usize>) -> UpstreamStatus {
        let state = self.lock();
        let name = &self.target.name;
        let (reads, why) = state.reads(name);
        UpstreamStatus {
            server: Arc::clone(name),
            transport: self.target.transport,
            state: reads,
            since: state.since,
            why,
            remedy: (reads == UpstreamState::NeedsSignIn)
                .then(|| format!("ampoule auth login {name}")),
            era: state.era,
            protocol_version: state.version.clone(),
            tools,
            connected_in: state.connected_in,
            last_error: state.last_error.clone(),
            skipped: self.target.noise.told(self.target.transport),
        }
    }

    pub(super) fn name(&self) -> &str {
        &self.target.name
    }

    /// How the server wants to be talked to, as far as is known.
    pub(super) fn era(&self) -> Option<Era> {
        self.lock().era
    }

    /// Makes a connection in a task of its own: it continues when who asked for it stops waiting.
    fn start(self: &Arc<Self>, state: &mut Lifecycle) -> Result<StartFuture, StartError> {
        if self.stop.is_cancelled() {
            return Err(self.stopped());
        }
        let (supervisor, era, start) = (Arc::clone(self), state.era, Start::new());
        let (starting, leaving) = (Arc::clone(&start), state.leaving.take());
        let task = self.target.tasks.spawn(async move {
            let connecting = async {
                if let Some(process) = leaving {
                    process.exited().await;
                }
                let target = &supervisor.target;
                target.connect(era, &starting, &supervisor.stop).await
            };
            let result = supervisor
                .stop
                .run_until_cancelled(connecting)
                .await
                .unwrap_or_else(|| Err(supervisor.stopped()));
            supervisor.settle(result.map(Arc::new), starting.elapsed())
        });
        let name = Arc::clone(&self.target.name);
        let ended = async move {
            task.await.unwrap_or_else(|_| {
                Err(StartError::failed(format!(
                    "MCP server `{name}` can't be started: the runtime is ending"
                )))
            })
        };
        let ended = ended.boxed().shared();
        state.turn(Phase::Starting {
            ended: ended.clone(),
            start,
        });
        Ok(ended)
    }

    /// Notes how the making of a connection ended, and how long it took.
    fn settle(self: &Arc<Self>, started: StartResult, took: Duration) -> StartResult {
        let mut state = self.lock();
        match &started {
            Ok(connection) => {
                // A server that was just started may have other tools than before.
                self.target.changes.fetch_add(1, Ordering::Release);
                state.era = Some(connection.era);
                state.version.clone_from(&connection.version);
                state.connected_in = Some(took);
                state.turn(Phase::Up {
                    connection: Arc::clone(connection),
                    since: Instant::now(),
                });
                tokio::spawn(idle::watch(Arc::clone(self), connection, self.idle));
            }
            Err(_) if self.stop.is_cancelled() => state.turn(Phase::Idle { why: None }),
            Err(error) => {
                tracing::warn!(server = %self.target.name, %error);
                state.note_failure(error.clone());
            }
        }
        started
    }

    /// Notes that the connection that this carries has ended so, in words that follow the server's
    /// name.
    pub(super) fn note_end(&self, wire: &Arc<Wire>, how: &str) {
        let mut state = self.lock();
        if state.is_up_on(wire) && !self.stop.is_cancelled() {
            state.note_end(&self.target.name, how);
        }
    }

    /// Ends the connection that this carries, if nobody uses it.
    pub(super) fn end_unused(&self, wire: &Arc<Wire>, idle: Duration) {
        let mut state = self.lock();
        if !state.is_up_on(wire) || state.is_used() {
            return;
        }
        let waited = humantime::format_duration(idle);
        let name = &self.target.name;
        let why = format!("MCP server `{name}` was stopped, since nobody used it for {waited}");
        tracing::debug!(server = %name, why);
        state.leave(why);
    }

    /// Ends the connection, if nobody uses it and its server did not hear what a caller can answer:
    /// then it is greeted again. That happens once for each ability at most, since what servers hear
    /// only becomes more.
    pub(super) fn end_unaware(&self, caller: Abilities) {
        let mut state = self.lock();
        let is_unaware = match &state.now {
            Phase::Up { connection, .. } => connection.would_not_ask(caller),
            _ => false,
        };
        if !is_unaware || state.is_used() {
            return;
        }
        let name = &self.target.name;
        let why = format!(
            "MCP server `{name}` was stopped, to be started again for a client that can answer more of its questions"
        );
        tracing::info!(server = %name, why);
        state.leave(why);
    }

    /// Ends the connection, also for calls that are active, and forgets that starts failed. The next
    /// use of the server makes a new one.
    pub(super) fn restart(&self) {
        let mut state = self.lock();
        state.backoff.reset();
        match &state.now {
            Phase::Up { connection, .. } => {
                let (wire, process) = connection.parts();
                let (wire, process) = (Arc::clone(wire), process.cloned());
                state.leaving = process;
                let name = &self.target.name;
                let why = format!("MCP server `{name}` was restarted by an operator");
                state.turn(Phase::Idle { why: Some(why) });
                drop(state);
                wire.fail("was restarted by an operator".to_owned());
            }
            Phase::Down { .. } => state.turn(Phase::Idle { why: None }),
            Phase::Idle { .. } | Phase::Starting { .. } => {}
        }
    }

    /// Whether somebody holds the connection: who makes a call, or wants to hear of changes.
    pub(super) fn is_used(&self) -> bool {
        self.lock().is_used()
    }

    fn stopped(&self) -> StartError {
        StartError::failed(format!("MCP server `{}` was stopped", self.target.name))
    }

    fn lock(&self) -> MutexGuard<'_, Lifecycle> {
        self.state.lock()
    }

    /// As if it had never failed.
    #[cfg(test)]
    pub(super) fn forgive(&self) {
        self.lock().backoff.reset();
    }
}
