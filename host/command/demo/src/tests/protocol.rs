//! Both kinds of client, progress and cancellation, message by message.

use std::time::Duration;

use anyhow::Result;
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;
use tokio::time::Instant;

use super::Lines;
use crate::DemoError;

fn initialize() -> Value {
    json!({
        "jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": { "name": "test", "version": "0" },
        },
    })
}

async fn initialized() -> Result<Lines> {
    let mut lines = Lines::connect();
    lines.ask(&initialize()).await?;
    lines
        .send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))
        .await?;
    Ok(lines)
}

fn call(id: u32, tool: &str, arguments: Value, meta: Value) -> Value {
    json!({
        "jsonrpc": "2.0", "id": id, "method": "tools/call",
        "params": { "name": tool, "arguments": arguments, "_meta": meta },
    })
}

/// What a client of 2026-07-28 says of itself in each request.
fn stateless() -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "0" },
        "io.modelcontextprotocol/clientCapabilities": {},
    })
}

#[tokio::test]
async fn answers_a_client_that_initializes() -> Result<()> {
    let mut lines = Lines::connect();
    let answer = lines.ask(&initialize()).await?;
    assert_eq!(answer["result"]["protocolVersion"], "2025-06-18");
    assert_eq!(answer["result"]["serverInfo"]["name"], "ampoule-demo");
    assert!(
        answer["result"]["capabilities"]["tools"].is_object(),
        "{answer}"
    );
    let answer = lines
        .ask(&call(2, "get_business", json!({}), json!({})))
        .await?;
    assert_eq!(answer["result"]["structuredContent"]["today"], "2026-10-02");
    Ok(())
}

#[tokio::test]
async fn answers_a_client_that_discovers() -> Result<()> {
    let mut lines = Lines::connect();
    let answer = lines
        .ask(&json!({
            "jsonrpc": "2.0", "id": 1, "method": "server/discover", "params": { "_meta": stateless() },
        }))
        .await?;
    let versions = answer["result"]["supportedVersions"].as_array();
    assert!(
        versions.is_some_and(|it| it.contains(&json!("2026-07-28"))),
        "{answer}"
    );
    let answer = lines
        .ask(&call(2, "get_business", json!({}), stateless()))
        .await?;
    assert_eq!(answer["result"]["structuredContent"]["today"], "2026-10-02");
    assert_eq!(answer["result"]["resultType"], "complete");
    Ok(())
}

#[tokio::test]
async fn answers_a_client_that_just_asks() -> Result<()> {
    let mut lines = Lines::connect();
    let answer = lines
        .ask(&call(1, "get_business", json!({}), stateless()))
        .await?;
    assert_eq!(answer["result"]["structuredContent"]["today"], "2026-10-02");
    Ok(())
}

#[tokio::test]
async fn says_that_a_tool_is_unknown() -> Result<()> {
    let mut lines = initialized().await?;
    let answer = lines
        .ask(&call(2, "drop_tables", json!({}), json!({})))
        .await?;
    assert_eq!(answer["error"]["code"], -32602);
    Ok(())
}

#[tokio::test]
async fn every_server_starts_the_same_to_the_byte() -> Result<()> {
    let mut answers = Vec::new();
    for _ in 0..2 {
        let mut lines = initialized().await?;
        lines
            .send(&json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/list" }))
            .await?;
        let tools = lines.line().await?;
        lines
            .send(&call(3, "list_orders", json!({ "limit": 200 }), json!({})))
            .await?;
        let orders = lines.line().await?;
        assert!(orders.contains("ORD-10200"), "{orders}");
        answers.push((tools, orders));
    }
    assert!(answers[0] == answers[1], "two servers gave different bytes");
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn the_slow_tool_takes_two_seconds_and_reports_progress() -> Result<()> {
    let mut lines = initialized().await?;
    let start = Instant::now();
    let arguments = json!({ "quarters": 1 });
    lines
        .send(&call(
            2,
            "forecast_revenue",
            arguments,
            json!({ "progressToken": "mine" }),
        ))
        .await?;
    let messages = lines.until(2).await?;
    assert_eq!(start.elapsed().as_secs(), 2);
    let (answer, reports) = messages.split_last().expect("there is an answer");
    let progress: Vec<_> = reports
        .iter()
        .map(|report| {
            assert_eq!(report["params"]["progressToken"], "mine");
            (
                report["params"]["progress"].as_f64(),
                report["params"]["total"].as_f64(),
            )
        })
        .collect();
    let expected: Vec<_> = (1..=8).map(|step| (Some(step.into()), Some(8.0))).collect();
    assert_eq!(progress, expected);
    assert_eq!(answer["result"]["isError"], false);
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn the_slow_tool_stops_when_cancelled() -> Result<()> {
    let mut lines = initialized().await?;
    let arguments = json!({ "quarters": 1 });
    lines
        .send(&call(
            2,
            "forecast_revenue",
            arguments,
            json!({ "progressToken": "mine" }),
        ))
        .await?;
    for step in 1..=2 {
        let report: Value = serde_json::from_str(&lines.line().await?)?;
        assert_eq!(report["params"]["progress"].as_f64(), Some(step.into()));
    }
    let cancelled = json!({
        "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 2 },
    });
    lines.send(&cancelled).await?;
    // Had it gone on, its other reports would come before the answer to this.
    tokio::time::sleep(Duration::from_secs(10)).await;
    let answer = lines
        .ask(&json!({ "jsonrpc": "2.0", "id": 3, "method": "ping" }))
        .await?;
    assert_eq!(answer["id"], 3, "{answer}");
    Ok(())
}

#[tokio::test]
async fn ends_when_its_client_leaves() -> Result<()> {
    let Lines {
        read,
        write,
        server,
    } = Lines::connect();
    drop((read, write));
    server.await??;

    let Lines {
        read,
        write,
        server,
    } = initialized().await?;
    drop((read, write));
    server.await??;
    Ok(())
}

#[tokio::test]
async fn refuses_a_client_that_begins_with_something_else() -> Result<()> {
    let mut lines = Lines::connect();
    lines
        .send(&json!({ "jsonrpc": "2.0", "id": 1, "result": {} }))
        .await?;
    lines.write.shutdown().await?;
    let ended = lines.server.await?;
    assert!(matches!(ended, Err(DemoError::Handshake(_))), "{ended:?}");
    Ok(())
}
