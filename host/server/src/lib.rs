//! Ampoule as an MCP server: two tools, whatever the number of tools behind them.
//!
//! - `tools`: what the two tools take and do; `components`: which components a client may run
//! - `wording`: what a model reads of them
//! - `report`: a run's outcome as a model reads it
//! - `progress`: what keeps a client waiting patiently
//! - `transport`: the client's two streams; `incoming`: what its lines say; `requests`: those that are under way

mod components;
mod incoming;
mod progress;
mod report;
mod requests;
mod tools;
mod transport;
mod wording;

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use ampoule::{Error, Grant, GrantedTools, Runtime};
use futures::FutureExt;
use rmcp::handler::server::router::tool::ToolRouter;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, Implementation, InitializeResult, ServerCapabilities,
};
use rmcp::service::{QuitReason, RequestContext, ServerInitializeError};
use rmcp::{ErrorData, RoleServer, ServerHandler, ServiceExt, tool_handler};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::sync::CancellationToken;

use self::components::ComponentSources;
use self::transport::ClientTransport;

pub use self::components::ClientComponents;

/// How much of a run's output and result one answer holds, in bytes: about 10,000 tokens, above which Claude Code warns.
const ANSWER_BYTES: usize = 40_000;

/// An MCP server that runs scripts. It needs no binding to have been started: what it says at first comes from what is known without waiting.
pub struct Server {
    runtime: Runtime,
    grant: Grant,
    tools: GrantedTools,
    answer_bytes: usize,
    components: ComponentSources,
    /// Cancelled when the client goes away.
    client_left: CancellationToken,
    router: ToolRouter<Self>,
}

impl Server {
    /// A server whose scripts may call what the grant says, and whose client may run these components.
    ///
    /// # Errors
    ///
    /// A request error where the grant names a server that is not configured; a configuration error where the folder of components can't be
    /// opened.
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
        let mut router = Self::tool_router();
        let components = ComponentSources::new(components)?;
        let catalog = wording::known_tools(&tools);
        if let Some(route) = router.map.get_mut("execute_code") {
            let description = wording::execute_code(&catalog, components.wording());
            route.attr.description = Some(description.into());
            components.add_to_schema(Arc::make_mut(&mut route.attr.input_schema));
        }
        Ok(Self {
            runtime,
            grant,
            tools,
            answer_bytes: ANSWER_BYTES,
            components,
            client_left: CancellationToken::new(),
            router,
        })
    }

    /// How much of a run's output and result one answer holds, in bytes. Default 40,000.
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
    pub async fn serve<R, W>(self, read: R, write: W) -> Result<(), Error>
    where
        R: AsyncRead + Send + Unpin + 'static,
        W: AsyncWrite + Send + Unpin + 'static,
    {
        let most = transport::most_line_bytes(self.runtime.limits().host_bytes);
        let transport = ClientTransport::new(read, write, most, self.client_left.clone());
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

#[tool_handler(router = self.router)]
impl ServerHandler for Server {
    fn get_info(&self) -> InitializeResult {
        InitializeResult::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("ampoule", env!("CARGO_PKG_VERSION")))
            .with_instructions(wording::INSTRUCTIONS)
    }

    async fn call_tool(
        &self,
        call: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let called = AssertUnwindSafe(self.called(call, context)).catch_unwind();
        match self.client_left.run_until_cancelled(called).await {
            Some(Ok(answer)) => answer.map(Into::into),
            // A request has an answer, whatever happens.
            Some(Err(_)) => Ok(tools::host_failed(&"it panicked").into()),
            // Nobody reads it: the client went away.
            None => Ok(tools::failure("cancelled").into()),
        }
    }
}
