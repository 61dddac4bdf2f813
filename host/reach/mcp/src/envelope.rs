//! The messages of a line, sorted: what kind of JSON-RPC message each is, without decoding what it
//! carries.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, SeqAccess, Visitor};
use serde_json::value::RawValue;

/// What a request of ours is known by.
pub type RequestId = i64;

/// How many messages a line may have. Batches are of 2025-03-26 alone. Each message of a client's
/// that is wrong is answered, so a line of commas must not become a flood.
pub const MAX_BATCH: usize = 1000;

/// The longest id that is read or sent back, in bytes.
pub const MAX_ID_BYTES: usize = 256;

/// A message, sorted by what must happen with it.
#[derive(Debug)]
pub enum Incoming<'a> {
    /// An answer to a request of ours.
    Result {
        /// Of the request.
        id: RequestId,
        /// What it asked for.
        result: &'a RawValue,
    },
    /// A result that answers no request: its id is none that a request of ours could have.
    Stray {
        /// As it came; empty where there is none.
        id: &'a str,
    },
    /// A refusal. Servers that could not read a request leave its id out.
    Error {
        /// Of the request.
        id: Option<RequestId>,
        /// The error object.
        error: &'a RawValue,
    },
    /// The server asks something of the client.
    Request {
        /// As it came.
        id: &'a RawValue,
        /// What it asks.
        method: Cow<'a, str>,
        /// The parameters, as JSON; empty where there are none.
        params: &'a str,
    },
    /// The server tells the client something.
    Notification {
        /// What it tells.
        method: Cow<'a, str>,
        /// The parameters, as JSON; empty where there are none.
        params: &'a str,
    },
}

/// Why a line is not a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MessageError {
    /// It doesn't look like a message at all: something printed to the wrong stream.
    Noise,
    /// It begins like a message, but is not valid JSON or has the wrong members.
    Broken,
    /// It is an object that does not say that it is a message: it has no `jsonrpc`. Programs log
    /// such objects, also with an `id`. This is the request that it would answer otherwise.
    Unmarked(Option<RequestId>),
    /// It is a batch of so many messages, which is too many.
    Crowded(usize),
}

#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(default)]
    jsonrpc: Option<IgnoredAny>,
    #[serde(borrow, default)]
    id: Option<&'a RawValue>,
    #[serde(borrow, default)]
    method: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    params: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    result: Option<&'a RawValue>,
    #[serde(borrow, default)]
    error: Option<&'a RawValue>,
}

/// Keeps `null` apart from a member that is absent.
pub fn present<'de, D>(deserializer: D) -> Result<Option<&'de RawValue>, D::Error>
where
    D: serde::Deserializer<'de>,
{
    <&RawValue>::deserialize(deserializer).map(Some)
}

/// The messages of a line: one, or several where a server of 2025-03-26 sends a batch.
pub fn split(line: &str) -> Result<Vec<&str>, MessageError> {
    if !line.trim_ascii_start().starts_with('[') {
        return Ok(vec![line]);
    }
    let Batch(messages) = serde_json::from_str(line).map_err(|_| MessageError::Noise)?;
    messages.map_err(MessageError::Crowded)
}

/// The messages of a batch, or how many there are if there are too many.
struct Batch<'a>(Result<Vec<&'a str>, usize>);

impl<'de> Deserialize<'de> for Batch<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(Messages)
    }
}

struct Messages;

impl<'de> Visitor<'de> for Messages {
    type Value = Batch<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("messages")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut batch: A) -> Result<Self::Value, A::Error> {
        let (mut messages, mut count) = (Vec::new(), 0);
        while let Some(message) = batch.next_element::<&RawValue>()? {
            count += 1;
            if count <= MAX_BATCH {
                messages.push(message.get());
            }
        }
        let crowded = count > MAX_BATCH;
        Ok(Batch(if crowded { Err(count) } else { Ok(messages) }))
    }
}

/// Sorts one message.
pub fn read(message: &str) -> Result<Incoming<'_>, MessageError> {
    if !message.trim_ascii_start().starts_with('{') {
        return Err(MessageError::Noise);
    }
    let envelope: Envelope<'_> = serde_json::from_str(message).map_err(|_| MessageError::Broken)?;
    if envelope.jsonrpc.is_none() {
        let answers = envelope.result.or(envelope.error).and(envelope.id);
        return Err(MessageError::Unmarked(answers.and_then(request_id)));
    }
    Ok(match envelope {
        Envelope {
            method: Some(method),
            id: Some(id),
            params,
            ..
        } if id.get().len() <= MAX_ID_BYTES => Incoming::Request {
            id,
            method,
            params: params.map_or("", RawValue::get),
        },
        Envelope {
            method: Some(method),
            id: None,
            params,
            ..
        } => Incoming::Notification {
            method,
            params: params.map_or("", RawValue::get),
        },
        Envelope {
            error: Some(error),
            id,
            ..
        } => Incoming::Error {
            id: id.and_then(request_id),
            error,
        },
        Envelope {
            result: Some(result),
            id,
            ..
        } => match (id, id.and_then(request_id)) {
            (_, Some(id)) => Incoming::Result { id, result },
            (id, None) => Incoming::Stray {
                id: id.map_or("", RawValue::get),
            },
        },
        Envelope { .. } => return Err(MessageError::Broken),
    })
}

