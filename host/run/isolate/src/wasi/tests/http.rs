//! HTTP requests of guests: before they are sent, while they are, and when they are dropped.

use ampoule_projection_tests::tool;
use ampoule_tools::ToolResult;
use ampoule_tools::testing::Stub;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::{Host, guest, told};

/// A server with the tool that makes requests, which answers with this status.
fn outbound(status: u16) -> Stub {
    let object = json!({ "type": "object" });
    let fetch = tool("$fetch", object.clone(), Some(object));
    let outbound = Stub::new("outbound", vec![fetch]);
    let answer = json!({ "status": status, "headers": [], "body": "got" }).to_string();
    outbound.answer(ToolResult {
        structured_content: Some(RawValue::from_string(answer).expect("JSON")),
        ..ToolResult::default()
    });
    outbound
}

/// The arguments of the calls that were made.
fn requests(server: &Stub) -> Vec<Value> {
    let calls = server.take_calls().into_iter();
    calls.map(|(_, arguments)| arguments).collect()
}

#[tokio::test]
async fn methods_and_addresses_are_short() {
    // A digit for each: a method of 32, 33 and 200,000 bytes, and a usual one; an address of 300,
    // 301 and 200,000 bytes, and none.
    for name in ["heads", "new-heads"] {
        let outcome = Host::new().run(guest(name, "{}")).await;
        assert_eq!(told(&outcome), "01100110", "{name}");
    }
}

#[tokio::test]
async fn a_request_is_a_call_with_its_text() {
    let server = outbound(200);
    let outcome = Host::with(server.clone()).run(guest("requests", "0")).await;
    assert_eq!(told(&outcome), "0200", "{}", outcome.output);
    let request = json!({
        "url": "http://api.example/a",
        "method": "POST",
        "headers": [],
        "body": "sent",
        "redirect": "manual",
    });
    assert_eq!(requests(&server), [request]);
    assert_eq!(outcome.usage.calls.len(), 1);
}

#[tokio::test]
async fn a_guest_waits_as_long_as_it_said() {
    let server = outbound(200);
    server.hang();
    let outcome = Host::with(server.clone()).run(guest("requests", "1")).await;
    // HTTP-response-timeout
    assert_eq!(told(&outcome), "1033", "{}", outcome.output);
    assert_eq!(requests(&server).len(), 1);
}

#[tokio::test]
async fn a_request_that_was_dropped_is_not_sent() {
    let server = outbound(200);
    let outcome = Host::with(server.clone()).run(guest("requests", "2")).await;
    assert_eq!(told(&outcome), "0000", "{}", outcome.output);
    assert_eq!(requests(&server), [Value::Null; 0]);
    assert!(outcome.usage.calls.is_empty());
}

#[tokio::test]
async fn a_request_is_made_whatever_else_the_guest_waits_for() {
    for how in ["3", "6"] {
        let server = outbound(204);
        let outcome = Host::with(server.clone()).run(guest("requests", how)).await;
        assert_eq!(told(&outcome), "0204", "{how}: {}", outcome.output);
        assert_eq!(requests(&server).len(), 1);
    }
}

#[tokio::test]
async fn requests_are_in_the_order_of_the_program() {
    let server = outbound(200);
    let outcome = Host::with(server.clone()).run(guest("requests", "7")).await;
    assert_eq!(told(&outcome), "0200", "{}", outcome.output);
    let urls: Vec<_> = requests(&server)
        .iter()
        .map(|request| request["url"].as_str().unwrap_or_default().to_owned())
        .collect();
    let url = |path| format!("http://api.example/{path}");
    assert_eq!(urls, [url("a"), url("b"), url("c")]);
}

#[tokio::test]
async fn a_body_counts_as_it_is_sent() {
    let mut host = Host::with(outbound(200));
    // As base64, 700 bytes are 936, and more with the rest of the request.
    host.limits.argument_bytes = 1000;
    let outcome = host.run(guest("requests", "4")).await;
    // HTTP-request-body-size
    assert_eq!(told(&outcome), "1017", "{}", outcome.output);
    host.limits.argument_bytes = 1100;
    let outcome = host.run(guest("requests", "4")).await;
    assert_eq!(told(&outcome), "0200", "{}", outcome.output);
    // More than the host may hold for the run is another limit, which ends it.
    host.limits.argument_bytes = 1 << 20;
    host.limits.host_bytes = 50_000;
    let outcome = host.run(guest("requests", "5")).await;
    assert_eq!(told(&outcome), "limit: host-bytes");
}

#[tokio::test]
async fn requests_count_before_they_are_made() {
    let mut host = Host::with(outbound(200));
    // Each counts some eighty bytes, and none is made before the guest waits.
    host.limits.host_bytes = 2000;
    let outcome = host.run(guest("requests", "8")).await;
    assert_eq!(told(&outcome), "limit: host-bytes");
    host.limits.host_bytes = 1 << 20;
    let outcome = host.run(guest("requests", "8")).await;
    assert_eq!(told(&outcome), "0200", "{}", outcome.output);
}

#[tokio::test]
async fn a_response_that_is_too_large_is_an_error_of_its_own() {
    let mut host = Host::with(outbound(200));
    host.limits.result_bytes = 20;
    let outcome = host.run(guest("requests", "0")).await;
    // HTTP-response-body-size
    assert_eq!(told(&outcome), "1028", "{}", outcome.output);
}

#[tokio::test]
async fn what_is_not_granted_counts_and_is_told_once() {
    let mut host = Host::new();
    let outcome = host.run(guest("requests", "7")).await;
    // HTTP-request-denied
    assert_eq!(told(&outcome), "1015");
    assert_eq!(outcome.output.lines().len(), 1, "{}", outcome.output);
    assert_eq!(outcome.usage.calls.len(), 3);
    host.limits.calls = 2;
    assert_eq!(
        told(&host.run(guest("requests", "7")).await),
        "limit: calls"
    );
}
