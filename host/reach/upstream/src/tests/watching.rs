//! What servers tell unasked: changes of lists, and of resources that somebody wants to hear of.

use std::sync::Arc;

use ampoule_tools::{Binding, CallError, ListVersions, Subscription};
use futures::FutureExt;
use serde_json::{Value, json};
use tokio::task::JoinHandle;

use crate::testing::{Fake, Fakes, upstream};
use crate::{Upstream, UpstreamOptions};

type Subscribing = JoinHandle<Result<Subscription, CallError>>;

fn subscribing(upstream: &Arc<Upstream>, address: &'static str) -> Subscribing {
    let upstream = Arc::clone(upstream);
    tokio::spawn(async move { upstream.subscribe(address, None).await })
}

/// The next connection, greeted in the older way by a server with these resources.
async fn session(fakes: &mut Fakes, resources: Value) -> Fake {
    let mut fake = fakes.next().await;
    let mut hello = fake.recv().await;
    if hello["method"] == "server/discover" {
        fake.refuse(&hello, -32601).await;
        hello = fake.recv().await;
    }
    let capabilities = json!({ "resources": resources, "prompts": { "listChanged": true } });
    let greeting =
        json!({ "protocolVersion": "2025-11-25", "capabilities": capabilities, "serverInfo": {} });
    fake.answer(&hello, greeting).await;
    assert_eq!(fake.recv().await["method"], "notifications/initialized");
    fake
}

/// The next connection, to a server of 2026-07-28 that reports resources.
async fn stateless(fakes: &mut Fakes) -> Fake {
    let mut fake = fakes.next().await;
    let discover = fake.recv().await;
    let capabilities = json!({ "resources": { "subscribe": true } });
    let greeting = json!({ "supportedVersions": ["2026-07-28"], "capabilities": capabilities });
    fake.answer(&discover, greeting).await;
    fake
}

fn told(method: &str, params: Value) -> Value {
    json!({ "jsonrpc": "2.0", "method": method, "params": params })
}

async fn update(fake: &mut Fake, uri: &str) {
    fake.send(told(
        "notifications/resources/updated",
        json!({ "uri": uri }),
    ))
    .await;
}

/// Waits until the upstream has read all that was sent.
async fn is_read(fake: &mut Fake) {
    let ping = json!({ "jsonrpc": "2.0", "id": "p", "method": "ping" });
    fake.send(ping).await;
    assert_eq!(fake.recv().await["id"], "p");
}

/// The upstream's request about a resource, which is answered.
async fn answered(fake: &mut Fake, method: &str, uri: &str) {
    let request = fake.request(method).await;
    assert_eq!(request["params"]["uri"], uri, "{request}");
    fake.answer(&request, json!({})).await;
}

