//! Both lifecycles, and how the one that a server speaks is found.

use std::sync::Arc;
use std::time::Duration;

use ampoule_tools::{Binding, CallError, ToolResult};
use serde_json::{Value, json};
use tokio::task::JoinHandle;
use tokio::time::Instant;

use crate::testing::{Fake, Fakes, call, failure, upstream, with_apps, with_tasks};
use crate::{Upstream, UpstreamOptions};

const TEXT: &str = r#"{ "content": [{ "type": "text", "text": "hello" }] }"#;

fn text() -> Value {
    serde_json::from_str(TEXT).unwrap()
}

fn discovered() -> Value {
    json!({ "resultType": "complete", "supportedVersions": ["2026-07-28"], "capabilities": { "tools": {} }, "instructions": "\n Greets.\nMore." })
}

/// Answers `initialize` as an old server does.
async fn initialized(fake: &mut Fake, initialize: &Value) {
    assert_eq!(initialize["method"], "initialize");
    let old = json!({ "protocolVersion": "2024-11-05", "capabilities": {}, "serverInfo": { "name": "old" } });
    fake.answer(initialize, old).await;
    assert_eq!(fake.recv().await["method"], "notifications/initialized");
}

type Calling = JoinHandle<Result<ToolResult, CallError>>;

/// A call, and the server that is started for it.
async fn called() -> (Arc<Upstream>, Fakes, Fake, Calling) {
    let (upstream, mut fakes) = upstream(UpstreamOptions::default());
    let calling = call(&upstream, "greet");
    let fake = fakes.next().await;
    (upstream, fakes, fake, calling)
}

/// The handshake is over: the call arrives, is answered, and ends.
async fn greet(fake: &mut Fake, calling: Calling) -> Value {
    let request = fake.request("tools/call").await;
    fake.answer(&request, text()).await;
    calling.await.unwrap().unwrap();
    request
}

#[tokio::test(start_paused = true)]
async fn a_stateless_server_is_discovered_and_each_request_says_who_asks() {
    let (_upstream, _fakes, mut fake, calling) = called().await;
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
        with_tasks(json!({}))
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
        let (_upstream, _fakes, mut fake, calling) = called().await;
        let discover = fake.recv().await;
        fake.refuse(&discover, code).await;
        let initialize = fake.recv().await;
        assert_eq!(initialize["params"]["protocolVersion"], "2025-11-25");
        assert_eq!(initialize["params"]["capabilities"], with_apps(json!({})));
        initialized(&mut fake, &initialize).await;
        let request = greet(&mut fake, calling).await;
        assert_eq!(
            request["params"]["_meta"].get("io.modelcontextprotocol/protocolVersion"),
            None
        );
    }
}

#[tokio::test(start_paused = true)]
async fn an_error_without_an_id_is_a_refusal_too() {
    let (_upstream, _fakes, mut fake, calling) = called().await;
    fake.recv().await;
    fake.send(
        json!({ "jsonrpc": "2.0", "id": null, "error": { "code": -32700, "message": "what?" } }),
    )
    .await;
    let initialize = fake.recv().await;
    initialized(&mut fake, &initialize).await;
    greet(&mut fake, calling).await;
}

#[tokio::test(start_paused = true)]
async fn a_silent_server_is_initialized_after_two_seconds() {
    let started = Instant::now();
    let (_upstream, _fakes, mut fake, calling) = called().await;
    let discover = fake.recv().await;
    let initialize = fake.recv().await;
    assert_eq!(started.elapsed().as_secs(), 2);
    initialized(&mut fake, &initialize).await;
    // An answer to what is no longer asked changes nothing.
    fake.answer(&discover, discovered()).await;
    greet(&mut fake, calling).await;
}

#[tokio::test(start_paused = true)]
async fn a_stateless_server_may_be_slow_to_start() {
    let (_upstream, _fakes, mut fake, calling) = called().await;
    let discover = fake.recv().await;
    let initialize = fake.recv().await;
    tokio::time::sleep(Duration::from_secs(15)).await;
    fake.refuse(&initialize, -32601).await;
    fake.answer(&discover, discovered()).await;
    let request = greet(&mut fake, calling).await;
    assert_eq!(
        request["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"],
        "2026-07-28"
    );
}

#[tokio::test(start_paused = true)]
async fn a_server_that_ends_at_the_unknown_request_is_started_again_and_initialized() {
    let (_upstream, mut fakes, mut fake, calling) = called().await;
    assert_eq!(fake.recv().await["method"], "server/discover");
    drop(fake);
    let mut fake = fakes.next().await;
    let initialize = fake.recv().await;
    initialized(&mut fake, &initialize).await;
    greet(&mut fake, calling).await;
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
    greet(&mut fake, calling).await;
}

