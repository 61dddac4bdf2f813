//! Upstreams: MCP servers that Ampoule is a client of.
//!
//! [`Upstream`] is the binding. A server is started when it is first needed, kept, and started
//! again after it ended.
//!
//! - [`command`](ServerCommand): how a server is started, and what it inherits
//! - `process`: its process group, stderr and end; `last_words`: why it failed
//! - `options`: what is configured; `calling`: a call's way, through the `gate` of how many there may
//!   be
//! - `opening`: how a connection comes about; `connection`: one session; `supervise`: at most one at
//!   a time, started again with `backoff`, and ended when it is `idle`; `state`: how it is doing
//! - `wire`: the JSON-RPC connection, made of the lines and envelopes of `crate::wire`, of
//!   `pending` and of `outbox`; `digits`: how integers are written; `reading`: what becomes of what
//!   servers send
//! - `pace`, `offload`: how fast it is read, and where; `noise`: what is not a message
//! - `handshake`: both of the protocol's lifecycles, `greeting`: what servers say then
//! - `client`: what servers may ask of us; `asks`: what they ask, and who answers; `addresses`: what
//!   people are to open; `notifications`: what servers tell
//! - `offers`: what servers have besides tools, as tools; `tasks`: calls, of which servers may make tasks
//! - `http`: servers that are reached by HTTP instead of pipes; `authorizer`: who signs requests to
//!   them
//! - `mirrored`: arguments that HTTP's headers repeat; `trace`: where a call belongs in a
//!   distributed trace
//! - `secrets`: what is blotted out of what servers print and say; `credentials`: out of results
//! - `decode`, `refusal`, `page`: results, errors and tools as servers really send them
//! - `app`: the apps of tools
//! - `listing`: the list of tools, `bounds`: how much of it is read, `current`: as it is now;
//!   `freshness`: how long it holds, `subscription`: to its changes; `cache`: kept between processes
//! - `watch`: changes that are told, of lists and of resources
//!
//! A server that is not a process is another `opening::Link`: everything above it only sees
//! messages.
//!
//! Nothing that a server sends becomes a tree of values before it is known how large that will be,
//! and what nobody asked for is not parsed at all.

mod addresses;
mod app;
mod asks;
mod authorizer;
mod backoff;
mod bounds;
mod cache;
mod calling;
mod client;
mod command;
mod connection;
mod credentials;
mod current;
mod decode;
mod digits;
mod freshness;
mod gate;
mod greeting;
mod handshake;
mod http;
mod idle;
mod last_words;
mod listing;
mod mirrored;
mod noise;
mod notifications;
mod offers;
mod offload;
mod opening;
mod options;
mod outbox;
mod pace;
mod page;
mod pending;
mod process;
mod reading;
mod refusal;
mod secrets;
mod state;
mod subscription;
mod supervise;
mod tasks;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod trace;
mod watch;
mod wire;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use ampoule_projection::Tool;
use ampoule_tools::{
    Abilities, Binding, BindingError, CallContext, CallError, ListVersions, Principal,
    Subscription, ToolResult,
};
use futures::FutureExt;
use futures::future::{self, BoxFuture};
use parking_lot::{Mutex, RwLock};
use serde_json::{Map, Value};
use tokio::sync::watch::Receiver;
use tokio_util::sync::{CancellationToken, DropGuard};
use tokio_util::task::TaskTracker;

use self::cache::Cache;
use self::client::Client;
use self::current::Asking;
use self::greeting::Introduction;
use self::http::Remote;
use self::listing::Listing;
use self::opening::{Link, Reach, Target};
use self::process::Process;
use self::secrets::Secrets;
use self::supervise::Supervisor;
use self::watch::Watch;
use self::wire::ListChanges;

pub use self::credentials::is_name as names_credential;
pub use self::gate::Gate;
pub use self::trace::headers as trace_headers;

pub use self::authorizer::{
    AuthorizationError, Authorizer, DPOP, NeedsSignIn, wants_another_proof,
};
pub use self::command::ServerCommand;
pub use self::handshake::Era;
pub use self::http::{ConfiguredHeaders, InvalidUrl, RemoteServer, Transport};
pub use self::options::{Rate, UpstreamOptions};
pub use self::state::{UpstreamState, UpstreamStatus};
pub use ampoule_network::Tls;

/// The longest that is waited for a server's start: far longer times can't be added to a clock's.
const LONGEST_START: Duration = Duration::from_hours(365 * 24);

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
    secrets: Secrets,
    client: Arc<Client>,
    supervisor: Arc<Supervisor>,
    gate: Arc<Gate>,
    /// Whether its calls are signed by somebody's sign-in.
    is_signed: bool,
    listing: Listing,
    introduction: RwLock<Introduction>,
    /// What it has besides tools, as tools; as it was last known.
    offered: RwLock<Arc<[Tool]>>,
    cache: Option<Cache>,
    watch: Arc<Watch>,
    call_timeout: Duration,
    /// The list of tools, while it is being asked for.
    asking: Mutex<Option<Asking>>,
    stop: CancellationToken,
    tasks: TaskTracker,
}

/// How calls get to a server.
struct Way {
    transport: &'static str,
    reach: Reach,
    gate: Arc<Gate>,
    is_signed: bool,
}

