//! The client of Ampoule's server: what it can do, what it is asked, and the progress of its calls.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;
use rmcp::model::{
    ClientConfig, ElicitRequestParams, ElicitResult, ErrorData, ProgressNotificationParam,
    ProgressToken,
};
use rmcp::service::{NotificationContext, RequestContext};
use rmcp::{ClientHandler, RoleClient};
use serde_json::json;

use super::{CLIENT, ProgressListener, Respondent};

/// Who hears of the progress of which call.
pub(super) type Listeners = Arc<Mutex<HashMap<ProgressToken, ProgressListener>>>;

pub(super) struct Client {
    listeners: Listeners,
    respondent: Option<Arc<dyn Respondent>>,
}

impl Client {
    pub(super) fn new(listeners: Listeners, respondent: Option<Arc<dyn Respondent>>) -> Self {
        Self {
            listeners,
            respondent,
        }
    }
}

impl ClientHandler for Client {
    fn get_info(&self) -> ClientConfig {
        let capabilities = match &self.respondent {
            Some(_) => json!({ "elicitation": { "form": {}, "url": {} } }),
            None => json!({}),
        };
        let config = json!({
            "protocolVersion": "2025-11-25",
            "capabilities": capabilities,
            "clientInfo": { "name": CLIENT, "version": env!("CARGO_PKG_VERSION") },
        });
        serde_json::from_value(config).unwrap_or_default()
    }

    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        context: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        let unanswered = || ErrorData::internal_error("nobody can be asked", None);
        let respondent = self.respondent.as_ref().ok_or_else(unanswered)?;
        let params = serde_json::to_value(request);
        let params = params.map_err(|_| ErrorData::invalid_params("not a question", None))?;
        let answer = context.ct.run_until_cancelled(respondent.answer(params));
        let answer = answer
            .await
            .unwrap_or_else(|| json!({ "action": "cancel" }));
        let invalid = |_| ErrorData::internal_error("the answer is not one of MCP", None);
        serde_json::from_value(answer).map_err(invalid)
    }

    async fn on_progress(
        &self,
        params: ProgressNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        let listener = self.listeners.lock().get(&params.progress_token).cloned();
        if let (Some(listener), Some(message)) = (listener, params.message) {
            listener(message);
        }
    }
}
