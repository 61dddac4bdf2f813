//! A server's process: started in a group of its own, listened to, and stopped together with
//! whatever it started.

use std::collections::VecDeque;
use std::fs::{self, DirEntry};
use std::io;
use std::process::{ExitStatus, Stdio};
use std::sync::Arc;
use std::time::Duration;

use ampoule_mcp::line::{Line, Lines};
use ampoule_network::has_room_for_servers;
use parking_lot::Mutex;
use rustix::process::{Pid, Signal, kill_process_group};
use tokio::io::BufReader;
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::sync::watch;
use tokio::task::spawn_blocking;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::ServerCommand;
use super::listener::{StderrLine, StderrListener};
use super::pace::Pace;
use super::secrets::Secrets;

/// How long a server has to end after its stdin was closed.
const GRACE_AFTER_EOF: Duration = Duration::from_secs(2);

/// How long it then has to end after SIGTERM.
const GRACE_AFTER_SIGTERM: Duration = Duration::from_secs(2);

/// How long what a dead server had written may take to be read.
const DRAIN: Duration = Duration::from_millis(500);

/// How much of a server's stderr is kept: what says why it failed may stand before a long stack.
const STDERR_LINES: usize = 100;
const STDERR_LINE_BYTES: usize = 500;

/// A server's process, while it runs and after.
#[derive(Debug, Clone)]
pub(super) struct Process {
    exit: watch::Receiver<Option<ExitStatus>>,
    stderr: StderrTail,
    group: Option<Pid>,
}

/// The ends of the pipes that carry messages.
pub(super) type Pipes = (ChildStdout, ChildStdin);

impl Process {
    /// Starts a server. It is stopped with its whole process group when `stop` is cancelled, or the
    /// runtime ends; one of the `tasks` lasts until it is gone.
    pub(super) fn start(
        server: &Arc<str>,
        command: &ServerCommand,
        tasks: &TaskTracker,
        stop: CancellationToken,
    ) -> io::Result<(Self, Pipes)> {
        has_room_for_servers()?;
        let mut child = Command::from(command.to_std())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .spawn()?;
        let piped = (child.stdout.take(), child.stdin.take(), child.stderr.take());
        let group = Group::of(child);
        let id = group.id;
        let (Some(stdout), Some(stdin), Some(stderr)) = piped else {
            return Err(io::Error::other("the process has no pipes"));
        };
        let tail = StderrTail {
            lines: Arc::default(),
            secrets: command.secrets(),
            listener: command.stderr.clone(),
            process: id.map(|id| id.as_raw_nonzero().get().unsigned_abs()),
            heard: watch::Sender::new(Instant::now()),
            ended: CancellationToken::new(),
        };
        tokio::spawn(tail.clone().read(Arc::clone(server), stderr));
        let (exited, exit) = watch::channel(None);
        tasks.spawn(supervise(Arc::clone(server), group, stop, exited));
        let process = Self {
            exit,
            stderr: tail,
            group: id,
        };
        Ok((process, (stdout, stdin)))
    }

    /// Waits for the end.
    pub(super) async fn exited(&self) -> Option<ExitStatus> {
        let mut exit = self.exit.clone();
        // It fails only if the supervising task is gone, which ends the process too.
        exit.wait_for(Option::is_some)
            .await
            .ok()
            .and_then(|status| *status)
    }

    /// Waits until all of its stderr was read. A process that left the group can make that take
    /// forever.
    pub(super) async fn stderr_ended(&self) {
        self.stderr.ended.cancelled().await;
    }

    /// The last lines of its stderr, without secrets and what can't be seen.
    pub(super) fn stderr(&self) -> Vec<String> {
        self.stderr.lines()
    }

    /// Whether somebody hears its stderr as it comes.
    pub(super) fn is_heard(&self) -> bool {
        self.stderr.listener.is_some()
    }

    /// When it last printed something to its stderr.
    pub(super) fn heard(&self) -> Instant {
        *self.stderr.heard.borrow()
    }

    /// How much it and all that it started have computed, in an arbitrary unit; always 0 where the
    /// system does not tell.
    pub(super) async fn computed(&self) -> u64 {
        match self.group {
            Some(group) => spawn_blocking(move || computed_by(group))
                .await
                .unwrap_or(0),
            None => 0,
        }
    }
}

/// Waits for the process to end, or makes it.
async fn supervise(
    server: Arc<str>,
    mut group: Group,
    stop: CancellationToken,
    exited: watch::Sender<Option<ExitStatus>>,
) {
    let ended_by_itself = stop.run_until_cancelled(group.leader.wait()).await;
    let status = match ended_by_itself {
        Some(status) => status,
        // The tasks that hold the pipes end at the same signal: stdin is closed by now, or will be
        // at once.
        None => group.end().await,
    };
    // Grandchildren, such as what `npx` started, may be alive still.
    group.signal(Signal::KILL);
    group.ended = true;
    match &status {
        Ok(status) => tracing::debug!(%server, %status, "the server has ended"),
        Err(error) => tracing::warn!(%server, %error, "can't wait for the server's end"),
    }
    exited.send_replace(Some(status.unwrap_or_default()));
    // A process that left the group may hold the pipe open: what is to be read must be there by
    // now.
    if tokio::time::timeout(DRAIN, stop.cancelled()).await.is_err() {
        stop.cancel();
    }
}

