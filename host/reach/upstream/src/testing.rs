//! A server that a test plays by hand, over streams in memory.

use std::sync::Arc;

use ampoule_mcp::line::{Line, Lines};
use ampoule_tools::{Binding, CallContext, CallError, Deadline, ToolResult, Trace};
use futures::{FutureExt, future};
use serde_json::{Map, Value, json};
use tokio::io::{AsyncWriteExt, BufReader, DuplexStream, ReadHalf, WriteHalf, split};
use tokio::sync::mpsc;
use tokio_util::task::TaskTracker;

use super::cache::Cache;
use super::opening::{Link, Reach};
use super::secrets::Secrets;
use super::upstream::Way;
use super::{Gate, Upstream, UpstreamOptions};

/// What the upstream must not show.
pub(super) const SECRET: &str = "s3cret-s3cret";

/// The other end of one connection.
pub(super) struct Fake {
    lines: Lines<BufReader<ReadHalf<DuplexStream>>>,
    write: WriteHalf<DuplexStream>,
}

/// Every connection that an upstream makes, in order.
pub(super) struct Fakes(mpsc::UnboundedReceiver<Fake>);

/// An upstream whose server the test plays.
pub(super) fn upstream(options: UpstreamOptions) -> (Arc<Upstream>, Fakes) {
    let cache = cache_of(&options);
    upstream_kept_in(options, cache)
}

/// One of which this is kept between processes.
pub(super) fn upstream_kept_in(
    options: UpstreamOptions,
    cache: Option<Cache>,
) -> (Arc<Upstream>, Fakes) {
    let (reached, fakes) = mpsc::unbounded_channel();
    let serve = move |far| {
        let (read, write) = split(far);
        let lines = Lines::new(BufReader::new(read));
        // The test may be over.
        let _ = reached.send(Fake { lines, write });
    };
    (served(serve, options, cache), Fakes(fakes))
}

/// An upstream of a server that is given the other end of each connection.
pub(super) fn upstream_of(
    serve: impl Fn(DuplexStream) + Send + Sync + 'static,
    options: UpstreamOptions,
) -> Arc<Upstream> {
    let cache = cache_of(&options);
    served(serve, options, cache)
}

fn cache_of(options: &UpstreamOptions) -> Option<Cache> {
    let folder = options.cache_dir.as_deref()?;
    Some(Cache::new(folder, blake3::hash(b"fake")))
}

impl Way {
    /// What is neither a process nor reached by HTTP.
    pub(super) fn of(reach: Reach, options: &UpstreamOptions) -> Self {
        Self {
            transport: "memory",
            reach,
            gate: Arc::new(Gate::new(options)),
            is_signed: false,
        }
    }
}

fn served(
    serve: impl Fn(DuplexStream) + Send + Sync + 'static,
    options: UpstreamOptions,
    cache: Option<Cache>,
) -> Arc<Upstream> {
    let reach: Reach = Box::new(move |_: &TaskTracker, _| {
        let (near, far) = tokio::io::duplex(64 * 1024);
        serve(far);
        let (read, write) = split(near);
        let link = Link::Streams {
            read: Box::new(read),
            write: Box::new(write),
            process: None,
        };
        future::ready(Ok(link)).boxed()
    });
    let (name, secrets) = ("fake".into(), Secrets::new([SECRET]));
    let upstream = Upstream::new(name, Way::of(reach, &options), secrets, options, cache);
    Arc::new(upstream)
}

impl Upstream {
    /// How many lines wait to be written to the server.
    pub(super) fn unsent(&self) -> usize {
        let connection = self.inner.supervisor.current();
        connection.map_or(0, |connection| connection.unsent())
    }
}

impl Fakes {
    pub(super) async fn next(&mut self) -> Fake {
        self.0.recv().await.expect("the upstream is gone")
    }

