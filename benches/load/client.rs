//! A client over HTTP as lean as can be, so that what is measured is the server.

use std::io;
use std::net::SocketAddr;

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;

const VERSION: &str = "2026-07-28";

/// A connection that is kept, and whose requests follow each other.
pub(crate) struct Client {
    stream: BufReader<TcpStream>,
    token: Option<String>,
    address: SocketAddr,
}

impl Client {
    pub(crate) async fn connect(address: SocketAddr, token: Option<&str>) -> io::Result<Self> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        Ok(Self {
            stream: BufReader::with_capacity(4 << 10, stream),
            token: token.map(ToOwned::to_owned),
            address,
        })
    }

    /// Runs a script: the text of the answer, and whether it went well.
    pub(crate) async fn execute(&mut self, code: &str) -> io::Result<(String, bool)> {
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": VERSION,
            "io.modelcontextprotocol/clientInfo": { "name": "load", "version": "1" },
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let params = json!({
            "name": "execute_code",
            "arguments": { "code": code, "language": "javascript" },
            "_meta": meta,
        });
        let headers = format!(
            "mcp-protocol-version: {VERSION}\r\nmcp-method: tools/call\r\nmcp-name: execute_code\r\n"
        );
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
        let answer = self.post(&headers, &message).await?;
        let text = answer["result"]["content"][0]["text"].as_str();
        let text = text.map_or_else(|| answer.to_string(), ToOwned::to_owned);
        let well = answer["result"].is_object() && answer["result"]["isError"] != true;
        Ok((text, well))
    }

    /// Begins a session, as clients did until 2025-11-25, which then waits.
    pub(crate) async fn begin_session(&mut self) -> io::Result<()> {
        let params = json!({
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": { "name": "load", "version": "1" },
        });
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params});
        let answer = self.post("", &message).await?;
        let begun = answer["result"]["serverInfo"].is_object();
        begun.then_some(()).ok_or_else(|| odd(&answer.to_string()))
    }

    async fn post(&mut self, headers: &str, message: &Value) -> io::Result<Value> {
        let body = message.to_string();
        let token = self.token.as_ref();
        let token = token.map_or_else(String::new, |token| {
            format!("authorization: Bearer {token}\r\n")
        });
        let request = format!(
            "POST /mcp HTTP/1.1\r\nhost: {}\r\ncontent-type: application/json\r\naccept: application/json, text/event-stream\r\n{token}{headers}content-length: {}\r\n\r\n{body}",
            self.address,
            body.len(),
        );
        self.stream.get_mut().write_all(request.as_bytes()).await?;
        let answer = self.answer().await?;
        // As an event, or as it is.
        let data = answer
            .lines()
            .filter_map(|line| line.strip_prefix("data:"))
            .rfind(|data| data.trim_start().starts_with('{'));
        let json = data.unwrap_or(&answer);
        serde_json::from_str(json).map_err(|_| odd(&answer))
    }

    /// The body of an answer, of whichever length.
    async fn answer(&mut self) -> io::Result<String> {
        let (mut length, mut chunked) = (0, false);
        let status = self.line().await?;
        loop {
            let line = self.line().await?.to_ascii_lowercase();
            match line.split_once(':') {
                Some(("content-length", value)) => {
                    length = value.trim().parse().map_err(|_| odd(&line))?;
                }
                Some(("transfer-encoding", _)) => chunked = true,
                Some(_) => {}
                None => break,
            }
        }
        let mut body = Vec::new();
        loop {
            let bytes = if chunked {
                let size = self.line().await?;
                usize::from_str_radix(&size, 16).map_err(|_| odd(&size))?
            } else {
                length
            };
            let before = body.len();
            body.resize(before + bytes, 0);
            self.stream.read_exact(&mut body[before..]).await?;
            if !chunked {
                break;
            }
            self.line().await?;
            if bytes == 0 {
                break;
            }
        }
        let body = String::from_utf8_lossy(&body).into_owned();
        match status.contains(" 200 ") {
            true => Ok(body),
            false => Err(odd(&format!("{status}: {body}"))),
        }
    }

    async fn line(&mut self) -> io::Result<String> {
        let mut line = String::new();
        match self.stream.read_line(&mut line).await? {
            0 => Err(io::ErrorKind::UnexpectedEof.into()),
            _ => Ok(line.trim_end().to_owned()),
        }
    }
}

fn odd(what: &str) -> io::Error {
    io::Error::other(what.to_owned())
}
