//! Both lifecycles, and how the one that a server speaks is found.

use std::time::Duration;

use serde_json::json;
use tokio::time::Instant;

use crate::binding::Binding;
use crate::upstream::UpstreamOptions;
use crate::upstream::testing::{call, failure, upstream};

const TEXT: &str = r#"{ "content": [{ "type": "text", "text": "hello" }] }"#;

fn text() -> serde_json::Value {
    serde_json::from_str(TEXT).unwrap()
}

fn discovered() -> serde_json::Value {
    json!({ "resultType": "complete", "supportedVersions": ["2026-07-28"], "capabilities": { "tools": {} }, "instructions": "\n Greets.\nMore." })
}

fn initialized() -> serde_json::Value {
    json!({ "protocolVersion": "2024-11-05", "capabilities": {}, "serverInfo": { "name": "old" } })
}

#[tokio::test(start_paused = true)]
async fn a_stateless_server_is_discovered_and_each_request_says_who_asks() {
    let (upstream, mut fakes) = upstream(UpstreamOptions::default());
    let calling = call(&upstream, "greet");
    let mut fake = fakes.next().await;
    let discover = fake.recv().await;
    assert_eq!(discover["method"], "server/discover");
    assert_eq!(
        discover["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"],
        "2026-07-28"
    );
    fake.answer(&discover, discovered()).await;
    let request = fake.request("tools/call").await;
    assert_eq!(request["params"]["name"], "greet");
    let meta = &request["params"]["_meta"];
    assert_eq!(
        meta["io.modelcontextprotocol/protocolVersion"],
        "2026-07-28"
    );
    assert_eq!(
        meta["io.modelcontextprotocol/clientInfo"]["name"],
        "ampoule"
    );
    assert_eq!(
        meta["io.modelcontextprotocol/clientCapabilities"],
        json!({})
    );
    fake.answer(&request, text()).await;
    assert_eq!(
        calling.await.unwrap().unwrap().content,
        [json!({ "type": "text", "text": "hello" })]
    );
}

#[tokio::test(start_paused = true)]
async fn what_a_server_says_of_itself_is_known_once_its_tools_are() {
    let (upstream, mut fakes) = upstream(UpstreamOptions::default());
    assert_eq!(upstream.description(), None);
    let server = async {
        let mut fake = fakes.next().await;
        let discover = fake.recv().await;
        fake.answer(&discover, discovered()).await;
        let list = fake.recv().await;
        fake.answer(&list, json!({ "tools": [] })).await;
        fake
    };
    let (tools, _fake) = tokio::join!(upstream.tools(), server);
    assert!(tools.unwrap().is_empty());
    assert_eq!(upstream.description().as_deref(), Some("Greets."));
}

