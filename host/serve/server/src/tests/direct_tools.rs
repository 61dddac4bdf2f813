//! Tools that clients see as tools of their own.

use super::exposure::{exposing, server};
use super::*;

#[tokio::test(flavor = "multi_thread")]
async fn direct_tools_are_listed_by_names_that_clients_take() {
    let server = server(exposing(&["a b"]));
    let mut client = Client::of(&server).with_session().await;
    let tools = client.tools().await;
    let names: Vec<_> = tools
        .iter()
        .map(|tool| tool["name"].as_str().unwrap())
        .collect();
    // Two that would be `a_b__x_y`, and one that is too long, are called by scripts alone.
    assert_eq!(
        names,
        [
            "execute_code",
            "search_tools",
            "call_tool",
            "a_b__picture",
            "a_b__say"
        ]
    );
    let say = &tools[4];
    assert_eq!(say["description"], "Says it");
    assert_eq!(say["annotations"]["readOnlyHint"], true);
    let flat = json!({
        "type": "object",
        "properties": { "n": { "type": "integer" } },
        "required": ["n"],
    });
    assert_eq!(say["inputSchema"], flat);
    let said = client.calls("a_b__say", json!({ "n": 3 })).await;
    assert_eq!(text(&said["result"]), r#"{"n":3}"#);
    let clash = client.calls("a_b__x_y", json!({})).await;
    for named in ["a b.x.y", "a b.x_y"] {
        assert!(text(&clash["result"]).contains(named), "{clash}");
    }
    let description = tools[0]["description"].as_str().unwrap();
    assert!(!description.contains("say("), "{description}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_learns_that_its_direct_tools_have_changed() {
    let (late, say) = (Arc::<Notify>::default(), tool("say"));
    let binding = LateTools {
        tools: [say].into(),
        is_there: Arc::clone(&late),
    };
    let runtime = Runtime::builder().binding(binding).build().unwrap();
    let server = Server::new(runtime, Grant::all(), &ClientComponents::default()).unwrap();
    let server = server.exposure(exposing(&["late"]));
    let mut client = Client::of(&server).with_session().await;
    assert_eq!(client.names().await.len(), 3);
    late.notify_waiters();
    late.notify_one();
    loop {
        let message = client.message().await;
        if message["method"] == "notifications/tools/list_changed" {
            break;
        }
    }
    assert_eq!(client.names().await[3], "late__say");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_without_a_session_is_told_nothing_unasked() {
    let (server, late) = late_and_there();
    let mut client = Client::of(&server);
    let found = client.ask("server/discover", json!({})).await;
    let tools = &found["result"]["capabilities"]["tools"];
    assert_eq!(tools["listChanged"], true, "{found}");
    client.names().await;
    late.notify_waiters();
    late.notify_one();
    // Longer than it takes to tell a session.
    tokio::time::sleep(Duration::from_millis(300)).await;
    let request = client.send("tools/list", json!({})).await;
    let (_, before) = client.answer(request).await;
    assert_eq!(before, [Value::Null; 0]);

    let (server, _) = late_and_there();
    let mut client = Client::of(&server);
    client.has_session = true;
    let hello = json!({
        "protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": { "name": "tester", "version": "1" },
    });
    let info = client.ask("initialize", hello).await;
    let tools = &info["result"]["capabilities"]["tools"];
    assert_eq!(tools["listChanged"], true, "{info}");
}

/// A server with direct tools of a server that is late, and of one that is there, too.
fn late_and_there() -> (Server, Arc<Notify>) {
    let late = Arc::<Notify>::default();
    let binding = LateTools {
        tools: [tool("say")].into(),
        is_there: Arc::clone(&late),
    };
    let echo = async |arguments: Map<String, Value>, _| ToolResult::returned(&arguments);
    let there = Functions::new("there").raw(tool("say"), echo);
    let runtime = Runtime::builder().binding(binding).binding(there);
    let runtime = runtime.binding(Broken).build().unwrap();
    let server = Server::new(runtime, Grant::all(), &ClientComponents::default()).unwrap();
    (
        server.exposure(exposing(&["late", "there", "broken"])),
        late,
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn a_direct_call_waits_for_its_own_server_alone() {
    let (server, late) = late_and_there();
    let mut client = Client::of(&server);
    let before = std::time::Instant::now();
    let said = client.calls("there__say", json!({ "n": 1 })).await;
    assert_eq!(text(&said["result"]), r#"{"n":1}"#);
    let took = before.elapsed();
    assert!(took < Duration::from_millis(2_500), "{took:?}");
    // Its own server it waits for, as a script does.
    let request = client.send(
        "tools/call",
        json!({ "name": "late__say", "arguments": {} }),
    );
    let request = request.await;
    tokio::time::sleep(Duration::from_millis(3_500)).await;
    late.notify_one();
    let (said, _) = client.answer(request).await;
    assert_eq!(said["result"]["isError"], false, "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_direct_tool_of_a_server_that_can_not_start_says_so() {
    let (server, _) = late_and_there();
    let mut client = Client::of(&server);
    let said = client.calls("broken__say", json!({})).await;
    assert_eq!(said["result"]["isError"], true, "{said}");
    let said = text(&said["result"]);
    for part in [
        "`broken`",
        "no such program",
        "Nothing was called",
        "ampoule doctor",
    ] {
        assert!(said.contains(part), "{said}");
    }
}

/// A server that can't be started.
struct Broken;

impl ampoule::Binding for Broken {
    fn name(&self) -> &str {
        "broken"
    }

    fn tools(&self) -> futures::future::BoxFuture<'_, Result<Arc<[Tool]>, ampoule::BindingError>> {
        let message = "no such program".to_owned();
        Box::pin(std::future::ready(Err(ampoule::BindingError { message })))
    }

    fn call<'a>(
        &'a self,
        _: &'a str,
        _: Map<String, Value>,
        _: CallContext,
    ) -> futures::future::BoxFuture<'a, Result<ToolResult, CallError>> {
        let error = CallError::NotReached("no such program".to_owned());
        Box::pin(std::future::ready(Err(error)))
    }
}

/// A server that takes its time until it says which tools it has.
struct LateTools {
    tools: Arc<[Tool]>,
    is_there: Arc<Notify>,
}

impl ampoule::Binding for LateTools {
    fn name(&self) -> &str {
        "late"
    }

    fn tools(&self) -> futures::future::BoxFuture<'_, Result<Arc<[Tool]>, ampoule::BindingError>> {
        Box::pin(async {
            self.is_there.notified().await;
            self.is_there.notify_one();
            Ok(Arc::clone(&self.tools))
        })
    }

    fn call<'a>(
        &'a self,
        _: &'a str,
        _: Map<String, Value>,
        _: CallContext,
    ) -> futures::future::BoxFuture<'a, Result<ToolResult, CallError>> {
        Box::pin(std::future::ready(Ok(ToolResult::default())))
    }
}
