//! A process that says on its standard output how far it is, until it is killed.

use std::fs::File;
use std::time::{Duration, Instant};

use ampoule_tests::binary;
use ampoule_tests::command::Workplace;
use tokio::io::{AsyncBufReadExt, BufReader, Lines};
use tokio::process::{Child, ChildStdout};

/// Longer than a command takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);
/// Where its errors go, in the workplace.
const ERRORS: &str = "errors.txt";

pub(super) struct Process {
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
    started: Instant,
    said: Vec<String>,
}

/// What a process said, and when.
pub(super) struct Said {
    pub(super) lines: Vec<String>,
    pub(super) took: Duration,
}

impl Process {
    pub(super) fn start(workplace: &Workplace, arguments: &[&str]) -> Self {
        let errors = File::create(workplace.path().join(ERRORS)).expect("a file");
        let mut command = workplace.command(binary(), arguments);
        workplace.at_home(&mut command);
        let mut child = command.stderr(errors).spawn().expect("a process");
        let stdout = child.stdout.take().expect("standard output");
        Self {
            child,
            lines: BufReader::new(stdout).lines(),
            started: Instant::now(),
            said: Vec::new(),
        }
    }

    /// Waits for a line with this in it. None comes if the process ends before.
    pub(super) async fn says(&mut self, text: &str) {
        while let Some(line) = self.line().await {
            let is_it = line.contains(text);
            self.said.push(line);
            if is_it {
                return;
            }
        }
    }

    async fn line(&mut self) -> Option<String> {
        let line = tokio::time::timeout(PATIENCE, self.lines.next_line()).await;
        // A line that is cut in the middle of a character was not told.
        line.expect("a line in time").ok().flatten()
    }

    /// Kills it, unless it has ended. It must not have failed before.
    pub(super) async fn killed(mut self, workplace: &Workplace) -> Said {
        let ended = self.child.try_wait().expect("a status");
        if ended.is_none() {
            self.child.kill().await.expect("it is killed");
        }
        self.rest(workplace, ended.is_none()).await
    }

    /// Waits until it has ended.
    pub(super) async fn ended(self, workplace: &Workplace) -> Said {
        self.rest(workplace, false).await
    }

    async fn rest(mut self, workplace: &Workplace, was_killed: bool) -> Said {
        while let Some(line) = self.line().await {
            self.said.push(line);
        }
        let status = self.child.wait().await.expect("a status");
        let took = self.started.elapsed();
        if !was_killed {
            let errors = std::fs::read_to_string(workplace.path().join(ERRORS));
            assert!(status.success(), "{status}: {errors:?}\n{:?}", self.said);
        }
        Said {
            lines: self.said,
            took,
        }
    }
}