/// A process group, and its leader. Dropping it kills the group.
#[derive(Debug)]
struct Group {
    leader: Child,
    id: Option<Pid>,
    ended: bool,
}

impl Group {
    fn of(leader: Child) -> Self {
        let id = leader.id().and_then(|id| Pid::from_raw(id.cast_signed()));
        Self {
            leader,
            id,
            ended: false,
        }
    }

    fn signal(&self, signal: Signal) {
        if let Some(id) = self.id {
            // It fails when nobody is left, which is as well.
            let _ = kill_process_group(id, signal);
        }
    }

    /// Ends the process: by itself now that its stdin is closed, or by SIGTERM, or by SIGKILL.
    async fn end(&mut self) -> io::Result<ExitStatus> {
        if let Ok(status) = tokio::time::timeout(GRACE_AFTER_EOF, self.leader.wait()).await {
            return status;
        }
        self.signal(Signal::TERM);
        if let Ok(status) = tokio::time::timeout(GRACE_AFTER_SIGTERM, self.leader.wait()).await {
            return status;
        }
        self.signal(Signal::KILL);
        self.leader.wait().await
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        if self.ended {
            return;
        }
        // The runtime is ending, so nobody is left to wait for the process: kill it, and wait here,
        // which takes about a millisecond.
        self.signal(Signal::KILL);
        for _ in 0..100 {
            if !matches!(self.leader.try_wait(), Ok(None)) {
                return;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

/// The processor's time of a process group, as Linux tells it.
fn computed_by(group: Pid) -> u64 {
    let of_process = |process: io::Result<DirEntry>| {
        let stat = fs::read_to_string(process.ok()?.path().join("stat")).ok()?;
        // The name, which may be anything, is in parentheses.
        let (_, after_name) = stat.rsplit_once(") ")?;
        let fields: Vec<&str> = after_name.split(' ').collect();
        // State, parent, group; then, from the twelfth on, its own time and that of the children
        // that it has waited for.
        let is_member = fields.get(2)?.parse() == Ok(group.as_raw_nonzero().get());
        let times = fields
            .get(11..15)?
            .iter()
            .flat_map(|time| time.parse::<u64>());
        is_member.then(|| times.sum::<u64>())
    };
    fs::read_dir("/proc").map_or(0, |processes| processes.filter_map(of_process).sum())
}

/// The last lines of a server's stderr.
#[derive(Debug, Clone)]
struct StderrTail {
    lines: Arc<Mutex<VecDeque<String>>>,
    secrets: Secrets,
    listener: Option<StderrListener>,
    process: Option<u32>,
    heard: watch::Sender<Instant>,
    ended: CancellationToken,
}

impl StderrTail {
    async fn read(self, server: Arc<str>, stderr: ChildStderr) {
        let _ended = self.ended.clone().drop_guard();
        let mut lines = Lines::new(BufReader::new(stderr));
        let mut pace = Pace::default();
        while let Ok(Some(line)) = lines.next(|| 64 * 1024).await {
            let length = line.bytes();
            let (Line::Whole(bytes) | Line::TooLong { head: bytes, .. }) = line;
            self.heard.send_replace(Instant::now());
            let text = without_colours(&String::from_utf8_lossy(bytes));
            let text = self.secrets.quote_line(&text, STDERR_LINE_BYTES);
            tracing::debug!(%server, stderr = %text);
            if let Some(listener) = &self.listener {
                let process = self.process;
                listener.hear(StderrLine {
                    process,
                    text: &text,
                });
            }
            self.keep(text);
            pace.note(length).await;
        }
    }

    fn keep(&self, text: String) {
        if text.trim().is_empty() {
            return;
        }
        let mut kept = self.lines.lock();
        if kept.len() == STDERR_LINES {
            kept.pop_front();
        }
        kept.push_back(text);
    }

    fn lines(&self) -> Vec<String> {
        let lines = self.lines.lock();
        lines.iter().cloned().collect()
    }
}

/// A line as a terminal would show it: many programs colour what they print wherever it goes.
fn without_colours(line: &str) -> String {
    let mut parts = line.split("\u{1b}[");
    let mut plain = parts.next().unwrap_or_default().replace('\t', " ");
    for part in parts {
        let end = part.find(|c: char| !matches!(c, '0'..='9' | ';' | ':' | '?'));
        // The last character of a sequence says what it is; those that end in `m` are colours.
        match end.and_then(|end| part[end..].strip_prefix('m')) {
            Some(rest) => plain += &rest.replace('\t', " "),
            None => plain.extend(["\u{1b}[", part]),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_left_out_and_nothing_else() {
        let cases = [
            ("\u{1b}[1;31merror\u{1b}[0m: x\ty", "error: x y"),
            ("\u{1b}[2Jx \u{1b}[", "\u{1b}[2Jx \u{1b}["),
            ("plain", "plain"),
        ];
        for (line, expected) in cases {
            assert_eq!(without_colours(line), expected);
        }
    }

    #[test]
    fn what_a_group_computes_is_counted() {
        let group = rustix::process::getpgrp();
        let before = computed_by(group);
        let start = std::time::Instant::now();
        while computed_by(group) == before {
            assert!(start.elapsed() < Duration::from_secs(60), "{before}");
        }
    }
}
