//! `forward`: calls that are forwarded to MCP servers, against the same calls made directly with
//! `rmcp`'s client, in one run: by pipes and by HTTP, one after the other and 50 at once.
//!
//! The server is `rmcp`'s, in a process of its own. Both clients speak the same version of the
//! protocol, and take turns.

#![expect(clippy::print_stdout, reason = "a bench prints what it measured")]

use std::env;
use std::process::Stdio;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ampoule_tools::{Binding, CallContext};
use ampoule_upstream::{RemoteServer, ServerCommand, Upstream, UpstreamOptions};
use futures::future::{join_all, try_join_all};
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto::Builder;
use hyper_util::service::TowerToHyperService;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ListToolsResult,
    PaginatedRequestParams, ProtocolVersion, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::{ClientLifecycleMode, ClientServiceExt, RequestContext, RunningService};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpClientTransport, StreamableHttpService, TokioChildProcess};
use rmcp::{ErrorData, RoleClient, RoleServer, ServerHandler, ServiceExt};
use serde_json::{Map, Value, json};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::net::TcpListener;
use tokio::process::Command;

/// What a process of this program is: a server, by that transport.
const SERVE: &str = "AMPOULE_BENCH_SERVE";
/// How many calls are made one after the other, and how many times 50 at once.
const CALLS: usize = 1000;
const AT_ONCE: usize = 50;
/// How often each is measured: the median counts.
const ROUNDS: usize = 9;

/// A server that gives back what it is given.
#[derive(Clone)]
struct Echo;

impl ServerHandler for Echo {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let schema = json!({ "type": "object", "properties": { "text": { "type": "string" } } });
        let Value::Object(schema) = schema else {
            unreachable!()
        };
        let tool = Tool::new("echo", "Gives back a text", Arc::new(schema));
        Ok(ListToolsResult::with_all_items(vec![tool]))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = request.arguments.unwrap_or_default();
        let text = arguments["text"].as_str().unwrap_or_default().to_owned();
        Ok(CallToolResult::success(vec![ContentBlock::text(text)]).into())
    }
}

async fn serve_stdio() {
    let service = Echo
        .serve(rmcp::transport::stdio())
        .await
        .expect("a client");
    let _ = service.waiting().await;
}

/// Serves until the process ends, and says on a line where.
async fn serve_http() {
    let sessions = Arc::new(LocalSessionManager::default());
    let service = StreamableHttpService::new(|| Ok(Echo), sessions, Default::default());
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    println!("http://{}/mcp", listener.local_addr().expect("an address"));
    loop {
        let (stream, _) = listener.accept().await.expect("a connection");
        let service = TowerToHyperService::new(service.clone());
        tokio::spawn(async move {
            let builder = Builder::new(TokioExecutor::new());
            let _ = builder
                .serve_connection(TokioIo::new(stream), service)
                .await;
        });
    }
}

fn this_program(serves: &str) -> Command {
    let mut command = Command::new(env::current_exe().expect("a program"));
    command.env(SERVE, serves).kill_on_drop(true);
    command
}

/// One of the two clients.
enum Client {
    Direct(RunningService<RoleClient, ()>),
    Forwarded(Upstream),
}

impl Client {
    async fn call(&self, text: &str) {
        let arguments = Map::from_iter([("text".to_owned(), Value::from(text))]);
        let answer = match self {
            Self::Direct(client) => {
                let call = CallToolRequestParams::new("echo").with_arguments(arguments);
                let result = client.call_tool(call).await.expect("an answer");
                json!(result.content)
            }
            Self::Forwarded(upstream) => {
                let context = CallContext::without_a_run("echo", "echo", 1 << 20);
                let result = upstream.call("echo", arguments, context).await;
                json!(result.expect("an answer").content)
            }
        };
        assert_eq!(answer[0]["text"], text);
    }

    /// How long a thousand calls take, one after the other or 50 at once.
    async fn take(&self, at_once: usize) -> Duration {
        let began = Instant::now();
        for _ in 0..CALLS / at_once {
            join_all((0..at_once).map(|_| self.call("Birch & Bolt"))).await;
        }
        began.elapsed()
    }
}

/// The medians of the two, measured in turns.
async fn medians(clients: [&Client; 2], at_once: usize) -> [Duration; 2] {
    let mut took = [Vec::new(), Vec::new()];
    for client in clients {
        client.take(at_once).await;
    }
    for _ in 0..ROUNDS {
        for (client, took) in clients.iter().zip(&mut took) {
            took.push(client.take(at_once).await);
        }
    }
    took.map(|mut took| {
        took.sort();
        took[ROUNDS / 2]
    })
}

async fn compare(transport: &str, direct: Client, forwarded: Client) {
    for at_once in [1, AT_ONCE] {
        let [direct, forwarded] = medians([&direct, &forwarded], at_once).await;
        println!(
            "forward/{transport}/{at_once:<3} a thousand calls: {:.1} ms directly, {:.1} ms forwarded, {:.2} x",
            direct.as_secs_f64() * 1e3,
            forwarded.as_secs_f64() * 1e3,
            forwarded.as_secs_f64() / direct.as_secs_f64()
        );
    }
}

/// The one that Ampoule finds, too.
fn lifecycle() -> ClientLifecycleMode {
    ClientLifecycleMode::Discover {
        preferred_versions: vec![ProtocolVersion::V_2026_07_28],
    }
}

async fn measure() {
    let options = || UpstreamOptions {
        concurrency: 1_000,
        ..UpstreamOptions::default()
    };
    let program = env::current_exe().expect("a program");
    let transport = TokioChildProcess::new(this_program("stdio")).expect("a process");
    let client = ().serve_with_lifecycle(transport, lifecycle());
    let direct = Client::Direct(client.await.expect("a server"));
    let command = ServerCommand::new(program).env(SERVE, "stdio");
    let forwarded = Client::Forwarded(Upstream::stdio("echo", command, options()));
    compare("stdio", direct, forwarded).await;

    let started = try_join_all((0..2).map(|_| started())).await;
    let [(_one, first), (_two, second)] = <[_; 2]>::try_from(started.expect("servers"))
        .unwrap_or_else(|_| unreachable!("two were started"));
    let transport = StreamableHttpClientTransport::from_uri(first);
    let client = ().serve_with_lifecycle(transport, lifecycle());
    let direct = Client::Direct(client.await.expect("a server"));
    let server = RemoteServer::new(&second).expect("an address");
    let forwarded = Client::Forwarded(Upstream::remote("echo", server, options()));
    compare("http", direct, forwarded).await;
}

/// A server by HTTP in a process of its own, and its address.
async fn started() -> std::io::Result<(tokio::process::Child, String)> {
    let mut child = this_program("http").stdout(Stdio::piped()).spawn()?;
    let stdout = child.stdout.take().expect("it is piped");
    let mut line = String::new();
    BufReader::new(stdout).read_line(&mut line).await?;
    Ok((child, line.trim().to_owned()))
}

#[tokio::main]
async fn main() {
    // rmcp's client takes what the process has.
    let _ = rustls::crypto::ring::default_provider().install_default();
    match env::var(SERVE).as_deref() {
        Ok("stdio") => serve_stdio().await,
        Ok(_) => serve_http().await,
        Err(_) => measure().await,
    }
}