#[tokio::test(start_paused = true)]
async fn an_older_server_refuses_and_is_initialized() {
    for code in [-32601, -32602, -32600, -32004] {
        let (upstream, mut fakes) = upstream(UpstreamOptions::default());
        let calling = call(&upstream, "greet");
        let mut fake = fakes.next().await;
        let discover = fake.recv().await;
        fake.refuse(&discover, code).await;
        let initialize = fake.recv().await;
        assert_eq!(initialize["method"], "initialize");
        assert_eq!(initialize["params"]["protocolVersion"], "2025-11-25");
        assert_eq!(initialize["params"]["capabilities"], json!({}));
        fake.answer(&initialize, initialized()).await;
        assert_eq!(fake.recv().await["method"], "notifications/initialized");
        let request = fake.request("tools/call").await;
        assert_eq!(
            request["params"]["_meta"].get("io.modelcontextprotocol/protocolVersion"),
            None
        );
        fake.answer(&request, text()).await;
        calling.await.unwrap().unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn an_error_without_an_id_is_a_refusal_too() {
    let (upstream, mut fakes) = upstream(UpstreamOptions::default());
    let calling = call(&upstream, "greet");
    let mut fake = fakes.next().await;
    fake.recv().await;
    fake.send(
        json!({ "jsonrpc": "2.0", "id": null, "error": { "code": -32700, "message": "what?" } }),
    )
    .await;
    let initialize = fake.recv().await;
    fake.answer(&initialize, initialized()).await;
    fake.recv().await;
    let request = fake.request("tools/call").await;
    fake.answer(&request, text()).await;
    calling.await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_silent_server_is_initialized_after_two_seconds() {
    let (upstream, mut fakes) = upstream(UpstreamOptions::default());
    let started = Instant::now();
    let calling = call(&upstream, "greet");
    let mut fake = fakes.next().await;
    let discover = fake.recv().await;
    let initialize = fake.recv().await;
    assert_eq!(started.elapsed().as_secs(), 2);
    fake.answer(&initialize, initialized()).await;
    assert_eq!(fake.recv().await["method"], "notifications/initialized");
    // An answer to what is no longer asked changes nothing.
    fake.answer(&discover, discovered()).await;
    let request = fake.request("tools/call").await;
    fake.answer(&request, text()).await;
    calling.await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_stateless_server_may_be_slow_to_start() {
    let (upstream, mut fakes) = upstream(UpstreamOptions::default());
    let calling = call(&upstream, "greet");
    let mut fake = fakes.next().await;
    let discover = fake.recv().await;
    let initialize = fake.recv().await;
    tokio::time::sleep(Duration::from_secs(15)).await;
    fake.refuse(&initialize, -32601).await;
    fake.answer(&discover, discovered()).await;
    let request = fake.request("tools/call").await;
    assert_eq!(
        request["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"],
        "2026-07-28"
    );
    fake.answer(&request, text()).await;
    calling.await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_server_that_ends_at_the_unknown_request_is_started_again_and_initialized() {
    let (upstream, mut fakes) = upstream(UpstreamOptions::default());
    let calling = call(&upstream, "greet");
    let mut fake = fakes.next().await;
    assert_eq!(fake.recv().await["method"], "server/discover");
    drop(fake);
    let mut fake = fakes.next().await;
    let initialize = fake.recv().await;
    assert_eq!(initialize["method"], "initialize");
    fake.answer(&initialize, initialized()).await;
    fake.recv().await;
    let request = fake.request("tools/call").await;
    fake.answer(&request, text()).await;
    calling.await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn what_a_server_speaks_is_remembered() {
    let (upstream, mut fakes) = upstream(UpstreamOptions::default());
    let calling = call(&upstream, "greet");
    let mut fake = fakes.session().await;
    fake.request("tools/call").await;
    drop(fake);
    assert!(calling.await.unwrap().is_err());
    let calling = call(&upstream, "greet");
    let mut fake = fakes.next().await;
    let initialize = fake.recv().await;
    assert_eq!(initialize["method"], "initialize");
    // It may have been replaced meanwhile.
    fake.refuse(&initialize, -32601).await;
    let mut fake = fakes.next().await;
    let discover = fake.recv().await;
    assert_eq!(discover["method"], "server/discover");
    fake.answer(&discover, discovered()).await;
    let request = fake.request("tools/call").await;
    fake.answer(&request, text()).await;
    calling.await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_server_that_never_answers_does_not_start() {
    let (upstream, mut fakes) = upstream(UpstreamOptions::default());
    let calling = call(&upstream, "greet");
    let _fake = fakes.next().await;
    assert_eq!(
        failure(calling.await.unwrap()),
        "MCP server `fake` did not answer within 30s of its start"
    );
}

#[tokio::test(start_paused = true)]
async fn pings_and_notifications_are_welcome_before_the_handshake_is_over() {
    let (upstream, mut fakes) = upstream(UpstreamOptions::default());
    let calling = call(&upstream, "greet");
    let mut fake = fakes.next().await;
    let discover = fake.recv().await;
    for number in 0..1000 {
        fake.send(json!({ "jsonrpc": "2.0", "method": "notifications/message", "params": { "level": "info", "data": number } })).await;
    }
    fake.send(json!({ "jsonrpc": "2.0", "id": "p", "method": "ping" }))
        .await;
    assert_eq!(
        fake.recv().await,
        json!({ "jsonrpc": "2.0", "id": "p", "result": {} })
    );
    fake.answer(&discover, discovered()).await;
    let request = fake.request("tools/call").await;
    fake.answer(&request, text()).await;
    calling.await.unwrap().unwrap();
}
