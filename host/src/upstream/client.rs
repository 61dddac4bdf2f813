//! What this client is to a server: it offers nothing, refuses what it is asked, and logs what it is told.

#![expect(
    deprecated,
    reason = "sampling, roots and logging are deprecated, and servers still use them"
)]

use std::sync::Arc;

use rmcp::ClientHandler;
use rmcp::model::{
    ClientCapabilities, ClientConfig, CreateMessageRequestParams, CreateMessageResult,
    ElicitRequestParams, ElicitResult, ErrorCode, ErrorData, Implementation, ListRootsResult,
    LoggingMessageNotificationParam, ProgressNotificationParam,
};
use rmcp::service::{NotificationContext, RequestContext, RoleClient};

use super::wire::Wire;

/// The client's side of one connection.
#[derive(Debug)]
pub(super) struct Client {
    pub(super) server: Arc<str>,
    pub(super) wire: Arc<Wire>,
}

/// What the client says of itself.
pub(super) fn config() -> ClientConfig {
    let implementation = Implementation::new("ampoule", env!("CARGO_PKG_VERSION"));
    ClientConfig::new(ClientCapabilities::default(), implementation)
}

fn refusal(what: &str) -> ErrorData {
    let message = format!("this client runs scripts unattended: it {what}");
    ErrorData::new(ErrorCode::METHOD_NOT_FOUND, message, None)
}

impl ClientHandler for Client {
    fn get_info(&self) -> ClientConfig {
        config()
    }

    async fn create_message(
        &self,
        _: CreateMessageRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<CreateMessageResult, ErrorData> {
        Err(refusal("has no model to sample from"))
    }

    async fn list_roots(
        &self,
        _: RequestContext<RoleClient>,
    ) -> Result<ListRootsResult, ErrorData> {
        Err(refusal("has no roots"))
    }

    async fn create_elicitation(
        &self,
        _: ElicitRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        Err(refusal("has no user to ask"))
    }

    async fn on_progress(
        &self,
        progress: ProgressNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        tracing::debug!(server = %self.server, progress = progress.progress, total = progress.total, message = progress.message.map(|message| self.wire.quote(&message)));
    }

    async fn on_logging_message(
        &self,
        logged: LoggingMessageNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        tracing::debug!(server = %self.server, level = ?logged.level, data = self.wire.quote(&logged.data.to_string()));
    }
}
