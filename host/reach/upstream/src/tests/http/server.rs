//! A small server of HTTP, whose answers a test makes: well or badly, whole or in pieces.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;
use tokio_util::sync::CancellationToken;

use super::method;

/// What the server got.
#[derive(Debug, Clone)]
pub(super) struct Request {
    pub(super) method: String,
    pub(super) path: String,
    headers: Vec<(String, String)>,
    pub(super) body: Value,
}

impl Request {
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        let mut headers = self.headers.iter();
        let found = headers.find(|(header, _)| header == name);
        found.map(|(_, value)| value.as_str())
    }

    /// The method of its message.
    pub(super) fn asks(&self) -> &str {
        method(&self.body)
    }
}

/// What the server says.
#[derive(Debug, Clone)]
pub(super) struct Reply {
    status: u16,
    headers: Vec<(String, String)>,
    body: Vec<Part>,
}

#[derive(Debug, Clone)]
pub(super) enum Part {
    Bytes(Vec<u8>),
    Pause(Duration),
    /// What follows comes once this is cancelled.
    Until(CancellationToken),
    /// What is put there, as it is put there, until nobody listens.
    Live(Arc<Mutex<Vec<u8>>>),
    /// Again and again, until nobody listens.
    Endless(Vec<u8>, Duration),
    /// Nothing more comes, and the connection stays.
    Hang,
    /// The connection is closed in the middle.
    Break,
}

impl Reply {
    pub(super) fn new(status: u16, kind: &str, body: impl Into<Vec<u8>>) -> Self {
        Self {
            status,
            headers: vec![("content-type".to_owned(), kind.to_owned())],
            body: vec![Part::Bytes(body.into())],
        }
    }

    pub(super) fn status(status: u16) -> Self {
        Self::new(status, "text/plain", "")
    }

    /// The answer to a request.
    pub(super) fn result(request: &Request, result: &Value) -> Self {
        let body = json!({ "jsonrpc": "2.0", "id": request.body["id"], "result": result });
        Self::new(200, "application/json", body.to_string())
    }

    /// The answer to a call.
    pub(super) fn said(request: &Request, text: &str) -> Self {
        let content = json!({ "content": [{ "type": "text", "text": text }] });
        Self::result(request, &content)
    }

    pub(super) fn events(text: impl Into<Vec<u8>>) -> Self {
        Self::new(200, "text/event-stream", text)
    }

    pub(super) fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// The same body, after this.
    pub(super) fn after(mut self, part: Part) -> Self {
        self.body.insert(0, part);
        self
    }

    pub(super) fn then(mut self, part: Part) -> Self {
        self.body.push(part);
        self
    }
}

/// An event with this result of a call.
pub(super) fn event(request: &Request, text: &str) -> String {
    let result = json!({ "content": [{ "type": "text", "text": text }] });
    let message = json!({ "jsonrpc": "2.0", "id": request.body["id"], "result": result });
    format!("data: {message}\n\n")
}

/// A server. It ends with its test.
pub(super) struct Server {
    pub(super) url: String,
    seen: Arc<Mutex<Vec<Request>>>,
    open: Arc<AtomicUsize>,
}

impl Server {
    /// What it got, in order.
    pub(super) fn seen(&self) -> Vec<Request> {
        self.seen.lock().clone()
    }

    /// What it got that asks for this.
    pub(super) fn asked(&self, what: &str) -> Vec<Request> {
        let mut seen = self.seen();
        seen.retain(|request| request.asks() == what || request.method == what);
        seen
    }

    /// Waits until it got so many requests that ask for this.
    pub(super) async fn asked_for(&self, what: &str, times: usize) -> Vec<Request> {
        loop {
            let asked = self.asked(what);
            if asked.len() >= times {
                return asked;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    /// Lets go of what it got.
    pub(super) fn forget(&self) {
        self.seen.lock().clear();
    }

    /// Waits until nobody is connected.
    pub(super) async fn is_left(&self) {
        while self.open.load(Ordering::Relaxed) > 0 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
}

type Answer = Arc<dyn Fn(&Request) -> Reply + Send + Sync>;

/// A server that answers so.
pub(super) async fn serve(answer: impl Fn(&Request) -> Reply + Send + Sync + 'static) -> Server {
    start(Arc::new(answer), None).await
}

/// The same behind TLS.
pub(super) async fn serve_tls(
    tls: TlsAcceptor,
    answer: impl Fn(&Request) -> Reply + Send + Sync + 'static,
) -> Server {
    start(Arc::new(answer), Some(tls)).await
}

async fn start(answer: Answer, tls: Option<TlsAcceptor>) -> Server {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let scheme = if tls.is_some() { "https" } else { "http" };
    let server = Server {
        url: format!("{scheme}://localhost:{port}/mcp"),
        seen: Arc::default(),
        open: Arc::default(),
    };
    let (seen, open) = (Arc::clone(&server.seen), Arc::clone(&server.open));
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let (answer, seen, open) = (Arc::clone(&answer), Arc::clone(&seen), Arc::clone(&open));
            let tls = tls.clone();
            open.fetch_add(1, Ordering::Relaxed);
            tokio::spawn(async move {
                match tls {
                    Some(tls) => {
                        if let Ok(stream) = tls.accept(stream).await {
                            let _ = talk(stream, &answer, &seen).await;
                        }
                    }
                    None => drop(talk(stream, &answer, &seen).await),
                }
                open.fetch_sub(1, Ordering::Relaxed);
            });
        }
    });
    server
}

/// A server of the older protocol, with a session, but for what is answered otherwise.
pub(super) async fn session(
    answer: impl Fn(&Request) -> Option<Reply> + Send + Sync + 'static,
) -> Server {
    serve(move |request| answer(request).unwrap_or_else(|| usual(request))).await
}

/// What a server of the older protocol says.
pub(super) fn usual(request: &Request) -> Reply {
    match (&*request.method, request.asks()) {
        ("GET", _) => Reply::status(405),
        ("DELETE", _) => Reply::status(200),
        (_, "initialize") => {
            let result =
                json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "serverInfo": {} });
            Reply::result(request, &result).header("Mcp-Session-Id", "s-1")
        }
        (_, "tools/list") => Reply::result(request, &json!({ "tools": [] })),
        (_, "tools/call") => Reply::said(request, "done"),
        (_, "server/discover") => {
            let error = json!({ "code": -32601, "message": "what?" });
            let body = json!({ "jsonrpc": "2.0", "id": null, "error": error });
            Reply::new(400, "application/json", body.to_string())
        }
        _ => Reply::status(202),
    }
}

