//! What a line of a client's says: the requests in it, and what is wrong with those that can't be
//! read.
//!
//! Every request gets an answer, whatever is in it. What can be fixed is fixed: halves of surrogate
//! pairs and invalid UTF-8 become U+FFFD. `methods`: what requests say, by their methods;
//! `of_sessions`: methods that only sessions have.

mod methods;
mod of_sessions;

use std::borrow::Cow;

use ampoule_mcp::edges::{self, Edges};
use ampoule_mcp::envelope::{self, MAX_BATCH, MAX_ID_BYTES, MessageError};
use ampoule_untrusted::json;
use rmcp::model::{CancelledNotification, ClientRequest, ErrorCode, RequestId};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::error::Category;
use serde_json::value::RawValue;

use self::methods::{decoded, misused};
use self::of_sessions::{instead_of, needs_no_session};
use crate::content::text::{plain, quoted};
use crate::runs::asking::link::ClientReply;

/// How deep a message may be nested: `serde_json` reads no deeper.
const MOST_DEPTH: usize = 127;
/// How much the messages of a line may take once they are read, in bytes, beyond the longest line:
/// many small values take a hundred times their text.
const STRUCTURE_BYTES: u64 = 64 << 20;

/// A message that something follows from. Nothing follows from other notifications.
#[derive(Debug)]
pub(crate) enum Message {
    Request(Box<Request>),
    Cancelled(CancelledNotification),
    /// An answer to what the client was asked.
    Answer(ClientReply),
    Refused(Refusal),
}

#[derive(Debug)]
pub(crate) struct Request {
    pub(crate) id: RequestId,
    pub(crate) request: ClientRequest,
    /// What the host holds for it, in bytes.
    pub(crate) bytes: u64,
}

/// The answer to what can't be done, or read.
#[derive(Debug)]
pub(crate) struct Refusal {
    /// As the client wrote it; none if it can't be read.
    pub(crate) id: Option<Box<RawValue>>,
    pub(crate) code: ErrorCode,
    pub(crate) message: String,
    /// Whether the method is one that only sessions have, of a request without any.
    pub(crate) is_of_sessions: bool,
}

impl Refusal {
    fn new(id: Option<Box<RawValue>>, code: ErrorCode, message: impl Into<String>) -> Self {
        Self {
            id,
            code,
            message: message.into(),
            is_of_sessions: false,
        }
    }

    fn invalid(id: Option<Box<RawValue>>, message: impl Into<String>) -> Self {
        Self::new(id, ErrorCode::INVALID_REQUEST, message)
    }
}

#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(borrow, default)]
    jsonrpc: Option<Cow<'a, str>>,
    #[serde(borrow, default, deserialize_with = "envelope::present")]
    id: Option<&'a RawValue>,
    #[serde(borrow, default)]
    method: Option<Cow<'a, str>>,
    #[serde(borrow, default, deserialize_with = "envelope::present")]
    result: Option<&'a RawValue>,
    #[serde(borrow, default)]
    error: Option<&'a RawValue>,
}

/// Reads a line: a message, or several where a client of 2025-03-26 sends a batch. Each of those is
/// as if it had come by itself.
///
/// `most` is how long a line may be, in bytes.
pub(crate) fn line(line: &[u8], most: usize) -> Vec<Message> {
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
    let text = json::readable(line.trim_ascii());
    if text.is_empty() {
        return Vec::new();
    }
    let crowded = |count: usize| {
        let said = format!(
            "a batch has 1 to {MAX_BATCH} messages, and this one has {count}; send each on a line of its own"
        );
        vec![Message::Refused(Refusal::invalid(None, said))]
    };
    match envelope::split(&text) {
        Ok(messages) if !(1..=MAX_BATCH).contains(&messages.len()) => crowded(messages.len()),
        Ok(messages) => {
            let mut room = most as u64 + STRUCTURE_BYTES;
            let read = messages.into_iter().filter_map(|text| {
                let message = message(text, room)?;
                if let Message::Request(request) = &message {
                    room = room.saturating_sub(request.bytes);
                }
                Some(message)
            });
            read.collect()
        }
        Err(MessageError::Crowded(count)) => crowded(count),
        Err(MessageError::Noise | MessageError::Broken | MessageError::Unmarked(_)) => {
            vec![Message::Refused(unparsable(None))]
        }
    }
}

/// Reads a message that came by itself, and not on a line. `most` is how long one may be, in bytes.
pub(crate) fn alone(text: &str, most: usize) -> Option<Message> {
    if text.starts_with('[') {
        let said = "batches are not supported here; send each message in a request of its own";
        return Some(Message::Refused(Refusal::invalid(None, said)));
    }
    message(text, most as u64 + STRUCTURE_BYTES)
}

/// The answer to a line that is too long to be held, if its edges show the id.
pub(crate) fn too_long(head: &[u8], tail: &[u8], bytes: u64, most: usize) -> Option<Message> {
    let said = format!(
        "the message has {}; the limit is {}. Send less at once; the limit follows the operator's limit `host-bytes`",
        mebibytes(bytes),
        mebibytes(most as u64),
    );
    refused_by_its_edges(edges::look(head, tail), |id| Refusal::invalid(id, said))
}