#[tokio::test(start_paused = true)]
async fn a_server_is_asked_once_for_all_who_want_to_hear_and_let_off_by_the_last() {
    let (upstream, mut fakes) = upstream(UpstreamOptions::default());
    let (first, second) = (
        subscribing(&upstream, "note://1"),
        subscribing(&upstream, "note://1"),
    );
    let mut fake = session(&mut fakes, json!({ "subscribe": true })).await;
    answered(&mut fake, "resources/subscribe", "note://1").await;
    let mut first = first.await.unwrap().unwrap();
    let mut second = second.await.unwrap().unwrap();
    // However often it is told, it is one change for who did not look meanwhile.
    for _ in 0..1000 {
        update(&mut fake, "note://1").await;
        update(&mut fake, "note://2").await;
    }
    is_read(&mut fake).await;
    for heard in [&mut first, &mut second] {
        assert!(heard.changed().await);
        assert_eq!(heard.changed().now_or_never(), None);
    }
    // What is beneath it belongs to it.
    update(&mut fake, "note://1/part").await;
    assert!(first.changed().await);
    // A third who comes later need not ask.
    let third = upstream.subscribe("note://1", None).await.unwrap();
    drop((first, third));
    update(&mut fake, "note://1").await;
    assert!(second.changed().await);
    drop(second);
    answered(&mut fake, "resources/unsubscribe", "note://1").await;
    // Everything begins anew.
    let again = subscribing(&upstream, "note://1");
    answered(&mut fake, "resources/subscribe", "note://1").await;
    again.await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn on_a_new_connection_a_server_is_asked_anew_and_what_it_did_not_tell_may_have_changed() {
    let (upstream, mut fakes) = upstream(UpstreamOptions::default());
    let asked = subscribing(&upstream, "note://1");
    let mut fake = session(&mut fakes, json!({ "subscribe": true })).await;
    answered(&mut fake, "resources/subscribe", "note://1").await;
    let mut heard = asked.await.unwrap().unwrap();
    drop(fake);
    let mut fake = session(&mut fakes, json!({ "subscribe": true })).await;
    answered(&mut fake, "resources/subscribe", "note://1").await;
    assert!(heard.changed().await);
    update(&mut fake, "note://1").await;
    assert!(heard.changed().await);
    // A connection with a subscription is in use, and ends with the upstream.
    upstream.stop().await;
    assert_eq!(fake.recv().await, Value::Null);
}

#[tokio::test(start_paused = true)]
async fn who_can_not_hear_of_a_resource_learns_why() {
    let (upstream, mut fakes) = upstream(UpstreamOptions::default());
    let asked = subscribing(&upstream, "note://1");
    let mut fake = session(&mut fakes, json!({ "subscribe": true })).await;
    let request = fake.request("resources/subscribe").await;
    fake.refuse(&request, -32002).await;
    let why = asked.await.unwrap().unwrap_err().to_string();
    assert_eq!(
        why,
        "MCP server `fake` does not report changes to it: no (error -32002)"
    );
    let (upstream, mut fakes) = crate::testing::upstream(UpstreamOptions::default());
    let asked = subscribing(&upstream, "note://1");
    let _fake = session(&mut fakes, json!({})).await;
    let why = asked.await.unwrap().unwrap_err().to_string();
    assert_eq!(
        why,
        "MCP server `fake` does not report changes to its resources"
    );
    // One that can't be started.
    let (upstream, mut fakes) = crate::testing::upstream(UpstreamOptions::default());
    let asked = subscribing(&upstream, "note://1");
    drop(fakes.next().await);
    drop(fakes.next().await);
    let why = asked.await.unwrap().unwrap_err().to_string();
    assert!(why.contains("MCP server `fake`"), "{why}");
    let long: &'static str = "x".repeat(9000).leak();
    let why = subscribing(&upstream, long).await.unwrap().unwrap_err();
    assert!(why.to_string().contains("so long an address"), "{why}");
}

/// The upstream's request for these resources. The server says that it reports those.
async fn acknowledged(fake: &mut Fake, wanted: Value, accepted: Value) -> Value {
    let listen = fake.request("subscriptions/listen").await;
    let asked = &listen["params"]["notifications"];
    assert_eq!(*asked, json!({ "resourceSubscriptions": wanted }));
    let meta = json!({ "io.modelcontextprotocol/subscriptionId": listen["id"] });
    let accepted = json!({ "resourceSubscriptions": accepted });
    let method = "notifications/subscriptions/acknowledged";
    fake.send(told(
        method,
        json!({ "notifications": accepted, "_meta": meta }),
    ))
    .await;
    listen
}

async fn is_over(fake: &mut Fake, listen: &Value) {
    let cancelled = fake.recv().await;
    assert_eq!(cancelled["method"], "notifications/cancelled");
    assert_eq!(cancelled["params"]["requestId"], listen["id"]);
}

#[tokio::test(start_paused = true)]
async fn a_stateless_server_is_asked_for_all_resources_by_one_request() {
    let (upstream, mut fakes) = upstream(UpstreamOptions::default());
    let asked = subscribing(&upstream, "note://1");
    let mut fake = stateless(&mut fakes).await;
    let first = acknowledged(&mut fake, json!(["note://1"]), json!(["note://1"])).await;
    let mut one = asked.await.unwrap().unwrap();
    // The earlier request ends once the later one is acknowledged.
    let asked = subscribing(&upstream, "note://2");
    let both = json!(["note://1", "note://2"]);
    let second = acknowledged(&mut fake, both.clone(), both.clone()).await;
    is_over(&mut fake, &first).await;
    let mut two = asked.await.unwrap().unwrap();
    update(&mut fake, "note://2").await;
    assert!(two.changed().await);
    assert_eq!(one.changed().now_or_never(), None, "nothing was missed");
    // What the server does not report is not asked for again.
    let asked = subscribing(&upstream, "note://3");
    let three = json!(["note://1", "note://2", "note://3"]);
    let third = acknowledged(&mut fake, three, both.clone()).await;
    is_over(&mut fake, &second).await;
    let why = asked.await.unwrap().unwrap_err().to_string();
    assert_eq!(why, "MCP server `fake` does not report changes to it");
    let fourth = acknowledged(&mut fake, both.clone(), both.clone()).await;
    is_over(&mut fake, &third).await;
    // A request that the server ends is made again; what was not told meanwhile may have changed.
    fake.answer(&fourth, json!({ "resultType": "complete" }))
        .await;
    let fifth = acknowledged(&mut fake, both.clone(), both).await;
    assert!(one.changed().await && two.changed().await);
    drop(two);
    let sixth = acknowledged(&mut fake, json!(["note://1"]), json!(["note://1"])).await;
    is_over(&mut fake, &fifth).await;
    drop(one);
    is_over(&mut fake, &sixth).await;
}

#[tokio::test(start_paused = true)]
async fn a_stateless_server_may_refuse_or_say_nothing() {
    let (upstream, mut fakes) = upstream(UpstreamOptions::default());
    let asked = subscribing(&upstream, "note://1");
    let mut fake = stateless(&mut fakes).await;
    let listen = fake.request("subscriptions/listen").await;
    fake.refuse(&listen, -32602).await;
    let why = asked.await.unwrap().unwrap_err().to_string();
    assert!(why.ends_with("to it: no (error -32602)"), "{why}");
    let asked = subscribing(&upstream, "note://2");
    fake.request("subscriptions/listen").await;
    let mut heard = asked.await.unwrap().unwrap();
    update(&mut fake, "note://2").await;
    assert!(heard.changed().await);
}

#[tokio::test(start_paused = true)]
async fn changes_of_lists_are_counted_each_for_itself() {
    let (upstream, mut fakes) = upstream(UpstreamOptions::default());
    let mut lists = upstream.list_changes(None).unwrap();
    let asked = subscribing(&upstream, "note://1");
    let mut fake = session(&mut fakes, json!({ "subscribe": true })).await;
    answered(&mut fake, "resources/subscribe", "note://1").await;
    let _heard = asked.await.unwrap().unwrap();
    assert!(!lists.has_changed().unwrap());
    for list in ["prompts", "resources", "prompts", "tools", "roots"] {
        let method = format!("notifications/{list}/list_changed");
        fake.send(told(&method, json!({}))).await;
    }
    is_read(&mut fake).await;
    let expected = ListVersions {
        tools: 1,
        prompts: 2,
        resources: 1,
    };
    assert_eq!(*lists.borrow_and_update(), expected);
}