/// The error object of a message that has one, whatever else it lacks.
pub fn error_in(message: &str) -> Option<&RawValue> {
    #[derive(Deserialize)]
    struct ErrorResponse<'a> {
        #[serde(borrow)]
        error: &'a RawValue,
    }
    let failed: ErrorResponse<'_> = serde_json::from_str(message).ok()?;
    Some(failed.error).filter(|error| error.get().starts_with('{'))
}

/// An id as ours are written: a number, which some servers send back as text or with a fraction.
pub(super) fn request_id(raw: &RawValue) -> Option<RequestId> {
    let id = Some(raw.get()).filter(|id| id.len() <= MAX_ID_BYTES)?;
    let number = |text: &str| {
        let whole = || text.parse().ok().filter(|n: &f64| n.fract() == 0.0);
        text.parse()
            .ok()
            .or_else(|| whole().map(|n| n as RequestId))
    };
    match serde_json::from_str::<Cow<'_, str>>(id) {
        Ok(text) => text.parse().ok(),
        Err(_) => number(id),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(message: &str) -> String {
        match read(message) {
            Ok(Incoming::Result { id, result }) => format!("result {id} {}", result.get()),
            Ok(Incoming::Error { id, error }) => {
                format!("error {:?} {}", id.map(|id| id.to_string()), error.get())
            }
            Ok(Incoming::Request { id, method, params }) => {
                format!("request {} {method} {params}", id.get())
            }
            Ok(Incoming::Notification { method, params }) => {
                format!("notification {method} {params}")
            }
            Ok(Incoming::Stray { id }) => format!("stray {id}"),
            Err(unreadable) => format!("{unreadable:?}"),
        }
    }

    #[test]
    fn messages_are_sorted() {
        let cases = [
            (
                r#"{"jsonrpc":"2.0","id":7,"result":{"a":1}}"#,
                r#"result 7 {"a":1}"#,
            ),
            (
                r#"{"result":null,"id":"7","jsonrpc":"2.0"}"#,
                "result 7 null",
            ),
            (
                r#"{"jsonrpc":2,"id":7,"result":{},"error":null}"#,
                "result 7 {}",
            ),
            (r#"{"jsonrpc":"2.0","result":{},"id":7.0}"#, "result 7 {}"),
            (
                r#"{"jsonrpc":"2.0","id":null,"error":{"code":-1}}"#,
                r#"error None {"code":-1}"#,
            ),
            (
                r#"{"jsonrpc":"2.0","id":3,"result":null,"error":{}}"#,
                r#"error Some("3") {}"#,
            ),
            (
                r#"{"jsonrpc":"2.0","id":"x","method":"ping","params":{}}"#,
                r#"request "x" ping {}"#,
            ),
            (
                r#"{"jsonrpc":"2.0","method":"notifications\/progress","params":[ 1]}"#,
                "notification notifications/progress [ 1]",
            ),
            (r#"{"jsonrpc":"2.0","id":[7],"result":{}}"#, "stray [7]"),
            (r#"{"jsonrpc":"2.0","id":"a","result":{}}"#, "stray \"a\""),
            (r#"{"jsonrpc":"2.0","id":null,"result":{}}"#, "stray "),
            (r#"{"jsonrpc":"2.0","result":{}}"#, "stray "),
            ("Server running on stdio", "Noise"),
            ("", "Noise"),
            (r#"{"level":"info"}"#, "Unmarked(None)"),
            (r#"{"level":"info","id":7}"#, "Unmarked(None)"),
            (r#"{"id":7,"result":{"level":"info"}}"#, "Unmarked(Some(7))"),
            (r#"{"id":"7","error":{}}"#, "Unmarked(Some(7))"),
            (r#"{"id":7,"method":"GET"}"#, "Unmarked(None)"),
            (r#"{"jsonrpc":"2.0"}"#, "Broken"),
            (r#"{"jsonrpc":"2.0","id":7,"result":{"#, "Broken"),
        ];
        for (message, expected) in cases {
            assert_eq!(kind(message), expected, "{message}");
        }
        let long = format!(
            r#"{{"jsonrpc":"2.0","id":"{}","method":"ping"}}"#,
            "x".repeat(MAX_ID_BYTES)
        );
        assert_eq!(kind(&long), "Broken");
    }

    #[test]
    fn depth_is_no_danger() {
        let message = format!(
            r#"{{"jsonrpc":"2.0","id":1,"result":{}{}}}"#,
            "[".repeat(1_000_000),
            "]".repeat(1_000_000)
        );
        assert!(matches!(read(&message), Ok(Incoming::Result { .. })));
    }

    #[test]
    fn batches_are_split() {
        let messages = split(r#"[{"id":1,"result":{}}, {"method":"x"}]"#).unwrap();
        assert_eq!(messages, [r#"{"id":1,"result":{}}"#, r#"{"method":"x"}"#]);
        assert_eq!(split("[info] listening"), Err(MessageError::Noise));
        let crowd = format!("[{}0]", "0,".repeat(MAX_BATCH));
        assert_eq!(split(&crowd), Err(MessageError::Crowded(MAX_BATCH + 1)));
    }
}
