//! One connection to a server, from its opening to its end.

use std::sync::Arc;
use std::time::Duration;

use ampoule_mcp::envelope::RequestId;
use ampoule_tools::{Abilities, CallError, ToolResult};
use ampoule_untrusted::text;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use tokio_util::sync::DropGuard;

use super::asks::{ASKS_PER_CALL, Called};
use super::client::{NO_METHOD, refusal};
use super::greeting::{Greeting, Offers};
use super::handshake::Era;
use super::last_words::last_words;
use super::pending::Answer;
use super::process::Process;
use super::wire::{Request, Wire};
use super::{decode, offload};

/// How long the end of a process may take to show after its stdout ended.
const EXIT_SHOWS: Duration = Duration::from_secs(1);

/// How long a server's last words may take to arrive after its end.
const STDERR_SHOWS: Duration = Duration::from_millis(200);

/// How large a page of tools may be, in bytes.
const MAX_PAGE_BYTES: u64 = 8 * 1024 * 1024;

/// How long a server that only wants to be asked again is left alone, at first.
const AGAIN: Duration = Duration::from_millis(100);

/// A session with a server. Dropping it ends the session, and the server's process with it.
#[derive(Debug)]
pub(super) struct Connection {
    name: Arc<str>,
    wire: Arc<Wire>,
    process: Option<Process>,
    pub(super) era: Era,
    pub(super) about: Option<String>,
    pub(super) offers: Offers,
    _stop: DropGuard,
}

/// How a server ended, as the middle of a sentence.
pub(super) async fn ended(wire: &Wire, process: Option<&Process>) -> String {
    if let Some(fault) = wire.fault() {
        return fault.to_owned();
    }
    let Some(process) = process else {
        return "closed the connection".to_owned();
    };
    match tokio::time::timeout(EXIT_SHOWS, process.exited()).await {
        Ok(Some(status)) => {
            let _ = tokio::time::timeout(STDERR_SHOWS, process.stderr_ended()).await;
            format!("ended ({status})")
        }
        _ => "closed its stdout".to_owned(),
    }
}

impl Connection {
    /// The session that was opened so. It ends with the guard.
    pub(super) fn new(
        name: Arc<str>,
        wire: Arc<Wire>,
        process: Option<Process>,
        (era, greeting): (Era, Greeting),
        stop: DropGuard,
    ) -> Self {
        let connection = Self {
            name,
            wire,
            process,
            era,
            about: greeting.about,
            offers: greeting.offers,
            _stop: stop,
        };
        if greeting.tells_of_changes {
            connection.listen_for_changes();
        }
        connection
    }

    /// Whether requests can still be sent.
    pub(super) fn is_open(&self) -> bool {
        self.wire.pending.is_open()
    }

    /// How many lines wait to be written.
    #[cfg(test)]
    pub(super) fn unsent(&self) -> usize {
        self.wire.unsent()
    }

    /// Calls a tool.
    pub(super) async fn call(
        &self,
        tool: &str,
        arguments: Map<String, Value>,
        call: &Called,
    ) -> Result<ToolResult, CallError> {
        let params = [
            ("name".to_owned(), tool.into()),
            ("arguments".to_owned(), arguments.into()),
        ];
        let params = params.into_iter().collect();
        let raw = self.outcome("tools/call", params, call).await?;
        let (tool, era) = (tool.to_owned(), self.era);
        offload::read(raw.get().len(), move || {
            decode::tool_result(&raw, &tool, era)
        })
        .await
    }

    /// The result of a request that is made for a call. Whatever the server wants to know before it
    /// goes on is asked, and the request made again.
    pub(super) async fn outcome(
        &self,
        method: &str,
        mut params: Map<String, Value>,
        call: &Called,
    ) -> Result<Box<RawValue>, CallError> {
        params.extend(self.meta(call.abilities()));
        for round in 0..=ASKS_PER_CALL {
            let id = self.wire.next_id();
            if call.follows_progress() {
                expect_progress(&mut params, id);
            }
            let under_way = self.wire.asks.begin(id, call);
            let answer = self.send(method, id, &params, call.result_bytes()).await?;
            drop(under_way);
            let raw = match answer {
                Answer::Result(raw) => raw,
                Answer::Refused(refusal) => return Err(CallError::Refused(refusal.text)),
                Answer::TooLarge(bytes) => return Err(CallError::ResultTooLarge { bytes }),
                Answer::Unusable(why) => return Err(CallError::Protocol(why)),
            };
            let Some(wants) = decode::wanted(&raw) else {
                return Ok(raw);
            };
            let wants = wants.map_err(|why| {
                CallError::Protocol(format!("what the tool asks for can't be read: {why}"))
            })?;
            if wants.requests.is_empty() && wants.state.is_none() {
                return Err(unanswered(&refusal("")));
            }
            let whose = (&self.wire.server, &self.wire.secrets);
            let answers = wants.answers(call, &self.wire.client, whose).await;
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
        }
        let why = format!("the tool asked for {ASKS_PER_CALL} things, and then for more");
        Err(CallError::Protocol(why))
    }

