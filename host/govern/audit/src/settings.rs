//! How a log is written.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::arguments::Arguments;

/// How a log is written. By default
///
/// - a file has 64 MiB, or what happens in a day,
/// - files are kept for 90 days,
/// - what can't be recorded is not done,
/// - the disk has everything after a second, and a signature each minute in which something happens,
/// - arguments are written as digests.
#[derive(Debug, Clone)]
pub struct Settings {
    /// How large a file may grow, in bytes, before another one is begun.
    pub rotate_bytes: u64,
    /// After how long another file is begun.
    pub rotate_after: Duration,
    /// How long files are kept; none is for ever.
    pub keep_for: Option<Duration>,
    /// What happens where nothing can be written.
    pub on_failure: OnFailure,
    /// When the disk has it.
    pub sync: SyncPolicy,
    /// How often what happened is signed.
    pub checkpoint_every: Duration,
    /// How arguments are written down.
    pub arguments: Arguments,
}

impl Default for Settings {
    fn default() -> Self {
        const DAY: Duration = Duration::from_hours(24);
        Self {
            rotate_bytes: 64 << 20,
            rotate_after: DAY,
            keep_for: Some(90 * DAY),
            on_failure: OnFailure::Stop,
            sync: SyncPolicy::Every(Duration::from_secs(1)),
            checkpoint_every: Duration::from_secs(60),
            arguments: Arguments::default(),
        }
    }
}

/// What happens where nothing can be written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum OnFailure {
    /// Ampoule refuses an action that it can't record.
    #[default]
    Stop,
    /// Ampoule does it, and counts it.
    GoOn,
}

/// When the disk has what was written. The system has it before [`write`](crate::Log::write)
/// returns in either case: no process that is killed loses it, a power failure may.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SyncPolicy {
    /// So long after it was written, at the latest.
    Every(Duration),
    /// Before it continues: each event waits for the disk.
    Each,
}
