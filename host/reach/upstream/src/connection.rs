//! One connection to a server, from its opening to its end.

use std::sync::Arc;
use std::time::Duration;

use ampoule_tools::{Abilities, CallError, LogLevel};
use ampoule_untrusted::text;
use http::HeaderMap;
use parking_lot::Mutex;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use tokio_util::sync::DropGuard;

use super::asks::{ASKS_PER_CALL, ActiveCall, InputRequired};
use super::bounds::LIST_BYTES;
use super::client::{NO_METHOD, refusal};
use super::greeting::{Greeting, Introduction, Offers, Tells};
use super::handshake::Era;
use super::last_words::last_words;
use super::mirrored::{self, Argument};
use super::pending::{Answer, Fault};
use super::process::Process;
use super::wire::{RequestHead, Wire};
use super::{decode, subscription, trace};

/// How long the end of a process may take to show after its stdout ended.
const EXIT_SHOWS: Duration = Duration::from_secs(1);

/// How long a server's last words may take to arrive after its end.
const STDERR_SHOWS: Duration = Duration::from_millis(200);

/// How long a server that only wants to be asked again is left alone, at first.
const AGAIN: Duration = Duration::from_millis(100);

/// How long a call waits until its server heard from which level on lines for the log are wanted.
const LEVEL_SET: Duration = Duration::from_secs(1);

/// The extension of clients that take tasks for answers.
const TASKS: &str = "io.modelcontextprotocol/tasks";

/// What calls a tool.
pub(super) const CALL: &str = "tools/call";

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