    /// Asks for a page of tools. A server that does not know the request has none.
    ///
    /// # Errors
    ///
    /// A sentence that names the server.
    pub(super) async fn page(
        &self,
        cursor: Option<String>,
    ) -> Result<Option<Box<RawValue>>, String> {
        let cursor = cursor.map(|cursor| ("cursor".to_owned(), cursor.into()));
        let params = cursor.into_iter().collect();
        let answer = self.request("tools/list", params, MAX_PAGE_BYTES).await;
        let why = match answer.map_err(|error| error.to_string())? {
            Answer::Result(raw) => return Ok(Some(raw)),
            Answer::Refused(refusal) if refusal.is_of_method() => return Ok(None),
            Answer::Refused(refusal) => format!("does not list its tools: {}", refusal.text),
            Answer::TooLarge(bytes) => format!(
                "lists its tools on a page of {bytes} bytes; at most {MAX_PAGE_BYTES} are read"
            ),
            Answer::Unusable(why) => format!("does not list its tools: {why}"),
        };
        Err(self.sentence(&why))
    }

    /// What a server does, as a sentence.
    pub(super) fn sentence(&self, does: &str) -> String {
        format!("MCP server `{}` {does}", self.name)
    }

    /// Sends a request, and waits for its answer. Dropping the future cancels the request.
    ///
    /// # Errors
    ///
    /// A sentence that names the server.
    async fn request(
        &self,
        method: &str,
        mut params: Map<String, Value>,
        max_bytes: u64,
    ) -> Result<Answer, CallError> {
        params.extend(self.meta(Abilities::default()));
        self.send(method, self.wire.next_id(), &params, max_bytes)
            .await
    }

    /// Sends a request that is whole, under this id, and waits for its answer.
    async fn send(
        &self,
        method: &str,
        id: RequestId,
        params: &Map<String, Value>,
        max_bytes: u64,
    ) -> Result<Answer, CallError> {
        let mut sent = match self.wire.request_as(id, method, params, max_bytes) {
            Ok(sent) => sent,
            Err(Some(why)) => return Err(CallError::NotReached(self.sentence(&why))),
            Err(None) => return Err(CallError::NotReached(self.lost(method).await)),
        };
        match sent.answer().await {
            Some(answer) => Ok(answer),
            None => Err(CallError::Lost(self.lost(method).await)),
        }
    }

    /// What requests carry beside their parameters, where whoever makes them can answer that much.
    fn meta(&self, abilities: Abilities) -> Option<(String, Value)> {
        let capabilities = || self.wire.client.capabilities_of(abilities);
        let meta = self.era.meta(capabilities)?;
        Some(("_meta".to_owned(), meta))
    }

    async fn lost(&self, method: &str) -> String {
        let how = ended(&self.wire, self.process.as_ref()).await;
        let what = match method {
            "tools/call" => "the call",
            other => other,
        };
        format!(
            "MCP server `{}` {how} while {what} was under way; the next call starts it again{}",
            self.name,
            last_words(&self.name, self.process.as_ref())
        )
    }

    /// Since 2026-07-28, servers only tell of changes who asked for it, for as long as that request
    /// is not answered.
    fn listen_for_changes(&self) {
        if self.era != Era::Stateless {
            return;
        }
        let filter = json!({ "toolsListChanged": true });
        let mut params = Map::from_iter([("notifications".to_owned(), filter)]);
        params.extend(self.meta(Abilities::default()));
        let wire = Arc::clone(&self.wire);
        tokio::spawn(async move {
            let sent = wire.request("subscriptions/listen", &params, 0);
            // It is over when the connection is; what it takes until then is a place among the
            // requests.
            if let Some(Answer::Refused(refusal)) = answer_to(sent).await {
                tracing::debug!(server = %wire.server, why = refusal.text, "the server does not report changes to its list of tools");
            }
        });
    }
}

/// A call that can't go on, as nobody answers what its tool wants to know.
fn unanswered(error: &Value) -> CallError {
    if let (Some(why), false) = (error["message"].as_str(), error["code"] == NO_METHOD) {
        return CallError::Cancelled(format!(
            "the tool wants to ask something before it goes on: {}",
            text::one_line(why)
        ));
    }
    let why = "the tool wants to ask its user something before it goes on, and scripts run unattended; give it what it needs as arguments, or use another tool";
    CallError::Protocol(why.to_owned())
}

/// Asks for the progress of the request of that id, under the same name.
fn expect_progress(params: &mut Map<String, Value>, id: RequestId) {
    if let Value::Object(meta) = params.entry("_meta").or_insert_with(|| json!({})) {
        meta.insert("progressToken".to_owned(), id.into());
    }
}

async fn answer_to(sent: Result<Request<'_>, Option<String>>) -> Option<Answer> {
    sent.ok()?.answer().await
}
