//! Each way in which messages travel.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use ampoule_tools::{Binding, CallContext};
use parking_lot::Mutex;
use serde_json::{Map, json};

use super::server::{Part, Reply, Request, Server, event, serve, session, stateless, usual};
use super::{remote, text, upstream};
use crate::handshake::Era;
use crate::testing::{call, failure};
use crate::{RemoteServer, Transport};

#[tokio::test]
async fn a_session_is_opened_used_and_ended() {
    let server = session(|_| None).await;
    let upstream = remote(&server.url);
    let result = call(&upstream, "echo").await.unwrap().unwrap();
    assert_eq!(text(&result), "done");
    assert_eq!(upstream.inner.supervisor.era(), Some(Era::Sessions));
    server.asked_for("GET", 1).await;
    upstream.stop().await;
    server.is_left().await;
    let told: Vec<_> = server
        .seen()
        .iter()
        .filter(|request| request.asks() != "tools/list")
        .map(|request| {
            let what = [&request.method, request.asks()].join(" ");
            let header = |name| request.header(name).unwrap_or("-").to_owned();
            (
                what,
                header("mcp-session-id"),
                header("mcp-protocol-version"),
            )
        })
        .collect();
    let own = |what: &str| (what.to_owned(), "s-1".to_owned(), "2025-06-18".to_owned());
    let mut expected = vec![
        (
            "POST server/discover".to_owned(),
            "-".to_owned(),
            "2026-07-28".to_owned(),
        ),
        ("POST initialize".to_owned(), "-".to_owned(), "-".to_owned()),
        own("POST notifications/initialized"),
        own("POST tools/call"),
        own("GET "),
        own("DELETE "),
    ];
    // The stream of what the server sends unasked is opened beside the rest.
    let mut told = told;
    told[3..5].sort();
    expected[3..5].sort();
    assert_eq!(told, expected);
    for request in server.seen() {
        let accepts = request.header("accept").unwrap();
        match &*request.method {
            "POST" => assert_eq!(accepts, "application/json, text/event-stream"),
            "GET" => assert_eq!(accepts, "text/event-stream"),
            _ => {}
        }
    }
}

#[tokio::test]
async fn stateless_requests_say_in_headers_what_they_ask_for() {
    let server = serve(stateless).await;
    let upstream = remote(&server.url);
    for tool in ["echo", "größe"] {
        let result = call(&upstream, tool).await.unwrap().unwrap();
        assert_eq!(text(&result), "done");
    }
    assert_eq!(upstream.inner.supervisor.era(), Some(Era::Stateless));
    upstream.stop().await;
    for request in server.seen() {
        assert_eq!(request.method, "POST");
        assert_eq!(request.header("mcp-protocol-version"), Some("2026-07-28"));
        assert_eq!(request.header("mcp-method"), Some(request.asks()));
        assert_eq!(request.header("mcp-session-id"), None);
        let meta = &request.body["params"]["_meta"];
        assert_eq!(
            meta["io.modelcontextprotocol/protocolVersion"],
            "2026-07-28"
        );
    }
    let names = server.asked("tools/call");
    let names: Vec<_> = names
        .iter()
        .map(|it| it.header("mcp-name").unwrap())
        .collect();
    assert_eq!(names, ["echo", "=?base64?Z3LDtsOfZQ==?="]);
}

#[tokio::test]
async fn a_call_that_nobody_waits_for_is_cancelled_as_each_protocol_has_it() {
    let hangs = |request: &Request| {
        (request.asks() == "tools/call").then(|| Reply::events(": on my way\n\n").then(Part::Hang))
    };
    for is_stateless in [true, false] {
        let server = serve(move |request| {
            hangs(request).unwrap_or_else(|| match is_stateless {
                true => stateless(request),
                false => usual(request),
            })
        })
        .await;
        let upstream = remote(&server.url);
        let calling = call(&upstream, "forever");
        let request = server.asked_for("tools/call", 1).await.remove(0);
        calling.abort();
        if is_stateless {
            // That the stream is closed says it: no connection but idle ones is left.
            server.is_left().await;
            assert!(server.asked("notifications/cancelled").is_empty());
        } else {
            let told = server.asked_for("notifications/cancelled", 1).await;
            assert_eq!(told[0].body["params"]["requestId"], request.body["id"]);
        }
        upstream.stop().await;
        server.is_left().await;
    }
}