impl Upstream {
    /// A server that is a process, and is talked to over its stdin and stdout. Nothing is started
    /// yet.
    pub fn stdio(
        name: impl Into<Arc<str>>,
        command: ServerCommand,
        options: UpstreamOptions,
    ) -> Self {
        let name = name.into();
        let cache = options.cache_of(&name, command.identity());
        let secrets = command.secrets();
        let gate = Arc::new(Gate::new(&options));
        let (server, command, shared) = (Arc::clone(&name), Arc::new(command), secrets.clone());
        let reach: Reach = Box::new(move |tasks: &TaskTracker, stop| {
            let (server, command, secrets) = (server.clone(), command.clone(), shared.clone());
            let tasks = tasks.clone();
            let starting = async move {
                let command = command.opened().await?;
                command
                    .secrets
                    .iter()
                    .for_each(|secret| secrets.add(secret));
                let (process, (stdout, stdin)) = Process::start(&server, &command, &tasks, stop)
                    .map_err(|error| command.explain(error))?;
                Ok(Link::Streams {
                    read: Box::new(stdout),
                    write: Box::new(stdin),
                    process: Some(process),
                })
            };
            starting.boxed()
        });
        let way = Way {
            transport: "stdio",
            reach,
            gate,
            is_signed: false,
        };
        Self::new(name, way, secrets, options, cache)
    }

    /// A server that is reached by HTTP. Nothing is sent to it yet.
    pub fn remote(
        name: impl Into<Arc<str>>,
        server: RemoteServer,
        options: UpstreamOptions,
    ) -> Self {
        let name = name.into();
        let cache = options.cache_of(&name, server.identity());
        let cache = match server.authorizer {
            Some(_) => cache.map(Cache::across_sign_ins),
            None => cache,
        };
        let secrets = server.secrets();
        let gate = server.gate.clone();
        let gate = gate.unwrap_or_else(|| Arc::new(Gate::new(&options)));
        let is_signed = server.authorizer.is_some();
        let remote = Arc::new(Remote::new(Arc::clone(&name), server, secrets.clone()));
        let reach: Reach = Box::new(move |_: &TaskTracker, _| {
            let link = Link::Http(Arc::clone(&remote));
            future::ready(Ok(link)).boxed()
        });
        let way = Way {
            transport: "http",
            reach,
            gate,
            is_signed,
        };
        Self::new(name, way, secrets, options, cache)
    }

    fn new(
        name: Arc<str>,
        way: Way,
        secrets: Secrets,
        options: UpstreamOptions,
        cache: Option<Cache>,
    ) -> Self {
        let remembered = cache.as_ref().and_then(Cache::load);
        let stop = CancellationToken::new();
        let (changes, tasks) = (ListChanges::default(), TaskTracker::new());
        let watch = Arc::<Watch>::default();
        let start_timeout = options.start_timeout.min(LONGEST_START);
        let client = Arc::new(Client::new(&options.roots));
        let target = Target {
            name: Arc::clone(&name),
            transport: way.transport,
            reach: way.reach,
            changes: Arc::clone(&changes),
            watch: Arc::clone(&watch),
            noise: Arc::default(),
            secrets,
            client: Arc::clone(&client),
            tasks: tasks.clone(),
            start_timeout,
        };
        let not_to_be_written = target.secrets.clone();
        let era = remembered.as_ref().map(|remembered| remembered.era);
        let offered = remembered.as_ref().map(|it| offers::tools(it.offers));
        let (introduction, tools) = remembered
            .map(|remembered| (remembered.introduction, remembered.tools))
            .unzip();
        let inner = Inner {
            name,
            secrets: not_to_be_written,
            client,
            supervisor: Supervisor::new(target, era, options.idle_timeout, stop.clone()),
            gate: way.gate,
            is_signed: way.is_signed,
            listing: Listing::new(tools.flatten(), changes, start_timeout),
            introduction: RwLock::new(introduction.unwrap_or_default()),
            offered: RwLock::new(offered.unwrap_or_default()),
            cache,
            watch,
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

    /// What state the server is in.
    pub fn state(&self) -> UpstreamState {
        self.status().state
    }

    /// How the server is doing.
    pub fn status(&self) -> UpstreamStatus {
        let tools = self.inner.listing.known();
        self.inner.supervisor.status(tools.map(|tools| tools.len()))
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
        let (cache, tools) = (self.inner.cache.clone(), self.inner.listing.known());
        if let (Some(cache), Some(tools)) = (cache, tools) {
            // It is of use, and not needed.
            let keep = tokio::task::spawn_blocking(move || cache.add_seen(&tools));
            if let Ok(Err(error)) = keep.await {
                tracing::debug!(server = %self.inner.name, %error, "what was seen of results can't be kept");
            }
        }
    }
}

impl Binding for Upstream {
    fn name(&self) -> &str {
        &self.inner.name
    }

    fn description(&self) -> Option<String> {
        self.inner.introduction.read().about.clone()
    }

    fn says_it_is(&self) -> Option<String> {
        self.inner.introduction.read().says_it_is.clone()
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

    fn secrets(&self) -> Vec<String> {
        self.inner.secrets.all()
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

    fn trouble(&self) -> Option<String> {
        self.inner.supervisor.trouble()
    }

    fn standing(&self) -> Option<&'static str> {
        Some(self.state().name())
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

    fn list_changes(&self, _: Option<&Principal>) -> Option<Receiver<ListVersions>> {
        Some(self.inner.watch.lists())
    }

    fn subscribe<'a>(
        &'a self,
        address: &'a str,
        _: Option<&'a Principal>,
    ) -> BoxFuture<'a, Result<Subscription, CallError>> {
        self.inner.subscribe(address).boxed()
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
