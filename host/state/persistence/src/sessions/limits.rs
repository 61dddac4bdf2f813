//! What sessions may take.

use std::time::Duration;

/// What the sessions of each principal may take. By default
///
/// - 16 MiB for what one run leaves, as it is kept,
/// - 10 runs that a session can go back,
/// - 1,000 sessions,
/// - 30 days without a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct SessionLimits {
    /// How large a head may be, in bytes. A run that leaves more is not kept.
    pub bytes: u64,
    /// How many heads a session has; the oldest go first. At least one.
    pub heads: usize,
    /// How many sessions a principal has; those that were used longest ago go first. At least one.
    pub sessions: usize,
    /// After how long without a run a session goes.
    pub age: Duration,
}

impl Default for SessionLimits {
    fn default() -> Self {
        Self {
            bytes: 16 << 20,
            heads: 10,
            sessions: 1000,
            age: Duration::from_hours(30 * 24),
        }
    }
}