/// What a server of the newer protocol says.
pub(super) fn stateless(request: &Request) -> Reply {
    match request.asks() {
        "server/discover" => {
            let result = json!({
                "supportedVersions": ["2026-07-28"],
                "capabilities": { "tools": {} },
                "resultType": "complete",
            });
            Reply::result(request, &result)
        }
        "initialize" => Reply::status(400),
        _ => usual(request),
    }
}

async fn talk(
    stream: impl AsyncRead + AsyncWrite + Unpin,
    answer: &Answer,
    seen: &Mutex<Vec<Request>>,
) -> std::io::Result<()> {
    let mut stream = BufReader::new(stream);
    while let Some(request) = read(&mut stream).await? {
        seen.lock().push(request.clone());
        write(&mut stream, answer(&request)).await?;
    }
    Ok(())
}

async fn read(
    stream: &mut (impl AsyncBufReadExt + AsyncRead + Unpin),
) -> std::io::Result<Option<Request>> {
    let mut line = String::new();
    if stream.read_line(&mut line).await? == 0 {
        return Ok(None);
    }
    let mut words = line.split(' ').map(ToOwned::to_owned);
    let (method, path) = (words.next().unwrap(), words.next().unwrap());
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        stream.read_line(&mut line).await?;
        let Some((name, value)) = line.trim_end().split_once(": ") else {
            break;
        };
        headers.push((name.to_lowercase(), value.to_owned()));
    }
    let mut request = Request {
        method,
        path,
        headers,
        body: Value::Null,
    };
    let length = request
        .header("content-length")
        .map_or(0, |it| it.parse().unwrap());
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await?;
    request.body = serde_json::from_slice(&body).unwrap_or_default();
    Ok(Some(request))
}

async fn write(
    stream: &mut (impl AsyncRead + AsyncWrite + Unpin),
    reply: Reply,
) -> std::io::Result<()> {
    let mut head = format!(
        "HTTP/1.1 {} X\r\ntransfer-encoding: chunked\r\n",
        reply.status
    );
    for (name, value) in &reply.headers {
        head += &format!("{name}: {value}\r\n");
    }
    stream.write_all(format!("{head}\r\n").as_bytes()).await?;
    for part in reply.body {
        match part {
            Part::Bytes(bytes) => chunk(stream, &bytes).await?,
            Part::Pause(pause) => tokio::time::sleep(pause).await,
            Part::Until(told) => told.cancelled().await,
            Part::Endless(bytes, pause) => loop {
                chunk(stream, &bytes).await?;
                tokio::time::sleep(pause).await;
            },
            Part::Live(bytes) => loop {
                let bytes = std::mem::take(&mut *bytes.lock());
                // A comment shows whether somebody listens.
                chunk(stream, if bytes.is_empty() { b":\n" } else { &bytes }).await?;
                tokio::time::sleep(Duration::from_millis(10)).await;
            },
            Part::Hang => {
                // Until the client closes the connection.
                let _ = stream.read_u8().await;
                return Err(std::io::ErrorKind::ConnectionAborted.into());
            }
            Part::Break => return Err(std::io::ErrorKind::ConnectionAborted.into()),
        }
    }
    stream.write_all(b"0\r\n\r\n").await?;
    stream.flush().await
}

async fn chunk(stream: &mut (impl AsyncWrite + Unpin), bytes: &[u8]) -> std::io::Result<()> {
    if !bytes.is_empty() {
        stream
            .write_all(format!("{:x}\r\n", bytes.len()).as_bytes())
            .await?;
        stream.write_all(bytes).await?;
        stream.write_all(b"\r\n").await?;
        stream.flush().await?;
    }
    Ok(())
}
