//! A client of the server, in the same process.

use ampoule_server::Server;
use anyhow::{Context, Result};
use serde_json::{Value, json};
use tokio::io::{
    AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf, duplex,
    split,
};

pub(crate) struct Client {
    to_server: WriteHalf<DuplexStream>,
    from_server: Lines<BufReader<ReadHalf<DuplexStream>>>,
    requests: u64,
}

impl Client {
    pub(crate) async fn of(server: Server) -> Result<Self> {
        let (here, there) = duplex(1 << 20);
        let (read, write) = split(there);
        tokio::spawn(server.serve(read, write));
        let (read, to_server) = split(here);
        let mut client = Self {
            to_server,
            from_server: BufReader::new(read).lines(),
            requests: 0,
        };
        let info = json!({ "name": "economy", "version": "1" });
        let hello =
            json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": info });
        client.request("initialize", hello).await?;
        client
            .send(json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))
            .await?;
        Ok(client)
    }

    /// The tools that a model is told of.
    pub(crate) async fn tools(&mut self) -> Result<Vec<Value>> {
        let list = self.request("tools/list", json!({})).await?;
        Ok(list["tools"].as_array().context("a list of tools")?.clone())
    }

    /// What a search answers.
    pub(crate) async fn search(&mut self, arguments: Value) -> Result<String> {
        let call = json!({ "name": "search_tools", "arguments": arguments });
        let result = self.request("tools/call", call).await?;
        let text = result.pointer("/content/0/text").and_then(Value::as_str);
        Ok(text.with_context(|| result.to_string())?.to_owned())
    }

    async fn request(&mut self, method: &str, params: Value) -> Result<Value> {
        self.requests += 1;
        let id = self.requests;
        self.send(json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))
            .await?;
        loop {
            let line = self.from_server.next_line().await?.context("an answer")?;
            let mut message: Value = serde_json::from_str(&line)?;
            if message["id"] == id {
                return message
                    .get_mut("result")
                    .map(Value::take)
                    .with_context(|| line);
            }
        }
    }

    async fn send(&mut self, message: Value) -> Result<()> {
        self.to_server
            .write_all(format!("{message}\n").as_bytes())
            .await?;
        Ok(self.to_server.flush().await?)
    }
}
