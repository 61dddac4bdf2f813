//! A call that is under way, as its server may ask something meanwhile: how much, and who answers.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::time::Duration;

use ampoule_tools::{
    Abilities, Ask, CallContext, Deadline, LogLevel, Pause, Principal, Respondent, RunId, Trace,
};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::client::{lacks, refusal};

/// How much a server may ask during one call.
pub(super) const ASKS_PER_CALL: u32 = 32;

/// How long an answer may take. The run's time and the call's stand still meanwhile, so that there
/// has to be an end.
const LONGEST_ANSWER: Duration = Duration::from_mins(10);

/// An error that is not a fault of the method's: JSON-RPC leaves these to the side that answers.
const REFUSED: i32 = -32000;

/// What came of a question: a result, or JSON-RPC's error object.
pub(super) type Reply = Result<Value, Value>;

/// A call that is under way, as far as its server may ask something meanwhile. Clones are the same.
#[derive(Debug, Clone)]
pub(super) struct ActiveCall {
    context: CallContext,
    /// How long the call may take. It stands still while somebody else is waited for.
    patience: Deadline,
    asked: Arc<AtomicU32>,
    ended: CancellationToken,
}

impl ActiveCall {
    pub(super) fn new(context: CallContext, patience: Deadline) -> Self {
        Self {
            context,
            patience,
            asked: Arc::default(),
            ended: CancellationToken::new(),
        }
    }

    /// The same, as one round of it: each has an end of its own.
    pub(super) fn round(&self) -> Self {
        Self {
            ended: CancellationToken::new(),
            ..self.clone()
        }
    }

    /// The round is over.
    pub(super) fn end(&self) {
        self.ended.cancel();
    }

    /// Waits until the round is over.
    pub(super) async fn ended(&self) {
        self.ended.cancelled().await;
    }

    /// Which run makes it.
    pub(super) fn run(&self) -> RunId {
        self.context.call().run
    }

    /// On whose behalf it is made.
    pub(super) fn principal(&self) -> Option<&Principal> {
        self.context.call().principal.as_ref()
    }

    /// Notes that the call leaves for its server.
    pub(super) fn leave(&self) {
        self.context.leave();
    }

    /// Notes that the server does not have the call.
    pub(super) fn keep_back(&self) {
        self.context.keep_back();
    }

    /// The largest result that is accepted, in bytes.
    pub(super) fn result_bytes(&self) -> u64 {
        self.context.result_bytes()
    }

    /// Where it belongs in a distributed trace.
    pub(super) fn trace(&self) -> Option<&Trace> {
        self.context.trace()
    }

    /// What can be answered.
    pub(super) fn abilities(&self) -> Abilities {
        let respondent = self.context.respondent();
        respondent.map_or_else(Abilities::default, |it| it.abilities())
    }

    /// Whether anything becomes of the progress that the server reports.
    pub(super) fn follows_progress(&self) -> bool {
        let respondent = self.context.respondent();
        respondent.is_some_and(|it| it.follows_progress())
    }

    /// From which level on lines for the log are wanted.
    pub(super) fn log_level(&self) -> Option<LogLevel> {
        self.respondent().and_then(|it| it.log_level())
    }

    pub(super) fn respondent(&self) -> Option<&Arc<dyn Respondent>> {
        self.context.respondent()
    }

    /// Which tool is called.
    pub(super) fn tool(&self) -> &Arc<str> {
        &self.context.call().tool
    }

    /// Has the run's time and the call's stand still while somebody else is waited for.
    pub(super) fn pause(&self) -> (Pause, Pause) {
        (self.context.deadline().pause(), self.patience.pause())
    }

    /// Has the call's own time stand still, and not the run's, while its server works on it.
    pub(super) fn pause_own(&self) -> Pause {
        self.patience.pause()
    }

    /// Asks the call's respondent.
    pub(super) async fn answer(&self, ask: Ask) -> Reply {
        let kind = ask.kind;
        let Some(respondent) = self.context.respondent() else {
            return Err(refusal(lacks(kind)));
        };
        if !respondent.abilities().include(kind) {
            return Err(refusal(lacks(kind)));
        }
        if self.asked.fetch_add(1, Relaxed) >= ASKS_PER_CALL {
            return Err(refused(&format!(
                "a call may ask at most {ASKS_PER_CALL} questions, and this call has asked that many"
            )));
        }
        let _others_time = self.pause();
        let answered = tokio::time::timeout(LONGEST_ANSWER, respondent.answer(ask)).await;
        match answered {
            Ok(Ok(result)) => Ok(Value::Object(result)),
            Ok(Err(why)) => Err(refused(&why)),
            Err(_) => Err(refused(&format!(
                "nobody answered within {}",
                humantime::format_duration(LONGEST_ANSWER)
            ))),
        }
    }
}

/// JSON-RPC's error object for what is not answered, and why.
pub(super) fn refused(why: &str) -> Value {
    json!({ "code": REFUSED, "message": why })
}
