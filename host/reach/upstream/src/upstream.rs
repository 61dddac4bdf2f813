//! An MCP server as a binding: what it is made of, and what it says of itself.

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

use super::cache::Cache;
use super::client::Client;
use super::command::ServerCommand;
use super::current::Asking;
use super::gate::Gate;
use super::greeting::Introduction;
use super::http::{Remote, RemoteServer};
use super::listing::Listing;
use super::offers;
use super::opening::{Link, Reach, Target};
use super::options::UpstreamOptions;
use super::process::Process;
use super::secrets::Secrets;
use super::state::{UpstreamState, UpstreamStatus};
use super::supervise::Supervisor;
use super::watch::Watch;
use super::wire::ListChanges;

/// The longest that is waited for a server's start: far longer times can't be added to a clock's.
const LONGEST_START: Duration = Duration::from_hours(365 * 24);

/// An MCP server as a binding.
///
/// Both of the protocol's lifecycles are spoken: `server/discover` (2026-07-28), and `initialize`
/// (2024-11-05 to 2025-11-25). Dropping it stops the server, with every process that it started.
pub struct Upstream {
    pub(super) inner: Arc<Inner>,
    _stop: DropGuard,
}

pub(super) struct Inner {
    pub(super) name: Arc<str>,
    pub(super) secrets: Secrets,
    pub(super) client: Arc<Client>,
    pub(super) supervisor: Arc<Supervisor>,
    pub(super) gate: Arc<Gate>,
    /// Whether its calls are signed by somebody's sign-in.
    pub(super) is_signed: bool,
    pub(super) listing: Listing,
    pub(super) introduction: RwLock<Introduction>,
    /// What it has besides tools, as tools; as it was last known.
    pub(super) offered: RwLock<Arc<[Tool]>>,
    pub(super) cache: Option<Cache>,
    pub(super) watch: Arc<Watch>,
    pub(super) call_timeout: Duration,
    /// The list of tools, while it is being asked for.
    pub(super) asking: Mutex<Option<Asking>>,
    pub(super) stop: CancellationToken,
    pub(super) tasks: TaskTracker,
}

/// How calls get to a server.
pub(super) struct Way {
    pub(super) transport: &'static str,
    pub(super) reach: Reach,
    pub(super) gate: Arc<Gate>,
    pub(super) is_signed: bool,
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

    pub(super) fn new(
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

    /// Which version its program says that it is, if it is known without waiting: MCP's
    /// `serverInfo.version`.
    pub fn says_version(&self) -> Option<String> {
        self.inner.introduction.read().version.clone()
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

    fn restart(&self) -> bool {
        self.inner.supervisor.restart();
        true
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
