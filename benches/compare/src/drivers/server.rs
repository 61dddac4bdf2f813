//! The functions of the host as an MCP server, for `ampoule serve`, over standard input and output.
//! Calls of `hold` are reported at a socket, and answered when it says so.

use std::path::Path;
use std::sync::Arc;

use anyhow::Result;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::UnixStream;
use tokio::sync::{Notify, mpsc};

use super::tools::Tools;

#[derive(Deserialize)]
struct Message {
    id: Option<Value>,
    #[serde(default)]
    method: String,
    #[serde(default)]
    params: Value,
}

/// Answers until there are no more requests.
pub(crate) fn serve(data: &Path, gate: &Path) -> Result<()> {
    let tokio = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    tokio.block_on(async {
        let (mut opened, mut holds) = UnixStream::connect(gate).await?.into_split();
        let (answer, mut answers) = mpsc::unbounded_channel::<String>();
        let open = Arc::new(Notify::new());
        let opener = Arc::clone(&open);
        tokio::spawn(async move {
            while opened.read_u8().await.is_ok() {
                opener.notify_waiters();
            }
        });
        let mut out = tokio::io::stdout();
        tokio::spawn(async move {
            while let Some(line) = answers.recv().await {
                if out.write_all(line.as_bytes()).await.is_err() || out.flush().await.is_err() {
                    return;
                }
            }
        });
        let tools = Tools::new(data);
        let mut lines = BufReader::new(tokio::io::stdin()).lines();
        while let Some(line) = lines.next_line().await? {
            let Message { id, method, params } = serde_json::from_str(&line)?;
            let Some(id) = id else { continue };
            if method == "tools/call" && params["name"] == "hold" {
                let (answer, open) = (answer.clone(), Arc::clone(&open));
                let opened = open.notified_owned();
                holds.write_u8(1).await?;
                tokio::spawn(async move {
                    opened.await;
                    let held = serde_json::value::to_raw_value(&json!({ "held": true }));
                    let _ = answer.send(called(&id, &held.unwrap_or_default()));
                });
                continue;
            }
            let line = answer_to(&tools, &id, &method, &params);
            // The writer outlives the reader.
            let _ = answer.send(line);
        }
        Ok(())
    })
}

fn answer_to(tools: &Tools, id: &Value, method: &str, params: &Value) -> String {
    let result = match method {
        "initialize" => json!({
            "protocolVersion": params["protocolVersion"],
            "capabilities": { "tools": {} },
            "serverInfo": { "name": "host", "version": "1" },
        }),
        "tools/list" => json!({ "tools": Tools::declared() }),
        "ping" => json!({}),
        "tools/call" => {
            let name = params["name"].as_str().unwrap_or_default();
            let arguments = params["arguments"].as_object().cloned().unwrap_or_default();
            match tools.call(name, &arguments) {
                Ok(result) => return called(id, &result),
                Err(problem) => json!({
                    "content": [{ "type": "text", "text": problem }], "isError": true,
                }),
            }
        }
        _ => {
            let error = json!({ "code": -32601, "message": "unknown method" });
            return format!(
                "{}\n",
                json!({ "jsonrpc": "2.0", "id": id, "error": error })
            );
        }
    };
    format!(
        "{}\n",
        json!({ "jsonrpc": "2.0", "id": id, "result": result })
    )
}

fn called(id: &Value, result: &RawValue) -> String {
    format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{{\"content\":[],\"structuredContent\":{}}}}}\n",
        result.get()
    )
}
