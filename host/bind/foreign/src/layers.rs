//! Layers: functions of another language that calls pass on their way to their tools.

use std::fmt;
use std::sync::Arc;

use ampoule::{CallContext, CallError, FailureKind, Next, ToolResult};
use ampoule_untrusted::document::{self, DocumentError};
use futures::FutureExt;
use futures::future::BoxFuture;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use tokio::sync::oneshot;
use tokio::task::yield_now;

use crate::waiting::{PARK, WaitingCalls};

/// A call on its way, as a function of the other language gets it.
#[derive(Debug)]
#[non_exhaustive]
pub struct PassingCall {
    /// The call, and the run that it is of.
    pub call: ampoule::Call,
    /// The arguments, as a JSON object.
    pub arguments: String,
    /// The rest of its way.
    pub onward: Continuation,
}

/// Lets calls pass, or does not. An answer is the result of the call, as JSON: a result as MCP has
/// it (`content`, `structuredContent`, `isError`), or `kind` and `message` of a failure, where the
/// kind is one of [`FailureKind`]. With the `kind` `park`, and `details`, the call waits for an answer
/// from outside, and the run is parked: a layer of the same run asks again where it resumes. An error is the message of one that failed. Dropping the future
/// cancels the call.
pub trait Interceptor: Send + Sync + 'static {
    /// Lets a call pass. The future is polled by threads that other runs need: it must not block
    /// them for long.
    fn pass(&self, call: PassingCall) -> BoxFuture<'static, Result<String, String>>;
}

/// A layer that calls pass on their way to the tools. Clones are the same one.
#[derive(Clone)]
pub struct Layer {
    interceptor: Arc<dyn Interceptor>,
    /// The calls of the run that wait.
    waiting: WaitingCalls,
}

impl Layer {
    /// A layer of what lets calls pass.
    pub fn new(passer: impl Interceptor) -> Self {
        Self {
            interceptor: Arc::new(passer),
            waiting: WaitingCalls::default(),
        }
    }

    /// The same for one run.
    pub(crate) fn of_run(&self, waiting: &WaitingCalls) -> Self {
        Self {
            interceptor: Arc::clone(&self.interceptor),
            waiting: waiting.clone(),
        }
    }
}

/// The rest of a call's way: what is further in, and the tool. A call goes there once at most.
#[derive(Debug)]
pub struct Continuation(oneshot::Sender<ForwardedCall>);

impl Continuation {
    /// Sends the call on with these arguments, a JSON object. The result comes once, from a thread
    /// that must not be blocked: as JSON, like the answer of an [`Interceptor`]; none if the call
    /// was cancelled.
    pub fn send(self, arguments: String, told: impl FnOnce(Option<String>) + Send + 'static) {
        let teller = OutcomeNotifier(Some(Box::new(told)));
        // For a cancelled call, the drop reports it.
        let _ = self.0.send(ForwardedCall { arguments, teller });
    }
}

#[derive(Debug)]
struct ForwardedCall {
    arguments: String,
    teller: OutcomeNotifier,
}

/// The receiver of a call's result.
struct OutcomeNotifier(Option<Box<dyn FnOnce(Option<String>) + Send>>);

impl OutcomeNotifier {
    fn tell(mut self, came_to: String) {
        if let Some(told) = self.0.take() {
            told(Some(came_to));
        }
    }
}

impl Drop for OutcomeNotifier {
    fn drop(&mut self) {
        if let Some(told) = self.0.take() {
            told(None);
        }
    }
}

impl fmt::Debug for OutcomeNotifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("OutcomeNotifier")
    }
}

impl Layer {
    /// The answer of a layer that has not sent the call on. The call may have to wait.
    async fn told_first(
        &self,
        answer: Result<String, String>,
        arguments: Map<String, Value>,
        context: &CallContext,
    ) -> Result<ToolResult, CallError> {
        match read(answer)? {
            Answer::Result(result) => result,
            Answer::Park(details) => {
                let arguments = Value::Object(arguments).to_string();
                Err(self.waiting.wait(context, arguments, details).await)
            }
        }
    }
}

