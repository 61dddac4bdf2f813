//! Who hears what a server prints to its stderr.

use std::fmt;
use std::sync::Arc;

/// A line that a server printed to its stderr.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StderrLine<'a> {
    /// The process that printed it, or whose child did. A server may be started several times.
    pub process: Option<u32>,
    /// The line, without secrets and colours, and cut if it is long.
    pub text: &'a str,
}

/// A function that hears each line as it comes. It must not block.
#[derive(Clone)]
pub struct StderrListener(Arc<dyn Fn(StderrLine<'_>) + Send + Sync>);

impl StderrListener {
    /// One that calls this.
    pub fn new(hear: impl Fn(StderrLine<'_>) + Send + Sync + 'static) -> Self {
        Self(Arc::new(hear))
    }

    pub(super) fn hear(&self, line: StderrLine<'_>) {
        (self.0)(line);
    }
}

/// Two are the same if they are clones.
impl PartialEq for StderrListener {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for StderrListener {}

impl fmt::Debug for StderrListener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StderrListener").finish_non_exhaustive()
    }
}
