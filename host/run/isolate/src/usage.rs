//! What a run used.

use std::sync::Arc;
use std::time::Duration;

use ampoule_tools::CallState;
use serde::{Deserialize, Serialize};

/// What a run used.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Usage {
    /// Fuel.
    pub fuel: u64,
    /// Time from the run's start to its end, except for what a person took while the
    /// [deadline](ampoule_tools::Deadline) stood still.
    #[serde(rename = "wallMs", serialize_with = "as_millis")]
    pub wall_time: Duration,
    /// Linear memory at its largest, in bytes.
    pub peak_memory_bytes: u64,
    /// What the host held for the run at its largest, in bytes.
    pub peak_host_bytes: u64,
    /// What it printed, its result included, in bytes.
    pub output_bytes: u64,
    /// How often it was parked: waited without an isolate.
    #[serde(skip_serializing_if = "is_zero")]
    pub parked: u32,
    /// The calls, in the order in which they were started.
    pub calls: Vec<CallUsage>,
}

/// Names a call within its run: its place in the usage.
pub(crate) type CallId = u32;

/// What one call used.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct CallUsage {
    /// The binding's name.
    pub server: Arc<str>,
    /// The tool's name.
    pub tool: Arc<str>,
    /// How it ended.
    pub end: CallEnd,
    /// What is known of whether the tool did what was asked for.
    pub state: CallState,
    /// From its start to its end, waiting for its turn included.
    #[serde(rename = "wallMs", serialize_with = "as_millis")]
    pub wall_time: Duration,
    /// The size of its arguments as JSON.
    pub argument_bytes: u64,
    /// The size of its result, or of the failure, as the script got it.
    pub result_bytes: u64,
}

/// How a call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum CallEnd {
    /// With a result.
    Returned,
    /// With a failure.
    Failed,
    /// By the script, or because the run ended before it.
    Cancelled,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
fn is_zero(count: &u32) -> bool {
    *count == 0
}

pub(crate) fn as_millis<S: serde::Serializer>(
    duration: &Duration,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64((duration.as_secs_f64() * 1e6).round() / 1e3)
}
