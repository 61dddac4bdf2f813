//! Servers with clients that say each line themselves, and a tool that waits until it is let go.

mod abilities;
mod apps;
mod direct_calls;
mod direct_tools;
mod exposure;
mod governed;
mod lines;
mod offers;
mod operators;
mod outcomes;
mod people;
mod questions;
mod runs;
mod tasks;
mod tasks_of_2025;
mod toolkits;
pub(crate) mod watching;
mod whole_results;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Duration;

use ampoule::{
    Ask, AskKind, CallContext, CallError, Functions, Grant, Notice, Runtime, Tool, ToolResult,
};
use serde_json::{Map, Value, json};
use tokio::io::{
    AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf,
};
use tokio::sync::Notify;

use super::{ClientComponents, Server};
use crate::runs::clients::{Bounds, ClientStates};

/// Longer than anything takes on a loaded machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// A server, and how many calls of its tools are under way.
struct Serving {
    server: Server,
    calls: Arc<AtomicUsize>,
    let_go: Arc<Notify>,
}

/// A call that is under way.
struct Call(Arc<AtomicUsize>);

impl Call {
    fn begin(calls: &Arc<AtomicUsize>) -> Self {
        calls.fetch_add(1, Relaxed);
        Self(Arc::clone(calls))
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Relaxed);
    }
}

fn tool(name: &str) -> Tool {
    let tool = json!({ "name": name, "inputSchema": { "type": "object" } });
    serde_json::from_value(tool).unwrap()
}

/// Logs its arguments; says from which level on lines are wanted, and whether this one is.
pub(crate) async fn logged(
    params: Map<String, Value>,
    context: CallContext,
) -> Result<ToolResult, CallError> {
    let respondent = context.respondent().expect("a client");
    let wanted = respondent.log_level();
    let server = "test".into();
    let heard = respondent.hear(Notice::Log { server, params });
    ToolResult::returned(&json!([wanted, heard]))
}

/// Says that what was asked for is done.
async fn done(_: Map<String, Value>, context: CallContext) -> Result<ToolResult, CallError> {
    let respondent = context.respondent().expect("a client");
    let (server, elicitation) = ("test".into(), "e1".to_owned());
    let heard = respondent.hear(Notice::Done {
        server,
        elicitation,
    });
    ToolResult::returned(&heard)
}

impl Serving {
    fn new() -> Self {
        let (calls, let_go) = (Arc::<AtomicUsize>::default(), Arc::<Notify>::default());
        let (counted, held) = (Arc::clone(&calls), Arc::clone(&let_go));
        let wait = move |_, _| {
            let (call, held) = (Call::begin(&counted), Arc::clone(&held));
            async move {
                let _call = call;
                held.notified().await;
                Ok(ToolResult::default())
            }
        };
        let functions = Functions::new("test").raw(tool("wait"), wait).raw(
            tool("ask"),
            async |_, context| {
                let params = json!({ "message": "Who?", "requestedSchema": { "type": "object", "properties": {} } });
                let params = params.as_object().cloned().unwrap_or_default();
                let ask = Ask::new("test".into(), AskKind::Form, params);
                let respondent = context.respondent().cloned();
                let respondent = respondent.ok_or_else(|| CallError::Refused("nobody".into()))?;
                let answer = respondent.answer(ask).await.map_err(CallError::Refused)?;
                let content = json!({ "type": "text", "text": Value::from(answer).to_string() });
                Ok(ToolResult {
                    content: vec![serde_json::from_value(content).unwrap()],
                    ..ToolResult::default()
                })
            },
        );
        let functions = functions.raw(tool("log"), logged).raw(tool("done"), done);
        let runtime = Runtime::builder().binding(functions).build().unwrap();
        let server = Server::new(runtime, Grant::all(), &ClientComponents::default()).unwrap();
        Self {
            server,
            calls,
            let_go,
        }
    }

    /// One that keeps no more than this.
    fn keeping(bounds: Bounds) -> Self {
        let mut serving = Self::new();
        let shared = Arc::get_mut(&mut serving.server.runs.shared).expect("no client yet");
        shared.clients = ClientStates::new(Some(Arc::new(|_, _| Ok(()))), bounds);
        serving
    }

    fn client(&self) -> Client {
        Client::of(&self.server)
    }

    /// One that opens a session, as all did before 2026-07-28.
    async fn client_with_session(&self) -> Client {
        self.client().with_session().await
    }

