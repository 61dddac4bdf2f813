//! What parked runs may take.

use std::time::Duration;

/// What parked runs may take. By default
///
/// - 10,000 runs of one principal, and 20,000 in all,
/// - 16 MiB for one of them, as it is kept, and 4 GiB for all,
/// - 7 days for one that nobody goes on with, or whose end nobody asks for.
///
/// A run for which there is no room is not parked, and keeps its isolate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct ParkedLimits {
    /// How many runs one principal may have here.
    pub each: usize,
    /// How many there may be in all.
    pub runs: usize,
    /// How large one may be, in bytes.
    pub bytes: u64,
    /// How large all of them may be, in bytes.
    pub all_bytes: u64,
    /// After how long one goes that no process has.
    pub age: Duration,
}

impl Default for ParkedLimits {
    fn default() -> Self {
        Self {
            each: 10_000,
            runs: 20_000,
            bytes: 16 << 20,
            all_bytes: 4 << 30,
            age: Duration::from_hours(7 * 24),
        }
    }
}
