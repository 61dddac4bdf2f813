//! Logs that are written, damaged, checked.

mod attacks;
mod counted;
mod damaged;
mod failing;
mod killed;
mod lanes;
mod old;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use crate::{
    Against, CallAsked, CallEnded, Event, Fault, Log, Report, RunEnded, RunStarted, Settings,
    verify,
};

/// A folder with a log that nobody has open.
struct Kept {
    _parent: TempDir,
    path: PathBuf,
}

impl Kept {
    fn new() -> Self {
        let parent = tempfile::tempdir().unwrap();
        let path = parent.path().join("audit");
        Self {
            _parent: parent,
            path,
        }
    }

    /// With so many runs.
    fn with(runs: u64) -> Self {
        let kept = Self::new();
        kept.write(runs);
        kept
    }

    fn write(&self, runs: u64) {
        let log = self.open();
        (0..runs).for_each(|run| write_run(&log, run));
        log.close().unwrap();
    }

    fn open(&self) -> Log {
        Log::open(&self.path, Settings::default()).unwrap()
    }

    fn check(&self) -> Report {
        verify(&self.path, &Against::default()).unwrap()
    }

    fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    fn lines(&self, name: &str) -> Vec<String> {
        let text = fs::read_to_string(self.file(name)).unwrap();
        text.lines().map(ToOwned::to_owned).collect()
    }

    fn put_lines(&self, name: &str, lines: &[String]) {
        fs::write(self.file(name), lines.join("\n") + "\n").unwrap();
    }
}

const FIRST: &str = "001-000001.jsonl";

fn write_run(log: &Log, number: u64) {
    let run: crate::Name = format!("{number:08x}-000001").into();
    let script: crate::Name = "5c1f".into();
    let events = [
        Event::RunStarted(RunStarted {
            run: run.clone(),
            language: "javascript".into(),
            script: script.clone(),
            ..RunStarted::default()
        }),
        Event::CallAsked(CallAsked {
            run: run.clone(),
            server: "mail".into(),
            tool: "send".into(),
            arguments: log.arguments("mail", "send", &serde_json::json!({"to": number})),
            ..CallAsked::default()
        }),
        Event::CallEnded(CallEnded {
            run: run.clone(),
            server: "mail".into(),
            tool: "send".into(),
            bytes: 12,
            took_us: 340,
            ..CallEnded::default()
        }),
        Event::RunEnded(RunEnded {
            run,
            script,
            outcome: "returned".into(),
            fuel: 1000,
            calls: 1,
            ..RunEnded::default()
        }),
    ];
    for event in events {
        log.write(&event).unwrap();
    }
}

/// What was found, without notes.
fn found(report: &Report) -> Vec<(&str, u64, &Fault)> {
    let findings = report.findings.iter();
    let findings = findings.filter(|it| it.level != crate::Level::Note);
    findings.map(|it| (&*it.file, it.line, &it.what)).collect()
}

/// A test of this program that another process runs, in a folder.
fn elsewhere(test: &str, folder: &Path) -> Command {
    let mut command = Command::new("sh");
    // What goes beyond a limit fails, and ends nothing.
    command.args(["-c", r#"trap "" XFSZ; exec "$0" "$@""#]);
    command.arg(std::env::current_exe().unwrap());
    command.args([test, "--exact", "--ignored", "--nocapture"]);
    command.env("AUDIT_FOLDER", folder);
    command
}

/// The folder that such a test is to use.
fn folder_of_test() -> PathBuf {
    std::env::var_os("AUDIT_FOLDER").unwrap().into()
}
