//! Requests, and who they are from.

mod both;
mod company;
mod identity;
mod issuer;
mod issuer_keys;
mod issuer_signatures;
mod real;

use std::io::{self, Write};
use std::sync::Arc;

use parking_lot::Mutex;
use tracing::subscriber::DefaultGuard;

/// What is written to the log.
#[derive(Clone, Default)]
pub(crate) struct Log(Arc<Mutex<Vec<u8>>>);

impl Log {
    /// Takes all that is logged in this thread.
    pub(crate) fn hears_all(&self) -> DefaultGuard {
        let writer = self.clone();
        let subscriber = tracing_subscriber::fmt()
            .with_env_filter("trace")
            .with_ansi(false)
            .with_writer(move || writer.clone())
            .finish();
        tracing::subscriber::set_default(subscriber)
    }

    pub(crate) fn take(&self) -> String {
        let bytes = std::mem::take(&mut *self.0.lock());
        String::from_utf8(bytes).expect("text")
    }

    pub(crate) fn seen(&self, text: &str) -> bool {
        String::from_utf8_lossy(&self.0.lock()).contains(text)
    }
}

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
