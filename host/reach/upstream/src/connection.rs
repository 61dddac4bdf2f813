//! One connection to a server, from its opening to its end.

use std::sync::Arc;
use std::time::Duration;

use ampoule_tools::{Abilities, CallError, LogLevel};
use http::HeaderMap;
use parking_lot::Mutex;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use tokio_util::sync::DropGuard;

use super::active_call::ActiveCall;
use super::bounds::LIST_BYTES;
use super::greeting::{Greeting, Introduction, Offers, Tells};
use super::handshake::Era;
use super::last_words::last_words;
use super::mirrored::{self, Argument};
use super::pending::{Answer, Fault};
use super::process::Process;
use super::subscription;
use super::wire::{RequestHead, Wire};

/// How long the end of a process may take to show after its stdout ended.
const EXIT_SHOWS: Duration = Duration::from_secs(1);

/// How long a server's last words may take to arrive after its end.
const STDERR_SHOWS: Duration = Duration::from_millis(200);

/// How long a call waits until its server heard from which level on lines for the log are wanted.
const LEVEL_SET: Duration = Duration::from_secs(1);

/// What calls a tool.
pub(super) const CALL: &str = "tools/call";

/// A session with a server. Who holds it keeps it from being ended as unused. Dropping it ends the
/// session, and the server's process with it.
#[derive(Debug)]
pub(super) struct Connection {
    name: Arc<str>,
    wire: Arc<Wire>,
    process: Option<Process>,
    pub(super) era: Era,
    /// What the server was told, when it was greeted, that can be answered.
    told: Abilities,
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
    /// The session that was opened so, with a server that was told of these abilities. It ends with
    /// the guard.
    pub(super) fn new(
        wire: Arc<Wire>,
        process: Option<Process>,
        era: Era,
        told: Abilities,
        greeting: Greeting,
        stop: DropGuard,
    ) -> Self {
        let connection = Self {
            name: Arc::clone(&wire.server),
            wire,
            process,
            era,
            told,
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

    /// Whether the server would not ask a caller with these abilities, since it did not hear of them,
    /// and would hear of them in another greeting. Servers of the newer protocol hear it with each call.
    pub(super) fn would_not_ask(&self, caller: Abilities) -> bool {
        if self.era != Era::Sessions {
            return false;
        }
        self.wire.client.would_tell_more(self.told, caller)
    }

    /// Why a person has to sign in before the server can be used again.
    pub(super) fn needs_sign_in(&self) -> Option<String> {
        self.needs_sign_in.lock().clone()
    }

    /// Whether the server may forget the session while it continues otherwise.
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

    /// Tells a server of the older protocol from which level on lines for the log are wanted, where
    /// the call's user said so, and it was told something else last.
    pub(super) async fn tell_log_level(&self, call: &ActiveCall) {
        let Some(level) = call.log_level() else {
            return;
        };
        let can_be_told = self.era == Era::Sessions && self.takes_log_level;
        if !can_be_told || self.log_level.lock().replace(level) == Some(level) {
            return;
        }
        let params = Map::from_iter([("level".to_owned(), json!(level))]);
        // The call continues whatever the answer is, but not before it.
        if let Ok(sent) = self.wire.request("logging/setLevel", &params, 0) {
            let _ = tokio::time::timeout(LEVEL_SET, sent.for_good().answer()).await;
        }
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
                let why = format!("does not report changes to it: {}", refusal.text);
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

    /// Adds what requests carry beside their parameters, where their caller has these abilities.
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
