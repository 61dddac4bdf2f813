//! A server on a real socket, and requests that are written by hand.

mod attacks;
mod eras;
mod groups;
mod leaving;
mod people;
mod ready;
mod resuming;
mod side_service;
mod stopping;
mod toolkits;
mod vanishing;
mod watching;

use std::future::pending;
use std::net::SocketAddr;
use std::time::Duration;

use ampoule::{Functions, Grant, Runtime, RuntimeBuilder};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::{oneshot, watch};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::{Address, Http, Listener, Options};
use crate::{ClientComponents, Exposure, Server};

/// Longer than anything takes on a slow machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// A server, until it is dropped.
struct Served {
    address: SocketAddr,
    /// How many calls of `tools.test.hang` are under way.
    hanging: watch::Receiver<usize>,
    stop: Option<oneshot::Sender<()>>,
    ended: JoinHandle<()>,
}

#[derive(Deserialize, JsonSchema)]
struct Nothing {}

struct Hangs(watch::Sender<usize>);

impl Drop for Hangs {
    fn drop(&mut self) {
        self.0.send_modify(|hanging| *hanging -= 1);
    }
}

async fn served(options: Options) -> Served {
    serving(Runtime::builder(), options).await
}

async fn serving(runtime: RuntimeBuilder, options: Options) -> Served {
    exposing(runtime, options, Exposure::default()).await
}

async fn exposing(runtime: RuntimeBuilder, options: Options, exposure: Exposure) -> Served {
    let (hangs, hanging) = watch::channel(0);
    let tools = Functions::new("test").tool("hang", "Never answers.", move |_: Nothing| {
        hangs.send_modify(|hanging| *hanging += 1);
        let hangs = Hangs(hangs.clone());
        async move {
            let _hangs = hangs;
            pending::<Result<(), String>>().await
        }
    });
    let log = json!({"name": "log", "inputSchema": {"type": "object"}});
    let tools = tools.raw(serde_json::from_value(log).unwrap(), crate::tests::logged);
    let runtime = runtime.binding(tools).build().unwrap();
    let server = Server::new(runtime, Grant::all(), &ClientComponents::default()).unwrap();
    let mut served = running(server.exposure(exposure), options).await;
    served.hanging = hanging;
    served
}

async fn running(server: Server, options: Options) -> Served {
    let (_, hanging) = watch::channel(0);
    listening(server, options, hanging).await
}

async fn listening(server: Server, options: Options, hanging: watch::Receiver<usize>) -> Served {
    let http = Http::new(server, options).unwrap();
    let listener = Listener::bind(&"0".parse::<Address>().unwrap())
        .await
        .unwrap();
    let address = ([127, 0, 0, 1], listener.port().unwrap()).into();
    let (stop, stopped) = oneshot::channel();
    let ended = tokio::spawn(http.serve(vec![listener], async {
        let _ = stopped.await;
    }));
    Served {
        address,
        hanging,
        stop: Some(stop),
        ended,
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.ended.abort();
    }
}

impl Served {
    async fn connect(&self) -> TcpStream {
        TcpStream::connect(self.address).await.unwrap()
    }

    /// What is answered to these bytes, until the server closes the connection.
    async fn answers(&self, bytes: impl AsRef<[u8]>) -> Answer {
        let mut stream = self.connect().await;
        // It may have been refused before it was read whole.
        let _ = stream.write_all(bytes.as_ref()).await;
        Answer::read(stream).await
    }

    /// What is answered to a message.
    async fn post(&self, headers: &[(&str, &str)], message: &Value) -> Answer {
        self.answers(post(headers, &message.to_string())).await
    }

    /// Begins a session; gives its id.
    async fn session(&self) -> String {
        let begun = self.post(&[], &initialize()).await;
        begun
            .header("mcp-session-id")
            .expect("a session")
            .to_owned()
    }

    /// Waits until that many calls hang.
    async fn hang(&mut self, calls: usize) {
        let hang = self.hanging.wait_for(|hanging| *hanging == calls);
        let _ = timeout(PATIENCE, hang).await.expect("calls that hang");
    }
}

/// What a server answered.
#[derive(Debug)]
struct Answer(String);

