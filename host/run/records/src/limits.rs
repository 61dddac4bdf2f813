//! What records may take.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;

/// Which runs leave a record.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Keep {
    /// All runs.
    All,
    /// Runs that did not return: they threw, trapped, hit a limit or were cancelled.
    Failures,
    /// No run.
    #[default]
    None,
}

/// What the records of each principal may take. By default
///
/// - 64 MiB for one,
/// - 1 GiB for all,
/// - 7 days since the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct RecordLimits {
    /// How large one may be, in bytes. A run that needs more leaves none.
    pub each: u64,
    /// How much all of them may take, in bytes; the oldest are removed first.
    pub bytes: u64,
    /// How long one is kept.
    pub age: Duration,
}

impl Default for RecordLimits {
    fn default() -> Self {
        Self {
            each: 64 << 20,
            bytes: 1 << 30,
            age: Duration::from_hours(7 * 24),
        }
    }
}
