//! A client whose messages are counted.

use std::io::{Error, ErrorKind, Result};

use ampoule_server::Server;
use serde_json::{Value, json};
use tokio::io::{
    AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader, Lines, duplex, split,
};

/// How much is under way in either direction, in bytes.
const PIPE_BYTES: usize = 1 << 20;

/// A client as others are, over lines of JSON: what it gets is what they get.
pub struct Client {
    to_server: Box<dyn AsyncWrite + Send + Unpin>,
    from_server: Lines<BufReader<Box<dyn AsyncRead + Send + Unpin>>>,
    requests: u64,
}

impl Client {
    /// A client of this server, in the same process.
    ///
    /// # Errors
    ///
    /// Where the server goes away.
    pub async fn of(server: Server) -> Result<Self> {
        let (here, there) = duplex(PIPE_BYTES);
        let (read, write) = split(there);
        // It ends with this client's end of the pipe.
        tokio::spawn(server.serve(read, write));
        let (read, write) = split(here);
        Self::over(read, write).await
    }

    /// A client of whichever server reads and writes these. It begins as MCP clients do.
    ///
    /// # Errors
    ///
    /// Where the server goes away.
    pub async fn over<R, W>(read: R, write: W) -> Result<Self>
    where
        R: AsyncRead + Send + Unpin + 'static,
        W: AsyncWrite + Send + Unpin + 'static,
    {
        let read: Box<dyn AsyncRead + Send + Unpin> = Box::new(read);
        let mut client = Self {
            to_server: Box::new(write),
            from_server: BufReader::new(read).lines(),
            requests: 0,
        };
        let info = json!({ "name": "tokens", "version": "1" });
        let hello =
            json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": info });
        client.request("initialize", hello).await?;
        client
            .send(json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))
            .await?;
        Ok(client)
    }

    /// The tools that a model sees.
    ///
    /// # Errors
    ///
    /// Where the server goes away.
    pub async fn tools(&mut self) -> Result<Vec<Value>> {
        let list = self.request("tools/list", json!({})).await?;
        let tools = list["tools"].as_array();
        Ok(tools.ok_or_else(|| unexpected(&list))?.clone())
    }

    /// What a call of one of them gives: the result, as it came.
    ///
    /// # Errors
    ///
    /// Where the server goes away, or refuses the call.
    pub async fn call(&mut self, tool: &str, arguments: &Value) -> Result<Value> {
        let call = json!({ "name": tool, "arguments": arguments });
        self.request("tools/call", call).await
    }

    /// What a search answers.
    ///
    /// # Errors
    ///
    /// Where the server goes away.
    pub async fn search(&mut self, arguments: &Value) -> Result<String> {
        let result = self.call("search_tools", arguments).await?;
        let text = result.pointer("/content/0/text").and_then(Value::as_str);
        Ok(text.ok_or_else(|| unexpected(&result))?.to_owned())
    }

    async fn request(&mut self, method: &str, params: Value) -> Result<Value> {
        self.requests += 1;
        let id = self.requests;
        self.send(json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))
            .await?;
        loop {
            let line = self.from_server.next_line().await?;
            let line = line.ok_or(ErrorKind::UnexpectedEof)?;
            let mut message: Value = serde_json::from_str(&line)?;
            if message["id"] == id {
                let result = message.get_mut("result").map(Value::take);
                return result.ok_or_else(|| unexpected(&message));
            }
        }
    }

    async fn send(&mut self, message: Value) -> Result<()> {
        self.to_server
            .write_all(format!("{message}\n").as_bytes())
            .await?;
        self.to_server.flush().await
    }
}

fn unexpected(answer: &Value) -> Error {
    Error::other(format!("the server answered {answer}"))
}