impl ampoule::Layer for Layer {
    fn call<'a>(
        &'a self,
        arguments: Map<String, Value>,
        context: CallContext,
        next: Next<'a>,
    ) -> BoxFuture<'a, Result<ToolResult, CallError>> {
        async move {
            // Calls begin on a stack of WebAssembly's.
            yield_now().await;
            let (onward, sent) = oneshot::channel();
            // A cancelled call cancels the layer before the layer learns that no result comes.
            let teller;
            let mut answered = self.interceptor.pass(PassingCall {
                call: context.call().clone(),
                arguments: serde_json::to_string(&arguments).unwrap_or_default(),
                onward: Continuation(onward),
            });
            let sent = tokio::select! {
                biased;
                answer = &mut answered => return self.told_first(answer, arguments, &context).await,
                sent = sent => sent,
            };
            // A layer that will not send it on may have said so before it answers.
            let Ok(sent) = sent else {
                let answer = answered.await;
                return self.told_first(answer, arguments, &context).await;
            };
            teller = sent.teller;
            let further = further(sent.arguments, context, next);
            let came_to = tokio::select! {
                biased;
                answer = &mut answered => return told(answer),
                came_to = further => came_to,
            };
            // That ends the run, whatever the layer makes of it.
            if let Err(CallError::ResultTooLarge { .. }) = came_to {
                return came_to;
            }
            teller.tell(written(came_to));
            told(answered.await)
        }
        .boxed()
    }
}

async fn further(
    arguments: String,
    context: CallContext,
    next: Next<'_>,
) -> Result<ToolResult, CallError> {
    let arguments = document::read(&arguments).map_err(|error| {
        CallError::Refused(format!(
            "what a layer passes on: {}",
            error.within("arguments")
        ))
    })?;
    next.call(arguments, context).await
}

/// Why a call has no result, as JSON.
#[derive(Serialize, Deserialize)]
struct Failure {
    kind: FailureKind,
    #[serde(default)]
    message: String,
}

/// The result of a call, as JSON.
fn written(came_to: Result<ToolResult, CallError>) -> String {
    let written = match came_to {
        Ok(result) => serde_json::to_string(&result),
        Err(error) => serde_json::to_string(&Failure {
            kind: error.kind(),
            message: error.to_string(),
        }),
    };
    // Texts and JSON can always be written.
    written.unwrap_or_default()
}

/// What a layer says of a call.
enum Answer {
    Result(Result<ToolResult, CallError>),
    /// The call waits for an answer from outside; with what the layer says of it.
    Park(Box<RawValue>),
}

/// An answer, as a layer gives it: one with a `kind` is a failure of a known kind, or asks to wait.
fn read(answer: Result<String, String>) -> Result<Answer, CallError> {
    #[derive(Deserialize)]
    struct AnswerKind {
        kind: Option<Box<RawValue>>,
    }
    #[derive(Deserialize)]
    struct ParkRequest {
        details: Option<Box<RawValue>>,
    }
    let answer = match answer {
        Ok(answer) => answer,
        Err(message) => return Ok(Answer::Result(Ok(ToolResult::failed(&message)))),
    };
    let unreadable =
        |error: DocumentError| CallError::Protocol(error.about("a layer's answer").to_string());
    let AnswerKind { kind } = document::read(&answer).map_err(unreadable)?;
    let Some(kind) = kind else {
        let result = document::read(&answer).map_err(unreadable)?;
        return Ok(Answer::Result(Ok(result)));
    };
    if serde_json::from_str(kind.get()).is_ok_and(|kind: String| kind == PARK) {
        let ParkRequest { details } = document::read(&answer).map_err(unreadable)?;
        let details = details.unwrap_or_else(|| RawValue::NULL.to_owned());
        return Ok(Answer::Park(details));
    }
    let Failure { kind, message } = document::read(&answer).map_err(unreadable)?;
    Ok(Answer::Result(match kind {
        FailureKind::Failed => Ok(ToolResult::failed(&message)),
        kind => Err(CallError::new(kind, message)),
    }))
}

/// The result of a call that was sent on.
fn told(answer: Result<String, String>) -> Result<ToolResult, CallError> {
    match read(answer)? {
        Answer::Result(result) => result,
        Answer::Park(_) => Err(WaitingCalls::sent_on()),
    }
}
