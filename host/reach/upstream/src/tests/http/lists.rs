//! Long lists of tools, and lists that change while calls are under way.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use ampoule_tools::Binding;
use parking_lot::Mutex;
use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;

use super::server::{Part, Reply, serve, session, stateless};
use super::{remote, text};
use crate::testing::call;
use crate::{RemoteServer, Upstream, UpstreamOptions};

/// How many tools there are, on how many pages, and how many parameters each has.
const TOOLS: usize = 17_000;
const PAGES: usize = 17;
const PARAMETERS: usize = 50;

fn tool(name: &str, parameters: usize) -> Value {
    let properties = (0..parameters).map(|at| (format!("p{at}"), json!({ "type": "integer" })));
    let properties: Map<String, Value> = properties.collect();
    json!({ "name": name, "inputSchema": { "type": "object", "properties": properties } })
}

fn names(tools: &[ampoule_projection::Tool]) -> Vec<&str> {
    tools.iter().map(|tool| tool.name.as_str()).collect()
}

#[tokio::test]
async fn seventeen_thousand_tools_with_fifty_parameters_each_are_read_beside_calls() {
    let pages: Vec<Value> = (0..PAGES)
        .map(|page| {
            let numbers = page * TOOLS / PAGES..(page + 1) * TOOLS / PAGES;
            let tools = numbers.map(|number| tool(&format!("t{number}"), PARAMETERS));
            json!({ "tools": tools.collect::<Vec<_>>(), "nextCursor": (page + 1).to_string() })
        })
        .collect();
    let server = session(move |request| {
        (request.asks() == "tools/list").then(|| {
            let cursor = request.body["params"]["cursor"].as_str().unwrap_or("0");
            let page: usize = cursor.parse().unwrap();
            let mut page = pages[page].clone();
            if page["nextCursor"] == json!(PAGES.to_string()) {
                page["nextCursor"] = Value::Null;
            }
            Reply::result(request, &page)
        })
    })
    .await;
    let options = UpstreamOptions {
        // The machine may be busy otherwise.
        start_timeout: Duration::from_mins(5),
        ..UpstreamOptions::default()
    };
    let far = RemoteServer::new(&server.url).unwrap();
    let upstream = Arc::new(Upstream::remote("far", far, options));
    let listing = {
        let upstream = Arc::clone(&upstream);
        tokio::spawn(async move { upstream.tools().await.unwrap() })
    };
    server.asked_for("tools/list", 1).await;
    let result = call(&upstream, "t0").await.unwrap().unwrap();
    assert_eq!(text(&result), "done");
    let tools = listing.await.unwrap();
    assert_eq!(tools.len(), TOOLS, "{:?}", upstream.problems());
    let properties = tools[0].input_schema.parse();
    let properties = properties["properties"].as_object();
    assert_eq!(properties.unwrap().len(), PARAMETERS);
    upstream.stop().await;
    server.is_left().await;
}

#[tokio::test]
async fn a_list_that_changes_while_a_call_is_under_way_is_new_when_the_call_has_ended() {
    let stream: Arc<Mutex<Vec<u8>>> = Arc::default();
    let (changed, goes_on) = (Arc::new(AtomicBool::new(false)), CancellationToken::new());
    let server = {
        let (stream, changed) = (Arc::clone(&stream), Arc::clone(&changed));
        let goes_on = goes_on.clone();
        serve(move |request| match request.asks() {
            "server/discover" => {
                let result = json!({
                    "supportedVersions": ["2026-07-28"],
                    "capabilities": { "tools": { "listChanged": true } },
                });
                Reply::result(request, &result)
            }
            "tools/list" => {
                let name = ["old", "new"][usize::from(changed.load(Ordering::Relaxed))];
                Reply::result(request, &json!({ "tools": [tool(name, 1)] }))
            }
            "subscriptions/listen" => {
                Reply::events(": yes\n\n").then(Part::Live(Arc::clone(&stream)))
            }
            "tools/call" => stateless(request).after(Part::Until(goes_on.clone())),
            _ => stateless(request),
        })
        .await
    };
    let upstream = remote(&server.url);
    assert_eq!(names(&upstream.tools().await.unwrap()), ["old"]);
    server.asked_for("subscriptions/listen", 1).await;
    let calling = call(&upstream, "old");
    server.asked_for("tools/call", 1).await;

    changed.store(true, Ordering::Relaxed);
    let note = json!({ "jsonrpc": "2.0", "method": "notifications/tools/list_changed" });
    stream
        .lock()
        .extend(format!("data: {note}\n\n").into_bytes());
    while !upstream.inner.listing.has_changed() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    // The call that is under way stays what it was.
    assert_eq!(names(&upstream.tools().await.unwrap()), ["new"]);
    goes_on.cancel();
    let result = calling.await.unwrap().unwrap();
    assert_eq!(text(&result), "done");
    assert_eq!(server.asked("tools/call").len(), 1);
    upstream.stop().await;
}
