//! What the commands that come next show of runs.

use std::collections::HashSet;
use std::fs;

use ampoule_tests::command::{Ran, Workplace};
use serde_json::Value;

/// How many files each run writes.
pub(super) const FILES: u64 = 5;

async fn ran(workplace: &Workplace, arguments: &[&str]) -> Ran {
    let ran = workplace.run_at_home(arguments).await;
    assert_eq!(ran.code, Some(0), "{arguments:?}: {ran:?}");
    ran
}

/// What a command prints as JSON, line by line.
pub(super) async fn lines(workplace: &Workplace, arguments: &[&str]) -> Vec<Value> {
    let ran = ran(workplace, arguments).await;
    let lines = ran.stdout.lines();
    lines
        .map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("{ran:?}")))
        .collect()
}

/// The number of the session's last run.
pub(super) async fn session(workplace: &Workplace, name: &str) -> u64 {
    let listed = ran(workplace, &["sessions", "ls", "--json"]).await.json();
    let mut listed = listed.as_array().into_iter().flatten();
    let session = listed.find(|session| session["name"] == name);
    session.map_or(0, |session| session["run"].as_u64().expect("a number"))
}

/// The number that all files of a folder have.
pub(super) async fn files(workplace: &Workplace, folder: &str) -> u64 {
    let path = workplace.path().join(folder);
    if path.is_dir() {
        ran(workplace, &["files", "ls", "--workspace", folder]).await;
    }
    let number = |file: u64| match fs::read_to_string(path.join(file.to_string())) {
        Ok(text) => text
            .parse()
            .unwrap_or_else(|_| panic!("{file} is {text:?}")),
        Err(_) => 0,
    };
    let mut numbers: Vec<u64> = (0..FILES).map(number).collect();
    numbers.dedup();
    assert_eq!(numbers.len(), 1, "files are of several runs: {numbers:?}");
    numbers[0]
}

/// How many runs have a record.
pub(super) async fn records(workplace: &Workplace) -> u64 {
    in_states(workplace, &["recorded"]).await
}

/// How many runs have a record, or are listed with how they ended: the rest of a run that another
/// process resumed leaves no record.
pub(super) async fn ends(workplace: &Workplace) -> u64 {
    in_states(workplace, &["recorded", "ended"]).await
}

async fn in_states(workplace: &Workplace, states: &[&str]) -> u64 {
    let rows = lines(workplace, &["runs", "--json"]).await;
    let rows = rows
        .iter()
        .filter(|row| states.iter().any(|state| row["state"] == *state));
    let runs: HashSet<&str> = rows.filter_map(|row| row["run"].as_str()).collect();
    runs.len() as u64
}

/// The newest version of the skill that each run saves.
pub(super) async fn skill(workplace: &Workplace) -> u64 {
    let listed = ran(workplace, &["skills", "ls", "--json"]).await.json();
    let listed = listed.as_array().cloned().unwrap_or_default();
    let skill = listed.first();
    skill.map_or(0, |skill| skill["version"].as_u64().expect("a version"))
}

/// The number of the newest run whose session the audit log has announced. Each line of the log is
/// in order.
pub(super) async fn announced(workplace: &Workplace) -> u64 {
    ran(workplace, &["audit", "verify"]).await;
    let kinds = ["audit", "ls", "--all", "--json", "--kind", "session"];
    let events = lines(workplace, &kinds).await;
    let numbers = events.iter().filter_map(number);
    numbers.max().unwrap_or(0)
}

/// The first `number` in an event, wherever it is.
fn number(event: &Value) -> Option<u64> {
    match event {
        Value::Object(fields) => {
            let own = fields.get("number").and_then(Value::as_u64);
            own.or_else(|| fields.values().find_map(number))
        }
        Value::Array(items) => items.iter().find_map(number),
        _ => None,
    }
}

/// Finishes the runs that a killed process had parked. Each comes to its own end.
pub(super) async fn resumed(workplace: &Workplace, folder: &str) {
    for row in lines(workplace, &["runs", "--json"]).await {
        if row["state"] == "recorded" || row["state"] == "ended" {
            continue;
        }
        let id = row["run"].as_str().expect("an id");
        let arguments = ["runs", "resume", id, "--workspace", folder, "--json"];
        let outcome = ran(workplace, &arguments).await.json();
        assert_eq!(outcome["ending"], "returned", "{row}: {outcome}");
    }
}

/// Shows and removes what is listed of runs that were parked once and ended.
pub(super) async fn removed(workplace: &Workplace) {
    for row in lines(workplace, &["runs", "--json"]).await {
        if row["state"] == "ended" {
            let id = row["run"].as_str().expect("an id");
            let shown = lines(workplace, &["runs", "show", id, "--json"]).await;
            assert_eq!(shown[0]["outcome"]["ending"], "returned", "{shown:?}");
            ran(workplace, &["runs", "rm", id]).await;
        }
    }
}

/// Promises that no command has kept or taken back.
pub(super) fn promises(workplace: &Workplace) -> Vec<String> {
    let (mut folders, mut left) = (vec![workplace.path().to_owned()], Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            match entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                true => folders.push(path),
                false if path.to_string_lossy().ends_with(".promised") => {
                    left.push(path.display().to_string());
                }
                false => {}
            }
        }
    }
    left
}
