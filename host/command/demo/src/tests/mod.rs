//! The demo server as its clients see it, over in-memory pipes.
//!
//! - [`protocol`]: both kinds of handshake, progress and cancellation, message by message
//! - [`tools`]: every tool, with its schemas
//! - [`records`]: the figures that scripts can be checked against

mod protocol;
mod records;
mod tools;

use anyhow::{Context, Result};
use rmcp::model::{CallToolRequestParams, CallToolResult};
use rmcp::service::RunningService;
use rmcp::{RoleClient, ServiceExt};
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, ReadHalf, WriteHalf};
use tokio::task::JoinHandle;

use super::{DemoError, serve};

/// A pipe to a server of its own.
fn start() -> (DuplexStream, JoinHandle<Result<(), DemoError>>) {
    let (near, far) = tokio::io::duplex(64 * 1024);
    let (read, write) = tokio::io::split(far);
    (near, tokio::spawn(serve(read, write)))
}

/// A client that knows MCP.
struct Client(RunningService<RoleClient, ()>);

impl Client {
    async fn connect() -> Result<Self> {
        let (pipe, _server) = start();
        Ok(Self(().serve(pipe).await?))
    }

    async fn call(&self, tool: &'static str, arguments: Value) -> Result<CallToolResult> {
        let arguments = arguments.as_object().context("arguments are an object")?;
        let request = CallToolRequestParams::new(tool).with_arguments(arguments.clone());
        Ok(self.0.call_tool(request).await?)
    }

    /// The structured result of a call that must succeed.
    async fn value(&self, tool: &'static str, arguments: Value) -> Result<Value> {
        let result = self.call(tool, arguments).await?;
        anyhow::ensure!(result.is_error != Some(true), "{tool}: {}", text(&result));
        result
            .structured_content
            .context("there is no structured content")
    }

    /// The text of a call that must fail.
    async fn failure(&self, tool: &'static str, arguments: Value) -> Result<String> {
        let result = self.call(tool, arguments).await?;
        anyhow::ensure!(result.is_error == Some(true), "{tool}: {}", text(&result));
        Ok(text(&result))
    }

    /// All records of a list, and how many pages they came on.
    async fn all(&self, tool: &'static str, mut arguments: Value) -> Result<(Vec<Value>, usize)> {
        let mut records = Vec::new();
        let mut pages = 0;
        loop {
            pages += 1;
            let page = self.value(tool, arguments.clone()).await?;
            records.extend(
                page["items"]
                    .as_array()
                    .context("no items")?
                    .iter()
                    .cloned(),
            );
            if page["nextCursor"].is_null() {
                assert_eq!(page["total"], records.len(), "{tool} {arguments}");
                return Ok((records, pages));
            }
            arguments["cursor"] = page["nextCursor"].clone();
        }
    }
}

fn text(result: &CallToolResult) -> String {
    let blocks = result.content.iter().filter_map(|block| block.as_text());
    blocks.map(|block| block.text.as_str()).collect()
}

/// A client that knows nothing but lines.
struct Lines {
    read: BufReader<ReadHalf<DuplexStream>>,
    write: WriteHalf<DuplexStream>,
    server: JoinHandle<Result<(), DemoError>>,
}

impl Lines {
    fn connect() -> Self {
        let (pipe, server) = start();
        let (read, write) = tokio::io::split(pipe);
        Self {
            read: BufReader::new(read),
            write,
            server,
        }
    }

    async fn send(&mut self, message: &Value) -> Result<()> {
        self.write
            .write_all(format!("{message}\n").as_bytes())
            .await?;
        Ok(())
    }

    async fn line(&mut self) -> Result<String> {
        let mut line = String::new();
        self.read.read_line(&mut line).await?;
        Ok(line)
    }

    /// Every message up to the answer to request `id`, which is the last of them.
    async fn until(&mut self, id: u32) -> Result<Vec<Value>> {
        let mut messages = Vec::new();
        loop {
            let message: Value = serde_json::from_str(&self.line().await?)?;
            let is_answer = message["id"] == id;
            messages.push(message);
            if is_answer {
                return Ok(messages);
            }
        }
    }

    /// The answer to a request, where nothing else may come before it.
    async fn ask(&mut self, request: &Value) -> Result<Value> {
        self.send(request).await?;
        Ok(serde_json::from_str(&self.line().await?)?)
    }
}
