//! The first start, when nothing has been compiled: a client need not wait.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use super::Done;
use super::prefix::unpacked;
use super::using::{Client, Installed};
use crate::dist::Packages;
use crate::say;

/// How long after its start the server answers, and says which tools there are.
const MOST_TO_ANSWER: Duration = Duration::from_millis(500);
/// How long after the start a script in TypeScript is done.
const MOST_TO_RUN: Duration = Duration::from_millis(1500);

pub(super) fn check(packages: &Packages, client: &Client) -> Result<Done> {
    let folder = tempfile::tempdir()?;
    let program = unpacked(packages, folder.path())?.join("bin/ampoule");
    let saw = client.uses(&Installed::at(&program, folder.path()))?;
    let time = |value: &Value| {
        let seconds = value.as_f64().context("the client tells times")?;
        anyhow::Ok(Duration::from_secs_f64(seconds))
    };
    let answered = time(&saw["listed"])?;
    let ran = time(&saw["typescript"]["answered"])?;
    let python = time(&saw["python"]["answered"])?;
    say(&format!(
        "with nothing compiled: tools after {answered:.2?}, a script in TypeScript after {ran:.2?}, one in Python after {python:.1?}"
    ));
    for (what, took, most) in [
        ("the tools", answered, MOST_TO_ANSWER),
        ("a script in TypeScript", ran, MOST_TO_RUN),
    ] {
        ensure!(took <= most, "{what} took {took:?}, and may take {most:?}");
    }
    Ok(Done::Works)
}
