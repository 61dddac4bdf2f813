//! One API, measured from its description to the first call.

use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ampoule::apis::{ApiServer, GraphqlApi, GraphqlServer, HttpApi, Source};
use ampoule::{Binding, CallContext, Grant, Runtime};
use ampoule_benches::{executor, physical_memory};
use ampoule_projection::Detail;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use super::descriptions::Kind;

/// How many tools a search gives.
const FOUND: usize = 10;

/// What was measured: times in milliseconds, memory in MiB.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(super) struct Measured {
    /// The description's size.
    pub(super) bytes: u64,
    /// From nothing to tools.
    pub(super) read: f64,
    /// All tools, with their names and what they do.
    pub(super) list: f64,
    /// The first search, which makes the index, and a later one.
    pub(super) first_search: f64,
    pub(super) search: f64,
    /// The declaration of one tool.
    pub(super) declaration: f64,
    /// The first call of a tool, with a server on this machine.
    pub(super) first_call: f64,
    /// What all of that took of memory, once the tools were read, and in the end.
    pub(super) memory_read: f64,
    pub(super) memory: f64,
}

impl Measured {
    /// In another process, which has no memory of others.
    pub(super) fn elsewhere(kind: Kind, count: usize) -> Self {
        let this = std::env::current_exe().expect("this program");
        let mut command = Command::new(this);
        let output = command.args([kind.name(), &count.to_string()]).output();
        let output = output.expect("a process");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{said}");
        serde_json::from_slice(&output.stdout).expect("figures")
    }

    pub(super) fn written(&self) -> String {
        serde_json::to_string(self).expect("figures")
    }

    pub(super) fn of(kind: Kind, count: usize) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let path = kind.write(folder.path(), count);
        executor().block_on(measure(kind, count, &path))
    }
}

async fn measure(kind: Kind, count: usize, path: &Path) -> Measured {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = format!("http://{}", listener.local_addr().expect("an address"));
    // Any tool will do, as long as it is not the first.
    let called = format!("getThing{}", count / 2);
    tokio::spawn(serve(listener, answer(kind, &called)));
    let before = physical_memory().private;
    let api = api(kind, path, address);

    let begun = Instant::now();
    let tools = api.tools().await.expect("tools");
    let read = begun.elapsed();
    assert_eq!(tools.len(), count);
    let memory_read = physical_memory().private - before;

    let runtime = Runtime::builder().binding(Arc::clone(&api)).build();
    let runtime = runtime.expect("a runtime");
    let granted = runtime.tools(Grant::all()).expect("tools");
    let server = granted.server("estate").expect("a server");
    let begun = Instant::now();
    let all = granted.tools_of(server).await.expect("tools");
    let names: usize = all.iter().map(|tool| tool.summary().identifier.len()).sum();
    let list = begun.elapsed();
    assert!(names >= count * "getThing0".len());

    let search = async || {
        let begun = Instant::now();
        let found = granted.search("thing of a group with its owner", FOUND, None);
        let found = found.await.expect("an answer");
        assert_eq!(found.hits.len(), FOUND.min(count));
        (begun.elapsed(), found)
    };
    let (first_search, found) = search().await;
    let (search, _) = search().await;

    let begun = Instant::now();
    let declaration = found.hits[0].declare(Detail::Full);
    let declared = begun.elapsed();
    assert!(declaration.contains("limit"), "{declaration}");

    let arguments = Map::from_iter([("id".to_owned(), json!("7"))]);
    let context = CallContext::without_a_run("estate", &called, 1 << 20);
    let begun = Instant::now();
    let name = tool_named(&tools, &called);
    let result = api.call(&name, arguments, context);
    let result = result.await.expect("a result");
    let first_call = begun.elapsed();
    assert!(!result.is_error, "{result:?}");

    Measured {
        bytes: std::fs::metadata(path).expect("a file").len(),
        read: millis(read),
        list: millis(list),
        first_search: millis(first_search),
        search: millis(search),
        declaration: millis(declared),
        first_call: millis(first_call),
        memory_read,
        memory: physical_memory().private - before,
    }
}

fn api(kind: Kind, path: &Path, address: String) -> Arc<dyn Binding> {
    let source = Source::File(path.to_owned());
    // Where nothing is optimised, the largest ones take their time.
    let patience = Duration::from_mins(5);
    match kind {
        Kind::OpenApi => {
            let mut server = ApiServer::new(source);
            server.base_url = Some(address);
            server.options.start_timeout = patience;
            Arc::new(HttpApi::new("estate", server).expect("an API"))
        }
        Kind::Graphql => {
            let mut server = GraphqlServer::new(address);
            server.schema = Some(source);
            server.options.start_timeout = patience;
            Arc::new(GraphqlApi::new("estate", server).expect("an API"))
        }
    }
}

/// The name under which a tool is listed.
fn tool_named(tools: &[ampoule::Tool], name: &str) -> String {
    let found = tools.iter().find(|tool| tool.name == name);
    found.expect("the tool").name.clone()
}

fn answer(kind: Kind, tool: &str) -> Value {
    let thing = json!({ "id": "7", "name": "A thing" });
    match kind {
        Kind::OpenApi => thing,
        Kind::Graphql => json!({ "data": { (tool): thing } }),
    }
}

/// Answers one request.
async fn serve(listener: TcpListener, answer: Value) {
    let (mut stream, _) = listener.accept().await.expect("a client");
    let mut request = vec![0; 64 << 10];
    let length = stream.read(&mut request).await.expect("a request");
    assert!(length > 0);
    let body = answer.to_string();
    let head = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        body.len()
    );
    let written = stream.write_all(format!("{head}{body}").as_bytes()).await;
    written.expect("an answer");
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
