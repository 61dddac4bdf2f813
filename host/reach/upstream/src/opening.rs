//! How a connection comes about: the server is reached, given time for as long as it shows life,
//! and greeted.

use std::fmt;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use ampoule_tools::CallError;
use futures::future::BoxFuture;
use parking_lot::Mutex;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::authorizer::SignInRequiredError;
use super::client::Client;
use super::connection::{Connection, ended};
use super::handshake::{self, Era, Opening, Refusal};
use super::http::Remote;
use super::last_words::last_words;
use super::noise::Noise;
use super::process::Process;
use super::secrets::Secrets;
use super::watch::Watch;
use super::wire::{ListChanges, Wire, WireShared};

/// However much life a server shows: after that time its start is given up, unless it may be silent
/// for longer.
const LONGEST_START: Duration = Duration::from_mins(10);

/// How messages get to a server and back.
pub(super) enum Link {
    /// As lines on two streams to a server that was just reached, and its process if it has one.
    Streams {
        read: Box<dyn AsyncRead + Send + Unpin>,
        write: Box<dyn AsyncWrite + Send + Unpin>,
        process: Option<Process>,
    },
    /// By requests of HTTP, each for itself.
    Http(Arc<Remote>),
}

/// Reaches a server, again for each connection. What it starts ends when the token is cancelled,
/// and has ended when the tracked tasks have.
pub(super) type Reach = Box<
    dyn Fn(&TaskTracker, CancellationToken) -> BoxFuture<'static, io::Result<Link>> + Send + Sync,
>;

/// Why there is no connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct StartError {
    pub(super) kind: StartErrorKind,
    /// A sentence for who wanted one.
    pub(super) message: String,
}

/// What would have to happen for there to be a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StartErrorKind {
    /// It is not known: it is tried again, after a while.
    Failed,
    /// A person has to sign in.
    NeedsSignIn,
}

impl StartError {
    pub(super) fn failed(message: impl Into<String>) -> Self {
        Self {
            kind: StartErrorKind::Failed,
            message: message.into(),
        }
    }

    fn needs_sign_in(needed: &SignInRequiredError) -> Self {
        Self {
            kind: StartErrorKind::NeedsSignIn,
            message: needed.to_string(),
        }
    }
}

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl From<StartError> for CallError {
    fn from(error: StartError) -> Self {
        match error.kind {
            StartErrorKind::Failed => Self::NotReached(error.message),
            StartErrorKind::NeedsSignIn => Self::NeedsSignIn(error.message),
        }
    }
}

/// What is needed to connect to a server.
pub(super) struct Target {
    pub(super) name: Arc<str>,
    /// How it is reached, as people call it.
    pub(super) transport: &'static str,
    pub(super) reach: Reach,
    pub(super) changes: ListChanges,
    pub(super) watch: Arc<Watch>,
    pub(super) noise: Arc<Noise>,
    pub(super) secrets: Secrets,
    pub(super) client: Arc<Client>,
    /// Everything that must be over before the server is gone.
    pub(super) tasks: TaskTracker,
    /// How long the server may show no life until it answers.
    pub(super) start_timeout: Duration,
}

/// A start that is under way.
#[derive(Debug)]
pub(super) struct Start {
    since: Instant,
    /// The server's process, once there is one.
    process: Mutex<Option<Process>>,
}

enum OpenError {
    /// The server could not be reached, or was silent: trying differently does not help.
    Final(StartError),
    /// The server ended.
    Ended(StartError),
    /// The server answered, but not what it should.
    Refused(StartError),
}

impl OpenError {
    fn into_error(self) -> StartError {
        let (Self::Final(error) | Self::Ended(error) | Self::Refused(error)) = self;
        error
    }
}

impl Start {
    pub(super) fn new() -> Arc<Self> {
        Arc::new(Self {
            since: Instant::now(),
            process: Mutex::default(),
        })
    }

    /// How long it has taken by now.
    pub(super) fn elapsed(&self) -> Duration {
        self.since.elapsed()
    }

    fn process(&self) -> Option<Process> {
        self.process.lock().clone()
    }

    /// How it is going, in words that follow the server's name.
    pub(super) fn progress(&self) -> String {
        let seconds = self.since.elapsed().as_secs();
        let said = self.process().and_then(|process| process.stderr().pop());
        let said = said.map_or_else(String::new, |line| format!(" and last said: {line}"));
        format!("is still starting after {seconds} s{said}")
    }
}

impl Target {
    /// Connects, the way that worked the last time first.
    pub(super) async fn connect(
        &self,
        remembered: Option<Era>,
        start: &Start,
        stop: &CancellationToken,
    ) -> Result<Connection, StartError> {
        let opening = if remembered == Some(Era::Sessions) {
            Opening::Initialize
        } else {
            Opening::Probe
        };
        match (self.attempt(opening, start, stop).await, opening) {
            (Ok(connection), _) => Ok(connection),
            // Some older servers end at a request that they don't know; they are started again and
            // greeted in their own way.
            (Err(OpenError::Ended(first)), Opening::Probe) => {
                match self.attempt(Opening::Initialize, start, stop).await {
                    Err(OpenError::Ended(_)) => Err(first),
                    result => result.map_err(OpenError::into_error),
                }
            }
            // The server was replaced by a newer one.
            (Err(OpenError::Refused(_)), Opening::Initialize) => self
                .attempt(Opening::Probe, start, stop)
                .await
                .map_err(OpenError::into_error),
            (Err(failure), _) => Err(failure.into_error()),
        }
    }

