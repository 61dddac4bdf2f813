//! A request that is made for a call: what is sent, as often as its server asks something first,
//! and why it has no result.

use std::time::Duration;

use ampoule_tools::CallError;
use ampoule_untrusted::text;
use http::HeaderMap;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use super::active_call::{ASKS_PER_CALL, ActiveCall};
use super::asks::InputRequired;
use super::client::{NO_METHOD, refusal};
use super::connection::{CALL, Connection};
use super::handshake::Era;
use super::pending::Answer;
use super::wire::RequestHead;
use super::{decode, trace};

/// How long a server that only wants to be asked again is left alone, at first.
const AGAIN: Duration = Duration::from_millis(100);

/// The extension of clients that take tasks for answers.
const TASKS: &str = "io.modelcontextprotocol/tasks";

/// Where requests say it since 2026-07-28.
const LOG_LEVEL: &str = "io.modelcontextprotocol/logLevel";

/// Whether a request may be sent again where it is not known what became of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Retry {
    Yes,
    No,
}

/// A request that is made for a call: what is sent, and what may be done where that fails.
pub(super) struct Attempt<'a> {
    pub(super) headers: HeaderMap,
    /// They stay as they are where they were not sent, or may be sent again; else they are let go
    /// of once they were sent.
    pub(super) params: &'a mut Map<String, Value>,
    pub(super) retry: Retry,
    pub(super) call: &'a ActiveCall,
}

/// Why a request that is made for a call has no result.
#[derive(Debug)]
pub(super) enum RequestError {
    /// The server wants other headers, and did nothing: what it says.
    Headers(String),
    Call(CallError),
}

impl From<CallError> for RequestError {
    fn from(error: CallError) -> Self {
        Self::Call(error)
    }
}

impl From<RequestError> for CallError {
    fn from(failure: RequestError) -> Self {
        match failure {
            RequestError::Headers(why) => Self::Refused(why),
            RequestError::Call(error) => error,
        }
    }
}

impl Connection {
    /// The result of a request that is made for a call. Whatever the server asks before it
    /// continues is asked, and the request made again.
    pub(super) async fn request(
        &self,
        method: &str,
        attempt: Attempt<'_>,
    ) -> Result<Box<RawValue>, RequestError> {
        let Attempt {
            mut headers,
            params,
            retry,
            call,
        } = attempt;
        let (wire, _) = self.parts();
        self.tell_log_level(call).await;
        call.leave();
        if let Some(trace) = call.trace() {
            trace::headers(trace, &mut headers);
        }
        // Servers of the older protocol ask in requests of their own.
        let may_go_on = self.era == Era::Stateless;
        let is_kept = may_go_on || retry == Retry::Yes || call.abilities().url;
        for round in 0..=ASKS_PER_CALL {
            let id = wire.next_id();
            self.add_meta(params, call.abilities());
            if method == CALL {
                with_tasks(params);
            }
            if call.follows_progress() {
                // Under the same name as the request.
                extend_meta(params, [("progressToken".to_owned(), id.into())]);
            }
            if let Some(trace) = call.trace() {
                extend_meta(params, trace::meta(trace));
            }
            if let (Era::Stateless, Some(level)) = (self.era, call.log_level()) {
                extend_meta(params, [(LOG_LEVEL.to_owned(), json!(level))]);
            }
            let under_way = wire.asks.begin(id, call);
            let head = RequestHead {
                id,
                method,
                headers: headers.clone(),
            };
            let answer = self.exchange(head, params, is_kept, call.result_bytes());
            let answer = answer.await.map_err(|error| match round {
                0 => error,
                _ => half_done(error),
            });
            drop(under_way);
            let raw = match answer? {
                Answer::Result(raw) => raw,
                Answer::Refused(refusal) if refusal.is_of_headers() => {
                    return Err(RequestError::Headers(refusal.text));
                }
                Answer::Refused(refusal) if !refusal.addresses.is_empty() => {
                    wire.have_opened(refusal.addresses, call).await?;
                    continue;
                }
                Answer::Refused(refusal) => {
                    return Err(call.refused(&wire.server, refusal).into());
                }
                Answer::TooLarge(bytes) => return Err(CallError::ResultTooLarge { bytes }.into()),
                Answer::Unusable(why) => return Err(CallError::Protocol(why).into()),
            };
            let Some(wants) = decode::wanted(&raw) else {
                return Ok(raw);
            };
            if !may_go_on {
                return Err(unanswered(&refusal("")).into());
            }
            let wants = wants.map_err(|why| {
                CallError::Protocol(format!("what the tool asks for can't be read: {why}"))
            })?;
            self.add_answers(params, wants, call, round).await?;
        }
        let why = format!("the tool asked for {ASKS_PER_CALL} things, and then for more");
        Err(CallError::Protocol(why).into())
    }

    /// Adds the answers to a server to what it is sent again.
    async fn add_answers(
        &self,
        params: &mut Map<String, Value>,
        wants: InputRequired,
        call: &ActiveCall,
        round: u32,
    ) -> Result<(), CallError> {
        if wants.requests.is_empty() && wants.state.is_none() {
            return Err(unanswered(&refusal("")));
        }
        let (wire, _) = self.parts();
        let answers = wants.answers(call, wire).await;
        let answers = answers.map_err(|error| unanswered(&error))?;
        if answers.is_empty() {
            // It only wants to be asked again; it may have too much to do.
            tokio::time::sleep(AGAIN * (round + 1)).await;
        }
        params.insert("inputResponses".to_owned(), answers.into());
        match wants.state {
            Some(state) => params.insert("requestState".to_owned(), state),
            None => params.remove("requestState"),
        };
        Ok(())
    }
}

/// A call that was not sent again with what its server wanted to know has begun all the same.
fn half_done(error: CallError) -> CallError {
    match error {
        CallError::NotReached(why) | CallError::NeedsSignIn(why) => CallError::Lost(why),
        other => other,
    }
}

/// A call that can't continue, as nobody answers what its tool asks.
pub(super) fn unanswered(error: &Value) -> CallError {
    if let (Some(why), false) = (error["message"].as_str(), error["code"] == NO_METHOD) {
        return CallError::Cancelled(format!(
            "the tool wants to ask something before it goes on: {}",
            text::one_line(why)
        ));
    }
    let why = "the tool wants to ask its user something before it goes on, and scripts run unattended; give it what it needs as arguments, or use another tool";
    CallError::Protocol(why.to_owned())
}

/// Says in a request that this client takes a task for an answer.
pub(super) fn with_tasks(params: &mut Map<String, Value>) {
    let capabilities = params
        .get_mut("_meta")
        .and_then(|meta| meta.get_mut("io.modelcontextprotocol/clientCapabilities"));
    if let Some(capabilities) = capabilities {
        capabilities["extensions"][TASKS] = json!({});
    }
}

/// Adds to what a request carries beside its parameters.
fn extend_meta(params: &mut Map<String, Value>, more: impl IntoIterator<Item = (String, Value)>) {
    if let Value::Object(meta) = params.entry("_meta").or_insert_with(|| json!({})) {
        meta.extend(more);
    }
}