#[tokio::test(start_paused = true)]
async fn a_server_that_never_answers_does_not_start() {
    let (_upstream, _fakes, _fake, calling) = called().await;
    assert_eq!(
        failure(calling.await.unwrap()),
        "MCP server `fake` did not answer within 30s of its start"
    );
}

#[tokio::test(start_paused = true)]
async fn pings_and_notifications_are_welcome_before_the_handshake_is_over() {
    let (_upstream, _fakes, mut fake, calling) = called().await;
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
    greet(&mut fake, calling).await;
}

#[tokio::test(start_paused = true)]
async fn a_server_that_names_the_versions_that_it_speaks_is_spoken_to_in_one() {
    for (spoken, expected) in [
        (
            json!(["2027-01-01", "2025-03-26", "2024-11-05"]),
            "2025-03-26",
        ),
        // It may yet understand what all servers did.
        (json!(["2027-01-01"]), "2025-11-25"),
    ] {
        let (_upstream, _fakes, mut fake, calling) = called().await;
        let discover = fake.recv().await;
        let error = json!({ "code": -32022, "message": "no", "data": { "supported": spoken } });
        fake.send(json!({ "jsonrpc": "2.0", "id": discover["id"], "error": error }))
            .await;
        let initialize = fake.recv().await;
        assert_eq!(initialize["params"]["protocolVersion"], expected);
        if expected == "2025-11-25" {
            fake.send(json!({ "jsonrpc": "2.0", "id": initialize["id"], "error": error }))
                .await;
            let message = failure(calling.await.unwrap());
            let told = "MCP server `fake` did not open a session: it speaks versions 2027-01-01 of the protocol, and this client speaks 2024-11-05, ";
            assert!(message.starts_with(told), "{message}");
            continue;
        }
        initialized(&mut fake, &initialize).await;
        greet(&mut fake, calling).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_server_that_refuses_to_be_initialized_may_name_a_version_without_sessions() {
    let (_upstream, _fakes, mut fake, calling) = called().await;
    fake.recv().await;
    // It was silent until both were asked.
    let initialize = fake.recv().await;
    let error = json!({ "code": -32022, "message": "no", "data": { "supported": ["2026-07-28"] } });
    fake.send(json!({ "jsonrpc": "2.0", "id": initialize["id"], "error": error }))
        .await;
    let discover = fake.recv().await;
    assert_eq!(discover["method"], "server/discover");
    fake.answer(&discover, discovered()).await;
    greet(&mut fake, calling).await;
}

#[tokio::test(start_paused = true)]
async fn a_server_that_shows_life_is_given_its_time_to_start_but_not_forever() {
    let started = Instant::now();
    let (upstream, mut fakes, mut fake, calling) = called().await;
    for _ in 0..10 {
        tokio::time::sleep(Duration::from_secs(25)).await;
        fake.raw("still downloading …").await;
    }
    assert_eq!(
        upstream.starting().as_deref(),
        Some("MCP server `fake` is still starting after 250 s")
    );
    assert_eq!(
        failure(calling.await.unwrap()),
        "MCP server `fake` did not answer within 4m 40s of its start, and showed no sign of life in the last 30s"
    );
    assert_eq!(upstream.starting(), None);

    let calling = call(&upstream, "greet");
    let mut fake = fakes.next().await;
    let again = started.elapsed();
    while !calling.is_finished() {
        fake.try_send(&json!("still downloading …")).await;
        tokio::time::sleep(Duration::from_secs(25)).await;
    }
    assert_eq!(
        failure(calling.await.unwrap()),
        "MCP server `fake` did not answer within 10m of its start"
    );
    assert!(started.elapsed() - again < Duration::from_secs(640));
}

#[tokio::test(start_paused = true)]
async fn who_stops_waiting_for_tools_ends_no_start_and_finds_them_later() {
    let (upstream, mut fakes) = upstream(UpstreamOptions::default());
    let short = Duration::from_secs(3);
    for _ in 0..3 {
        let waited = tokio::time::timeout(short, upstream.tools()).await;
        assert!(waited.is_err());
    }
    let mut fake = fakes.next().await;
    fake.recv().await;
    let initialize = fake.recv().await;
    initialized(&mut fake, &initialize).await;
    let list = fake.recv().await;
    // The list is asked for once, though four want it.
    let waited = tokio::time::timeout(short, upstream.tools()).await;
    assert!(waited.is_err());
    assert_eq!(
        upstream.starting().as_deref(),
        Some("MCP server `fake` has not listed its tools yet")
    );
    let tool = json!({ "name": "greet", "inputSchema": { "type": "object" } });
    fake.answer(&list, json!({ "tools": [tool] })).await;
    assert_eq!(upstream.tools().await.unwrap().len(), 1);
    assert_eq!(upstream.starting(), None);
    assert!(fakes.is_empty(), "it was started twice");
}