    /// Waits until so many calls are under way.
    async fn calls(&self, wanted: usize) {
        let reached = async {
            while self.calls.load(Relaxed) != wanted {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        let in_time = tokio::time::timeout(PATIENCE, reached).await;
        let there = self.calls.load(Relaxed);
        assert!(in_time.is_ok(), "{there} calls are under way, not {wanted}");
    }

    /// Nothing is left of any run but what is kept: no call, no run that is seen.
    async fn is_idle(&self) {
        self.calls(0).await;
        let gone = async {
            while !self.server.runs.shared.registry.are_none_under_way() {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        let in_time = tokio::time::timeout(PATIENCE, gone).await;
        assert!(in_time.is_ok(), "runs are left");
    }
}

/// A client; of 2026-07-28, where each request stands for itself, or with a session.
struct Client {
    lines: Lines<BufReader<ReadHalf<DuplexStream>>>,
    write: WriteHalf<DuplexStream>,
    next: u64,
    capabilities: Value,
    has_session: bool,
}

impl Client {
    /// A client that can show forms.
    fn of(server: &Server) -> Self {
        let (ours, theirs) = tokio::io::duplex(1 << 20);
        let (read, write) = tokio::io::split(theirs);
        tokio::spawn(server.clone().serve(read, write));
        let (read, write) = tokio::io::split(ours);
        Self {
            lines: BufReader::new(read).lines(),
            write,
            next: 1,
            capabilities: json!({ "elicitation": { "form": {} } }),
            has_session: false,
        }
    }

    /// The same, with a session that it opens.
    async fn with_session(mut self) -> Self {
        self.has_session = true;
        let hello = json!({
            "protocolVersion": "2025-11-25",
            "capabilities": self.capabilities,
            "clientInfo": { "name": "tester", "version": "1" },
        });
        let info = self.ask("initialize", hello).await;
        assert_eq!(info["result"]["protocolVersion"], "2025-11-25", "{info}");
        let initialized = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        self.say(&initialized).await;
        self
    }

    async fn send(&mut self, method: &str, mut params: Value) -> u64 {
        if !self.has_session {
            let meta = &mut params["_meta"];
            meta["io.modelcontextprotocol/protocolVersion"] = json!("2026-07-28");
            meta["io.modelcontextprotocol/clientInfo"] =
                json!({ "name": "tester", "version": "1" });
            meta["io.modelcontextprotocol/clientCapabilities"] = self.capabilities.clone();
        }
        let id = self.next;
        self.next += 1;
        self.say(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))
            .await;
        id
    }

    async fn say(&mut self, message: &Value) {
        let line = format!("{message}\n");
        self.write.write_all(line.as_bytes()).await.unwrap();
    }

    /// The answer to a request, and what came before it.
    async fn answer(&mut self, id: u64) -> (Value, Vec<Value>) {
        let mut before = Vec::new();
        loop {
            let message = self.message().await;
            if message["id"] == id && message.get("method").is_none() {
                return (message, before);
            }
            before.push(message);
        }
    }

    /// What comes next.
    async fn message(&mut self) -> Value {
        let line = tokio::time::timeout(PATIENCE, self.lines.next_line()).await;
        let line = line.expect("in time").unwrap().expect("an answer");
        serde_json::from_str(&line).unwrap()
    }

    async fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.send(method, params).await;
        self.answer(id).await.0
    }

    /// Calls `execute_code`.
    async fn execute(&mut self, arguments: Value) -> Value {
        let call = json!({ "name": "execute_code", "arguments": arguments });
        let answer = self.ask("tools/call", call).await;
        assert!(answer["result"].is_object(), "{answer}");
        answer["result"].clone()
    }
}

/// The first text of a result.
fn text(result: &Value) -> &str {
    let text = result["content"][0]["text"].as_str();
    text.unwrap_or_else(|| panic!("no text: {result}"))
}

/// The id in what is said of a run that goes on.
fn id_in(result: &Value) -> String {
    let said = text(result);
    let id = said
        .strip_prefix("Run ")
        .and_then(|said| said.split_once(' '));
    let (id, rest) = id.unwrap_or_else(|| panic!("{said}"));
    assert!(rest.starts_with("continues ("), "{said}");
    id.to_owned()
}

fn object(value: Value) -> Map<String, Value> {
    value.as_object().cloned().expect("an object")
}
