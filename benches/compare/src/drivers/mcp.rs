//! A client of an MCP server over standard input and output, as lean as can be.

use std::collections::HashMap;
use std::process::Stdio;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::process::{Child, ChildStdin, Command};
use tokio::sync::{Mutex as AsyncMutex, oneshot};

/// Requests that wait for their answers.
type PendingRequests = Arc<Mutex<HashMap<u64, oneshot::Sender<Value>>>>;

pub(super) struct Client {
    _process: Child,
    write: AsyncMutex<(ChildStdin, u64)>,
    waiting: PendingRequests,
}

impl Client {
    /// A server that is started by this command.
    pub(super) fn start(command: &mut Command) -> Result<Self, String> {
        let mut process = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .map_err(|error| format!("an MCP server can't be started: {error}"))?;
        let (Some(write), Some(read)) = (process.stdin.take(), process.stdout.take()) else {
            return Err("an MCP server has no pipes".to_owned());
        };
        let waiting = PendingRequests::default();
        let answers = Arc::clone(&waiting);
        tokio::spawn(async move {
            let mut lines = BufReader::new(read).lines();
            while let Ok(Some(line)) = lines.next_line().await {
                let message: Value = serde_json::from_str(&line).unwrap_or_default();
                let id = message["id"].as_u64();
                let mut answers = answers.lock().unwrap_or_else(PoisonError::into_inner);
                if let Some(answered) = id.and_then(|id| answers.remove(&id)) {
                    // The waiting caller may be gone.
                    let _ = answered.send(message);
                }
            }
            // Nobody is to wait for ever.
            let mut answers = answers.lock().unwrap_or_else(PoisonError::into_inner);
            answers.clear();
        });
        Ok(Self {
            _process: process,
            write: AsyncMutex::new((write, 0)),
            waiting,
        })
    }

    /// Greets it, as clients did until 2025-11-25.
    pub(super) async fn greet(&self) -> Result<(), String> {
        let params = json!({
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": { "name": "compare", "version": "1" },
        });
        self.ask("initialize", params).await?;
        let mut write = self.write.lock().await;
        let line = b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n";
        write
            .0
            .write_all(line)
            .await
            .map_err(|error| error.to_string())
    }

    /// The result of a request.
    pub(super) async fn ask(&self, method: &str, params: Value) -> Result<Value, String> {
        let (answer, answered) = oneshot::channel();
        {
            let mut write = self.write.lock().await;
            write.1 += 1;
            let id = write.1;
            self.wait(id, answer);
            let message = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
            let line = format!("{message}\n");
            let written = write.0.write_all(line.as_bytes()).await;
            written.map_err(|error| error.to_string())?;
        }
        let mut message = answered
            .await
            .map_err(|_| "an MCP server ended".to_owned())?;
        match message.get("error") {
            Some(error) => Err(error.to_string()),
            None => Ok(message["result"].take()),
        }
    }

    fn wait(&self, id: u64, answer: oneshot::Sender<Value>) {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.insert(id, answer);
    }

    /// The text that a tool answers with.
    pub(super) async fn call(&self, tool: &str, arguments: &Value) -> Result<Value, String> {
        let params = json!({ "name": tool, "arguments": arguments });
        let mut result = self.ask("tools/call", params).await?;
        Ok(result["content"][0]["text"].take())
    }
}
