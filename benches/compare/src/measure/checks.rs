//! What drivers answered, held against what they should have.

use anyhow::{Result, bail, ensure};

use crate::data;
use crate::protocol::{Answer, RunMeasurement};

/// Runs a second.
pub(super) fn per_second(answer: &Answer) -> Result<f64> {
    match answer {
        Answer::Count { count, ns } => Ok(*count as f64 * 1e9 / *ns as f64),
        Answer::Cannot(why) => bail!("{why}"),
        other => bail!("it answered {other:?}"),
    }
}

/// Whether a run returned and printed what it should.
pub(super) fn check(
    ran: &RunMeasurement,
    value: &serde_json::Value,
    output: Option<&str>,
) -> Result<()> {
    if let Some(problem) = &ran.error {
        bail!("{problem}");
    }
    ensure!(
        data::same(&ran.value, value),
        "it returned {:.100}",
        ran.value.to_string()
    );
    let printed = ran.output.as_deref().unwrap_or_default();
    if let Some(output) = output {
        ensure!(printed == output, "it printed {printed:.100}");
    }
    Ok(())
}

/// The beginning of a text, on one line.
pub(super) fn one_line(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    line.chars().take(160).collect()
}
