//! Rows of the list of runs, from what is known of each.

use ampoule::{ParkedRun, RecordEntry};
use serde_json::Value;

use super::time;
use crate::model::{Place, RunRow};

/// Whether a run in this state has not ended.
pub(super) fn is_active(state: &str) -> bool {
    matches!(state, "running" | "parked" | "kept alive" | "left")
}

/// A row of a process.
pub(super) fn live_row(row: &Value) -> RunRow {
    let text = |key: &str| row[key].as_str().map(ToOwned::to_owned);
    let since = text("since").unwrap_or_default();
    let since = humantime::parse_rfc3339(&since).map_or(since, time::text);
    RunRow {
        run: text("run").unwrap_or_default(),
        place: Place::Live,
        state: text("state").unwrap_or_default(),
        since,
        principal: text("principal"),
        client: text("client"),
        toolkit: text("toolkit"),
        language: text("language").unwrap_or_default(),
        calls: row["calls"].as_u64().unwrap_or_default(),
        fuel: row["fuel"].as_u64().unwrap_or_default(),
        memory_bytes: row["memoryBytes"].as_u64(),
        wall_ms: row["ended"]["wallMs"].as_f64(),
        asks: text("asks"),
        pid: row["pid"].as_u64().and_then(|pid| u32::try_from(pid).ok()),
        recorded: false,
    }
}

pub(super) fn parked_row(run: &ParkedRun) -> RunRow {
    RunRow {
        run: run.run.to_string(),
        place: Place::Parked,
        state: run.state.to_owned(),
        since: time::text(run.since),
        principal: run.principal.clone(),
        client: run.client.as_deref().map(ToOwned::to_owned),
        toolkit: run.toolkit.as_deref().map(ToOwned::to_owned),
        language: run.language.clone(),
        calls: run.calls as u64,
        fuel: 0,
        memory_bytes: Some(run.memory_bytes),
        wall_ms: None,
        asks: None,
        pid: run.pid,
        recorded: false,
    }
}

pub(super) fn record_row(entry: &RecordEntry) -> RunRow {
    RunRow {
        run: entry.head.run.clone(),
        place: Place::Record,
        state: entry.ended.ending.clone(),
        since: time::of_millis(entry.head.made),
        principal: entry.head.principal.clone(),
        client: None,
        toolkit: entry.head.toolkit.clone(),
        language: entry.head.language.clone(),
        calls: entry.ended.calls,
        fuel: entry.ended.fuel,
        memory_bytes: None,
        wall_ms: Some(entry.ended.wall_ms),
        asks: None,
        pid: None,
        recorded: true,
    }
}
