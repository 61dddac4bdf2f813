//! One line of the wire: what kind of JSON-RPC message it is, without decoding what it carries.

use std::borrow::Cow;
use std::sync::Arc;

use rmcp::model::RequestId;
use serde::Deserialize;
use serde_json::value::RawValue;

/// A message, sorted by what must happen with it.
#[derive(Debug)]
pub(crate) enum Incoming<'a> {
    /// An answer to a request of ours.
    Result { id: RequestId, result: &'a RawValue },
    /// A refusal. Servers that could not read a request leave its id out.
    Error {
        id: Option<RequestId>,
        error: &'a RawValue,
    },
    /// The server asks something of the client.
    Request {
        id: &'a RawValue,
        method: Cow<'a, str>,
    },
    /// The server tells the client something.
    Notification { method: Cow<'a, str> },
}

/// Why a line is no message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unreadable {
    /// It doesn't look like a message at all: something printed to the wrong stream.
    Noise,
    /// It begins like a message, but is not valid JSON or has the wrong members.
    Broken,
}

#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(borrow, default)]
    id: Option<&'a RawValue>,
    #[serde(borrow, default)]
    method: Option<Cow<'a, str>>,
    #[serde(borrow, default, deserialize_with = "present")]
    result: Option<&'a RawValue>,
    #[serde(borrow, default)]
    error: Option<&'a RawValue>,
}

/// Keeps `null` apart from a member that is absent.
pub(crate) fn present<'de, D>(deserializer: D) -> Result<Option<&'de RawValue>, D::Error>
where
    D: serde::Deserializer<'de>,
{
    <&RawValue>::deserialize(deserializer).map(Some)
}

/// The messages of a line: one, or several where a server of 2025-03-26 sends a batch.
pub(crate) fn split(line: &[u8]) -> Result<Vec<&[u8]>, Unreadable> {
    match line.trim_ascii_start().first() {
        Some(b'[') => {
            let batch: Vec<&RawValue> =
                serde_json::from_slice(line).map_err(|_| Unreadable::Noise)?;
            Ok(batch
                .into_iter()
                .map(|message| message.get().as_bytes())
                .collect())
        }
        _ => Ok(vec![line]),
    }
}

/// Sorts one message.
pub(crate) fn read(message: &[u8]) -> Result<Incoming<'_>, Unreadable> {
    if message.trim_ascii_start().first() != Some(&b'{') {
        return Err(Unreadable::Noise);
    }
    let envelope: Envelope<'_> = serde_json::from_slice(message).map_err(|_| Unreadable::Broken)?;
    Ok(match envelope {
        Envelope {
            method: Some(method),
            id: Some(id),
            ..
        } => Incoming::Request { id, method },
        Envelope {
            method: Some(method),
            id: None,
            ..
        } => Incoming::Notification { method },
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
            id: Some(id),
            ..
        } => {
            let id = request_id(id).ok_or(Unreadable::Broken)?;
            Incoming::Result { id, result }
        }
        Envelope { .. } => return Err(Unreadable::Broken),
    })
}

/// An id as ours are written: numbers, which some servers send back as text or with a fraction.
fn request_id(raw: &RawValue) -> Option<RequestId> {
    match serde_json::from_str(raw.get()).ok()? {
        serde_json::Value::Number(number) => {
            let whole = number.as_i64().or_else(|| {
                number
                    .as_f64()
                    .filter(|n| n.fract() == 0.0)
                    .map(|n| n as i64)
            })?;
            Some(RequestId::Number(whole))
        }
        serde_json::Value::String(text) => Some(
            text.parse()
                .map_or_else(|_| RequestId::String(Arc::from(text)), RequestId::Number),
        ),
        _ => None,
    }
}

/// What can still be told of a message that was too long, or broken, from its edges.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Trace {
    /// It answers this request.
    Answer(RequestId),
    /// It is a request or a notification of the server's.
    ServerMessage,
    /// Its id is somewhere in the part that is lost.
    Unknown,
}

/// Looks for the id at the edges of a message.
pub(crate) fn trace(head: &[u8], tail: &[u8]) -> Trace {
    match trace_head(head) {
        Trace::Unknown => trace_tail(tail).map_or(Trace::Unknown, Trace::Answer),
        found => found,
    }
}

/// Walks the outermost object from its beginning, for as long as it goes.
fn trace_head(head: &[u8]) -> Trace {
    let mut depth = 0_usize;
    let mut at = 0;
    while at < head.len() {
        match head[at] {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            b'"' => {
                let Some(length) = string_length(&head[at..]) else {
                    break;
                };
                let (text, rest) = head[at..].split_at(length);
                at += length - 1;
                if depth == 1 && rest.trim_ascii_start().starts_with(b":") {
                    match text {
                        br#""method""# => return Trace::ServerMessage,
                        br#""id""# => return id_after(rest).map_or(Trace::Unknown, Trace::Answer),
                        _ => {}
                    }
                }
            }
            _ => {}
        }
        at += 1;
    }
    Trace::Unknown
}

