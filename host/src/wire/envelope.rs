//! One line of the wire: what kind of JSON-RPC message it is, without decoding what it carries.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, SeqAccess, Visitor};
use serde_json::value::RawValue;

/// What a request of ours is known by.
pub(crate) type RequestId = i64;

/// How many messages a line may have. Batches are of 2025-03-26 alone. Each message of a client's that is wrong is answered, so a line of commas must not
/// become a flood.
pub(crate) const MAX_BATCH: usize = 1000;

/// The longest id that is read or sent back, in bytes.
const MAX_ID_BYTES: usize = 256;

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
    Notification {
        method: Cow<'a, str>,
        params: &'a str,
    },
}

/// Why a line is no message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unreadable {
    /// It doesn't look like a message at all: something printed to the wrong stream.
    Noise,
    /// It begins like a message, but is not valid JSON or has the wrong members.
    Broken,
    /// It is a batch of so many messages, which is too many.
    Crowded(usize),
}

#[derive(Deserialize)]
struct Envelope<'a> {
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
pub(crate) fn present<'de, D>(deserializer: D) -> Result<Option<&'de RawValue>, D::Error>
where
    D: serde::Deserializer<'de>,
{
    <&RawValue>::deserialize(deserializer).map(Some)
}

/// The messages of a line: one, or several where a server of 2025-03-26 sends a batch.
pub(crate) fn split(line: &str) -> Result<Vec<&str>, Unreadable> {
    if !line.trim_ascii_start().starts_with('[') {
        return Ok(vec![line]);
    }
    let Batch(messages) = serde_json::from_str(line).map_err(|_| Unreadable::Noise)?;
    messages.map_err(Unreadable::Crowded)
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
pub(crate) fn read(message: &str) -> Result<Incoming<'_>, Unreadable> {
    if !message.trim_ascii_start().starts_with('{') {
        return Err(Unreadable::Noise);
    }
    let envelope: Envelope<'_> = serde_json::from_str(message).map_err(|_| Unreadable::Broken)?;
    Ok(match envelope {
        Envelope {
            method: Some(method),
            id: Some(id),
            ..
        } if id.get().len() <= MAX_ID_BYTES => Incoming::Request { id, method },
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
            id: Some(id),
            ..
        } => {
            let id = request_id(id).ok_or(Unreadable::Broken)?;
            Incoming::Result { id, result }
        }
        Envelope { .. } => return Err(Unreadable::Broken),
    })
}

/// An id as ours are written: a number, which some servers send back as text or with a fraction.
fn request_id(raw: &RawValue) -> Option<RequestId> {
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
    for (name, rest) in members(head) {
        match name {
            br#""method""# => return Trace::ServerMessage,
            br#""id""# => {
                if let Some(id) = value_after(rest).and_then(as_id) {
                    return Trace::Answer(id);
                }
                break;
            }
            _ => {}
        }
    }
    last_id(tail)
        .and_then(|id| as_id(id.get().as_bytes()))
        .map_or(Trace::Unknown, Trace::Answer)
}

/// What can still be told of a client's message that was too long, or broken, from its edges.
#[derive(Debug, Default)]
pub(crate) struct Edges {
    /// Its id, as it was written.
    pub(crate) id: Option<Box<RawValue>>,
    /// What it asks for, or tells.
    pub(crate) method: Option<String>,
    /// It answers something.
    pub(crate) answers: bool,
}

/// Looks at the edges of a message for what it is.
pub(crate) fn edges(head: &[u8], tail: &[u8]) -> Edges {
    let mut edges = Edges::default();
    for (name, rest) in members(head) {
        let value = || value_after(rest);
        match name {
            br#""id""# if edges.id.is_none() => edges.id = value().and_then(literal),
            br#""method""# if edges.method.is_none() => {
                edges.method = value().and_then(|value| serde_json::from_slice(value).ok());
            }
            br#""result""# | br#""error""# => edges.answers = true,
            _ => {}
        }
    }
    if edges.id.is_none() {
        edges.id = last_id(tail);
    }
    edges
}