/// A session with a server. Who holds it keeps it from being ended as unused. Dropping it ends the
/// session, and the server's process with it.
#[derive(Debug)]
pub(super) struct Connection {
    name: Arc<str>,
    wire: Arc<Wire>,
    process: Option<Process>,
    pub(super) era: Era,
    /// The version of the protocol that was agreed on.
    pub(super) version: Option<Arc<str>>,
    pub(super) introduction: Introduction,
    pub(super) offers: Offers,
    /// Of which changes the server tells without being asked each time.
    pub(super) tells: Tells,
    /// Why a person has to sign in, where the last request that ended was refused for that.
    needs_sign_in: Mutex<Option<String>>,
    /// Whether the server can be told from which level on lines for the log are wanted, and what it
    /// was told last.
    takes_log_level: bool,
    log_level: Mutex<Option<LogLevel>>,
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
        era: Era,
        greeting: Greeting,
        stop: DropGuard,
    ) -> Self {
        let connection = Self {
            name,
            wire,
            process,
            era,
            version: greeting.version.or_else(|| era.version()).map(Arc::from),
            introduction: greeting.introduction,
            offers: greeting.offers,
            tells: greeting.tells,
            needs_sign_in: Mutex::default(),
            takes_log_level: greeting.takes_log_level,
            log_level: Mutex::default(),
            _stop: stop,
        };
        if connection.tells.of_any() && era == Era::Stateless {
            let wire = Arc::clone(&connection.wire);
            tokio::spawn(subscription::listen(wire, connection.tells));
        }
        connection
    }

    /// What carries it, and the server's process: what is there to be watched.
    pub(super) fn parts(&self) -> (&Arc<Wire>, Option<&Process>) {
        (&self.wire, self.process.as_ref())
    }

    /// Whether requests can still be sent.
    pub(super) fn is_open(&self) -> bool {
        self.wire.pending.is_open()
    }

    /// Whether HTTP's headers repeat what a tool's schema says of its arguments.
    pub(super) fn repeats_arguments(&self) -> bool {
        self.process.is_none() && self.era == Era::Stateless
    }

    /// Why a person has to sign in before the server can be used again.
    pub(super) fn needs_sign_in(&self) -> Option<String> {
        self.needs_sign_in.lock().clone()
    }

    /// Whether the server may forget the session while it goes on otherwise.
    pub(super) fn may_be_forgotten(&self) -> bool {
        self.process.is_none() && self.era == Era::Sessions
    }

    /// How many lines wait to be written.
    #[cfg(test)]
    pub(super) fn unsent(&self) -> usize {
        self.wire.unsent()
    }

    /// The headers of a call that repeats these of its arguments.
    pub(super) fn headers(&self, mirrored: &[Argument], params: &Map<String, Value>) -> HeaderMap {
        match params.get("arguments") {
            Some(Value::Object(arguments)) if self.repeats_arguments() => {
                mirrored::headers(mirrored, arguments)
            }
            _ => HeaderMap::new(),
        }
    }

    /// The result of a request that is made for a call. Whatever the server wants to know before it
    /// goes on is asked, and the request made again.
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
        self.tell_log_level(call).await;
        call.leave();
        if let Some(trace) = call.trace() {
            trace::headers(trace, &mut headers);
        }
        // Servers of the older protocol ask in requests of their own.
        let may_go_on = self.era == Era::Stateless;
        let is_kept = may_go_on || retry == Retry::Yes || call.abilities().url;
        for round in 0..=ASKS_PER_CALL {
            let id = self.wire.next_id();
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
            let under_way = self.wire.asks.begin(id, call);
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
                    self.have_opened(refusal.addresses, call).await?;
                    continue;
                }
                Answer::Refused(refusal) => return Err(CallError::Refused(refusal.text).into()),
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

    /// Tells a server of the older protocol from which level on lines for the log are wanted, where
    /// the call's user said so, and it was told something else last.
    async fn tell_log_level(&self, call: &ActiveCall) {
        let Some(level) = call.log_level() else {
            return;
        };
        let can_be_told = self.era == Era::Sessions && self.takes_log_level;
        if !can_be_told || self.log_level.lock().replace(level) == Some(level) {
            return;
        }
        let params = Map::from_iter([("level".to_owned(), json!(level))]);
        // The call goes on whatever the answer is, but not before it.
        if let Ok(sent) = self.wire.request("logging/setLevel", &params, 0) {
            let _ = tokio::time::timeout(LEVEL_SET, sent.for_good().answer()).await;
        }
    }

    /// Adds what a server wants to know to what it is sent again.
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
        let answers = wants.answers(call, &self.wire).await;
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
        let mut params = cursor.into_iter().collect();
        self.add_meta(&mut params, Abilities::default());
        let head = RequestHead {
            id: self.wire.next_id(),
            method: "tools/list",
            headers: HeaderMap::new(),
        };
        let answer = self.exchange(head, &mut params, false, LIST_BYTES);
        let answer = answer.await;
        let why = match answer.map_err(|error| error.to_string())? {
            Answer::Result(raw) => return Ok(Some(raw)),
            Answer::Refused(refusal) if refusal.is_of_method() => return Ok(None),
            Answer::Refused(refusal) => format!("does not list its tools: {}", refusal.text),
            Answer::TooLarge(bytes) => {
                format!("lists its tools on a page of {bytes} bytes; at most {LIST_BYTES} are read")
            }
            Answer::Unusable(why) => format!("does not list its tools: {why}"),
        };
        Err(self.sentence(&why))
    }

    /// Has a server of the older protocol begin or end telling of a resource.
    ///
    /// # Errors
    ///
    /// A sentence that names the server.
    pub(super) async fn subscribes(&self, method: &str, address: &str) -> Result<(), String> {
        let mut params = Map::from_iter([("uri".to_owned(), address.into())]);
        let head = RequestHead {
            id: self.wire.next_id(),
            method,
            headers: HeaderMap::new(),
        };
        let answer = self.exchange(head, &mut params, false, LIST_BYTES).await;
        match answer.map_err(|error| error.to_string())? {
            Answer::Refused(refusal) => {
                let why = format!("does not tell of changes to it: {}", refusal.text);
                Err(self.sentence(&why))
            }
            // What else there is in the answer does not matter.
            Answer::Result(_) | Answer::TooLarge(_) | Answer::Unusable(_) => Ok(()),
        }
    }

    /// Waits until the connection has ended.
    pub(super) async fn ended(&self) {
        self.wire.ended().await;
    }

    /// What a server does, as a sentence.
    pub(super) fn sentence(&self, does: &str) -> String {
        format!("MCP server `{}` {does}", self.name)
    }

    /// Sends a request, and waits for its answer. Dropping the future cancels the request. Its
    /// parameters are let go of once they were sent, unless they are to be kept.
    ///
    /// # Errors
    ///
    /// A sentence that names the server.
    pub(super) async fn exchange(
        &self,
        head: RequestHead<'_>,
        params: &mut Map<String, Value>,
        is_kept: bool,
        max_bytes: u64,
    ) -> Result<Answer, CallError> {
        let method = head.method;
        let mut sent = match self.wire.request_with(head, params, max_bytes) {
            Ok(sent) => sent,
            Err(Some(why)) => return Err(CallError::NotReached(self.sentence(&why))),
            Err(None) => return Err(CallError::NotReached(self.lost(method).await)),
        };
        if !is_kept && !self.may_be_forgotten() {
            *params = Map::new();
        }
        Err(match sent.answer().await {
            Ok(answer) => {
                *self.needs_sign_in.lock() = None;
                return Ok(answer);
            }
            Err(Fault::Closed) if sent.was_begun() => CallError::Lost(self.lost(method).await),
            Err(Fault::Closed) => CallError::NotReached(self.lost(method).await),
            Err(Fault::Lost(why)) => CallError::Lost(self.sentence(&why)),
            Err(Fault::NotReached(why)) => CallError::NotReached(self.sentence(&why)),
            Err(Fault::NeedsSignIn(needed)) => {
                *self.needs_sign_in.lock() = Some(needed.0.clone());
                CallError::NeedsSignIn(needed.0)
            }
        })
    }

    /// Adds what requests carry beside their parameters, where whoever makes them can answer that
    /// much.
    pub(super) fn add_meta(&self, params: &mut Map<String, Value>, abilities: Abilities) {
        let capabilities = || self.wire.client.capabilities_of(abilities);
        match self.era.meta(capabilities) {
            Some(meta) => params.insert("_meta".to_owned(), meta),
            None => params.remove("_meta"),
        };
    }

    async fn lost(&self, method: &str) -> String {
        let how = ended(&self.wire, self.process.as_ref()).await;
        let what = match method {
            CALL => "the call",
            other => other,
        };
        format!(
            "MCP server `{}` {how} while {what} was under way; the next call starts it again{}",
            self.name,
            last_words(&self.name, self.process.as_ref())
        )
    }
}

/// A call that was not sent again with what its server wanted to know has begun all the same.
fn half_done(error: CallError) -> CallError {
    match error {
        CallError::NotReached(why) | CallError::NeedsSignIn(why) => CallError::Lost(why),
        other => other,
    }
}

/// A call that can't go on, as nobody answers what its tool wants to know.
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
