//! `ampoule serve`, and a client's two streams.

use std::process::Stdio;
use std::time::Duration;

use rustix::process::Pid;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

use super::{PATIENCE, Workplace};

/// `ampoule serve`, and the two streams that a client talks to it by.
pub struct Served {
    child: Child,
    stdin: ChildStdin,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Served {
    /// Starts it.
    ///
    /// # Panics
    ///
    /// Where it can't be started.
    pub fn start(workplace: &Workplace, arguments: &[&str]) -> Self {
        let mut command = workplace.command(crate::binary(), &["serve"]);
        command.args(arguments);
        Self::of(command)
    }

    /// Starts it in another way.
    ///
    /// # Panics
    ///
    /// Where it can't be started.
    pub fn of(mut command: Command) -> Self {
        let mut child = command
            .env("AMPOULE_LOG", "debug")
            .stdin(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("a process");
        let stdin = child.stdin.take().expect("standard input");
        let stdout = child.stdout.take().expect("standard output");
        Self {
            child,
            stdin,
            lines: BufReader::new(stdout).lines(),
        }
    }

    /// Starts it, and opens a session.
    ///
    /// # Panics
    ///
    /// Where it can't be started, or does not answer.
    pub async fn greeted(workplace: &Workplace, arguments: &[&str]) -> Self {
        let mut served = Self::start(workplace, arguments);
        served.greet().await;
        served
    }

    /// Opens a session, under the id 0, and gives what it says of itself.
    ///
    /// # Panics
    ///
    /// Where it does not answer.
    pub async fn greet(&mut self) -> Value {
        self.greet_with(json!({})).await
    }

    /// The same, of a client that can do this.
    ///
    /// # Panics
    ///
    /// Where it does not answer.
    pub async fn greet_with(&mut self, capabilities: Value) -> Value {
        let hello = json!({
            "protocolVersion": "2025-06-18",
            "capabilities": capabilities,
            "clientInfo": {"name": "test", "version": "1"},
        });
        let initialize =
            json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello});
        let info = self.ask(initialize).await["result"].take();
        let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        self.send(initialized).await;
        info
    }

    /// A field of what the kernel says of the process's memory, such as `RssAnon:`, in bytes.
    ///
    /// # Panics
    ///
    /// Where it has ended.
    pub fn memory(&self, field: &str) -> i64 {
        let process = self.child.id().expect("it runs");
        let status = std::fs::read_to_string(format!("/proc/{process}/status")).expect("/proc");
        let line = status.lines().find_map(|line| line.strip_prefix(field));
        let kibibytes = line.and_then(|line| line.trim().strip_suffix("kB"));
        let number = kibibytes.and_then(|number| number.trim().parse::<i64>().ok());
        number.expect("a number of KiB") << 10
    }

    /// The processes that it has started.
    ///
    /// # Panics
    ///
    /// Where it has ended.
    pub fn children(&self) -> Vec<Pid> {
        let parent = self.child.id().expect("it runs").to_string();
        let processes = std::fs::read_dir("/proc").expect("/proc");
        let ids = processes.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
        let is_child = |id: &i32| {
            let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
            let after_name = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
            after_name.split_whitespace().nth(1) == Some(&parent)
        };
        ids.filter(is_child).filter_map(Pid::from_raw).collect()
    }

    /// Sends a message.
    ///
    /// # Panics
    ///
    /// Where nobody reads it.
    pub async fn send(&mut self, message: Value) {
        self.send_line(message.to_string().as_bytes()).await;
    }

    /// Sends a line, whatever is in it.
    ///
    /// # Panics
    ///
    /// Where nobody reads it.
    pub async fn send_line(&mut self, line: &[u8]) {
        self.stdin.write_all(line).await.expect("it reads");
        self.stdin.write_all(b"\n").await.expect("it reads");
    }

    /// Kills it, and waits until it is gone, with all that it had locked.
    ///
    /// # Panics
    ///
    /// Where it can't be killed.
    pub async fn kill(mut self) {
        self.child.kill().await.expect("it is killed");
    }

    /// The most threads that it has had at once, as far as that is seen while nothing is written.
    ///
    /// # Panics
    ///
    /// Where it ends before it writes.
    pub async fn most_threads_until_it_writes(&mut self) -> usize {
        let tasks = format!("/proc/{}/task", self.child.id().expect("it runs"));
        let mut most = 0;
        loop {
            most = most.max(std::fs::read_dir(&tasks).expect("it runs").count());
            let soon = Duration::from_millis(10);
            match tokio::time::timeout(soon, self.lines.get_mut().fill_buf()).await {
                Ok(written) => {
                    assert!(!written.expect("a pipe").is_empty(), "it ended");
                    return most;
                }
                Err(_) => continue,
            }
        }
    }

    /// The next message, or `None` at the end.
    ///
    /// # Panics
    ///
    /// Where a line is not JSON-RPC, or none comes.
    pub async fn next(&mut self) -> Option<Value> {
        let line = tokio::time::timeout(PATIENCE, self.lines.next_line())
            .await
            .expect("it answers")
            .expect("text")?;
        let message: Value =
            serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"));
        assert_eq!(message["jsonrpc"], "2.0", "{line}");
        Some(message)
    }

    /// Sends a request, and waits for the answer to it.
    ///
    /// # Panics
    ///
    /// Where the output ends before.
    pub async fn ask(&mut self, request: Value) -> Value {
        let id = request["id"].clone();
        self.send(request).await;
        loop {
            let message = self.next().await.expect("an answer");
            if message["id"] == id {
                return message;
            }
        }
    }

    /// Closes its standard input, and gives its exit code.
    ///
    /// # Panics
    ///
    /// Where it does not end, or writes what is not JSON-RPC.
    pub async fn close(self) -> Option<i32> {
        self.closed().await.0
    }

    /// The same, with what it wrote after that.
    ///
    /// # Panics
    ///
    /// Where it does not end, or writes what is not JSON-RPC.
    pub async fn closed(self) -> (Option<i32>, Vec<Value>) {
        let Self {
            mut child,
            stdin,
            lines,
        } = self;
        drop(stdin);
        let (mut lines, mut rest) = (lines, Vec::new());
        while let Some(line) = lines.next_line().await.expect("text") {
            rest.push(
                serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}")),
            );
        }
        let status = tokio::time::timeout(PATIENCE, child.wait())
            .await
            .expect("it ends when its standard input does");
        (status.expect("a status").code(), rest)
    }
}
