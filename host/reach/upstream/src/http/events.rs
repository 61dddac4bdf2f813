//! Server-sent events, one a message, of a bounded length.

use std::io;
use std::time::Duration;

use ampoule_mcp::line::{Line, Lines};
use tokio::io::AsyncBufRead;

use crate::pace::Pace;

/// How long the name or id of an event may be, in bytes. What is longer is as if it were absent.
const MAX_FIELD_BYTES: usize = 1024;

/// How much of data that is too long is kept from its beginning, in bytes.
const EDGE_BYTES: usize = 4 * 1024;

/// The events of a stream.
pub(super) struct Events<R> {
    lines: Lines<R>,
    pace: Pace,
    first: bool,
    /// The id of the last event that had one.
    pub(super) last_id: Option<String>,
    /// How long to wait before the stream is asked for again, where the server said so.
    pub(super) retry: Option<Duration>,
}

/// An event.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Event {
    /// What kind it is; empty where that is not said.
    pub(super) name: String,
    /// Its data; where that is too long, the beginning.
    pub(super) data: Vec<u8>,
    pub(super) too_long: Option<TooLong>,
}

/// What is left of data that is too long.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TooLong {
    pub(super) tail: Vec<u8>,
    pub(super) bytes: u64,
}

impl<R: AsyncBufRead + Unpin> Events<R> {
    pub(super) fn new(source: R) -> Self {
        Self {
            lines: Lines::new(source),
            pace: Pace::default(),
            first: true,
            last_id: None,
            retry: None,
        }
    }

    /// The next event that has data. `limit` is asked how long it may be, `heard` is told that
    /// something came. One that the stream breaks off in is lost.
    pub(super) async fn next(
        &mut self,
        limit: impl Fn() -> usize,
        heard: impl Fn(),
    ) -> io::Result<Option<Event>> {
        let mut event = Event::default();
        let mut has_data = false;
        loop {
            let Some(line) = self.lines.next(&limit).await? else {
                return Ok(None);
            };
            heard();
            let bytes = line.bytes();
            let (mut text, too_long) = match line {
                Line::Whole(line) => (line, None),
                Line::TooLong { head, tail, bytes } => {
                    let tail = tail.to_vec();
                    (head, Some(TooLong { tail, bytes }))
                }
            };
            if std::mem::take(&mut self.first) {
                text = text.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(text);
            }
            if text.is_empty() {
                if has_data {
                    return Ok(Some(event));
                }
                event = Event::default();
                continue;
            }
            let (name, value) = field(text);
            match name {
                b"data" => {
                    event.add(value, too_long, &limit);
                    has_data |= !value.is_empty();
                    continue;
                }
                b"event" => event.name = short(value).unwrap_or_default(),
                b"id" if !value.contains(&0) => self.last_id = short(value),
                b"retry" => {
                    let millis = short(value).and_then(|value| value.trim().parse().ok());
                    self.retry = millis.map(Duration::from_millis).or(self.retry);
                }
                _ => {}
            }
            // Whoever says much without saying anything is listened to slowly.
            self.pace.note(bytes).await;
        }
    }

    /// Notes that the last event was not asked for.
    pub(super) async fn unasked(&mut self, bytes: usize) {
        self.pace.note(bytes).await;
    }
}

impl Event {
    fn add(&mut self, value: &[u8], too_long: Option<TooLong>, limit: impl Fn() -> usize) {
        let before = self.data.len();
        let bytes = match (&self.too_long, &too_long) {
            (Some(more), _) => more.bytes + value.len() as u64,
            (None, Some(more)) => before as u64 + more.bytes,
            (None, None) => (before + value.len()) as u64,
        };
        if self.too_long.is_none() && too_long.is_none() && bytes <= limit() as u64 {
            if before > 0 {
                self.data.push(b'\n');
            }
            self.data.extend_from_slice(value);
            return;
        }
        let missing = EDGE_BYTES.saturating_sub(before);
        self.data
            .extend_from_slice(&value[..missing.min(value.len())]);
        self.data.truncate(EDGE_BYTES);
        self.data.shrink_to_fit();
        let mut tail = self
            .too_long
            .take()
            .map_or_else(Vec::new, |before| before.tail);
        tail.extend_from_slice(too_long.as_ref().map_or(value, |line| &line.tail));
        tail.drain(..tail.len().saturating_sub(EDGE_BYTES));
        self.too_long = Some(TooLong { tail, bytes });
    }
}

/// A line's name and value.
fn field(line: &[u8]) -> (&[u8], &[u8]) {
    match memchr::memchr(b':', line) {
        Some(colon) => {
            let value = &line[colon + 1..];
            (&line[..colon], value.strip_prefix(b" ").unwrap_or(value))
        }
        None => (line, b""),
    }
}

fn short(value: &[u8]) -> Option<String> {
    let value = Some(value).filter(|value| value.len() <= MAX_FIELD_BYTES)?;
    std::str::from_utf8(value).ok().map(ToOwned::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn events(text: &str, limit: usize) -> (Vec<(String, String)>, Events<&[u8]>) {
        let mut events = Events::new(text.as_bytes());
        let mut found = Vec::new();
        while let Some(event) = events.next(|| limit, || {}).await.unwrap() {
            let too_long = event.too_long.map_or_else(String::new, |it| {
                format!("…{} {}", it.bytes, String::from_utf8(it.tail).unwrap())
            });
            let data = String::from_utf8(event.data).unwrap() + &too_long;
            found.push((event.name, data));
        }
        (found, events)
    }

    #[tokio::test]
    async fn events_are_read_as_servers_write_them() {
        let text = "\u{feff}: hello\n\nevent: endpoint\r\ndata: /x\r\n\r\ndata\nid: 1\n\n\
            id:7\nretry: 250\ndata:{\ndata: }\nodd line\nother: 3\n\nid: a\0b\nevent: m\ndata: cut";
        let (found, events) = events(text, 100).await;
        let expected = [("endpoint", "/x"), ("", "{\n}")];
        assert_eq!(
            found,
            expected.map(|(name, data)| (name.into(), data.into()))
        );
        assert_eq!(events.last_id.as_deref(), Some("7"));
        assert_eq!(events.retry, Some(Duration::from_millis(250)));
    }

    #[tokio::test]
    async fn of_long_data_the_edges_are_kept() {
        let long = "x".repeat(40_000);
        for data in [
            format!("data: begin{long}end"),
            format!(
                "data: begin\n{}data: end",
                "data: xxxxxxxxxx\n".repeat(4000)
            ),
        ] {
            let (found, _) = events(&format!("{data}\n\ndata: next\n\n"), 20_000).await;
            let [(_, first), (_, next)] = &found[..] else {
                panic!("{found:?}");
            };
            assert!(
                first.starts_with("begin") && first.ends_with("end"),
                "{first}"
            );
            assert!(first.contains("…4"), "{first}");
            assert!(
                first.len() <= 2 * EDGE_BYTES + 10 && next == "next",
                "{}",
                first.len()
            );
        }
    }
}
