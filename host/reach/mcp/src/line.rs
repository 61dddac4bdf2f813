//! Lines of a bounded length from a stream whose writer is not trusted.

use std::io;
use std::time::Duration;

use tokio::io::{AsyncBufRead, AsyncBufReadExt};

/// How much of a line that is too long is kept from its beginning, and from its end: enough to find
/// a message's id.
const EDGE_BYTES: usize = 4 * 1024;

/// How much of a line that is thrown away is read before a pause, in bytes, and how long that is: a
/// line without an end must not take a core.
const BETWEEN_PAUSES: usize = 1024 * 1024;
const PAUSE: Duration = Duration::from_millis(1);

/// What came from the stream.
#[derive(Debug, PartialEq, Eq)]
pub enum Line<'a> {
    /// A line without its line break.
    Whole(&'a [u8]),
    /// A line longer than allowed. It was read to its end, but only its edges were kept.
    TooLong {
        /// Its first bytes.
        head: &'a [u8],
        /// Its last bytes.
        tail: &'a [u8],
        /// How long it was.
        bytes: u64,
    },
}

impl Line<'_> {
    /// How long it was, in bytes.
    pub fn bytes(&self) -> usize {
        match self {
            Self::Whole(line) => line.len(),
            Self::TooLong { bytes, .. } => usize::try_from(*bytes).unwrap_or(usize::MAX),
        }
    }
}

/// Reads lines, holding at most the allowed length of one.
#[derive(Debug)]
pub struct Lines<R> {
    source: R,
    kept: LineBuffer,
}

/// What is kept of a line.
#[derive(Debug, Default)]
struct LineBuffer {
    /// All of it, or its beginning if it is too long.
    line: Vec<u8>,
    /// Its end, if it is too long.
    tail: Vec<u8>,
    /// How long it may be, as far as that was asked.
    allowed: usize,
    /// How long it is, if it is too long.
    skipped: Option<u64>,
}

impl<R: AsyncBufRead + Unpin> Lines<R> {
    /// The lines of a source.
    pub fn new(source: R) -> Self {
        let kept = LineBuffer::default();
        Self { source, kept }
    }

    /// Waits until there is something to read.
    pub async fn available(&mut self) {
        let _ = self.source.fill_buf().await;
    }

    /// The next line, or `None` at the end of the stream. `limit` is asked how long a line may be
    /// when one gets longer than it may have been before: what is allowed can grow while a line is
    /// on its way.
    ///
    /// Not safe to cancel: a line that was read in part is lost.
    pub async fn next(&mut self, limit: impl Fn() -> usize) -> io::Result<Option<Line<'_>>> {
        self.kept.clear();
        let mut unbroken = 0;
        loop {
            let available = self.source.fill_buf().await?;
            if available.is_empty() {
                if self.kept.is_empty() {
                    return Ok(None);
                }
                break;
            }
            let newline = memchr::memchr(b'\n', available);
            let chunk = &available[..newline.unwrap_or(available.len())];
            self.kept.add(chunk, &limit);
            let consumed = chunk.len() + usize::from(newline.is_some());
            self.source.consume(consumed);
            if newline.is_some() {
                break;
            }
            unbroken += consumed;
            if self.kept.skipped.is_some() && unbroken >= BETWEEN_PAUSES {
                unbroken = 0;
                tokio::time::sleep(PAUSE).await;
            }
        }
        Ok(Some(self.kept.line()))
    }
}

impl<R> Lines<R> {
    /// The line that was read last, as one's own.
    pub fn take(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.kept.line)
    }
}

impl LineBuffer {
    fn clear(&mut self) {
        self.line.clear();
        // One huge answer must not keep its memory for the life of the connection.
        self.line.shrink_to(256 * 1024);
        self.tail.clear();
        self.allowed = 0;
        self.skipped = None;
    }

    fn is_empty(&self) -> bool {
        self.line.is_empty() && self.skipped.is_none()
    }