#[tokio::test]
async fn answers_come_as_bodies_or_as_events_and_may_have_line_breaks() {
    let server = session(|request| {
        let name = request.body["params"]["name"].as_str().unwrap_or_default();
        let pretty = json!({ "jsonrpc": "2.0", "id": request.body["id"], "result": { "content": [{ "type": "text", "text": "pretty" }] } });
        let pretty = format!("{pretty:#}");
        Some(match name {
            "body" => Reply::new(200, "application/json; charset=utf-8", pretty),
            "events" => {
                let note = json!({ "jsonrpc": "2.0", "method": "notifications/progress", "params": {} });
                let lines = pretty.replace('\n', "\r\ndata: ");
                Reply::events(format!("retry: 5\n\ndata: {note}\n\nevent: message\r\ndata: {lines}\r\n\r\n"))
            }
            _ => return None,
        })
    })
    .await;
    let upstream = remote(&server.url);
    for tool in ["body", "events"] {
        let result = call(&upstream, tool).await.unwrap().unwrap();
        assert_eq!(text(&result), "pretty", "{tool}");
    }
}

#[tokio::test]
async fn what_a_server_asks_on_a_stream_is_answered_by_a_request_of_its_own() {
    let server = session(|request| {
        let ask = json!({ "jsonrpc": "2.0", "id": "q", "method": "ping" });
        (request.asks() == "tools/call").then(|| {
            Reply::events(format!("data: {ask}\n\n"))
                .then(Part::Pause(Duration::from_millis(50)))
                .then(Part::Bytes(event(request, "asked").into_bytes()))
        })
    })
    .await;
    let upstream = remote(&server.url);
    let result = call(&upstream, "x").await.unwrap().unwrap();
    assert_eq!(text(&result), "asked");
    let answered =
        |request: &Request| request.body["id"] == "q" && request.body["result"].is_object();
    while !server.seen().iter().any(answered) {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test]
async fn many_calls_are_under_way_at_once() {
    let server = session(|request| {
        let slow = (request.asks() == "tools/call").then(|| event(request, "late"))?;
        let slow = Reply::events("")
            .then(Part::Pause(Duration::from_millis(300)))
            .then(Part::Bytes(slow.into()));
        Some(slow)
    })
    .await;
    let upstream = remote(&server.url);
    upstream.tools().await.unwrap();
    let began = tokio::time::Instant::now();
    let calls: Vec<_> = (0..50).map(|_| call(&upstream, "slow")).collect();
    for call in calls {
        call.await.unwrap().unwrap();
    }
    // One after the other they would take 15 seconds.
    assert!(
        began.elapsed() < Duration::from_secs(8),
        "{:?}",
        began.elapsed()
    );
}

/// A server of HTTP with SSE: answers go to the stream.
async fn old(endpoint: &'static str, refusal: u16) -> Server {
    let stream: Arc<Mutex<Vec<u8>>> = Arc::default();
    serve(move |request| match (&*request.method, &*request.path) {
        ("GET", "/mcp") => Reply::events(format!("event: endpoint\ndata: {endpoint}\n\n"))
            .then(Part::Live(Arc::clone(&stream))),
        ("POST", "/messages?session=7") => {
            let result = json!({
                "protocolVersion": "2024-11-05",
                "tools": [],
                "content": [{ "type": "text", "text": "old" }],
            });
            let id = &request.body["id"];
            let message = json!({ "jsonrpc": "2.0", "id": id, "result": result });
            if !id.is_null() {
                let event = format!("event: message\ndata: {message}\n\n");
                stream.lock().extend(event.into_bytes());
            }
            Reply::status(202)
        }
        _ => Reply::new(
            refusal,
            "text/html",
            "<!DOCTYPE html>\n<pre>Cannot POST /mcp</pre>",
        ),
    })
    .await
}

#[tokio::test]
async fn http_with_sse_is_spoken_where_the_newer_way_is_not_known() {
    for (refusal, transport) in [
        (404, Transport::Auto),
        (405, Transport::Auto),
        (400, Transport::Auto),
        (404, Transport::Sse),
    ] {
        let server = old("/messages?session=7", refusal).await;
        let remote = RemoteServer::new(&server.url).unwrap().transport(transport);
        let upstream = upstream(remote);
        let result = call(&upstream, "x").await.unwrap().unwrap();
        assert_eq!(text(&result), "old");
        let posted = server.asked("initialize");
        assert_eq!(posted.last().unwrap().path, "/messages?session=7");
        upstream.stop().await;
        server.is_left().await;
        assert!(server.asked("DELETE").is_empty());
    }
}

#[tokio::test]
async fn messages_are_sent_to_no_other_origin_than_the_streams() {
    let other = serve(|_| Reply::status(202)).await;
    let endpoint: &'static str = Box::leak(other.url.clone().into_boxed_str());
    let server = old(endpoint, 404).await;
    let remote = RemoteServer::new(&server.url)
        .unwrap()
        .transport(Transport::Sse);
    let message = failure(call(&upstream(remote), "x").await.unwrap());
    assert_eq!(
        message,
        "MCP server `far` can't be used: it wants messages sent to another origin than its own"
    );
    assert!(other.seen().is_empty());
}

#[tokio::test]
async fn only_the_newer_way_is_spoken_where_that_is_configured() {
    let server = old("/messages?session=7", 404).await;
    let remote = RemoteServer::new(&server.url)
        .unwrap()
        .transport(Transport::StreamableHttp);
    let message = failure(call(&upstream(remote), "x").await.unwrap());
    assert_eq!(
        message,
        "MCP server `far` did not open a session: HTTP status 404 Not Found"
    );
    assert!(server.asked("GET").is_empty());
}

#[tokio::test]
async fn a_session_that_the_server_forgot_is_begun_anew_and_the_call_sent_once_more() {
    for (status, body) in [
        (404, "gone"),
        (400, "Bad Request: No valid session ID provided"),
    ] {
        let calls = AtomicU32::new(0);
        let server = session(move |request| {
            (request.asks() == "tools/call" && calls.fetch_add(1, Ordering::Relaxed) == 1)
                .then(|| Reply::new(status, "text/plain", body))
        })
        .await;
        let upstream = remote(&server.url);
        for _ in 0..2 {
            let result = call(&upstream, "x").await.unwrap().unwrap();
            assert_eq!(text(&result), "done");
        }
        assert_eq!(server.asked("initialize").len(), 2);
        assert_eq!(server.asked("tools/call").len(), 3);
    }
}

#[tokio::test]
async fn a_server_that_forgets_every_session_is_not_asked_without_end() {
    let server = session(|request| {
        (request.asks() == "tools/call").then(|| Reply::new(404, "text/plain", "gone"))
    })
    .await;
    let message = failure(call(&remote(&server.url), "x").await.unwrap());
    assert_eq!(
        message,
        "MCP server `far` forgot the session: HTTP status 404 Not Found: gone"
    );
    assert_eq!(server.asked("tools/call").len(), 2);
}

#[tokio::test]
async fn lists_are_asked_for_again_when_the_stream_says_that_they_changed() {
    let server = session(|request| {
        let note = json!({ "jsonrpc": "2.0", "method": "notifications/tools/list_changed" });
        (request.method == "GET").then(|| {
            Reply::events("")
                .then(Part::Pause(Duration::from_millis(300)))
                .then(Part::Bytes(format!("data: {note}\n\n").into()))
                .then(Part::Hang)
        })
    })
    .await;
    let upstream = remote(&server.url);
    upstream.tools().await.unwrap();
    while !upstream.inner.listing.has_changed() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    upstream.tools().await.unwrap();
    assert_eq!(server.asked("tools/list").len(), 2);
    let context = CallContext::without_a_run("far", "x", 1000);
    upstream.call("x", Map::new(), context).await.unwrap();
}
