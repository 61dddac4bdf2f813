//! `ampoule serve` in a process of its own, as people start it.

use std::env;
use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};

/// The program, built with the same profile as this bench.
///
/// # Panics
///
/// Where it was not built.
pub fn program() -> PathBuf {
    let bench = env::current_exe().expect("a program");
    let folder = bench.parent().and_then(Path::parent).expect("a folder");
    let program = folder.join("ampoule");
    assert!(
        program.exists(),
        "build the program first: cargo build --release"
    );
    program
}

/// A server over HTTP.
pub struct Server {
    process: Child,
    /// Where it is reached.
    pub address: SocketAddr,
    // Nobody reads it; but it must not be closed.
    _log: Lines<BufReader<ChildStderr>>,
}

impl Server {
    /// One that is configured so, and whose guest is ready.
    ///
    /// # Panics
    ///
    /// Where it does not start.
    pub async fn start(config: &Path) -> Self {
        let mut process = Command::new(program())
            .args(["serve", "--http", "127.0.0.1:0", "--config"])
            .arg(config)
            .stdin(Stdio::null())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .expect("a server");
        let mut log = BufReader::new(process.stderr.take().expect("a pipe")).lines();
        let address = loop {
            let line = log.next_line().await.expect("a log").expect("an address");
            if let Some((_, rest)) = line.split_once("http://") {
                break rest.split('/').next().and_then(|at| at.parse().ok());
            }
        };
        Self {
            process,
            address: address.expect("an address"),
            _log: log,
        }
    }

    /// What it takes of memory, in KiB, with pages that others share counted in part.
    ///
    /// # Panics
    ///
    /// Where it has ended.
    pub fn memory(&self) -> u64 {
        let process = self.process.id().expect("it runs");
        let text = fs::read_to_string(format!("/proc/{process}/smaps_rollup")).expect("memory");
        let line = text.lines().find_map(|line| line.strip_prefix("Pss:"));
        let line = line.expect("a sum").trim().trim_end_matches(" kB");
        line.parse().expect("a number")
    }

    /// The processor's time that it has used so far.
    ///
    /// # Panics
    ///
    /// Where it has ended.
    pub fn processor_time(&self) -> Duration {
        let process = self.process.id().expect("it runs");
        let text = fs::read_to_string(format!("/proc/{process}/stat")).expect("times");
        // After the name, which stands in brackets, `utime` and `stime` are the 12th and the 13th, in
        // hundredths of a second.
        let (_, after) = text.rsplit_once(')').expect("a name");
        let times = after.split_whitespace().skip(11).take(2);
        let ticks: u64 = times.map(|it| it.parse::<u64>().expect("a number")).sum();
        Duration::from_millis(ticks * 10)
    }

    /// Ends it.
    pub async fn stop(mut self) {
        let _ = self.process.kill().await;
    }
}

/// A server over standard input and output.
pub struct PipedServer {
    _process: Child,
    write: ChildStdin,
    read: Lines<BufReader<ChildStdout>>,
    last: u64,
}

impl PipedServer {
    /// One that is configured so.
    pub fn start(config: &Path) -> Self {
        Self::of(Command::new(program()), config)
    }

    /// One that is configured so, started by this command.
    ///
    /// # Panics
    ///
    /// Where it does not start.
    pub fn of(mut command: Command, config: &Path) -> Self {
        let mut process = command
            .args([
                OsStr::new("serve"),
                OsStr::new("--config"),
                config.as_os_str(),
            ])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .expect("a server");
        let read = BufReader::new(process.stdout.take().expect("a pipe")).lines();
        let write = process.stdin.take().expect("a pipe");
        Self {
            _process: process,
            write,
            read,
            last: 0,
        }
    }

    /// The answer to a request, as clients since 2026-07-28 make it.
    ///
    /// # Panics
    ///
    /// If the server sends no answer.
    pub async fn ask(&mut self, method: &str, mut params: Value) -> Value {
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": { "name": "bench", "version": "1" },
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        self.last += 1;
        let message =
            json!({"jsonrpc": "2.0", "id": self.last, "method": method, "params": params});
        let line = format!("{message}\n");
        self.write.write_all(line.as_bytes()).await.expect("a pipe");
        let answer = self
            .read
            .next_line()
            .await
            .expect("a pipe")
            .expect("an answer");
        serde_json::from_str(&answer).expect("JSON")
    }
}

/// A file of the configuration.
///
/// # Panics
///
/// Where it can't be written.
pub fn config(folder: &Path, text: &str) -> PathBuf {
    let file = folder.join("ampoule.toml");
    let mut writing = fs::File::create(&file).expect("a file");
    writing.write_all(text.as_bytes()).expect("room");
    file
}
