//! The suite's client, as it answers for a call.

use ampoule_tools::{Abilities, Ask, Notice, Respondent};
use futures::FutureExt;
use futures::future::BoxFuture;
use rmcp::model::{
    LoggingLevel, LoggingMessageNotificationParam, ProgressNotificationParam, ProgressToken,
};
use rmcp::model::{ProtocolVersion, ServerRequest};
use rmcp::service::RequestContext;
use rmcp::{Peer, RoleServer};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tokio::sync::{mpsc, oneshot};

/// How many notices wait to be written.
const NOTICES: usize = 64;

pub(super) type Reply = Result<Map<String, Value>, String>;

/// What a call's server wants to know.
pub(super) struct Question {
    pub(super) request: Value,
    pub(super) answer: oneshot::Sender<Reply>,
}

/// A client that answers for one call.
#[derive(Debug)]
pub(super) struct Client {
    peer: Peer<RoleServer>,
    abilities: Abilities,
    /// Where its request ends with what is asked: since 2026-07-28.
    questions: Option<mpsc::Sender<Question>>,
    progress: Option<ProgressToken>,
    /// From which level on it hears lines for the log.
    level: Option<LoggingLevel>,
    notices: mpsc::Sender<Notice>,
}

impl Client {
    /// Who made a request; what it is asked, where that ends the request; what it is told. Where
    /// requests say for themselves from which level on they hear of the log, `level` is not theirs.
    pub(super) fn of(
        context: &RequestContext<RoleServer>,
        level: LoggingLevel,
    ) -> (Self, mpsc::Receiver<Question>, mpsc::Receiver<Notice>) {
        let (questions, asked) = mpsc::channel(1);
        let (notices, told) = mpsc::channel(NOTICES);
        let ends_requests = context
            .protocol_version()
            .is_some_and(|version| version >= ProtocolVersion::V_2026_07_28);
        let client = Self {
            peer: context.peer.clone(),
            abilities: abilities(context),
            questions: ends_requests.then_some(questions),
            progress: context.meta.get_progress_token(),
            level: match ends_requests {
                true => context.meta.log_level(),
                false => Some(level),
            },
            notices,
        };
        (client, asked, told)
    }

    async fn ask(&self, request: Value) -> Reply {
        let why = |error: &dyn std::fmt::Display| error.to_string();
        let Some(questions) = &self.questions else {
            let request: ServerRequest = serde_json::from_value(request).map_err(|it| why(&it))?;
            let answer = self
                .peer
                .send_request(request)
                .await
                .map_err(|it| why(&it))?;
            let answer = serde_json::to_value(answer).map_err(|it| why(&it))?;
            return serde_json::from_value(answer).map_err(|it| why(&it));
        };
        let (answer, arrives) = oneshot::channel();
        let question = Question { request, answer };
        questions.send(question).await.map_err(|it| why(&it))?;
        arrives.await.map_err(|it| why(&it))?
    }
}

impl Respondent for Client {
    fn abilities(&self) -> Abilities {
        self.abilities
    }

    fn answer(&self, ask: Ask) -> BoxFuture<'_, Reply> {
        let request = json!({ "method": ask.kind.method(), "params": ask.params });
        self.ask(request).boxed()
    }

    fn follows_progress(&self) -> bool {
        self.progress.is_some()
    }

    fn hear(&self, notice: Notice) -> bool {
        let is_heard = match &notice {
            Notice::Progress { .. } => self.progress.is_some(),
            Notice::Log { params, .. } => {
                let level = params.get("level").map(LoggingLevel::deserialize);
                let severity = |level: LoggingLevel| level as u8;
                match (level, self.level) {
                    (Some(Ok(level)), Some(from)) => severity(level) >= severity(from),
                    _ => false,
                }
            }
            _ => false,
        };
        is_heard && self.notices.try_send(notice).is_ok()
    }
}

/// What a client says that it can answer.
fn abilities(context: &RequestContext<RoleServer>) -> Abilities {
    let mut abilities = Abilities::default();
    let declared = context.client_capabilities().unwrap_or_default();
    if let Some(elicitation) = declared.elicitation {
        abilities.url = elicitation.url.is_some();
        abilities.form = elicitation.form.is_some() || !abilities.url;
    }
    abilities.sampling = declared.sampling.is_some();
    abilities
}

/// Sends a client its messages, until all are sent. A client that is gone gets none.
pub(super) async fn tell(context: RequestContext<RoleServer>, mut notices: mpsc::Receiver<Notice>) {
    let token = context.meta.get_progress_token();
    while let Some(notice) = notices.recv().await {
        match (notice, &token) {
            (
                Notice::Progress {
                    progress,
                    total,
                    message,
                    ..
                },
                Some(token),
            ) => {
                let mut told = ProgressNotificationParam::new(token.clone(), progress);
                told.total = total;
                told.message = message;
                let _ = context.peer.notify_progress(told).await;
            }
            (Notice::Log { params, .. }, _) => {
                let line = serde_json::from_value::<LoggingMessageNotificationParam>(params.into());
                if let Ok(line) = line {
                    let _ = context.peer.notify_logging_message(line).await;
                }
            }
            _ => {}
        }
    }
}
