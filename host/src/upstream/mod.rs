//! Upstreams: MCP servers that Ampoule is a client of.
//!
//! [`Upstream`] is the binding. A server is started when it is first needed, kept, and started again after it ended.
//!
//! - [`command`](ServerCommand): how a server is started, and what it inherits
//! - `process`: its process group, stderr and end; `connection`: one session with it; `supervise`: at most one session at a time
//! - `wire`: the JSON-RPC connection beneath `rmcp`, made of the lines and envelopes of `crate::wire` and of `pending`
//! - `handshake`: both of the protocol's lifecycles; `client`: what servers may ask of us
//! - `secrets`: what is blotted out of what servers print and say
//! - `decode`: results and tools as servers really send them; `listing`: the list of tools; `cache`: kept between processes
//!
//! Another transport is another `connection::Reach`: everything above it only sees two streams.

mod cache;
mod client;
mod command;
mod connection;
mod decode;
mod handshake;
mod listing;
mod pending;
mod process;
mod secrets;
mod supervise;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod wire;

use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use rmcp::model::ServerPeerInfo;
use serde_json::{Map, Value};
use tokio_util::sync::{CancellationToken, DropGuard};
use tokio_util::task::TaskTracker;

use self::cache::{Cache, Remembered};
use self::connection::{Link, Reach, Target};
use self::listing::Listing;
use self::process::Process;
use self::secrets::Secrets;
use self::supervise::Supervisor;
use self::wire::ListChanges;
use crate::binding::{Binding, BindingError, CallContext, CallError, ToolResult};
use crate::projection::{Detail, Tool, doc};

pub use self::command::ServerCommand;
pub(crate) use self::command::is_inherited;

/// The longest that is waited for a server's start: far longer times can't be added to a clock's.
const LONGEST_START: Duration = Duration::from_hours(365 * 24);

/// How much of what a server says of itself is kept, in characters.
const ABOUT_CHARS: usize = 200;

/// How an upstream behaves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UpstreamOptions {
    /// How long one call may take. Default 5 min: what bounds calls as a rule is the wall time of the run that makes them.
    pub call_timeout: Duration,
    /// How long the server may take to start, and then to list its tools. Default 30 s, since `npx` and `uvx` may have to
    /// download it. At most a year.
    pub start_timeout: Duration,
    /// A folder in which the server's list of tools is kept between processes, readable by its owner alone. Default none. With one,
    /// tools are known before the server is started, and brought up to date when it is.
    pub cache_dir: Option<PathBuf>,
}

impl Default for UpstreamOptions {
    fn default() -> Self {
        Self {
            call_timeout: Duration::from_secs(300),
            start_timeout: Duration::from_secs(30),
            cache_dir: None,
        }
    }
}

/// An MCP server as a binding.
///
/// Both of the protocol's lifecycles are spoken: `server/discover` (2026-07-28), and `initialize` (2024-11-05 to 2025-11-25).
/// Dropping it stops the server, with every process that it started.
pub struct Upstream {
    inner: Arc<Inner>,
    _stop: DropGuard,
}

struct Inner {
    name: Arc<str>,
    supervisor: Arc<Supervisor>,
    listing: Listing,
    about: RwLock<Option<String>>,
    cache: Option<Cache>,
    call_timeout: Duration,
    stop: CancellationToken,
    tasks: TaskTracker,
}

impl Upstream {
    /// A server that is a process, and is talked to over its stdin and stdout. Nothing is started yet.
    pub fn stdio(
        name: impl Into<Arc<str>>,
        command: ServerCommand,
        options: UpstreamOptions,
    ) -> Self {
        let name = name.into();
        let cache = options
            .cache_dir
            .as_deref()
            .map(|folder| Cache::new(folder, command.identity()));
        let (server, secrets) = (Arc::clone(&name), command.secrets());
        let reach = Box::new(move |tasks: &_, stop| {
            let (process, (stdout, stdin)) = Process::start(&server, &command, tasks, stop)
                .map_err(|error| explain(error, &command))?;
            Ok(Link {
                read: Box::new(stdout),
                write: Box::new(stdin),
                process: Some(process),
            })
        });
        Self::new(name, reach, secrets, options, cache)
    }

    fn new(
        name: Arc<str>,
        reach: Reach,
        secrets: Secrets,
        options: UpstreamOptions,
        cache: Option<Cache>,
    ) -> Self {
        let remembered = cache.as_ref().and_then(Cache::load);
        let stop = CancellationToken::new();
        let (changes, tasks) = (ListChanges::default(), TaskTracker::new());
        let start_timeout = options.start_timeout.min(LONGEST_START);
        let target = Target {
            name: Arc::clone(&name),
            reach,
            changes: Arc::clone(&changes),
            secrets,
            tasks: tasks.clone(),
            start_timeout,
        };
        let era = remembered.as_ref().map(|remembered| remembered.era);
        let (about, tools) = remembered
            .map(|remembered| (remembered.about, remembered.tools))
            .unzip();
        let inner = Inner {
            name,
            supervisor: Supervisor::new(target, era, stop.clone()),
            listing: Listing::new(tools, changes, start_timeout),
            about: RwLock::new(about.flatten()),
            cache,
            call_timeout: options.call_timeout,
            stop: stop.clone(),
            tasks,
        };
        Self {
            inner: Arc::new(inner),
            _stop: stop.drop_guard(),
        }
    }

    /// What is wrong with the server's list of tools, such as tools that had to be left out. Empty before it was asked for.
    pub fn problems(&self) -> Arc<[String]> {
        self.inner.listing.problems()
    }

