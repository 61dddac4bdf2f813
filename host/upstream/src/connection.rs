//! One connection to a server, from its opening to its end.

use std::sync::Arc;
use std::time::Duration;

use ampoule_tools::{CallContext, CallError, ToolResult};
use http::HeaderMap;
use parking_lot::Mutex;
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use tokio_util::sync::DropGuard;

use super::greeting::Greeting;
use super::handshake::Era;
use super::last_words::last_words;
use super::mirrored::{self, Argument};
use super::pending::{Answer, Fault};
use super::process::Process;
use super::wire::Wire;
use super::{decode, offload, subscription};

/// How long the end of a process may take to show after its stdout ended.
const EXIT_SHOWS: Duration = Duration::from_secs(1);

/// How long a server's last words may take to arrive after its end.
const STDERR_SHOWS: Duration = Duration::from_millis(200);

/// How large a page of tools may be, in bytes.
const MAX_PAGE_BYTES: u64 = 8 * 1024 * 1024;

/// Whether a request may be sent again where it is not known what became of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Again {
    Yes,
    No,
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
    pub(super) about: Option<String>,
    /// Whether the server tells, without being asked each time, that its list of tools changed.
    pub(super) tells_of_changes: bool,
    /// Why a person has to sign in, where the last request that ended was refused for that.
    needs_sign_in: Mutex<Option<String>>,
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
            version: greeting.version.or_else(|| era.version()).map(Arc::from),
            about: greeting.about,
            tells_of_changes: greeting.tells_of_changes,
            needs_sign_in: Mutex::default(),
            _stop: stop,
        };
        if connection.tells_of_changes && era == Era::Stateless {
            tokio::spawn(subscription::listen(Arc::clone(&connection.wire)));
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

    /// Calls a tool. What is to be sent stays what it is where it was not sent, or may be sent
    /// again; else it is let go of.
    pub(super) async fn call(
        &self,
        tool: &str,
        (params, again): (&mut Map<String, Value>, Again),
        mirrored: &[Argument],
        context: &CallContext,
    ) -> Result<ToolResult, CallError> {
        context.leave();
        let headers = match params.get("arguments") {
            Some(Value::Object(arguments)) if self.repeats_arguments() => {
                mirrored::headers(mirrored, arguments)
            }
            _ => HeaderMap::new(),
        };
        let max_bytes = context.result_bytes();
        let answer = self.request("tools/call", (params, again), headers, max_bytes);
        match answer.await? {
            Answer::Result(raw) => {
                let (tool, era) = (tool.to_owned(), self.era);
                offload::read(raw.get().len(), move || {
                    decode::tool_result(&raw, &tool, era)
                })
                .await
            }
            Answer::Refused(refusal) => Err(CallError::Refused(refusal.text)),
            Answer::TooLarge(bytes) => Err(CallError::ResultTooLarge { bytes }),
            Answer::Unusable(why) => Err(CallError::Protocol(why)),
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
        let params = (&mut params, Again::No);
        let headers = HeaderMap::new();
        let answer = self.request("tools/list", params, headers, MAX_PAGE_BYTES);
        let why = match answer.await.map_err(|error| error.to_string())? {
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
        (params, again): (&mut Map<String, Value>, Again),
        headers: HeaderMap,
        max_bytes: u64,
    ) -> Result<Answer, CallError> {
        match self.era.meta() {
            Some(meta) => params.insert("_meta".to_owned(), meta),
            None => params.remove("_meta"),
        };
        let sent = self.wire.request_with(headers, method, params, max_bytes);
        let mut sent = match sent {
            Ok(sent) => sent,
            Err(Some(why)) => return Err(CallError::NotReached(self.sentence(&why))),
            Err(None) => return Err(CallError::NotReached(self.lost(method).await)),
        };
        if again == Again::No && !self.may_be_forgotten() {
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
}
