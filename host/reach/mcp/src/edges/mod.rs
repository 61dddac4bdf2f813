//! What can still be told of a message that can't be read, from its beginning and its end: mostly
//! its id.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::envelope::{MAX_ID_BYTES, RequestId, request_id};

/// What can still be told of a message that was too long, or broken, from its edges.
#[derive(Debug, PartialEq, Eq)]
pub enum Trace {
    /// It answers this request.
    Answer(RequestId),
    /// It is a request or a notification of the server's.
    ServerMessage,
    /// Its id is somewhere in the part that is lost.
    Unknown,
}

/// Looks for the id at the edges of a message.
pub fn trace(head: &[u8], tail: &[u8]) -> Trace {
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
pub struct Edges {
    /// Its id, as it was written.
    pub id: Option<Box<RawValue>>,
    /// What it asks for, or tells.
    pub method: Option<String>,
    /// It answers something.
    pub answers: bool,
}

/// Looks at the edges of a message for what it is.
pub fn look(head: &[u8], tail: &[u8]) -> Edges {
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

/// The members of the outermost object, for as far as it goes: their names as they are written, and
/// what comes after each.
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
        // Nothing longer is an id. Looking on would take as long for each name before it.
        _ => value
            .iter()
            .take(MAX_ID_BYTES + 1)
            .position(|byte| matches!(byte, b',' | b'}') || byte.is_ascii_whitespace())?,
    };
    Some(&value[..end])
}

/// A string or a number as it is written, if it is short enough for an id.
fn literal(text: &[u8]) -> Option<Box<RawValue>> {
    let text = std::str::from_utf8(text).ok()?;
    (text.len() <= MAX_ID_BYTES).then_some(())?;
    let begins = |c: char| c == '"' || c == '-' || c.is_ascii_digit();
    text.starts_with(begins).then_some(())?;
    RawValue::from_string(text.to_owned()).ok()
}

fn as_id(text: &[u8]) -> Option<RequestId> {
    request_id(serde_json::from_slice(text).ok()?)
}

/// What a message ends with where its id comes late.
#[derive(Deserialize)]
struct LateId<'a> {
    #[serde(borrow)]
    id: &'a RawValue,
}

/// Those that write an id last end with it: what follows the last `"id"` is then the rest of the
/// outermost object.
fn last_id(tail: &[u8]) -> Option<Box<RawValue>> {
    let key = br#""id""#;
    memchr::memmem::rfind_iter(tail, key)
        .take(8)
        .find_map(|at| {
            let mut object = vec![b'{'];
            object.extend_from_slice(&tail[at..]);
            let rest: LateId<'_> = serde_json::from_slice(&object).ok()?;
            literal(rest.id.get().as_bytes())
        })
}

#[cfg(test)]
mod tests;
