//! A server's process: started in a group of its own, listened to, and stopped together with whatever it started.

use std::collections::VecDeque;
use std::io;
use std::process::{ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};
use tokio::io::BufReader;
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::ServerCommand;
use super::secrets::Secrets;
use crate::wire::line::{Line, Lines};

/// How long a server has to end after its stdin was closed.
const GRACE_AFTER_EOF: Duration = Duration::from_secs(2);

/// How long it then has to end after SIGTERM.
const GRACE_AFTER_SIGTERM: Duration = Duration::from_secs(2);

/// How long what a dead server had written may take to be read.
const DRAIN: Duration = Duration::from_millis(500);

/// How much of a server's stderr is kept.
const STDERR_LINES: usize = 20;
const STDERR_LINE_BYTES: usize = 500;

/// A server's process, while it runs and after.
#[derive(Debug, Clone)]
pub(super) struct Process {
    exit: watch::Receiver<Option<ExitStatus>>,
    stderr: StderrTail,
}

/// The ends of the pipes that carry messages.
pub(super) type Pipes = (ChildStdout, ChildStdin);

impl Process {
    /// Starts a server. It is stopped with its whole process group when `stop` is cancelled, or the runtime ends; one of the
    /// `tasks` lasts until it is gone.
    pub(super) fn start(
        server: &Arc<str>,
        command: &ServerCommand,
        tasks: &TaskTracker,
        stop: CancellationToken,
    ) -> io::Result<(Self, Pipes)> {
        let mut child = Command::from(command.to_std())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .spawn()?;
        let piped = (child.stdout.take(), child.stdin.take(), child.stderr.take());
        let group = Group::of(child);
        let (Some(stdout), Some(stdin), Some(stderr)) = piped else {
            return Err(io::Error::other("the process has no pipes"));
        };
        let tail = StderrTail {
            lines: Arc::default(),
            secrets: command.secrets(),
            ended: CancellationToken::new(),
        };
        tokio::spawn(tail.clone().read(Arc::clone(server), stderr));
        let (exited, exit) = watch::channel(None);
        tasks.spawn(supervise(Arc::clone(server), group, stop, exited));
        Ok((Self { exit, stderr: tail }, (stdout, stdin)))
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

    /// Waits until all of its stderr was read. A process that left the group can make that take forever.
    pub(super) async fn stderr_ended(&self) {
        self.stderr.ended.cancelled().await;
    }

    /// The last lines of its stderr, without secrets.
    pub(super) fn stderr(&self) -> Vec<String> {
        self.stderr.lines()
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
        // The tasks that hold the pipes end at the same signal: stdin is closed by now, or will be at once.
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
    // A process that left the group may hold the pipe open: what is to be read must be there by now.
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
        // The runtime is ending, so nobody is left to wait for the process: kill it, and wait here, which takes about a millisecond.
        self.signal(Signal::KILL);
        for _ in 0..100 {
            if !matches!(self.leader.try_wait(), Ok(None)) {
                return;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

/// The last lines of a server's stderr.
#[derive(Debug, Clone)]
struct StderrTail {
    lines: Arc<Mutex<VecDeque<String>>>,
    secrets: Secrets,
    ended: CancellationToken,
}

impl StderrTail {
    async fn read(self, server: Arc<str>, stderr: ChildStderr) {
        let _ended = self.ended.clone().drop_guard();
        let mut lines = Lines::new(BufReader::new(stderr));
        while let Ok(Some(line)) = lines.next(|| 64 * 1024).await {
            let (Line::Whole(bytes) | Line::TooLong { head: bytes, .. }) = line;
            let text = self
                .secrets
                .redact(&String::from_utf8_lossy(bytes), STDERR_LINE_BYTES)
                .replace(char::is_control, " ");
            tracing::debug!(%server, stderr = %text);
            let mut kept = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
            if kept.len() == STDERR_LINES {
                kept.pop_front();
            }
            if !text.trim().is_empty() {
                kept.push_back(text);
            }
        }
    }

    fn lines(&self) -> Vec<String> {
        let lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        lines.iter().cloned().collect()
    }
}
