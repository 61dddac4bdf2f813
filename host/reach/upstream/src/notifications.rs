//! What servers tell while calls are under way, and after: bounded, and handed to the respondents of
//! the calls that it is about.

use std::sync::Arc;

use ampoule_mcp::envelope::RequestId;
use ampoule_tools::{CallError, Notice};
use ampoule_untrusted::json::parsed_bytes;
use serde::Deserialize;
use serde_json::Value;

use super::active_call::ActiveCall;
use super::asks::object;
use super::refusal::Refusal;
use super::wire::Wire;

/// How much a notice may take once it is parsed, in bytes.
const MAX_NOTICE_BYTES: u64 = 64 << 10;

/// How much of a server's words on a call's progress is kept, in bytes.
const MAX_PROGRESS_BYTES: usize = 200;

impl Wire {
    /// Passes on how far a call is, if that is for a call of ours.
    pub(super) fn progressed(&self, params: &str) {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Progress {
            progress_token: RequestId,
            progress: f64,
            #[serde(default)]
            total: Option<f64>,
            #[serde(default)]
            message: Option<String>,
        }
        if parsed_bytes(params) > MAX_NOTICE_BYTES {
            return;
        }
        let Ok(said) = serde_json::from_str::<Progress>(params) else {
            return;
        };
        let call = self.asks.call(said.progress_token);
        let Some(call) = call else { return };
        if let Some(respondent) = call.respondent() {
            let shown = |text: String| self.secrets.quote_line(&text, MAX_PROGRESS_BYTES);
            respondent.hear(Notice::Progress {
                server: Arc::clone(&self.server),
                tool: Arc::clone(call.tool()),
                progress: said.progress,
                total: said.total,
                message: said.message.map(shown),
            });
        }
    }

    /// Passes a line for the log on to whoever answers for the call that it is about. False where
    /// nobody hears it.
    pub(super) fn logged(&self, about: Option<RequestId>, params: &str) -> bool {
        let Some(call) = self.asks.logging(about) else {
            return false;
        };
        let (Some(respondent), Ok(params)) = (
            call.respondent(),
            object(params, &self.secrets, MAX_NOTICE_BYTES),
        ) else {
            return false;
        };
        let server = Arc::clone(&self.server);
        respondent.hear(Notice::Log { server, params })
    }

    /// What a person was asked to open an address for is done: whoever asked for the server hears
    /// of it, and who waits for it goes on.
    pub(super) fn done(&self, params: &str) {
        let Ok(params) = object(params, &self.secrets, MAX_NOTICE_BYTES) else {
            return;
        };
        let Some(Value::String(elicitation)) = params.get("elicitationId") else {
            return;
        };
        let done = self.asks.addresses(|it| it.done(elicitation));
        if let Some(respondent) = done {
            respondent.hear(Notice::Done {
                server: Arc::clone(&self.server),
                elicitation: elicitation.clone(),
            });
        }
    }
}

impl ActiveCall {
    /// Whoever answers for the call hears that its server made a task of it.
    pub(super) fn is_task(&self, server: &Arc<str>) {
        if let Some(respondent) = self.respondent() {
            respondent.hear(Notice::Task {
                server: Arc::clone(server),
                tool: Arc::clone(self.tool()),
            });
        }
    }

    /// Whoever answers for the call hears that its server refused it, and its error is that.
    pub(super) fn refused(&self, server: &Arc<str>, refusal: Refusal) -> CallError {
        let Refusal {
            code,
            text,
            required,
            ..
        } = refusal;
        if let (Some(respondent), Some(code)) = (self.respondent(), code) {
            respondent.hear(Notice::Refused {
                server: Arc::clone(server),
                tool: Arc::clone(self.tool()),
                code,
                required,
            });
        }
        CallError::Refused(text)
    }
}
