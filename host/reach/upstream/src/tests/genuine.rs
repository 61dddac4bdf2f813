//! A server that is not played by a test, but is `rmcp`'s own, which speaks both lifecycles.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use ampoule_tools::{Binding, CallContext};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ListToolsResult,
    PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::{RequestContext, RoleServer};
use rmcp::{ErrorData, ServerHandler, ServiceExt};
use serde_json::{Map, json};

use crate::UpstreamOptions;
use crate::handshake::Era;
use crate::testing::{failure, upstream_of};

#[derive(Clone, Default)]
struct Echo {
    listed: Arc<AtomicU32>,
}

impl ServerHandler for Echo {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_instructions("# Says it again\n")
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        self.listed.fetch_add(1, Ordering::Relaxed);
        Ok(ListToolsResult::with_all_items(vec![Tool::new(
            "echo",
            "Echoes.",
            Map::new(),
        )]))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        match &*request.name {
            "echo" => Ok(CallToolResult::structured(json!(request.arguments)).into()),
            _ => Err(ErrorData::invalid_params("unknown tool", None)),
        }
    }
}

#[tokio::test]
async fn rmcps_own_server_is_talked_to_statelessly() {
    let echo = Echo::default();
    let listed = Arc::clone(&echo.listed);
    let serve = move |far| {
        let echo = echo.clone();
        tokio::spawn(async move {
            echo.serve(far)
                .await?
                .waiting()
                .await
                .map_err(anyhow::Error::from)
        });
    };
    let upstream = upstream_of(serve, UpstreamOptions::default());
    let tools = upstream.tools().await.unwrap();
    assert_eq!((tools.len(), tools[0].name.as_str()), (1, "echo"));
    assert_eq!(upstream.description().as_deref(), Some("Says it again"));
    assert_eq!(upstream.inner.supervisor.era(), Some(Era::Stateless));
    let context = CallContext::without_a_run("echo", "echo", 1000);
    let arguments = Map::from_iter([("a".to_owned(), json!([1]))]);
    let result = upstream
        .call("echo", arguments, context.clone())
        .await
        .unwrap();
    assert_eq!(result.structured_content.unwrap().get(), r#"{"a":[1]}"#);
    let message = failure(upstream.call("shout", Map::new(), context).await);
    assert_eq!(message, "unknown tool (error -32602)");
    upstream.tools().await.unwrap();
    assert_eq!(listed.load(Ordering::Relaxed), 1);
}
