//! What becomes of a call where the connection breaks.

use std::sync::Arc;

use ampoule_tools::{Binding, CallContext, CallState};
use serde_json::{Map, Value, json};
use tokio::task::JoinHandle;

use crate::testing::{Fake, Fakes, call, upstream};
use crate::{Upstream, UpstreamOptions};

/// The tools of the server: each is named by what it says of itself.
fn tools() -> Value {
    let tool = |name: &str, hints: Value| json!({ "name": name, "inputSchema": { "type": "object" }, "annotations": hints });
    json!({ "tools": [
        tool("reads", json!({ "readOnlyHint": true })),
        tool("repeats", json!({ "readOnlyHint": false, "idempotentHint": true, "destructiveHint": true })),
        tool("acts", json!({ "readOnlyHint": false, "idempotentHint": false })),
        tool("silent", json!(null)),
    ] })
}

/// An upstream that knows these tools.
async fn known() -> (Arc<Upstream>, Fakes, Fake) {
    let (upstream, mut fakes) = upstream(UpstreamOptions::default());
    let asking = tokio::spawn({
        let upstream = Arc::clone(&upstream);
        async move { upstream.tools().await.unwrap().len() }
    });
    let mut fake = fakes.session().await;
    let request = fake.recv().await;
    fake.answer(&request, tools()).await;
    assert_eq!(asking.await.unwrap(), 4);
    (upstream, fakes, fake)
}

/// A new connection, on which the list is told when it is asked for; and the next call on it.
async fn again(fakes: &mut Fakes) -> (Fake, Value) {
    let mut fake = fakes.next().await;
    let initialize = fake.recv().await;
    assert_eq!(initialize["method"], "initialize", "the era is known");
    fake.answer(&initialize, json!({ "protocolVersion": "2025-06-18" }))
        .await;
    fake.recv().await;
    let call = next_call(&mut fake).await;
    (fake, call)
}

async fn next_call(fake: &mut Fake) -> Value {
    loop {
        let request = fake.recv().await;
        if request["method"] != "tools/list" {
            return request;
        }
        fake.answer(&request, tools()).await;
    }
}

/// A call with arguments, and what is known of it when it has failed.
fn calling(upstream: &Arc<Upstream>, tool: &'static str) -> JoinHandle<Result<bool, CallState>> {
    let upstream = Arc::clone(upstream);
    tokio::spawn(async move {
        let context = CallContext::without_a_run("fake", tool, 1000);
        let arguments = Map::from_iter([("path".to_owned(), json!("a"))]);
        let called = upstream.call(tool, arguments, context).await;
        called
            .map(|result| result.structured_content.is_some())
            .map_err(|error| error.state())
    })
}

#[tokio::test(start_paused = true)]
async fn what_was_sent_is_sent_once_more_where_the_tool_says_that_this_does_no_harm() {
    for (tool, is_repeated) in [
        ("reads", true),
        ("repeats", true),
        ("acts", false),
        ("silent", false),
        ("not listed", false),
    ] {
        let (upstream, mut fakes, mut fake) = known().await;
        let calling = calling(&upstream, tool);
        let first = next_call(&mut fake).await;
        assert_eq!(first["params"]["name"], tool);
        drop(fake);
        if !is_repeated {
            assert_eq!(calling.await.unwrap(), Err(CallState::Unknown), "{tool}");
            assert!(fakes.is_empty(), "{tool}");
            continue;
        }
        let (mut fake, second) = again(&mut fakes).await;
        assert_eq!(second["params"], first["params"], "{tool}");
        fake.answer(&second, json!({ "structuredContent": 1 }))
            .await;
        assert_eq!(calling.await.unwrap(), Ok(true), "{tool}");
    }
}

#[tokio::test(start_paused = true)]
async fn what_was_sent_twice_is_not_sent_a_third_time() {
    let (upstream, mut fakes, mut fake) = known().await;
    let calling = calling(&upstream, "reads");
    next_call(&mut fake).await;
    drop(fake);
    let (fake, _) = again(&mut fakes).await;
    drop(fake);
    assert_eq!(calling.await.unwrap(), Err(CallState::Unknown));
    assert!(fakes.is_empty());
}

#[tokio::test(start_paused = true)]
async fn what_was_sent_stays_unknown_where_the_server_can_not_be_started_again() {
    let (upstream, mut fakes, mut fake) = known().await;
    let calling = calling(&upstream, "reads");
    next_call(&mut fake).await;
    drop(fake);
    drop(fakes.next().await);
    // An older server that ended at what it did not know would be tried in another way.
    while let Some(fake) = fakes.within(std::time::Duration::from_secs(5)).await {
        drop(fake);
    }
    assert_eq!(calling.await.unwrap(), Err(CallState::Unknown));
}

#[tokio::test(start_paused = true)]
async fn what_waits_to_be_written_when_the_connection_breaks_was_not_sent() {
    for tool in ["reads", "acts"] {
        let (upstream, mut fakes, mut fake) = known().await;
        // More than the pipe takes, so that the other waits behind it.
        let large = tokio::spawn({
            let upstream = Arc::clone(&upstream);
            async move {
                let context = CallContext::without_a_run("fake", "acts", 1000);
                let text = Value::from("x".repeat(1 << 20));
                let arguments = Map::from_iter([("text".to_owned(), text)]);
                let called = upstream.call("acts", arguments, context).await;
                called.map(drop).map_err(|error| error.state())
            }
        });
        fake.line_begins().await;
        let calling = calling(&upstream, tool);
        while upstream.unsent() < 1 {
            tokio::task::yield_now().await;
        }
        drop(fake);
        assert_eq!(large.await.unwrap(), Err(CallState::Unknown));
        if tool == "acts" {
            assert_eq!(calling.await.unwrap(), Err(CallState::NotSent));
            continue;
        }
        let (mut fake, second) = again(&mut fakes).await;
        assert_eq!(second["params"]["name"], "reads");
        fake.answer(&second, json!({ "structuredContent": 1 }))
            .await;
        assert_eq!(calling.await.unwrap(), Ok(true));
    }
}

#[tokio::test(start_paused = true)]
async fn a_connection_that_broke_before_a_call_is_made_anew_for_it_whatever_the_tool() {
    for tool in ["reads", "acts"] {
        let (upstream, mut fakes, fake) = known().await;
        drop(fake);
        let calling = calling(&upstream, tool);
        let (mut fake, request) = again(&mut fakes).await;
        assert_eq!(request["params"]["name"], tool);
        fake.answer(&request, json!({ "structuredContent": 1 }))
            .await;
        assert_eq!(calling.await.unwrap(), Ok(true));
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_that_is_given_up_while_its_server_starts_was_not_sent() {
    let (upstream, mut fakes) = upstream(UpstreamOptions::default());
    let context = CallContext::without_a_run("fake", "acts", 1000);
    context.leave();
    let calling = upstream.call("acts", Map::new(), context.clone());
    let waited = tokio::time::timeout(std::time::Duration::from_secs(1), calling).await;
    assert!(waited.is_err());
    assert_eq!(context.state_if_given_up(), CallState::NotSent);
    let _starting = fakes.next().await;
    drop(call(&upstream, "x"));
}