/// The length of the string literal that `text` begins with, quotes included.
fn string_length(text: &[u8]) -> Option<usize> {
    let mut escaped = false;
    for (at, byte) in text.iter().enumerate().skip(1) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return Some(at + 1),
            _ => {}
        }
    }
    None
}

/// The id in `: 7, …`, where something follows that shows that it is complete.
fn id_after(rest: &[u8]) -> Option<RequestId> {
    let value = rest.trim_ascii_start().strip_prefix(b":")?;
    let end = value.iter().position(|byte| matches!(byte, b',' | b'}'))?;
    request_id(serde_json::from_slice(&value[..end]).ok()?)
}

/// Servers that write the result first end with the id: what follows the last `"id"` is then the rest of the outermost object.
fn trace_tail(tail: &[u8]) -> Option<RequestId> {
    let key = br#""id""#;
    memchr::memmem::rfind_iter(tail, key)
        .take(8)
        .find_map(|at| {
            let mut object = vec![b'{'];
            object.extend_from_slice(&tail[at..]);
            let envelope: Envelope<'_> = serde_json::from_slice(&object).ok()?;
            request_id(envelope.id?)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(message: &str) -> String {
        match read(message.as_bytes()) {
            Ok(Incoming::Result { id, result }) => format!("result {id} {}", result.get()),
            Ok(Incoming::Error { id, error }) => {
                format!("error {:?} {}", id.map(|id| id.to_string()), error.get())
            }
            Ok(Incoming::Request { id, method }) => format!("request {} {method}", id.get()),
            Ok(Incoming::Notification { method }) => format!("notification {method}"),
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
            (r#"{"result":null,"id":"7"}"#, "result 7 null"),
            (r#"{"result":{},"id":7.0}"#, "result 7 {}"),
            (r#"{"id":7,"result":{},"error":null}"#, "result 7 {}"),
            (
                r#"{"id":null,"error":{"code":-1}}"#,
                r#"error None {"code":-1}"#,
            ),
            (
                r#"{"id":3,"result":null,"error":{}}"#,
                r#"error Some("3") {}"#,
            ),
            (r#"{"id":"x","method":"ping"}"#, r#"request "x" ping"#),
            (
                r#"{"method":"notifications\/progress"}"#,
                "notification notifications/progress",
            ),
            ("Server running on stdio", "Noise"),
            ("", "Noise"),
            (r#"{"level":"info"}"#, "Broken"),
            (r#"{"id":7,"result":{"#, "Broken"),
            (r#"{"id":[7],"result":{}}"#, "Broken"),
        ];
        for (message, expected) in cases {
            assert_eq!(kind(message), expected, "{message}");
        }
        assert_eq!(
            read(b"{\"id\":7,\"result\":\"\xff\"}").unwrap_err(),
            Unreadable::Broken
        );
    }

    #[test]
    fn depth_is_no_danger() {
        let message = format!(
            r#"{{"id":1,"result":{}{}}}"#,
            "[".repeat(1_000_000),
            "]".repeat(1_000_000)
        );
        assert!(matches!(
            read(message.as_bytes()),
            Ok(Incoming::Result { .. })
        ));
    }

    #[test]
    fn batches_are_split() {
        let messages = split(br#"[{"id":1,"result":{}}, {"method":"x"}]"#).unwrap();
        assert_eq!(
            messages,
            [&br#"{"id":1,"result":{}}"#[..], br#"{"method":"x"}"#]
        );
        assert_eq!(split(b"[info] listening"), Err(Unreadable::Noise));
    }

    #[test]
    fn ids_are_found_at_the_edges() {
        let answer = |id| Trace::Answer(RequestId::Number(id));
        let cases = [
            (
                r#"{"jsonrpc":"2.0","id":12,"result":{"content":[{"id":99"#,
                "",
                answer(12),
            ),
            (
                r#"{"jsonrpc":"2.0", "id" : "12" ,"result":"#,
                "",
                answer(12),
            ),
            (
                r#"{"result":{"id":99,"s":"\"id\":98"#,
                r#"x"}},"id":12,"jsonrpc":"2.0"}"#,
                answer(12),
            ),
            (
                r#"{"result":{"rows":["#,
                r#"{"id":97}],"id":98},"id":12}"#,
                answer(12),
            ),
            (
                r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"id":3,"#,
                r#""id":3}}"#,
                Trace::ServerMessage,
            ),
            (r#"{"result":{"rows":["#, r#"{"id":97}]}}"#, Trace::Unknown),
            (r#"{"id":1"#, r#"x"#, Trace::Unknown),
        ];
        for (head, tail, expected) in cases {
            assert_eq!(
                trace(head.as_bytes(), tail.as_bytes()),
                expected,
                "{head} … {tail}"
            );
        }
    }
}
