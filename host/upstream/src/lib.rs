//! Upstreams: MCP servers that Ampoule is a client of.
//!
//! [`Upstream`] is the binding. A server is started when it is first needed, kept, and started
//! again after it ended.
//!
//! - [`command`](ServerCommand): how a server is started, and what it inherits
//! - `process`: its process group, stderr and end; `last_words`: why it failed
//! - `opening`: how a connection comes about; `connection`: one session; `supervise`: at most one
//!   at a time
//! - `wire`: the JSON-RPC connection, made of the lines and envelopes of `crate::wire`, of
//!   `pending` and of `outbox`; `reading`: what becomes of what servers send
//! - `pace`, `offload`: how fast it is read, and where
//! - `handshake`: both of the protocol's lifecycles, `greeting`: what servers say then
//! - `client`: what servers may ask of us; `asks`: what they ask, and who answers
//! - `authorizer`: who signs requests to a remote server
//! - `offers`: what servers have besides tools, as tools
//! - `secrets`: what is blotted out of what servers print and say
//! - `decode`, `refusal`, `page`: results, errors and tools as servers really send them; `listing`:
//!   the list of tools; `cache`: kept between processes
//!
//! Another transport is another `opening::Reach`: everything above it only sees two streams.
//!
//! Nothing that a server sends becomes a tree of values before it is known how large that will be,
//! and what nobody asked for is not parsed at all.

mod asks;
mod authorizer;
mod cache;
mod client;
mod command;
mod connection;
mod decode;
mod greeting;
mod handshake;
mod last_words;
mod listing;
mod offers;
mod offload;
mod opening;
mod outbox;
mod pace;
mod page;
mod pending;
mod process;
mod reading;
mod refusal;
mod secrets;
mod supervise;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod wire;

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use ampoule_projection::Tool;
use ampoule_tools::{
    Abilities, Binding, BindingError, CallContext, CallError, Deadline, ToolResult,
};
use ampoule_untrusted::text;
use futures::FutureExt;
use futures::future::{BoxFuture, Shared};
use parking_lot::{Mutex, RwLock};
use serde_json::{Map, Value};
use tokio_util::sync::{CancellationToken, DropGuard};
use tokio_util::task::TaskTracker;

use self::asks::Called;
use self::cache::{Cache, Remembered};
use self::client::Client;
use self::greeting::Offers;
use self::listing::Listing;
use self::opening::{Link, Reach, Target};
use self::process::Process;
use self::secrets::Secrets;
use self::supervise::Supervisor;
use self::wire::ListChanges;

pub use self::authorizer::{Authorizer, NeedsSignIn};
pub use self::command::ServerCommand;

/// The longest that is waited for a server's start: far longer times can't be added to a clock's.
const LONGEST_START: Duration = Duration::from_hours(365 * 24);

/// How an upstream behaves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UpstreamOptions {
    /// How long one call may take. Default 5 min: what bounds calls as a rule is the wall time of
    /// the run that makes them.
    pub call_timeout: Duration,
    /// How long the server may show no life while it starts, and how long it may then take to list
    /// its tools. Default 30 s. What it prints is a sign of life, and so is, on Linux, that it or
    /// what it started computes: `npx` and `uvx` may have to download it. A start takes at most ten
    /// minutes, or this if it is more. At most a year.
    pub start_timeout: Duration,
    /// A folder in which the server's list of tools is kept between processes, readable by its
    /// owner alone. Default none. With one, tools are known before the server is started, and
    /// brought up to date when it is.
    pub cache_dir: Option<PathBuf>,
    /// What the server is told where it asks for roots: absolute paths, or addresses. Default none,
    /// and it is told that there are none to ask for.
    pub roots: Vec<String>,
}

impl Default for UpstreamOptions {
    fn default() -> Self {
        Self {
            call_timeout: Duration::from_secs(300),
            start_timeout: Duration::from_secs(30),
            cache_dir: None,
            roots: Vec::new(),
        }
    }
}

/// An MCP server as a binding.
///
/// Both of the protocol's lifecycles are spoken: `server/discover` (2026-07-28), and `initialize`
/// (2024-11-05 to 2025-11-25). Dropping it stops the server, with every process that it started.
pub struct Upstream {
    inner: Arc<Inner>,
    _stop: DropGuard,
}

struct Inner {
    name: Arc<str>,
    client: Arc<Client>,
    supervisor: Arc<Supervisor>,
    listing: Listing,
    about: RwLock<Option<String>>,
    /// What it has besides tools, as tools; as it was last known.
    offered: RwLock<Arc<[Tool]>>,
    cache: Option<Cache>,
    call_timeout: Duration,
    /// The list of tools, while it is being asked for.
    asking: Mutex<Option<Asking>>,
    stop: CancellationToken,
    tasks: TaskTracker,
}

type Asking = Shared<BoxFuture<'static, Result<Arc<[Tool]>, BindingError>>>;

