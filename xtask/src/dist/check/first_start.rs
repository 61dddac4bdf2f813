//! The first start, when nothing has been compiled: a client need not wait.

use std::fs;
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use super::PartOutcome;
use super::prefix::unpacked;
use super::usage::{Client, InstalledProgram};
use crate::dist::Packages;
use crate::say;

/// How long after its start the server answers, and says which tools there are.
const MOST_TO_ANSWER: Duration = Duration::from_millis(500);
/// How long after the start a script in TypeScript is done.
const MOST_TO_RUN: Duration = Duration::from_millis(1500);

/// How much of the cores others may use for times to count, in percent.
const MOST_BUSY: u64 = 10;
/// How long that is looked at.
const LOOK: Duration = Duration::from_secs(1);

/// How many first starts there are, each with nothing compiled; the one in the middle counts.
const STARTS: usize = 3;

/// What a first start took, until each of these was there.
#[derive(Debug)]
struct StartTimes {
    tools: Duration,
    typescript: Duration,
    python: Duration,
}

pub(super) fn check(packages: &Packages, client: &Client) -> Result<PartOutcome> {
    let busy = Some(busy()?).filter(|busy| *busy > MOST_BUSY);
    let starts = (0..STARTS).map(|_| start(packages, client));
    let starts = starts.collect::<Result<Vec<_>>>()?;
    let middle = |time: fn(&StartTimes) -> Duration| {
        let mut times: Vec<_> = starts.iter().map(time).collect();
        times.sort();
        times[STARTS / 2]
    };
    let tools = middle(|start| start.tools);
    let typescript = middle(|start| start.typescript);
    let python = middle(|start| start.python);
    say(&format!(
        "with nothing compiled: tools after {tools:.2?}, a script in TypeScript after {typescript:.2?}, one in Python after {python:.1?}"
    ));
    if let Some(busy) = busy {
        return Ok(PartOutcome::Skipped(format!(
            "other processes used {busy} % of the cores, so times are not checked"
        )));
    }
    for (what, took, most) in [
        ("the tools", tools, MOST_TO_ANSWER),
        ("a script in TypeScript", typescript, MOST_TO_RUN),
    ] {
        ensure!(
            took <= most,
            "{what} is too slow: {took:?}, at most {most:?}"
        );
    }
    Ok(PartOutcome::Works)
}

fn start(packages: &Packages, client: &Client) -> Result<StartTimes> {
    let folder = tempfile::tempdir()?;
    let program = unpacked(packages, folder.path())?.join("bin/ampoule");
    let saw = client.uses(&InstalledProgram::at(&program, folder.path()))?;
    let time = |value: &Value| {
        let seconds = value.as_f64().context("the client tells times")?;
        anyhow::Ok(Duration::from_secs_f64(seconds))
    };
    Ok(StartTimes {
        tools: time(&saw["listed"])?,
        typescript: time(&saw["typescript"]["answered"])?,
        python: time(&saw["python"]["answered"])?,
    })
}

/// How much of all cores is used, in percent.
fn busy() -> Result<u64> {
    let times = || -> Result<(u64, u64)> {
        let text = fs::read_to_string("/proc/stat")?;
        let line = text.lines().next().context("the system tells no times")?;
        let times = line.split_whitespace().skip(1).map(str::parse::<u64>);
        let times = times.collect::<Result<Vec<_>, _>>()?;
        // The fourth is idle, the fifth waits for disks.
        let idle: u64 = times.iter().skip(3).take(2).sum();
        Ok((idle, times.iter().sum()))
    };
    let (idle_before, before) = times()?;
    thread::sleep(LOOK);
    let (idle, now) = times()?;
    let (idle, all) = (idle - idle_before, (now - before).max(1));
    Ok(100 - 100 * idle.min(all) / all)
}