    async fn attempt(
        &self,
        opening: Opening,
        start: &Start,
        stop: &CancellationToken,
    ) -> Result<Connection, OpenError> {
        let stop = stop.child_token();
        let guard = stop.clone().drop_guard();
        let link = (self.reach)(&self.tasks, stop.clone()).await;
        let link = link.map_err(|error| {
            let how = format!("MCP server `{}` can't be started: {error}", self.name);
            OpenError::Final(StartError::failed(how))
        })?;
        let wire = Wire::new(
            Arc::clone(&self.name),
            WireShared {
                changes: Arc::clone(&self.changes),
                watch: Arc::clone(&self.watch),
                noise: Arc::clone(&self.noise),
                secrets: self.secrets.clone(),
                client: Arc::clone(&self.client),
            },
            &stop,
        );
        let (process, silence) = match link {
            Link::Streams {
                read,
                write,
                process,
            } => {
                wire.carry(read, write);
                (process, handshake::SILENCE)
            }
            Link::Http(remote) => {
                remote.carry(&wire, &self.tasks, &stop);
                (None, handshake::SILENCE_OVER_HTTP)
            }
        };
        // There is time for both ways.
        let silence = silence.min(self.start_timeout / 2);
        start.process.lock().clone_from(&process);
        // Before it is greeted: what can be answered may become more meanwhile.
        let told = self.client.abilities();
        let signs = Signs {
            wire: &wire,
            process: process.as_ref(),
        };
        let opened = self
            .while_alive(
                handshake::open(&wire, opening, silence),
                &signs,
                start.since,
            )
            .await;
        let (era, greeting) = match opened {
            Ok(Ok(opened)) => opened,
            Ok(Err(Refusal::Closed)) => {
                let how = ended(&wire, process.as_ref()).await;
                let how = format!("{how} while it was starting");
                return Err(OpenError::Ended(self.failed(&how, process.as_ref())));
            }
            Ok(Err(Refusal::Answered(why))) => {
                let how = format!("did not open a session: {why}");
                return Err(OpenError::Refused(self.failed(&how, process.as_ref())));
            }
            Ok(Err(Refusal::Unreachable(why))) => {
                return Err(OpenError::Final(self.failed(&why, None)));
            }
            Ok(Err(Refusal::NeedsSignIn(needed))) => {
                return Err(OpenError::Final(StartError::needs_sign_in(&needed)));
            }
            Err(waited) => return Err(OpenError::Final(self.failed(&waited, process.as_ref()))),
        };
        tracing::debug!(server = %self.name, ?era, version = greeting.version, "connected");
        Ok(Connection::new(wire, process, era, told, greeting, guard))
    }

    /// What went wrong, in words that follow the server's name, with what it said last.
    fn failed(&self, how: &str, process: Option<&Process>) -> StartError {
        let said = last_words(&self.name, process);
        StartError::failed(format!("MCP server `{}` {how}{said}", self.name))
    }

    /// Waits for as long as the server shows life, and no longer than ever.
    ///
    /// # Errors
    ///
    /// How long was waited in vain, in words that follow the server's name.
    async fn while_alive<T>(
        &self,
        opening: impl Future<Output = T>,
        signs: &Signs<'_>,
        since: Instant,
    ) -> Result<T, String> {
        let mut opening = std::pin::pin!(opening);
        let ceiling = since + LONGEST_START.max(self.start_timeout);
        let began = Instant::now();
        let (mut last, mut computed) = (began, signs.computed().await);
        loop {
            let until = ceiling.min(last + self.start_timeout);
            if let Ok(opened) = tokio::time::timeout_at(until, &mut opening).await {
                return Ok(opened);
            }
            let shown = |time| humantime::format_duration(time);
            let waited = Duration::from_secs(began.elapsed().as_secs());
            if Instant::now() >= ceiling {
                return Err(format!(
                    "did not answer within {} of its start",
                    shown(waited)
                ));
            }
            let heard = signs.heard();
            if heard > last {
                last = heard;
                continue;
            }
            let now_computed = signs.computed().await;
            if now_computed > computed {
                (last, computed) = (Instant::now(), now_computed);
                continue;
            }
            let silent = shown(self.start_timeout);
            return Err(if last == began {
                format!("did not answer within {silent} of its start")
            } else {
                format!(
                    "did not answer within {} of its start, and showed no sign of life in the last {silent}",
                    shown(waited)
                )
            });
        }
    }
}

/// Where a server shows that it lives.
struct Signs<'a> {
    wire: &'a Wire,
    process: Option<&'a Process>,
}

impl Signs<'_> {
    /// When it last printed something.
    fn heard(&self) -> Instant {
        let stdout = *self.wire.heard.borrow();
        self.process
            .map_or(stdout, |process| stdout.max(process.heard()))
    }

    /// How much it has computed, where that can be known: what downloads a server prints nothing
    /// meanwhile.
    async fn computed(&self) -> u64 {
        match self.process {
            Some(process) => process.computed().await,
            None => 0,
        }
    }
}
