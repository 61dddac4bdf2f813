//! Processes that are killed while they park runs, keep them, and wake them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;
use std::{env, process};

use ampoule::{
    CallContext, Event, Functions, Language, ParkedLimits, Quota, Runtime, Sharing, Workspaces,
};
use serde_json::{Map, Value};

use super::{builder, tool};
use crate::killed_commands::kills;

/// Where a process that is to be killed finds what those before it left.
const FOLDER: &str = "AMPOULE_TEST_KILLED_PARKED";
/// How often one is killed, unless `AMPOULE_TEST_KILLS` says otherwise.
const TIMES: u64 = 30;
/// How long a process works at most before it is killed, at first. Where no run is parked in that time,
/// because the machine is busy, the next processes have longer.
const WORKS: Duration = Duration::from_millis(190);
/// How many calls each script makes that can't be repeated.
const STEPS: u64 = 5;

/// Each step is a line in a file, a call that can't be repeated, and a wait that parks the run. What
/// it can't know it says.
const STEPPING: [(Language, &str); 2] = [
    (
        Language::TypeScript,
        "import fs from 'node:fs/promises';
        const told = [], name = String(Math.random());
        for (let n = 0; n < 5; n++) {
            await fs.appendFile(name, `${n}\n`);
            try { await tools.ledger.add({ tag: env.tag, n }); told.push(n) }
            catch (error) { if (!String(error).includes('unknown')) throw error; told.push(-1 - n) }
            await new Promise(resolve => setTimeout(resolve, 25));
        }
        const steps = await fs.readFile(name, 'utf8');
        if (steps !== '0\\n1\\n2\\n3\\n4\\n') throw new Error(`wrote ${steps}`);
        await fs.rm(name);
        return told",
    ),
    (
        Language::Python,
        "
import asyncio, os, random
told = []
name = str(random.random())
steps = open(name, 'w+')
for n in range(5):
    print(n, file=steps, flush=True)
    try:
        await tools.ledger.add(tag=env['tag'], n=n)
        told.append(n)
    except ToolError as error:
        if 'unknown' not in str(error):
            raise
        told.append(-1 - n)
    await asyncio.sleep(0.025)
steps.seek(0)
assert steps.read() == '0\\n1\\n2\\n3\\n4\\n'
os.remove(name)
told",
    ),
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whenever_a_process_is_killed_a_parked_run_goes_on_and_no_call_is_made_twice() {
    if let Some(folder) = env::var_os(FOLDER) {
        return until_killed(Path::new(&folder)).await;
    }
    let folder = tempfile::tempdir().unwrap();
    let parked = || lines(&folder.path().join("parked-runs")).len();
    let mut works = WORKS;
    let times = kills(TIMES);
    for time in 0..times {
        let before = parked();
        let mut child = Command::new(env::current_exe().unwrap())
            .args([
                "parked::killed::whenever_a_process_is_killed_a_parked_run_goes_on_and_no_call_is_made_twice",
                "--exact",
            ])
            .env(FOLDER, folder.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // Until it runs scripts, and then for some steps of them.
        let begun = folder.path().join(format!("begun-{}", child.id()));
        while !begun.exists() {
            assert!(child.try_wait().unwrap().is_none(), "it ended by itself");
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        let part = (time * 7_919 % 190_000) as f64 / 190_000.0;
        tokio::time::sleep(works.mul_f64(part)).await;
        child.kill().unwrap();
        child.wait().unwrap();
        if part > 0.5 && parked() == before {
            works = (works * 3 / 2).min(50 * WORKS);
        }
    }

    // What is left goes on to its end.
    let runtime = runtime(folder.path());
    for (name, run) in runtime.resume_parked().await.unwrap() {
        let outcome = run.unwrap().outcome().await.unwrap();
        assert_eq!(
            outcome.ending.name(),
            "returned",
            "{name}: {}",
            outcome.ending
        );
    }
    let kept: Vec<_> = runtime
        .parked(None)
        .unwrap()
        .into_iter()
        .map(Result::unwrap)
        .collect();
    let mut ends: BTreeMap<String, Vec<i64>> = BTreeMap::new();
    for run in &kept {
        assert_eq!(run.state, "ended");
        let outcome: Value = serde_json::from_str(run.outcome.as_ref().unwrap().get()).unwrap();
        assert_eq!(outcome["ending"], "returned", "{outcome}");
        ends.insert(
            run.run.to_string(),
            serde_json::from_value(outcome["value"].clone()).unwrap(),
        );
    }
    let mut calls: BTreeMap<String, Vec<u64>> = BTreeMap::new();
    for line in lines(&folder.path().join("ledger")) {
        let (run, n) = line.split_once(' ').unwrap();
        calls
            .entry(run.to_owned())
            .or_default()
            .push(n.parse().unwrap());
    }
    for (run, calls) in &calls {
        let once: BTreeSet<_> = calls.iter().collect();
        assert_eq!(
            once.len(),
            calls.len(),
            "{run} made a call twice: {calls:?}"
        );
    }
    let parked: BTreeSet<_> = lines(&folder.path().join("parked-runs"))
        .into_iter()
        .collect();
    let mut unknown = 0;
    for run in &parked {
        let made = calls.get(run).cloned().unwrap_or_default();
        match ends.get(run) {
            // Each step is known to have been done, or said to be unknown.
            Some(told) => {
                assert_eq!(told.len() as u64, STEPS);
                for n in told.iter().filter(|n| **n >= 0) {
                    assert!(made.contains(&n.unsigned_abs()), "{run}: {told:?} {made:?}");
                }
                unknown += told.iter().filter(|n| **n < 0).count();
            }
            // It ended in the process that began it.
            None => assert_eq!(made.len() as u64, STEPS, "{run} is lost: {made:?}"),
        }
    }
    // They were killed at work, and not before it.
    assert!(
        ends.len() as u64 > times / 10,
        "{} of {}",
        ends.len(),
        parked.len()
    );
    assert!(unknown > 0);
}

fn runtime(folder: &Path) -> Runtime {
    let ledger = folder.join("ledger");
    let add = move |arguments: Map<String, Value>, context: CallContext| {
        let ledger = ledger.clone();
        async move {
            append(
                &ledger,
                &format!("{} {}", context.call().run, arguments["n"]),
            );
            // The answer takes its time, so that some are killed before it.
            tokio::time::sleep(Duration::from_millis(3)).await;
            Ok(ampoule_tests::binding::returned("1".to_owned()))
        }
    };
    let ledger = Functions::new("ledger").raw(tool("add", serde_json::json!({})), add);
    let workspaces = Workspaces::new(folder.join("workspace"), Sharing::Project, Quota::default());
    let builder = builder(folder, ParkedLimits::default())
        .binding(ledger)
        .workspaces(workspaces);
    builder
        .park_after(Duration::from_millis(10))
        .build()
        .unwrap()
}

/// Resumes the parked runs, and begins more, until this is killed.
async fn until_killed(folder: &Path) {
    let runtime = runtime(folder);
    let resumed = runtime.resume_parked().await.unwrap();
    fs::write(folder.join(format!("begun-{}", process::id())), "").unwrap();
    let mut ends = Vec::new();
    for (_, run) in resumed {
        ends.push(tokio::spawn(run.unwrap().outcome()));
    }
    loop {
        for (language, source) in STEPPING {
            let parked: PathBuf = folder.join("parked-runs");
            let isolate = runtime
                .isolate(ampoule::Script::new(language, source).env("tag", 1))
                .grant(ampoule::Grant::all())
                .on_event(move |happened| {
                    if happened.event == Event::Parked {
                        append(&parked, &happened.run.to_string());
                    }
                });
            let run = isolate.start().await.unwrap();
            ends.push(tokio::spawn(run.outcome()));
        }
        tokio::time::sleep(Duration::from_millis(60)).await;
        ends.retain(|end| !end.is_finished());
    }
}

/// Adds a line, in one piece.
fn append(file: &Path, line: &str) {
    let mut file = OpenOptions::new()
        .append(true)
        .create(true)
        .open(file)
        .unwrap();
    file.write_all(format!("{line}\n").as_bytes()).unwrap();
}

fn lines(file: &Path) -> Vec<String> {
    let text = fs::read_to_string(file).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}
