//! The report that nextest writes of each run.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};
use quick_junit::Report;
use xtask::repository;

fn file() -> PathBuf {
    repository().join("target/nextest/default/junit.xml")
}

/// Removes the last report, so that none is taken for that of a run that wrote none.
pub(super) fn forget() -> Result<()> {
    match fs::remove_file(file()) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error.into()),
        _ => Ok(()),
    }
}

/// The report of the run that ended. Where there is none, nextest did not come to run a test; its own
/// message says why.
pub(super) fn read() -> Result<Option<Report>> {
    let Ok(report) = fs::read_to_string(file()) else {
        return Ok(None);
    };
    let report = Report::deserialize_from_str(&report);
    report.context("nextest's report can't be read").map(Some)
}