    fn add(&mut self, chunk: &[u8], limit: impl Fn() -> usize) {
        let length = self.line.len() + chunk.len();
        if self.skipped.is_none() && length > self.allowed {
            self.allowed = limit();
            if length > self.allowed {
                self.skipped = Some(self.line.len() as u64);
                // The line may end with this very chunk, and the id with it.
                keep_last(&mut self.tail, &self.line);
                self.line.truncate(EDGE_BYTES);
            }
        }
        let Some(bytes) = &mut self.skipped else {
            self.line.extend_from_slice(chunk);
            return;
        };
        *bytes += chunk.len() as u64;
        let missing = EDGE_BYTES.saturating_sub(self.line.len());
        self.line
            .extend_from_slice(&chunk[..missing.min(chunk.len())]);
        keep_last(&mut self.tail, chunk);
    }

    fn line(&mut self) -> Line<'_> {
        if let Some(bytes) = self.skipped {
            return Line::TooLong {
                head: &self.line,
                tail: &self.tail,
                bytes,
            };
        }
        if self.line.ends_with(b"\r") {
            self.line.pop();
        }
        Line::Whole(&self.line)
    }
}

/// Appends `chunk` to `tail`, and forgets all but the last [`EDGE_BYTES`].
fn keep_last(tail: &mut Vec<u8>, chunk: &[u8]) {
    tail.extend_from_slice(&chunk[chunk.len().saturating_sub(EDGE_BYTES)..]);
    tail.drain(..tail.len().saturating_sub(EDGE_BYTES));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn lines_end_at_breaks_and_at_the_end() {
        let mut lines = Lines::new(&b"one\r\n\ntwo"[..]);
        assert_eq!(lines.next(|| 10).await.unwrap(), Some(Line::Whole(b"one")));
        assert_eq!(lines.next(|| 10).await.unwrap(), Some(Line::Whole(b"")));
        assert_eq!(lines.next(|| 10).await.unwrap(), Some(Line::Whole(b"two")));
        assert_eq!(lines.next(|| 10).await.unwrap(), None);
    }

    #[tokio::test]
    async fn a_line_over_the_limit_is_skipped_and_its_edges_are_kept() {
        let mut text = b"head".to_vec();
        text.resize(100_000, b'.');
        text.extend_from_slice(b"tail\nnext\n");
        let mut lines = Lines::new(tokio::io::BufReader::with_capacity(1000, &text[..]));
        let Some(Line::TooLong { head, tail, bytes }) = lines.next(|| 50_000).await.unwrap() else {
            panic!("the line was let through");
        };
        assert_eq!(
            (head.len(), tail.len(), bytes),
            (EDGE_BYTES, EDGE_BYTES, 100_004)
        );
        assert!(head.starts_with(b"head.") && tail.ends_with(b".tail"));
        assert_eq!(lines.next(|| 10).await.unwrap(), Some(Line::Whole(b"next")));
        assert_eq!(lines.next(|| 10).await.unwrap(), None);
    }

    #[tokio::test]
    async fn the_end_of_a_line_just_over_the_limit_is_kept() {
        let mut text = vec![b'.'; 2000];
        text.extend_from_slice(br#""id":7}"#);
        text.push(b'\n');
        // The chunk that crosses the limit is the line's last byte alone.
        let mut lines = Lines::new(tokio::io::BufReader::with_capacity(2006, &text[..]));
        let Some(Line::TooLong { tail, bytes, .. }) = lines.next(|| 2006).await.unwrap() else {
            panic!("the line was let through");
        };
        assert_eq!(bytes, 2007);
        assert!(tail.ends_with(br#"."id":7}"#), "{}", tail.escape_ascii());
    }

    #[tokio::test]
    async fn what_is_allowed_may_grow_while_a_line_comes() {
        let limit = std::cell::Cell::new(4);
        let mut lines = Lines::new(tokio::io::BufReader::with_capacity(4, &b"12345678\n"[..]));
        let line = lines.next(|| limit.replace(100)).await.unwrap();
        assert_eq!(line, Some(Line::Whole(b"12345678")));
    }
}