    /// Stops the server, also one that is just being started, and waits until it is gone, which takes up to about four seconds.
    /// It is not started again.
    pub async fn stop(&self) {
        self.inner.stop.cancel();
        self.inner.tasks.close();
        self.inner.tasks.wait().await;
    }
}

impl Inner {
    /// Asks the server for its tools.
    async fn list(&self) -> Result<Arc<[Tool]>, BindingError> {
        let keep = |connection: &connection::Connection, tools: &Arc<[Tool]>| {
            let about = about(&connection.info);
            self.about
                .write()
                .unwrap_or_else(PoisonError::into_inner)
                .clone_from(&about);
            for problem in self.listing.problems().iter() {
                tracing::warn!(server = %self.name, "{problem}");
            }
            if let Some(cache) = self.cache.clone() {
                let (name, remembered) = (
                    Arc::clone(&self.name),
                    Remembered::new(connection.era, about, Arc::clone(tools)),
                );
                self.tasks.spawn_blocking(move || {
                    if let Err(error) = cache.save(&remembered) {
                        tracing::warn!(server = %name, %error, "the list of tools can't be kept");
                    }
                });
            }
        };
        self.listing
            .ask(&self.supervisor, keep)
            .await
            .map_err(|message| BindingError { message })
    }

    async fn tools(&self) -> Result<Arc<[Tool]>, BindingError> {
        if let Some(tools) = self.listing.current() {
            return Ok(tools);
        }
        // An older list is good enough while the server does not run: that it changed shows when it does.
        if let Some(tools) = self.listing.known()
            && self.supervisor.current().is_none()
        {
            return Ok(tools);
        }
        match (self.list().await, self.listing.known()) {
            (Ok(tools), _) => Ok(tools),
            (Err(error), Some(tools)) => {
                tracing::warn!(server = %self.name, %error, "the server does not list its tools; an older list is used");
                Ok(tools)
            }
            (Err(error), None) => Err(error),
        }
    }

    async fn call(
        self: &Arc<Self>,
        tool: &str,
        arguments: Map<String, Value>,
        context: CallContext,
    ) -> Result<ToolResult, CallError> {
        let connection = self
            .supervisor
            .connection()
            .await
            .map_err(|error| CallError::Failed(error.to_string()))?;
        self.refresh_later();
        tokio::time::timeout(self.call_timeout, connection.call(tool, arguments, context))
            .await
            .unwrap_or_else(|_| {
                let waited = humantime::format_duration(self.call_timeout);
                Err(CallError::Failed(format!(
                    "MCP server `{}` did not answer the call of `{tool}` within {waited}",
                    self.name
                )))
            })
    }

    /// Brings the list of tools up to date, where it isn't, without anyone waiting for it.
    fn refresh_later(self: &Arc<Self>) {
        if self.listing.current().is_none() && self.listing.is_idle() {
            let inner = Arc::clone(self);
            self.tasks.spawn(async move {
                if let Some(Err(error)) = inner.stop.run_until_cancelled(inner.list()).await {
                    tracing::debug!(server = %inner.name, %error, "the list of tools could not be brought up to date");
                }
            });
        }
    }
}

impl Binding for Upstream {
    fn name(&self) -> &str {
        &self.inner.name
    }

    fn description(&self) -> Option<String> {
        self.inner
            .about
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    fn tools(&self) -> BoxFuture<'_, Result<Arc<[Tool]>, BindingError>> {
        self.inner.tools().boxed()
    }

    fn known_tools(&self) -> Option<Arc<[Tool]>> {
        self.inner
            .listing
            .current()
            .or_else(|| self.inner.listing.known())
    }

    fn refresh(&self) -> BoxFuture<'_, Result<(), BindingError>> {
        let listing = &self.inner.listing;
        let stale = listing.known().is_some() && listing.current().is_none();
        async move {
            if stale {
                self.inner.list().await?;
            }
            Ok(())
        }
        .boxed()
    }

    fn call<'a>(
        &'a self,
        tool: &'a str,
        arguments: Map<String, Value>,
        context: CallContext,
    ) -> BoxFuture<'a, Result<ToolResult, CallError>> {
        self.inner.call(tool, arguments, context).boxed()
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        self.stop().boxed()
    }
}

impl fmt::Debug for Upstream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Upstream")
            .field("name", &self.inner.name)
            .field("era", &self.inner.supervisor.era())
            .finish_non_exhaustive()
    }
}

/// What a server says of itself, in a line, without what can't be seen.
fn about(info: &ServerPeerInfo) -> Option<String> {
    let identity = info.server_info.as_ref();
    let candidates = [
        info.instructions.as_deref(),
        identity.and_then(|server| server.description.as_deref()),
        identity.and_then(|server| server.title.as_deref()),
    ];
    candidates
        .into_iter()
        .flatten()
        .flat_map(str::lines)
        .map(|line| doc::line(line.trim_start_matches('#'), Detail::Brief, ABOUT_CHARS))
        .find(|line| !line.is_empty())
}

/// Why a process can't be started, in words that name what is missing.
fn explain(error: std::io::Error, command: &ServerCommand) -> std::io::Error {
    let program = command.program.display();
    let text = match (&command.cwd, error.kind()) {
        (Some(folder), _) if !folder.is_dir() => {
            format!("its working folder {} does not exist", folder.display())
        }
        (_, std::io::ErrorKind::NotFound) if command.program.components().count() > 1 => {
            format!("there is no file {program}")
        }
        (_, std::io::ErrorKind::NotFound) => format!("there is no command `{program}` in PATH"),
        _ => format!("{program}: {error}"),
    };
    std::io::Error::new(error.kind(), text)
}
