//! Arguments that HTTP's headers repeat, and servers that want others than are known.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use ampoule_tools::{Binding, CallContext, CallError, ToolResult};
use serde_json::{Value, json};

use super::server::{Reply, Request, Server, serve, stateless};
use super::{remote, text};
use crate::Upstream;

/// A tool that wants its region in that header.
fn tool(name: &str, header: &str) -> Value {
    let region = json!({ "type": "string", "x-mcp-header": header });
    json!({ "name": name, "inputSchema": {
        "type": "object", "properties": { "region": region, "query": { "type": "string" } },
    } })
}

fn listed(request: &Request, tools: &[Value]) -> Reply {
    Reply::result(
        request,
        &json!({ "resultType": "complete", "tools": tools }),
    )
}

/// What a server says whose headers are not as it wants them.
fn mismatch(request: &Request) -> Reply {
    let error = json!({ "code": -32020, "message": "Header mismatch" });
    let body = json!({ "jsonrpc": "2.0", "id": request.body["id"], "error": error });
    Reply::new(400, "application/json", body.to_string())
}

/// A server that takes calls with that header alone, by how often it was asked for its tools.
async fn strict(header: impl Fn(u32) -> &'static str + Send + Sync + 'static) -> Server {
    let lists = AtomicU32::new(0);
    serve(move |request| {
        let region = &request.body["params"]["arguments"]["region"];
        match request.asks() {
            "tools/list" => {
                let header = header(lists.fetch_add(1, Ordering::Relaxed));
                listed(request, &[tool("good", header)])
            }
            "tools/call" => {
                let wanted = format!("mcp-param-{}", header(lists.load(Ordering::Relaxed)));
                match request.header(&wanted.to_lowercase()) == region.as_str() {
                    true => stateless(request),
                    false => mismatch(request),
                }
            }
            _ => stateless(request),
        }
    })
    .await
}

async fn called(upstream: &Arc<Upstream>) -> Result<ToolResult, CallError> {
    let arguments = json!({ "region": "west", "query": "SELECT 1" });
    let context = CallContext::without_a_run("far", "good", 1 << 20);
    let arguments = arguments.as_object().unwrap().clone();
    upstream.call("good", arguments, context).await
}

#[tokio::test]
async fn headers_repeat_the_arguments_that_a_tool_marks_for_that() {
    let server = serve(|request| match request.asks() {
        "tools/list" => listed(
            request,
            &[tool("good", "Region"), tool("bad", "No: header")],
        ),
        _ => stateless(request),
    })
    .await;
    let upstream = remote(&server.url);
    let tools = upstream.tools().await.unwrap();
    let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!(names, ["good"]);
    let expected =
        "tool `bad` is left out: its `x-mcp-header` has characters that no header's name may have";
    assert_eq!(*upstream.problems(), [expected]);

    called(&upstream).await.unwrap();
    let called = &server.asked("tools/call")[0];
    assert_eq!(called.header("mcp-param-region"), Some("west"));
    assert_eq!(called.header("mcp-param-query"), None);
}

#[tokio::test]
async fn a_call_before_the_tools_were_listed_is_sent_again_with_what_the_list_says() {
    let server = strict(|_| "Region").await;
    let upstream = remote(&server.url);
    let result = called(&upstream).await.unwrap();
    assert_eq!(text(&result), "done");
    let calls = server.asked("tools/call");
    let headers: Vec<_> = calls
        .iter()
        .map(|it| it.header("mcp-param-region"))
        .collect();
    assert_eq!(headers, [None, Some("west")]);
    // From then on it is known.
    called(&upstream).await.unwrap();
    assert_eq!(server.asked("tools/call").len(), 3);
}

#[tokio::test]
async fn a_header_that_changed_in_silence_is_learnt_from_the_list() {
    // It changes as soon as it was listed once.
    let server = strict(|lists| ["Region", "Zone"][lists.min(1) as usize]).await;
    let upstream = remote(&server.url);
    upstream.tools().await.unwrap();
    let result = called(&upstream).await.unwrap();
    assert_eq!(text(&result), "done");
    assert_eq!(server.asked("tools/list").len(), 2);
    let calls = server.asked("tools/call");
    let both = calls
        .iter()
        .map(|call| ["mcp-param-region", "mcp-param-zone"].map(|name| call.header(name).is_some()));
    assert_eq!(both.collect::<Vec<_>>(), [[true, false], [false, true]]);
}

#[tokio::test]
async fn calls_that_met_the_same_change_are_all_sent_again() {
    let server = strict(|lists| ["Region", "Zone"][lists.min(1) as usize]).await;
    let upstream = remote(&server.url);
    upstream.tools().await.unwrap();
    let calls: Vec<_> = (0..20)
        .map(|_| {
            let upstream = Arc::clone(&upstream);
            tokio::spawn(async move { called(&upstream).await })
        })
        .collect();
    for call in calls {
        assert_eq!(text(&call.await.unwrap().unwrap()), "done");
    }
    assert!(server.asked("tools/call").len() <= 40);
}

#[tokio::test]
async fn a_server_that_wants_other_headers_without_end_is_asked_no_more() {
    // What it lists is what it was sent, or changes each time.
    for (header, sent) in [
        (["Region", "Region", "Region"], 1),
        (["Region", "Zone", "Area"], 2),
    ] {
        let lists = AtomicU32::new(0);
        let server = serve(move |request| match request.asks() {
            "tools/list" => {
                let nth = lists.fetch_add(1, Ordering::Relaxed).min(2);
                listed(request, &[tool("good", header[nth as usize])])
            }
            "tools/call" => mismatch(request),
            _ => stateless(request),
        })
        .await;
        let upstream = remote(&server.url);
        upstream.tools().await.unwrap();
        let error = called(&upstream).await.unwrap_err();
        assert!(matches!(error, CallError::Refused(_)), "{error:?}");
        assert_eq!(error.to_string(), "Header mismatch (error -32020)");
        assert_eq!(server.asked("tools/call").len(), sent);
        assert_eq!(server.asked("tools/list").len(), 2);
    }
}
