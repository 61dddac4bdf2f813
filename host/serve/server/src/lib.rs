//! Ampoule as an MCP server: two tools, whatever the number of tools behind them.
//!
//! - `offered`: the two tools as clients see them; `wording`: what a model reads of them; `tokens`:
//!   how much that is
//! - `tools`: what they take and do; `arguments`: what models send them; `misnamed`: what is said of
//!   calls of any other; `starting`: how code becomes a run; `components`: which
//!   components a client may run
//! - `report`: a run's outcome as a model reads it; `cut`: what is too large for that, `kept` for the
//!   next script; `format`: how values are written; [`returned`]: what of that it returned;
//!   [`media`]: pictures and other bytes within values and texts
//! - `progress`: what a client is told while it waits, `lines`: what servers log; `telling`: what the
//!   operator is told
//! - `client`: one client, as `rmcp` talks to it; `estate`: what belongs to whom
//! - [`approvals`]: people are asked whether calls may be made
//! - `waiting`: a request that waits for a run
//! - `asked`: what the servers behind it want to know of the client; `held`: runs that wait for its
//!   next request; `long`: runs that go on though nobody waits; `tasks`: the same for clients that
//!   speak of tasks
//! - `resources`: a workspace's files, for clients
//! - [`http`]: many clients over HTTP
//! - [`operator`]: what an operator sees of all runs
//! - `transport`: the client's two streams; `incoming`: what its lines say; `requests`: those that
//!   are under way

pub mod approvals;
mod arguments;
mod asked;
mod client;
mod components;
mod cut;
mod estate;
mod format;
mod held;
pub mod http;
mod incoming;
mod kept;
mod lines;
mod long;
pub mod media;
mod misnamed;
mod offered;
pub mod operator;
mod progress;
mod report;
mod requests;
mod resources;
mod resumed;
pub mod returned;
mod starting;
mod tasks;
mod telling;
#[cfg(test)]
mod tests;
mod tokens;
mod tools;
mod transport;
mod waiting;
mod wording;

use std::sync::Arc;
use std::time::Duration;

use ampoule::{Error, Grant, GrantedTools, Runtime};
use ampoule_telemetry::Telemetry;
use rmcp::ServiceExt;
use rmcp::model::Tool;
use rmcp::service::{QuitReason, ServerInitializeError};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::RwLock;
use tokio_util::sync::CancellationToken;

use self::approvals::Dialogues;
use self::client::Client;
use self::components::ComponentSources;
use self::estate::Estates;
use self::kept::Kept;
use self::operator::Watched;
use self::tasks::of_2025::Connected;
use self::transport::ClientTransport;

pub use self::components::ClientComponents;

/// How much of a run's output and result one answer holds, in bytes: about 10,000 tokens, above
/// which Claude Code warns.
const ANSWER_BYTES: usize = 40_000;
/// How many tokens of it one answer holds where that is not all: enough to see what it is.
const CUT_TOKENS: usize = 4_000;

/// An MCP server that runs scripts, for as many clients as there are. It needs no binding to have
/// been started: what it says at first comes from what is known without waiting. Clones are the
/// same one.
#[derive(Clone)]
pub struct Server {
    shared: Arc<Shared>,
    answer_bytes: usize,
    telemetry: Telemetry,
    dialogues: Option<Dialogues>,
    /// Runs are tried first.
    previews: bool,
    /// For how long runs wait for people whom their clients don't ask, until those have an answer.
    for_others: Duration,
}

/// What all clients share.
struct Shared {
    runtime: Runtime,
    grant: Grant,
    tools: GrantedTools,
    components: ComponentSources,
    offered: Arc<[Tool]>,
    estates: Estates,
    watched: Watched,
    /// Written while it is found out which parked runs this process goes on with.
    resuming: Arc<RwLock<()>>,
}

impl Server {
    /// A server whose scripts may call what the grant says, and whose clients may run these
    /// components.
    ///
    /// # Errors
    ///
    /// A request error where the grant names a server that is not configured; a configuration error
    /// where the folder of components can't be opened.
    pub fn new(
        runtime: Runtime,
        grant: Grant,
        components: &ClientComponents,
    ) -> Result<Self, Error> {
        let tools = runtime.tools(grant.clone())?;
        for idle in tools.idle_patterns() {
            // The upstream may have other tools by now, or later.
            tracing::warn!("{}", idle.message);
        }
        let components = ComponentSources::new(components)?;
        let has = wording::Has::of(&tools, runtime.has_workspaces());
        let description = wording::execute_code(&wording::tools(&tools), components.wording(), has);
        let keeps = Kept::possible(&runtime)?.then(|| kept::reads_in(&runtime));
        let shared = Shared {
            offered: offered::tools(description, &components).into(),
            estates: Estates::new(keeps, estate::Bounds::default()),
            watched: Watched::default(),
            resuming: Arc::default(),
            runtime,
            grant,
            tools,
            components,
        };
        Ok(Self {
            shared: Arc::new(shared),
            answer_bytes: ANSWER_BYTES,
            telemetry: Telemetry::new([], None),
            dialogues: None,
            previews: false,
            for_others: waiting::FOR_OTHERS,
        })
    }

    /// How much of a run's output and result one answer holds, in bytes. Default 40,000. Of what is
    /// more, it holds at most 4,000 tokens; the client's next script can read the rest.
    #[must_use]
    pub fn answer_bytes(mut self, most: usize) -> Self {
        self.answer_bytes = most;
        self
    }

    /// Tells this of requests and runs. Calls are told of by its layer, in the runtime.
    #[must_use]
    pub fn telemetry(mut self, telemetry: Telemetry) -> Self {
        self.telemetry = telemetry;
        self
    }

    /// Asks people in clients' own dialogues, if the runtime's governance has these as a place.
    #[must_use]
    pub fn dialogues(mut self, dialogues: Dialogues) -> Self {
        let shared = Arc::downgrade(&self.shared);
        dialogues.beside(move || {
            let shared = shared.upgrade()?;
            shared.runtime.governance()?.asking().cloned()
        });
        self.dialogues = Some(dialogues);
        self
    }

    /// Has every run [tried first](ampoule::Isolate::preview): what it would do is approved as one.
    #[must_use]
    pub fn previews(mut self) -> Self {
        self.previews = true;
        self
    }

    /// Serves one client until it goes away. Its runs and their calls then end at once.
    ///
    /// # Errors
    ///
    /// A host fault where the client does not begin as an MCP client does.
    pub async fn serve<R, W>(self, read: R, write: W) -> Result<(), Error>
    where
        R: AsyncRead + Send + Unpin + 'static,
        W: AsyncWrite + Send + Unpin + 'static,
    {
        let most = transport::most_line_bytes(self.shared.runtime.limits().host_bytes);
        let left = CancellationToken::new();
        let transport = ClientTransport::new(read, write, most, left.clone());
        let client = Connected(Client::new(self, left, Some(transport.asked())));
        let running = match ServiceExt::serve(client, transport).await {
            Ok(running) => running,
            // It went away before its first call, as clients do that only look.
            Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
            Err(error) => {
                return Err(Error::host(
                    "the client did not start the way an MCP client does",
                    error,
                ));
            }
        };
        match running.waiting().await {
            Ok(QuitReason::JoinError(error)) | Err(error) => {
                Err(Error::host("the server stopped", error))
            }
            Ok(_) => Ok(()),
        }
    }
}