impl Answer {
    async fn read(mut stream: TcpStream) -> Self {
        let mut bytes = Vec::new();
        let read = timeout(PATIENCE, stream.read_to_end(&mut bytes)).await;
        // A connection may be reset by who refuses what is still being sent.
        let _ = read.expect("an end of the connection");
        Self(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// None where it answered nothing.
    fn status(&self) -> Option<u16> {
        self.0.get(9..12)?.parse().ok()
    }

    fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.0.lines().take_while(|line| !line.is_empty());
        lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
    }

    /// How many answers there are.
    fn count(&self) -> usize {
        self.0.matches("HTTP/1.1 ").count()
    }

    /// Every message in it.
    fn messages(&self) -> Vec<Value> {
        let lines = self.0.lines();
        let json = lines.map(|line| line.strip_prefix("data: ").unwrap_or(line));
        json.filter(|line| line.starts_with('{'))
            .map(|line| serde_json::from_str(line).expect("a message"))
            .collect()
    }

    /// The last of them.
    fn message(&self) -> Value {
        let last = self.messages().pop();
        last.unwrap_or_else(|| panic!("a message in {self:?}"))
    }
}

fn post(headers: &[(&str, &str)], body: &str) -> String {
    format!(
        "{}content-length: {}\r\n\r\n{body}",
        head(headers),
        body.len()
    )
}

/// The head of a request, but for how long it is.
fn head(headers: &[(&str, &str)]) -> String {
    let mut head = "POST /mcp HTTP/1.1\r\n".to_owned();
    let usual = [
        ("host", "localhost"),
        ("connection", "close"),
        ("content-type", "application/json"),
        ("accept", "application/json, text/event-stream"),
    ];
    let others = usual
        .iter()
        .filter(|(name, _)| headers.iter().all(|(own, _)| own != name));
    for (name, value) in others.chain(headers) {
        head += &format!("{name}: {value}\r\n");
    }
    head
}

fn initialize() -> Value {
    initialize_with(json!({}))
}

fn initialize_with(capabilities: Value) -> Value {
    let client = json!({"name": "test", "version": "1"});
    let params = json!({"protocolVersion": "2025-11-25", "capabilities": capabilities, "clientInfo": client});
    json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params})
}

fn request(method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
}

fn execute(code: &str) -> Value {
    let arguments = json!({"code": code, "language": "javascript"});
    request(
        "tools/call",
        json!({"name": "execute_code", "arguments": arguments}),
    )
}

/// A message of the protocol's stateless form, with its headers.
fn stateless(message: Value) -> (Vec<(&'static str, String)>, Value) {
    stateless_with(message, json!({}))
}

/// The same of a client with these capabilities.
fn stateless_with(mut message: Value, capabilities: Value) -> (Vec<(&'static str, String)>, Value) {
    for (key, value) in [
        ("protocolVersion", json!("2026-07-28")),
        ("clientInfo", json!({"name": "test", "version": "1"})),
        ("clientCapabilities", capabilities),
    ] {
        message["params"]["_meta"][format!("io.modelcontextprotocol/{key}")] = value;
    }
    let mut headers = vec![
        ("mcp-protocol-version", "2026-07-28".to_owned()),
        ("mcp-method", message["method"].as_str().unwrap().to_owned()),
    ];
    if let Some(name) = message["params"]["name"].as_str() {
        headers.push(("mcp-name", name.to_owned()));
    }
    (headers, message)
}

/// A way to send requests: in a session, or each for itself.
struct Era<'a> {
    served: &'a Served,
    session: Option<String>,
}

impl Era<'_> {
    /// Both ways.
    async fn both(served: &Served) -> [Era<'_>; 2] {
        let session = Some(served.session().await);
        [
            Era { served, session },
            Era {
                served,
                session: None,
            },
        ]
    }

    /// A request as it is sent.
    fn written(&self, message: Value) -> String {
        match &self.session {
            Some(session) => post(&[("mcp-session-id", session)], &message.to_string()),
            None => {
                let (headers, message) = stateless(message);
                let headers: Vec<_> = headers
                    .iter()
                    .map(|(name, value)| (*name, &**value))
                    .collect();
                post(&headers, &message.to_string())
            }
        }
    }

    async fn ask(&self, message: Value) -> Answer {
        self.served.answers(self.written(message)).await
    }
}