/// Reads a message, which may take `room` bytes.
fn message(text: &str, room: u64) -> Option<Message> {
    if !text.starts_with('{') {
        let refusal = match serde_json::from_str::<IgnoredAny>(text) {
            Ok(_) => Refusal::invalid(
                None,
                "a message is a JSON object, with `jsonrpc` and `method`",
            ),
            Err(_) => unparsable(None),
        };
        return Some(Message::Refused(refusal));
    }
    let envelope: Envelope<'_> = match serde_json::from_str(text) {
        Ok(envelope) => envelope,
        Err(error) => {
            let tail = &text.as_bytes()[text.len().saturating_sub(4096)..];
            return refused_by_its_edges(edges::look(text.as_bytes(), tail), |id| {
                match error.classify() {
                    Category::Syntax | Category::Eof | Category::Io => unparsable(id),
                    Category::Data => Refusal::invalid(
                        id,
                        format!("the message is not a request: {}", plain(&error)),
                    ),
                }
            });
        }
    };
    let Some(method) = &envelope.method else {
        if envelope.result.is_some() || envelope.error.is_some() {
            let Envelope {
                id, result, error, ..
            } = envelope;
            let answer = ClientReply::to_ours(id?, result, error);
            if answer.is_none() {
                tracing::debug!("the client answered an unknown question");
            }
            return answer.map(Message::Answer);
        }
        let said = "a request needs `method`";
        return Some(Message::Refused(Refusal::invalid(
            written(envelope.id),
            said,
        )));
    };
    match envelope.id {
        Some(id) if id.get() != "null" || !method.starts_with("notifications/") => {
            let read = request(text, id, envelope.jsonrpc.as_deref(), method, room);
            Some(read.map_or_else(Message::Refused, |request| {
                Message::Request(Box::new(request))
            }))
        }
        _ => notification(text, method),
    }
}

/// Only one notification has a consequence here.
fn notification(text: &str, method: &str) -> Option<Message> {
    if method != "notifications/cancelled" {
        return None;
    }
    serde_json::from_str(text)
        .inspect_err(|error| tracing::warn!(error = %plain(error), "the client cancelled something without saying what"))
        .map(Message::Cancelled)
        .ok()
}

fn request(
    text: &str,
    id: &RawValue,
    version: Option<&str>,
    method: &str,
    room: u64,
) -> Result<Request, Refusal> {
    let raw = || written(Some(id));
    if id.get().len() > MAX_ID_BYTES {
        let said = format!("an id has at most {MAX_ID_BYTES} bytes");
        return Err(Refusal::invalid(raw(), said));
    }
    let Ok(known) = serde_json::from_str::<RequestId>(id.get()) else {
        return Err(Refusal::invalid(
            raw(),
            "an id is a string, or an integer of 64 bits",
        ));
    };
    if version != Some("2.0") {
        return Err(Refusal::invalid(raw(), "`jsonrpc` must be \"2.0\""));
    }
    if json::depth(text) > MOST_DEPTH {
        let said = format!(
            "the message is nested more than {MOST_DEPTH} deep; send what is nested as text, or flatter"
        );
        return Err(Refusal::new(raw(), ErrorCode::INVALID_PARAMS, said));
    }
    let bytes = json::parsed_bytes(text);
    if bytes > room {
        let said = format!(
            "the message takes {} in memory, because it has very many values; the limit is {}. Send less at once",
            mebibytes(bytes),
            mebibytes(room)
        );
        return Err(Refusal::invalid(raw(), said));
    }
    let decoded = decoded(method, text);
    // A client that tries both ways to begin may send a whole `initialize`.
    let may_begin = method == "initialize" && matches!(decoded, Some(Ok(_)));
    if let Some(instead) = instead_of(method)
        && !may_begin
        && needs_no_session(text)
    {
        let said = format!("`{method}` was removed in 2026-07-28: {instead}");
        let refusal = Refusal::new(raw(), ErrorCode::METHOD_NOT_FOUND, said);
        return Err(Refusal {
            is_of_sessions: true,
            ..refusal
        });
    }
    match decoded {
        Some(Ok(request)) => Ok(Request {
            id: known,
            request,
            bytes,
        }),
        Some(Err(error)) => Err(Refusal::new(
            raw(),
            ErrorCode::INVALID_PARAMS,
            misused(method, &error),
        )),
        None => Err(Refusal::new(
            raw(),
            ErrorCode::METHOD_NOT_FOUND,
            no_method(&quoted(method)),
        )),
    }
}

/// The error for an unknown method.
pub(crate) fn no_method(name: &str) -> String {
    format!("unknown method `{name}`; the server's capabilities say what there is")
}

/// The error of a message that can't be parsed, unless it is a message without an answer.
fn refused_by_its_edges(
    edges: Edges,
    refusal: impl FnOnce(Option<Box<RawValue>>) -> Refusal,
) -> Option<Message> {
    let told = edges.id.is_none()
        && edges
            .method
            .is_some_and(|method| method.starts_with("notifications/"));
    let refusal = refusal(edges.id);
    if told || edges.answers {
        tracing::warn!(problem = %refusal.message, "a notification or answer from the client can't be read");
        return None;
    }
    Some(Message::Refused(refusal))
}

fn unparsable(id: Option<Box<RawValue>>) -> Refusal {
    let said = "the message is not JSON; send each message whole, and by itself";
    Refusal::new(id, ErrorCode::PARSE_ERROR, said)
}

/// An id as an answer can repeat it.
fn written(id: Option<&RawValue>) -> Option<Box<RawValue>> {
    let id = id?;
    let repeatable = !id.get().starts_with(['{', '[']);
    repeatable.then(|| id.to_owned())
}

fn mebibytes(bytes: u64) -> String {
    format!("{} MiB", bytes.div_ceil(1 << 20))
}

#[cfg(test)]
mod tests;
