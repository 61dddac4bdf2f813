//! The `ampoule` binary as a process, in a folder of its own.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use rustix::process::Pid;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

/// Longer than compiling the guest takes on a slow machine.
const PATIENCE: Duration = Duration::from_secs(400);

/// A folder to run `ampoule` in, where it finds no configuration and no sign-in but what a test puts
/// there.
pub struct Workplace {
    folder: TempDir,
    own_cache: bool,
}

/// What a process left behind.
#[derive(Debug)]
pub struct Ran {
    /// Its exit code.
    pub code: Option<i32>,
    /// What it wrote to standard output.
    pub stdout: String,
    /// What it wrote to standard error.
    pub stderr: String,
}

impl Ran {
    /// Standard output as JSON.
    ///
    /// # Panics
    ///
    /// Where it isn't.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

impl Default for Workplace {
    fn default() -> Self {
        Self {
            folder: tempfile::tempdir().expect("a folder"),
            own_cache: false,
        }
    }
}

impl Workplace {
    /// One where nothing is compiled yet. What is compiled there is kept in `cache/ampoule/code`.
    pub fn without_compiled_code() -> Self {
        Self {
            own_cache: true,
            ..Self::default()
        }
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Writes a file into it.
    ///
    /// # Panics
    ///
    /// Where it can't be written.
    pub fn file(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(&path, content).expect("a file");
        path
    }

    /// A command that is run here.
    pub fn command(&self, program: impl AsRef<Path>, arguments: &[&str]) -> Command {
        let mut command = Command::new(program.as_ref());
        command
            .args(arguments)
            .current_dir(self.path())
            .envs(self.variables())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        command
    }

    /// Has a command find only this folder's home, in which other clients' files would be. What is
    /// compiled is shared nevertheless.
    pub fn at_home(&self, command: &mut Command) {
        let home = PathBuf::from(std::env::var_os("HOME").unwrap_or_default());
        let cache = std::env::var_os("XDG_CACHE_HOME");
        let cache = cache.map_or_else(|| home.join(".cache"), PathBuf::from);
        for elsewhere in [
            "XDG_STATE_HOME",
            "CLAUDE_CONFIG_DIR",
            "COPILOT_HOME",
            "CLINE_DIR",
            "CLINE_MCP_SETTINGS_PATH",
            "CODEX_HOME",
            "OPENCODE_CONFIG",
        ] {
            command.env_remove(elsewhere);
        }
        let cache = match self.own_cache {
            true => self.path().join("cache"),
            false => cache,
        };
        command
            .env("HOME", self.path())
            .env("XDG_CONFIG_HOME", self.path().join(".config"))
            .env("XDG_CACHE_HOME", cache);
    }

    /// Runs `ampoule` with these arguments, with this folder for its home.
    pub async fn run_at_home(&self, arguments: &[&str]) -> Ran {
        let mut command = self.command(crate::binary(), arguments);
        self.at_home(&mut command);
        ended(command).await
    }

    /// The variables by which a command knows no other folder than this one, but for what is
    /// compiled.
    pub(crate) fn variables(&self) -> impl Iterator<Item = (&'static str, PathBuf)> {
        let cache = self.path().join("cache");
        [
            ("XDG_CONFIG_HOME", self.path().join("config")),
            ("XDG_DATA_HOME", self.path().join("data")),
            ("XDG_RUNTIME_DIR", self.path().to_owned()),
            ("AMPOULE_CREDENTIALS", "file".into()),
        ]
        .into_iter()
        .chain(self.own_cache.then_some(("XDG_CACHE_HOME", cache)))
    }

    /// Runs `ampoule` with these arguments.
    pub async fn run(&self, arguments: &[&str]) -> Ran {
        ended(self.command(crate::binary(), arguments)).await
    }

    /// Runs `ampoule` with these arguments and this standard input.
    ///
    /// # Panics
    ///
    /// Where it can't be started, or does not end.
    pub async fn run_with_input(&self, arguments: &[&str], input: &[u8]) -> Ran {
        let mut command = self.command(crate::binary(), arguments);
        let mut child = command.stdin(Stdio::piped()).spawn().expect("a process");
        let mut stdin = child.stdin.take().expect("standard input");
        stdin.write_all(input).await.expect("it reads");
        drop(stdin);
        output(child).await
    }
}

/// Runs a command to its end.
///
/// # Panics
///
/// Where it can't be started, or does not end.
pub async fn ended(mut command: Command) -> Ran {
    output(command.spawn().expect("a process")).await
}

async fn output(child: Child) -> Ran {
    let output = tokio::time::timeout(PATIENCE, child.wait_with_output())
        .await
        .expect("the process ends")
        .expect("its output");
    Ran {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).expect("text"),
        stderr: String::from_utf8(output.stderr).expect("text"),
    }
}

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