    /// The next connection, greeted with `initialize`.
    pub(super) async fn session(&mut self) -> Fake {
        let mut fake = self.next().await;
        let mut hello = fake.recv().await;
        if hello["method"] == "server/discover" {
            fake.refuse(&hello, -32601).await;
            hello = fake.recv().await;
        }
        fake.answer(
            &hello,
            json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "serverInfo": {} }),
        )
        .await;
        assert_eq!(fake.recv().await["method"], "notifications/initialized");
        fake
    }

    /// The next connection that is made before that time, which goes by at once where time is
    /// paused.
    pub(super) async fn within(&mut self, time: std::time::Duration) -> Option<Fake> {
        tokio::time::timeout(time, self.next()).await.ok()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Fake {
    /// The client's next message, or null at the end.
    pub(super) async fn recv(&mut self) -> Value {
        match self
            .lines
            .next(|| 1 << 30)
            .await
            .expect("the stream is broken")
        {
            Some(Line::Whole(line)) => {
                serde_json::from_slice(line).expect("the client wrote no JSON")
            }
            Some(Line::TooLong { bytes, .. }) => panic!("the client wrote a line of {bytes} bytes"),
            None => Value::Null,
        }
    }

    /// The client's next request of this kind. An upstream asks for the list of tools whenever it
    /// likes; that is answered on the way.
    pub(super) async fn request(&mut self, method: &str) -> Value {
        loop {
            let request = self.recv().await;
            if request["method"] == method {
                return request;
            }
            assert_eq!(request["method"], "tools/list", "expected {method}");
            self.answer(&request, json!({ "tools": [] })).await;
        }
    }

    /// The client's next answer.
    pub(super) async fn answer_to_ours(&mut self) -> Value {
        loop {
            let message = self.recv().await;
            if message.get("method").is_none() {
                return message;
            }
            assert_eq!(message["method"], "tools/list", "expected an answer");
            self.answer(&message, json!({ "tools": [] })).await;
        }
    }

    /// The same, from a client that was just greeted in the older way.
    pub(super) async fn request_after_greeting(&mut self, method: &str) -> Value {
        assert_eq!(self.recv().await["method"], "notifications/initialized");
        self.request(method).await
    }

    /// Waits until the client has begun to write something, without reading it.
    pub(super) async fn line_begins(&mut self) {
        self.lines.available().await;
    }

    /// Sends a message, if the client still reads.
    pub(super) async fn try_send(&mut self, message: &Value) {
        let _ = self
            .write
            .write_all(format!("{message}\n").as_bytes())
            .await;
        tokio::task::yield_now().await;
    }

    pub(super) async fn raw(&mut self, text: &str) {
        self.write
            .write_all(text.as_bytes())
            .await
            .expect("the client is gone");
        self.write
            .write_all(b"\n")
            .await
            .expect("the client is gone");
    }

    pub(super) async fn send(&mut self, message: Value) {
        self.raw(&message.to_string()).await;
    }

    pub(super) async fn answer(&mut self, request: &Value, result: Value) {
        self.send(json!({ "jsonrpc": "2.0", "id": request["id"], "result": result }))
            .await;
    }

    pub(super) async fn refuse(&mut self, request: &Value, code: i64) {
        let error = json!({ "code": code, "message": "no" });
        self.send(json!({ "jsonrpc": "2.0", "id": request["id"], "error": error }))
            .await;
    }
}

/// An upstream that has called its server before.
pub(super) async fn connected() -> (Arc<Upstream>, Fakes, Fake) {
    connected_with(UpstreamOptions::default()).await
}

/// One that behaves like this.
pub(super) async fn connected_with(options: UpstreamOptions) -> (Arc<Upstream>, Fakes, Fake) {
    let (upstream, mut fakes) = upstream(options);
    let calling = call(&upstream, "warm-up");
    let mut fake = fakes.session().await;
    let request = fake.request("tools/call").await;
    fake.answer(&request, json!({ "content": [] })).await;
    calling.await.unwrap().unwrap();
    (upstream, fakes, fake)
}

/// Calls a tool in a task of its own.
pub(super) fn call(
    upstream: &Arc<Upstream>,
    tool: &'static str,
) -> tokio::task::JoinHandle<Result<ToolResult, CallError>> {
    call_with(upstream, tool, 1 << 20)
}

/// Calls a tool whose result may have so many bytes.
pub(super) fn call_with(
    upstream: &Arc<Upstream>,
    tool: &'static str,
    result_bytes: u64,
) -> tokio::task::JoinHandle<Result<ToolResult, CallError>> {
    let context = CallContext::without_a_run("server", tool, result_bytes);
    call_in(upstream, tool, context)
}

/// Calls a tool from somewhere in a distributed trace, or from nowhere.
pub(super) fn call_traced(
    upstream: &Arc<Upstream>,
    tool: &'static str,
    trace: Option<Trace>,
) -> tokio::task::JoinHandle<Result<ToolResult, CallError>> {
    let context = CallContext::without_a_run("server", tool, 1 << 20);
    call_in(upstream, tool, context.traced(trace))
}

/// Calls a tool, named as whoever calls it.
pub(super) fn call_of(
    upstream: &Arc<Upstream>,
    whose: &'static str,
) -> tokio::task::JoinHandle<Result<ToolResult, CallError>> {
    let mut call = CallContext::without_a_run("server", whose, 1 << 20)
        .call()
        .clone();
    call.principal = Some(whose.into());
    let context = CallContext::new(call, 1 << 20, Deadline::never(), None);
    call_in(upstream, whose, context)
}

fn call_in(
    upstream: &Arc<Upstream>,
    tool: &'static str,
    context: CallContext,
) -> tokio::task::JoinHandle<Result<ToolResult, CallError>> {
    let upstream = Arc::clone(upstream);
    tokio::spawn(async move { upstream.call(tool, Map::new(), context).await })
}

/// The message of a call that failed.
pub(super) fn failure(result: Result<ToolResult, CallError>) -> String {
    match result {
        Err(error) => error.to_string(),
        other => panic!("expected a failure, and got {other:?}"),
    }
}

/// The same of a call, which may become a task.
pub(crate) fn with_tasks(capabilities: Value) -> Value {
    let mut capabilities = with_apps(capabilities);
    capabilities["extensions"]["io.modelcontextprotocol/tasks"] = json!({});
    capabilities
}

/// These capabilities, and that the client knows of apps.
pub(crate) fn with_apps(mut capabilities: Value) -> Value {
    let app = json!({ "mimeTypes": ["text/html;profile=mcp-app"] });
    capabilities["extensions"] = json!({ "io.modelcontextprotocol/ui": app });
    capabilities
}
