//! Ampoule as its users have it: `ampoule serve` over standard input and output, in a process of
//! its own. What scripts call is an MCP server, in one more process.

use std::path::PathBuf;
use std::process::Stdio;
use std::sync::Arc;
use std::{env, fs};

use anyhow::{Context, Result, anyhow};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixListener;
use tokio::process::Command;

use super::ampoule::adapted;
use super::mcp::Client;
use super::tools::Gate;
use super::{RunResult, Sandbox, given};
use crate::protocol::{Limits, Needs, Script};

pub(super) struct Server {
    client: Client,
    _folder: TempDir,
}

impl Server {
    pub(super) async fn start(gate: &Arc<Gate>) -> Result<Self> {
        let folder = tempfile::tempdir()?;
        let socket = folder.path().join("gate");
        listen(UnixListener::bind(&socket)?, Arc::clone(gate));
        let config = folder.path().join("ampoule.toml");
        fs::write(&config, configured(&socket)?)?;
        let mut command = Command::new(program()?);
        command
            .arg("serve")
            .arg("--config")
            .arg(&config)
            .current_dir(folder.path())
            .stderr(Stdio::null());
        let client = Client::start(&mut command).map_err(|problem| anyhow!(problem))?;
        client.greet().await.map_err(|problem| anyhow!(problem))?;
        Ok(Self {
            client,
            _folder: folder,
        })
    }
}

impl Sandbox for Server {
    async fn run(&self, script: &Script, limits: Limits) -> Result<RunResult, String> {
        let params = json!({
            "name": "execute_code",
            "arguments": {
                "code": adapted(script),
                "language": script.language,
                "timeout_seconds": limits.ms as f64 / 1000.0,
            },
        });
        let result = self.client.ask("tools/call", params).await?;
        let blocks = result["content"].as_array().into_iter().flatten();
        let texts: Vec<&str> = blocks.filter_map(|block| block["text"].as_str()).collect();
        let text = texts.join("\n");
        if result["isError"] == true {
            return Err(text);
        }
        // What is returned comes last, after what was printed.
        let (output, value) = match script.needs {
            Needs::Console => text.trim_end().rsplit_once('\n').unwrap_or(("", &text)),
            _ => ("", text.as_str()),
        };
        let value = value.trim();
        Ok(RunResult {
            value: serde_json::from_str(value).unwrap_or_else(|_| Value::from(value)),
            output: (!output.is_empty()).then(|| output.trim_end().to_owned()),
        })
    }
}

/// The program, built together with this one.
fn program() -> Result<PathBuf> {
    let program = env::current_exe()?.with_file_name("ampoule");
    let there = program.exists().then_some(program);
    there.context("the program `ampoule` is not built beside this one")
}

fn configured(socket: &std::path::Path) -> Result<String> {
    let (own, data) = (env::current_exe()?, given("COMPARE_DATA"));
    // Strings of JSON are strings of TOML.
    let mut text = format!(
        "isolates = 600\n[servers.host]\ncommand = {}\nargs = {}\nconcurrency = 1000\n",
        json!(own),
        json!(["server", data, socket])
    );
    if let Ok(command) = serde_json::from_str::<Vec<String>>(&given("COMPARE_MCP")) {
        let (program, args) = command.split_first().context("a command is empty")?;
        let server = format!(
            "[servers.everything]\ncommand = {}\nargs = {}\n",
            json!(program),
            json!(args)
        );
        text.push_str(&server);
    }
    Ok(text)
}

/// Has the server's calls of `hold` counted here, and tells it when they may end.
fn listen(listener: UnixListener, gate: Arc<Gate>) {
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let (mut holds, mut opens) = stream.into_split();
            let counted = Arc::clone(&gate);
            let opened = Arc::clone(&gate);
            tokio::spawn(async move {
                while holds.read_u8().await.is_ok() {
                    counted.count();
                }
            });
            tokio::spawn(async move {
                loop {
                    opened.opened().await;
                    if opens.write_u8(1).await.is_err() {
                        return;
                    }
                }
            });
        }
    });
}