/// The members of the outermost object, for as far as it goes: their names as they are written, and what comes after each.
fn members(head: &[u8]) -> impl Iterator<Item = (&[u8], &[u8])> {
    let mut depth = 0_usize;
    let mut rest = head;
    std::iter::from_fn(move || {
        while let Some((&byte, after)) = rest.split_first() {
            match byte {
                b'{' | b'[' => depth += 1,
                b'}' | b']' => depth = depth.saturating_sub(1),
                b'"' => {
                    let (text, after) = rest.split_at(string_length(rest)?);
                    rest = after;
                    if depth == 1 && after.trim_ascii_start().starts_with(b":") {
                        return Some((text, after));
                    }
                    continue;
                }
                _ => {}
            }
            rest = after;
        }
        None
    })
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

/// The string or number in `: 7, …`, where something follows that shows that it is complete.
fn value_after(rest: &[u8]) -> Option<&[u8]> {
    let value = rest
        .trim_ascii_start()
        .strip_prefix(b":")?
        .trim_ascii_start();
    let end = match value.first()? {
        b'"' => string_length(value)?,
        _ => value
            .iter()
            .position(|byte| matches!(byte, b',' | b'}') || byte.is_ascii_whitespace())?,
    };
    Some(&value[..end])
}

/// A string or a number, as it is written.
fn literal(text: &[u8]) -> Option<Box<RawValue>> {
    let text = std::str::from_utf8(text).ok()?;
    let begins = |c: char| c == '"' || c == '-' || c.is_ascii_digit();
    text.starts_with(begins).then_some(())?;
    RawValue::from_string(text.to_owned()).ok()
}

fn as_id(text: &[u8]) -> Option<RequestId> {
    request_id(serde_json::from_slice(text).ok()?)
}

/// Those that write an id last end with it: what follows the last `"id"` is then the rest of the outermost object.
fn last_id(tail: &[u8]) -> Option<Box<RawValue>> {
    let key = br#""id""#;
    memchr::memmem::rfind_iter(tail, key)
        .take(8)
        .find_map(|at| {
            let mut object = vec![b'{'];
            object.extend_from_slice(&tail[at..]);
            let envelope: Envelope<'_> = serde_json::from_slice(&object).ok()?;
            literal(envelope.id?.get().as_bytes())
        })
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
            Ok(Incoming::Request { id, method }) => format!("request {} {method}", id.get()),
            Ok(Incoming::Notification { method, params }) => {
                format!("notification {method} {params}")
            }
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
                r#"{"method":"notifications\/progress","params":[ 1]}"#,
                "notification notifications/progress [ 1]",
            ),
            ("Server running on stdio", "Noise"),
            ("", "Noise"),
            (r#"{"level":"info"}"#, "Broken"),
            (r#"{"id":7,"result":{"#, "Broken"),
            (r#"{"id":[7],"result":{}}"#, "Broken"),
            (r#"{"id":"a","result":{}}"#, "Broken"),
        ];
        for (message, expected) in cases {
            assert_eq!(kind(message), expected, "{message}");
        }
        let long = format!(r#"{{"id":"{}","method":"ping"}}"#, "x".repeat(MAX_ID_BYTES));
        assert_eq!(kind(&long), "Broken");
    }

    #[test]
    fn depth_is_no_danger() {
        let message = format!(
            r#"{{"id":1,"result":{}{}}}"#,
            "[".repeat(1_000_000),
            "]".repeat(1_000_000)
        );
        assert!(matches!(read(&message), Ok(Incoming::Result { .. })));
    }

    #[test]
    fn batches_are_split() {
        let messages = split(r#"[{"id":1,"result":{}}, {"method":"x"}]"#).unwrap();
        assert_eq!(messages, [r#"{"id":1,"result":{}}"#, r#"{"method":"x"}"#]);
        assert_eq!(split("[info] listening"), Err(Unreadable::Noise));
        let crowd = format!("[{}0]", "0,".repeat(MAX_BATCH));
        assert_eq!(split(&crowd), Err(Unreadable::Crowded(MAX_BATCH + 1)));
    }

    #[test]
    fn ids_are_found_at_the_edges() {
        let answer = Trace::Answer;
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

    #[test]
    fn what_a_client_sent_is_told_from_the_edges() {
        let told = |head: &str, tail: &str| {
            let edges = edges(head.as_bytes(), tail.as_bytes());
            let id = edges.id.map(|id| id.get().to_owned());
            (
                id.unwrap_or_default(),
                edges.method.unwrap_or_default(),
                edges.answers,
            )
        };
        let cases = [
            (
                r#"{"id":7,"method":"tools/call","params":{"a":"#,
                "",
                ("7", "tools/call", false),
            ),
            (
                r#"{"method":"tools/call","params":{"id":3,"#,
                r#""x"},"jsonrpc":"2.0","id":"a,b"}"#,
                (r#""a,b""#, "tools/call", false),
            ),
            (
                r#"{"id": "a}b" ,"method":"ping""#,
                "",
                (r#""a}b""#, "ping", false),
            ),
            (
                r#"{"id":18446744073709551615,"x"#,
                "",
                ("18446744073709551615", "", false),
            ),
            (
                r#"{"id":7,"result":{"id":9"#,
                r#""id":9}}"#,
                ("7", "", true),
            ),
            (
                r#"{"method":"notifications/x","params":{"id":9"#,
                r#""id":9}}"#,
                ("", "notifications/x", false),
            ),
            (r#"{"id":{"a":1},"method":"x","#, "", ("", "x", false)),
            ("[info] listening", "", ("", "", false)),
        ];
        for (head, tail, (id, method, answers)) in cases {
            assert_eq!(
                told(head, tail),
                (id.to_owned(), method.to_owned(), answers),
                "{head} … {tail}"
            );
        }
    }
}
