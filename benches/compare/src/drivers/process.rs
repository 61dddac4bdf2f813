//! A process for each run: an interpreter by itself, or in a container. It gets the script on its
//! standard input, and makes calls over its standard output and input.

use std::env;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use anyhow::{Context, Result};
use serde::Deserialize;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::process::{ChildStdin, ChildStdout, Command};
use tokio::sync::{OnceCell, mpsc};
use tokio::time::timeout;

use super::mcp::Client;
use super::tools::{Gate, Tools};
use super::{RunResult, Sandbox, given};
use crate::protocol::{Limits, Script};

pub(super) struct Processes {
    shared: Arc<Shared>,
    /// The command that starts one: `{id}` is a name for it, `{mb}` its memory in MiB.
    command: Vec<String>,
    /// The command that makes away with one that does not end by itself.
    cleanup: Vec<String>,
    last: AtomicU64,
}

/// What answers calls.
struct Shared {
    tools: Tools,
    gate: Arc<Gate>,
    server: OnceCell<Result<Client, String>>,
}

/// What a process says.
#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum ProcessMessage {
    Call {
        id: u64,
        name: String,
        arguments: Map<String, Value>,
    },
    Ended {
        value: Value,
        output: Option<String>,
    },
    Failed(String),
}

impl Processes {
    pub(super) fn new(command: &[&str], gate: &Arc<Gate>) -> Result<Self> {
        let cleanup = match given("COMPARE_CLEANUP") {
            none if none.is_empty() => Vec::new(),
            command => serde_json::from_str(&command).context("a command can't be read")?,
        };
        Ok(Self {
            shared: Arc::new(Shared {
                tools: Tools::new(given("COMPARE_DATA")),
                gate: Arc::clone(gate),
                server: OnceCell::new(),
            }),
            command: command.iter().map(|&word| word.to_owned()).collect(),
            cleanup,
            last: AtomicU64::new(0),
        })
    }

    fn command(words: &[String], id: &str, limits: Limits) -> Option<Command> {
        let mut words = words.iter().map(|word| {
            let word = word.replace("{id}", id);
            word.replace("{mb}", &limits.mb.to_string())
        });
        let mut command = Command::new(words.next()?);
        command.args(words).env_clear();
        // What a program needs to be found, and nothing else: Node takes twice as long with some.
        for name in [
            "PATH",
            "HOME",
            "LD_LIBRARY_PATH",
            "CONTAINERS_CONF",
            "COMPARE_DRIVER",
        ] {
            if let Some(value) = env::var_os(name) {
                command.env(name, value);
            }
        }
        Some(command)
    }
}

impl Sandbox for Processes {
    async fn run(&self, script: &Script, limits: Limits) -> Result<RunResult, String> {
        let number = self.last.fetch_add(1, Relaxed);
        let id = format!("compare-{}-{number}", std::process::id());
        let mut command = Self::command(&self.command, &id, limits).ok_or("no command")?;
        let mut process = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .map_err(|error| format!("{}: {error}", self.command[0]))?;
        let (Some(write), Some(read)) = (process.stdin.take(), process.stdout.take()) else {
            return Err("a process has no pipes".to_owned());
        };
        let talk = talk(Arc::clone(&self.shared), script, write, read);
        let ended = timeout(Duration::from_millis(limits.ms), talk).await;
        match ended {
            Ok(Ok(Some(ended))) => {
                process.wait().await.map_err(|error| error.to_string())?;
                ended
            }
            Ok(Ok(None)) => {
                let output = process.wait_with_output().await;
                let output = output.map_err(|error| error.to_string())?;
                let words = String::from_utf8_lossy(&output.stderr);
                let last = words.trim().lines().last().unwrap_or_default();
                Err(format!("it ended with {}: {last}", output.status))
            }
            Ok(Err(error)) => Err(error.to_string()),
            Err(_) => {
                let _ = process.kill().await;
                if let Some(mut cleanup) = Self::command(&self.cleanup, &id, limits) {
                    let _ = cleanup
                        .stdout(Stdio::null())
                        .stderr(Stdio::null())
                        .status()
                        .await;
                }
                Err("it was ended".to_owned())
            }
        }
    }
}

/// Gives a process its script, and answers its calls until it says how it ended, or closes its
/// output.
async fn talk(
    shared: Arc<Shared>,
    script: &Script,
    mut write: ChildStdin,
    read: ChildStdout,
) -> std::io::Result<Option<Result<RunResult, String>>> {
    let first = json!({ "code": script.code, "needs": script.needs }).to_string();
    write.write_all(format!("{first}\n").as_bytes()).await?;
    let mut lines = BufReader::new(read).lines();
    let (answer, mut answers) = mpsc::unbounded_channel::<String>();
    loop {
        let line = tokio::select! {
            line = lines.next_line() => line?,
            Some(line) = answers.recv() => {
                write.write_all(line.as_bytes()).await?;
                continue;
            }
        };
        let Some(line) = line else { return Ok(None) };
        match serde_json::from_str(&line) {
            Ok(ProcessMessage::Call {
                id,
                name,
                arguments,
            }) if name == "hold" || name == "add" => {
                let (shared, answer) = (Arc::clone(&shared), answer.clone());
                tokio::spawn(async move {
                    let result = shared.slow(&name, arguments).await;
                    // The process may have ended.
                    let _ = answer.send(message(id, result));
                });
            }
            Ok(ProcessMessage::Call {
                id,
                name,
                arguments,
            }) => {
                let line = message(id, shared.tools.call(&name, &arguments));
                write.write_all(line.as_bytes()).await?;
            }
            Ok(ProcessMessage::Ended { value, output }) => {
                return Ok(Some(Ok(RunResult { value, output })));
            }
            Ok(ProcessMessage::Failed(problem)) => return Ok(Some(Err(problem))),
            // A console repeats its input until that is switched off.
            Err(_) if line.trim_end() == first => {}
            Err(_) => return Ok(Some(Err(format!("it said {line:?}")))),
        }
    }
}

fn message(id: u64, result: Result<Arc<RawValue>, String>) -> String {
    let result = result.unwrap_or_else(|problem| {
        let problem = to_raw_value(&problem).unwrap_or_default();
        problem.into()
    });
    format!("{{\"id\":{id},\"answer\":{}}}\n", result.get())
}

impl Shared {
    /// What takes time.
    async fn slow(
        &self,
        name: &str,
        arguments: Map<String, Value>,
    ) -> Result<Arc<RawValue>, String> {
        if name == "hold" {
            return Ok(self.gate.hold().await);
        }
        let server = self.server.get_or_init(real_server).await;
        let server = server.as_ref().map_err(Clone::clone)?;
        let said = server.call("get-sum", &Value::Object(arguments)).await?;
        let said = to_raw_value(&said).map_err(|error| error.to_string())?;
        Ok(said.into())
    }
}

async fn real_server() -> Result<Client, String> {
    let command: Vec<String> = serde_json::from_str(&given("COMPARE_MCP"))
        .map_err(|_| "the real MCP server is not there".to_owned())?;
    let (program, args) = command.split_first().ok_or("a command is empty")?;
    let client = Client::start(Command::new(program).args(args).stderr(Stdio::null()))?;
    client.greet().await?;
    Ok(client)
}