impl Upstream {
    /// A server that is a process, and is talked to over its stdin and stdout. Nothing is started
    /// yet.
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
                .map_err(|error| command.explain(error))?;
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
        let client = Arc::new(Client::new(&options.roots));
        let target = Target {
            name: Arc::clone(&name),
            reach,
            changes: Arc::clone(&changes),
            secrets,
            client: Arc::clone(&client),
            tasks: tasks.clone(),
            start_timeout,
        };
        let era = remembered.as_ref().map(|remembered| remembered.era);
        let offered = remembered.as_ref().map(|it| offers::tools(it.offers));
        let (about, tools) = remembered
            .map(|remembered| (remembered.about, remembered.tools))
            .unzip();
        let inner = Inner {
            name,
            client,
            supervisor: Supervisor::new(target, era, stop.clone()),
            listing: Listing::new(tools, changes, start_timeout),
            about: RwLock::new(about.flatten()),
            offered: RwLock::new(offered.unwrap_or_default()),
            cache,
            call_timeout: options.call_timeout,
            asking: Mutex::default(),
            stop: stop.clone(),
            tasks,
        };
        Self {
            inner: Arc::new(inner),
            _stop: stop.drop_guard(),
        }
    }

    /// What is wrong with the server's list of tools, such as tools that had to be left out. Empty
    /// before it was asked for.
    pub fn problems(&self) -> Arc<[String]> {
        self.inner.listing.problems()
    }

    /// Stops the server, also one that is just being started, and waits until it is gone, which
    /// takes up to about four seconds. It is not started again.
    pub async fn stop(&self) {
        self.inner.stop.cancel();
        self.inner.tasks.close();
        self.inner.tasks.wait().await;
    }
}

impl Inner {
    /// The tools as the server has them now. The server is started for that, and asked, in a task
    /// of its own: both go on when nobody waits for them any more.
    async fn list(self: &Arc<Self>) -> Result<Arc<[Tool]>, BindingError> {
        let tools = self.asking().await?;
        match self.listing.current() {
            Some(tools) => Ok(tools),
            // They changed after they were asked for, which may have been before this was wanted.
            None if self.listing.has_changed() => self.asking().await,
            None => Ok(tools),
        }
    }

    /// The answer of the server that is being asked. All who want it at the same time get the same.
    fn asking(self: &Arc<Self>) -> Asking {
        let mut asking = self.asking.lock();
        match &*asking {
            Some(asking) if asking.peek().is_none() => return asking.clone(),
            _ => {}
        }
        let inner = Arc::clone(self);
        let task = self.tasks.spawn(async move {
            let asked = inner.stop.run_until_cancelled(inner.ask()).await;
            // Who wants the list from now on, wants a later one.
            *inner.asking.lock() = None;
            asked.unwrap_or_else(|| Err(inner.stopped()))
        });
        let inner = Arc::downgrade(self);
        let answer = async move {
            task.await.unwrap_or_else(|_| {
                let message = "the runtime is ending".to_owned();
                Err(inner
                    .upgrade()
                    .map_or(BindingError { message }, |it| it.stopped()))
            })
        };
        asking.insert(answer.boxed().shared()).clone()
    }

    fn stopped(&self) -> BindingError {
        BindingError {
            message: format!("MCP server `{}` was stopped", self.name),
        }
    }

    /// Notes what the server has besides tools. The list stays the same where nothing changed: what
    /// is made of it is kept.
    fn offer(&self, offers: Offers) {
        let tools = offers::tools(offers);
        let mut offered = self.offered.write();
        if *offered != tools {
            *offered = tools;
        }
    }

    /// Asks the server for its tools.
    async fn ask(&self) -> Result<Arc<[Tool]>, BindingError> {
        let keep = |connection: &connection::Connection, tools: &Arc<[Tool]>| {
            let about = connection.about.clone();
            self.about.write().clone_from(&about);
            self.offer(connection.offers);
            for problem in self.listing.problems().iter() {
                tracing::warn!(server = %self.name, "{problem}");
            }
            if let Some(cache) = self.cache.clone() {
                let (name, remembered) = (
                    Arc::clone(&self.name),
                    Remembered::new(
                        connection.era,
                        (about, connection.offers),
                        Arc::clone(tools),
                    ),
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

    async fn tools(self: &Arc<Self>) -> Result<Arc<[Tool]>, BindingError> {
        if let Some(tools) = self.listing.current() {
            return Ok(tools);
        }
        // An older list is good enough while the server does not run: that it changed shows when it
        // does.
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
            .map_err(|error| CallError::NotReached(error.to_string()))?;
        // The list of tools is brought up to date, where it isn't, without anyone waiting for it.
        if self.listing.current().is_none() {
            drop(self.asking());
        }
        let patience = Deadline::after(self.call_timeout);
        let called = Called::new(context, patience.clone());
        let answer = async {
            match offers::inquiry(tool) {
                Some(inquiry) => inquiry.answer(&connection, arguments, &called).await,
                None => connection.call(tool, arguments, &called).await,
            }
        };
        tokio::select! {
            answer = answer => answer,
            () = patience.passed() => {
                let waited = humantime::format_duration(self.call_timeout);
                Err(CallError::TimedOut(format!(
                    "MCP server `{}` did not answer the call to `{}` within {waited}",
                    self.name,
                    text::one_line(tool)
                )))
            }
        }
    }
}

impl Binding for Upstream {
    fn name(&self) -> &str {
        &self.inner.name
    }

    fn description(&self) -> Option<String> {
        self.inner.about.read().clone()
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

    fn offered(&self) -> Arc<[Tool]> {
        Arc::clone(&self.inner.offered.read())
    }

    fn starting(&self) -> Option<String> {
        let state = match (self.inner.supervisor.starting(), self.inner.listing.known()) {
            (Some(starting), _) => starting,
            (None, Some(_)) => return None,
            (None, None) => {
                self.inner.supervisor.current()?;
                "has not listed its tools yet".to_owned()
            }
        };
        Some(format!("MCP server `{}` {state}", self.inner.name))
    }

    fn problems(&self) -> Arc<[String]> {
        self.problems()
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

    fn can_be_answered(&self, abilities: Abilities) {
        self.inner.client.can_answer(abilities);
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
