//! Ampoule as an MCP server: two tools, whatever the number of tools behind them.
//!
//! - `offered`: the two tools as clients see them; `wording`: what a model reads of them; `tokens`:
//!   how much that is
//! - `tools`: what they take and do; `components`: which components a client may run
//! - `report`: a run's outcome as a model reads it; `cut`: what is too large for that, `kept` for the
//!   next script; `format`: how values are written; [`returned`]: what of that it returned
//! - `progress`: what keeps a client waiting patiently
//! - `asked`: what the servers behind it want to know of the client; `held`: runs that wait for its
//!   next request
//! - `transport`: the client's two streams; `incoming`: what its lines say; `requests`: those that
//!   are under way

mod asked;
mod components;
mod cut;
mod format;
mod held;
mod incoming;
mod kept;
mod offered;
mod progress;
mod report;
mod requests;
pub mod returned;
mod tokens;
mod tools;
mod transport;
mod wording;

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use ampoule::{Error, Grant, GrantedTools, Runtime};
use futures::FutureExt;
use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, Implementation, InitializeResult,
    ListToolsResult, PaginatedRequestParams, ProtocolVersion, ServerCapabilities, Tool,
};
use rmcp::service::{QuitReason, RequestContext, ServerInitializeError};
use rmcp::{ErrorData, RoleServer, ServerHandler, ServiceExt};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::sync::CancellationToken;

use self::asked::Asked;
use self::components::ComponentSources;
use self::held::Held;
use self::kept::Kept;
use self::transport::ClientTransport;

pub use self::components::ClientComponents;

/// How much of a run's output and result one answer holds, in bytes: about 10,000 tokens, above
/// which Claude Code warns.
const ANSWER_BYTES: usize = 40_000;
/// How many tokens of it one answer holds where that is not all: enough to see what it is.
const CUT_TOKENS: usize = 4_000;

/// An MCP server that runs scripts. It needs no binding to have been started: what it says at first
/// comes from what is known without waiting.
pub struct Server {
    runtime: Runtime,
    grant: Grant,
    tools: GrantedTools,
    answer_bytes: usize,
    components: ComponentSources,
    /// What earlier runs gave, where it was cut.
    kept: Option<Kept>,
    /// Cancelled when the client goes away.
    client_left: CancellationToken,
    /// What the client is asked, once there is one.
    asked: Option<Arc<Asked>>,
    held: Held,
    offered: Vec<Tool>,
}

impl Server {
    /// A server whose scripts may call what the grant says, and whose client may run these
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
        let description = wording::execute_code(&wording::tools(&tools), components.wording());
        let offered = offered::tools(description, &components);
        Ok(Self {
            kept: Kept::of(&runtime)?,
            runtime,
            grant,
            tools,
            answer_bytes: ANSWER_BYTES,
            components,
            client_left: CancellationToken::new(),
            asked: None,
            held: Held::default(),
            offered,
        })
    }

    /// How much of a run's output and result one answer holds, in bytes. Default 40,000. Of what is
    /// more, it holds at most 4,000 tokens; the client's next script can read the rest.
    #[must_use]
    pub fn answer_bytes(mut self, most: usize) -> Self {
        self.answer_bytes = most;
        self
    }

    /// Serves one client until it goes away. Its runs and their calls then end at once.
    ///
    /// # Errors
    ///
    /// A host fault where the client does not begin as an MCP client does.
    pub async fn serve<R, W>(mut self, read: R, write: W) -> Result<(), Error>
    where
        R: AsyncRead + Send + Unpin + 'static,
        W: AsyncWrite + Send + Unpin + 'static,
    {
        let most = transport::most_line_bytes(self.runtime.limits().host_bytes);
        let transport = ClientTransport::new(read, write, most, self.client_left.clone());
        self.asked = Some(transport.asked());
        let running = match ServiceExt::serve(self, transport).await {
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

impl ServerHandler for Server {
    fn get_info(&self) -> InitializeResult {
        InitializeResult::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("ampoule", env!("CARGO_PKG_VERSION")))
            .with_instructions(wording::INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let mut list = ListToolsResult::with_all_items(self.offered.clone());
        let takes_hints = context
            .protocol_version()
            .is_some_and(|version| version >= ProtocolVersion::V_2026_07_28);
        list.ttl_ms = takes_hints.then_some(0);
        list.cache_scope = takes_hints.then_some(CacheScope::Public);
        Ok(list)
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.offered.iter().find(|tool| tool.name == name).cloned()
    }

    async fn call_tool(
        &self,
        call: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let called = AssertUnwindSafe(self.called(call, context)).catch_unwind();
        match self.client_left.run_until_cancelled(called).await {
            Some(Ok(answer)) => answer,
            // A request has an answer, whatever happens.
            Some(Err(_)) => Ok(tools::host_failed(&"it panicked").into()),
            // Nobody reads it: the client went away.
            None => Ok(tools::failure("cancelled").into()),
        }
    }
}
