//! Standard output and error, which become the run's output.

use std::mem;
use std::sync::Arc;

use ampoule_limits::LimitError;
use parking_lot::Mutex;
use tokio::io::AsyncWrite;
use wasmtime_wasi::async_trait;
use wasmtime_wasi::cli::{IsTerminal, StdoutStream};
use wasmtime_wasi::p2::{OutputStream, Pollable, StreamError, StreamResult};
use wasmtime_wasi_io::bytes::Bytes;

use crate::feed::Feed;
use crate::output::Level;

/// How much a guest may write at once.
pub(super) const WRITE_BYTES: usize = 64 << 10;

/// No stream allows that much at once, and none is asked whether it does.
pub(super) fn too_much(bytes: usize) -> wasmtime::Error {
    wasmtime::Error::msg(format!(
        "{bytes} bytes were written at once; at most {WRITE_BYTES}"
    ))
}

/// Standard output, or standard error: what is written becomes output line by line.
#[derive(Clone)]
pub(super) struct PrintedText {
    level: Level,
    feed: Arc<Feed>,
    /// What came after the last line end.
    line: Arc<Mutex<Vec<u8>>>,
}

impl PrintedText {
    pub(super) fn new(level: Level, feed: Arc<Feed>) -> Self {
        Self {
            level,
            feed,
            line: Arc::default(),
        }
    }

    pub(super) fn print(&self, bytes: &[u8]) -> Result<(), LimitError> {
        let mut begun = self.line.lock();
        let mut rest = bytes;
        while let Some(end) = memchr::memchr(b'\n', rest) {
            begun.extend_from_slice(&rest[..end]);
            rest = &rest[end + 1..];
            self.write(&mem::take(&mut *begun))?;
        }
        // A line that is too long to be printed need not be kept.
        let most = usize::try_from(self.feed.allowed());
        let most = most.map_or(usize::MAX, |most| most.saturating_add(1));
        let room = most.saturating_sub(begun.len());
        begun.extend_from_slice(&rest[..rest.len().min(room)]);
        if begun.len() >= most {
            self.write(&mem::take(&mut *begun))?;
        }
        Ok(())
    }

    fn write(&self, line: &[u8]) -> Result<(), LimitError> {
        self.feed.write(self.level, &String::from_utf8_lossy(line))
    }

    pub(super) fn finish(&self) -> Result<(), LimitError> {
        let line = mem::take(&mut *self.line.lock());
        if line.is_empty() {
            return Ok(());
        }
        self.write(&line)
    }
}

impl IsTerminal for PrintedText {
    fn is_terminal(&self) -> bool {
        false
    }
}

impl StdoutStream for PrintedText {
    fn async_stream(&self) -> Box<dyn AsyncWrite + Send + Sync> {
        // Nobody asks for it: WASI 0.3 prints by a `Printer`.
        Box::new(tokio::io::sink())
    }

    fn p2_stream(&self) -> Box<dyn OutputStream> {
        Box::new(self.clone())
    }
}

#[async_trait]
impl Pollable for PrintedText {
    async fn ready(&mut self) {}
}

#[async_trait]
impl OutputStream for PrintedText {
    fn write(&mut self, bytes: Bytes) -> StreamResult<()> {
        if bytes.len() > WRITE_BYTES {
            return Err(StreamError::Trap(too_much(bytes.len())));
        }
        self.print(&bytes)
            .map_err(|hit| StreamError::Trap(hit.into()))
    }

    fn flush(&mut self) -> StreamResult<()> {
        Ok(())
    }

    fn check_write(&mut self) -> StreamResult<usize> {
        Ok(WRITE_BYTES)
    }
}
