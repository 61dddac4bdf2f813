//! The list of tools: pages, mistakes in it, changes, and what is kept of it.

use std::sync::Arc;

use serde_json::{Value, json};
use tokio::time::Instant;

use crate::binding::Binding;
use crate::projection::Tool;
use crate::upstream::testing::{Fake, Fakes, call, upstream};
use crate::upstream::{Upstream, UpstreamOptions};

fn tool(name: &str) -> Value {
    json!({ "name": name, "inputSchema": { "type": "object" } })
}

fn names(tools: &[Tool]) -> Vec<&str> {
    tools.iter().map(|tool| tool.name.as_str()).collect()
}

fn listing(upstream: &Arc<Upstream>) -> tokio::task::JoinHandle<Arc<[Tool]>> {
    let upstream = Arc::clone(upstream);
    tokio::spawn(async move { upstream.tools().await.unwrap() })
}

async fn listed(tools: Value) -> (Arc<Upstream>, Fakes, Fake, Arc<[Tool]>) {
    let (upstream, mut fakes) = upstream(UpstreamOptions::default());
    let asking = listing(&upstream);
    let mut fake = fakes.session().await;
    let request = fake.recv().await;
    fake.answer(&request, json!({ "tools": tools })).await;
    let tools = asking.await.unwrap();
    (upstream, fakes, fake, tools)
}

#[tokio::test(start_paused = true)]
async fn one_bad_tool_does_not_hide_the_others() {
    let odd = json!({ "name": "odd", "title": 7, "description": null, "inputSchema": {}, "outputSchema": true, "annotations": { "readOnlyHint": true, "title": "Odd", "idempotentHint": "yes" }, "icons": 1 });
    let (upstream, _, _, tools) =
        listed(json!([tool("a"), { "name": "b" }, { "inputSchema": {} }, null, odd, tool("a"), tool(""), { "name": "c", "inputSchema": true }])).await;
    assert_eq!(names(&tools), ["a", "odd"]);
    assert_eq!(tools[1].title.as_deref(), Some("Odd"));
    assert_eq!(tools[1].output_schema, Some(json!(true)));
    assert_eq!(
        (
            tools[1].annotations.read_only,
            tools[1].annotations.idempotent
        ),
        (Some(true), None)
    );
    let expected = [
        "tool `b` has no input schema: it is missing",
        "a tool's name is missing",
        "an entry is missing instead of a tool",
        "tool `odd`: its title is a number",
        "tool `a` is listed twice; the first one counts",
        "a tool's name has 0 bytes",
        "tool `c` has no input schema: it is a boolean",
    ];
    assert_eq!(upstream.problems().to_vec(), expected);
}

#[tokio::test(start_paused = true)]
async fn pages_are_followed_until_they_repeat() {
    let (upstream, mut fakes) = upstream(UpstreamOptions::default());
    let asking = listing(&upstream);
    let mut fake = fakes.session().await;
    for (number, (sent, next)) in [(Value::Null, "x"), (json!("x"), "y"), (json!("y"), "x")]
        .into_iter()
        .enumerate()
    {
        let request = fake.recv().await;
        assert_eq!(
            request["params"].get("cursor").unwrap_or(&Value::Null),
            &sent
        );
        fake.answer(
            &request,
            json!({ "tools": [tool(&format!("t{number}"))], "nextCursor": next }),
        )
        .await;
    }
    assert_eq!(names(&asking.await.unwrap()), ["t0", "t1", "t2"]);
    assert_eq!(
        upstream.problems().to_vec(),
        ["page 3 of the list of tools leads back to an earlier page"]
    );
}

#[tokio::test(start_paused = true)]
async fn endless_pages_and_endless_tools_end() {
    let (upstream, mut fakes) = upstream(UpstreamOptions::default());
    let asking = listing(&upstream);
    let mut fake = fakes.session().await;
    for number in 0..200 {
        let request = fake.recv().await;
        fake.answer(
            &request,
            json!({ "tools": [tool(&format!("t{number}"))], "nextCursor": number.to_string() }),
        )
        .await;
    }
    assert_eq!(asking.await.unwrap().len(), 200);
    assert_eq!(
        upstream.problems().to_vec(),
        ["the list of tools has more than 200 pages; the rest is left out"]
    );

    let many: Vec<Value> = (0..10_001)
        .map(|number| tool(&number.to_string()))
        .collect();
    let (upstream, _, _, tools) = listed(many.into()).await;
    assert_eq!(tools.len(), 10_000);
    assert_eq!(
        upstream.problems().to_vec(),
        ["the server has more than 10000 tools; the rest is left out"]
    );
}

#[tokio::test(start_paused = true)]
async fn pages_end_where_they_are_too_large_together() {
    let (upstream, mut fakes) = upstream(UpstreamOptions::default());
    let asking = listing(&upstream);
    let mut fake = fakes.session().await;
    for number in 0..3 {
        let request = fake.recv().await;
        let mut tool = tool(&format!("t{number}"));
        tool["description"] = "x".repeat(6_000_000).into();
        fake.answer(
            &request,
            json!({ "tools": [tool], "nextCursor": number.to_string() }),
        )
        .await;
    }
    assert_eq!(names(&asking.await.unwrap()), ["t0", "t1"]);
    assert_eq!(
        upstream.problems().to_vec(),
        ["the list of tools has more than 16777216 bytes; page 3 and the rest is left out"]
    );
}

#[tokio::test(start_paused = true)]
async fn a_server_without_tools_is_no_error_and_one_without_a_list_is() {
    let (upstream, mut fakes) = upstream(UpstreamOptions::default());
    let asking = listing(&upstream);
    let mut fake = fakes.session().await;
    let request = fake.recv().await;
    fake.refuse(&request, -32601).await;
    assert!(asking.await.unwrap().is_empty());

    let (upstream, mut fakes) = crate::upstream::testing::upstream(UpstreamOptions::default());
    let server = async {
        let mut fake = fakes.session().await;
        let request = fake.recv().await;
        fake.answer(&request, json!({ "tools": {} })).await;
        fake
    };
    let (tools, _fake) = tokio::join!(upstream.tools(), server);
    assert_eq!(
        tools.unwrap_err().message,
        "MCP server `fake` answers tools/list without a list of tools"
    );
}

#[tokio::test(start_paused = true)]
async fn a_known_list_is_not_asked_for_again_until_the_server_says_that_it_changed() {
    let (upstream, _fakes, mut fake, first) = listed(json!([tool("a")])).await;
    assert!(Arc::ptr_eq(&first, &upstream.tools().await.unwrap()));
    let asked = Instant::now();
    for _ in 0..3 {
        fake.send(json!({ "jsonrpc": "2.0", "method": "notifications/tools/list_changed" }))
            .await;
    }
    // The notifications have been read once a later ping is answered.
    fake.send(json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" }))
        .await;
    fake.recv().await;
    let asking = listing(&upstream);
    let request = fake.recv().await;
    assert_eq!(
        asked.elapsed().as_millis(),
        200,
        "a server is not asked again at once"
    );
    fake.answer(&request, json!({ "tools": [tool("a"), tool("b")] }))
        .await;
    assert_eq!(names(&asking.await.unwrap()), ["a", "b"]);
    assert_eq!(names(&upstream.tools().await.unwrap()), ["a", "b"]);
}

#[tokio::test(start_paused = true)]
async fn a_server_that_no_longer_lists_its_tools_keeps_those_that_it_had() {
    let (upstream, _fakes, mut fake, _) = listed(json!([tool("a")])).await;
    for _ in 0..2 {
        fake.send(json!({ "jsonrpc": "2.0", "method": "notifications/tools/list_changed" }))
            .await;
        fake.send(json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" }))
            .await;
        fake.recv().await;
        let asking = listing(&upstream);
        let request = fake.recv().await;
        fake.refuse(&request, -32000).await;
        assert_eq!(names(&asking.await.unwrap()), ["a"]);
        // It is not asked again before it says that something changed.
        assert_eq!(names(&upstream.tools().await.unwrap()), ["a"]);
    }
}

#[tokio::test(start_paused = true)]
async fn a_stateless_server_is_asked_to_tell_of_changes() {
    let (upstream, mut fakes) = upstream(UpstreamOptions::default());
    let asking = listing(&upstream);
    let mut fake = fakes.next().await;
    let discover = fake.recv().await;
    fake.answer(&discover, json!({ "supportedVersions": ["2026-07-28"], "capabilities": { "tools": { "listChanged": true } } })).await;
    let (mut list, mut listen) = (fake.recv().await, fake.recv().await);
    if list["method"] != "tools/list" {
        std::mem::swap(&mut list, &mut listen);
    }
    assert_eq!(listen["method"], "subscriptions/listen");
    assert_eq!(
        listen["params"]["notifications"],
        json!({ "toolsListChanged": true })
    );
    fake.answer(&list, json!({ "tools": [] })).await;
    asking.await.unwrap();
    let tell = |method: &str, mut params: Value| {
        params["_meta"] = json!({ "io.modelcontextprotocol/subscriptionId": listen["id"] });
        json!({ "jsonrpc": "2.0", "method": method, "params": params })
    };
    fake.send(tell(
        "notifications/subscriptions/acknowledged",
        json!({ "notifications": { "toolsListChanged": true } }),
    ))
    .await;
    for name in ["first", "second"] {
        fake.send(tell("notifications/tools/list_changed", json!({})))
            .await;
        fake.send(json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" }))
            .await;
        fake.recv().await;
        let asking = listing(&upstream);
        let request = fake.recv().await;
        fake.answer(&request, json!({ "tools": [tool(name)] }))
            .await;
        assert_eq!(names(&asking.await.unwrap()), [name]);
    }
}

#[tokio::test]
async fn a_kept_list_answers_before_the_server_is_started_and_is_brought_up_to_date_by_the_first_call()
 {
    let folder = tempfile::tempdir().unwrap();
    let options = UpstreamOptions {
        cache_dir: Some(folder.path().to_owned()),
        ..Default::default()
    };
    let kept = || {
        let mut files = std::fs::read_dir(folder.path().join("tools")).ok()?;
        // What is still being written has an extension of its own.
        let file = files.find_map(|file| {
            let path = file.ok()?.path();
            path.extension()
                .is_some_and(|found| found == "json")
                .then_some(path)
        });
        std::fs::read_to_string(file?).ok()
    };
    {
        let (upstream, mut fakes) = upstream(options.clone());
        let asking = listing(&upstream);
        let mut fake = fakes.session().await;
        let request = fake.recv().await;
        fake.answer(&request, json!({ "tools": [tool("old")] }))
            .await;
        asking.await.unwrap();
        while kept().is_none() {
            tokio::task::yield_now().await;
        }
    }
    let (upstream, mut fakes) = upstream(options);
    assert_eq!(names(&upstream.tools().await.unwrap()), ["old"]);
    assert!(fakes.is_empty(), "the server was started");
    let calling = call(&upstream, "old");
    // What the server speaks was kept as well.
    let mut fake = fakes.next().await;
    let initialize = fake.recv().await;
    assert_eq!(initialize["method"], "initialize");
    fake.answer(&initialize, json!({ "protocolVersion": "2025-06-18" }))
        .await;
    fake.recv().await;
    for _ in 0..2 {
        let request = fake.recv().await;
        let list = request["method"] == "tools/list";
        fake.answer(
            &request,
            if list {
                json!({ "tools": [tool("new")] })
            } else {
                json!({})
            },
        )
        .await;
    }
    calling.await.unwrap().unwrap();
    assert_eq!(names(&upstream.tools().await.unwrap()), ["new"]);
    while !kept().unwrap().contains("new") {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_kept_list_is_refreshed_on_demand_and_one_that_is_not_known_is_left_alone() {
    let (upstream, _fakes, mut fake, _) = listed(json!([tool("a")])).await;
    upstream.refresh().await.unwrap();
    fake.send(json!({ "jsonrpc": "2.0", "method": "notifications/tools/list_changed" }))
        .await;
    fake.send(json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" }))
        .await;
    let answer = fake.recv().await;
    assert_eq!(answer["id"], 1, "a list that is current was asked for");
    let server = async {
        let request = fake.recv().await;
        fake.answer(&request, json!({ "tools": [tool("b")] })).await;
    };
    let (refreshed, ()) = tokio::join!(upstream.refresh(), server);
    refreshed.unwrap();
    assert_eq!(names(&upstream.known_tools().unwrap()), ["b"]);

    let (upstream, fakes) = crate::upstream::testing::upstream(UpstreamOptions::default());
    upstream.refresh().await.unwrap();
    assert!(fakes.is_empty(), "the server was started");
}

#[tokio::test(start_paused = true)]
async fn a_tool_that_cannot_be_read_as_it_is_stays_callable_and_spoils_no_other() {
    let nested = |levels: usize| {
        format!(
            r#"{}{{}}{}"#,
            r#"{"type":"object","properties":{"a":"#.repeat(levels),
            "}}".repeat(levels)
        )
    };
    let bomb = format!("[{}0]", "[0],".repeat(300_000));
    let tools = [
        r#"{"name":"good","inputSchema":{"type":"object"}}"#.to_owned(),
        r#"{"name":"cut","description":"an emoji \ud83d","inputSchema":{}}"#.to_owned(),
        format!(r#"{{"name":"deep\n","inputSchema":{}}}"#, nested(70)),
        format!(
            r#"{{"name":"deeper","inputSchema":{{}},"outputSchema":{}}}"#,
            nested(5000)
        ),
        format!(r#"{{"name":"wide","inputSchema":{{"enum":{bomb}}}}}"#),
        format!(r#"{{"name":"other","inputSchema":{{"default":1e999}},"annotations":{bomb}}}"#),
        format!(r#"{{"name":{bomb},"inputSchema":{{}}}}"#),
        bomb.clone(),
        r#"{"name":"last","inputSchema":{"type":"object"}}"#.to_owned(),
    ];
    let (upstream, mut fakes) = upstream(UpstreamOptions::default());
    let asking = listing(&upstream);
    let mut fake = fakes.session().await;
    let request = fake.recv().await;
    fake.raw(&format!(
        r#"{{"id":{},"result":{{"tools":[{}],"other":{bomb}}}}}"#,
        request["id"],
        tools.join(",")
    ))
    .await;
    let tools = asking.await.unwrap();
    assert_eq!(
        names(&tools),
        ["good", "cut", "deep\n", "deeper", "wide", "other", "last"]
    );
    assert_eq!(tools[1].description.as_deref(), Some("an emoji \u{fffd}"));
    for index in [2, 4, 5] {
        assert_eq!(
            json!(tools[index].input_schema),
            json!({ "type": "object" })
        );
    }
    assert_eq!(tools[3].output_schema, Some(json!(true)));
    let expected = [
        r"tool `deep\n`: its input schema is nested deeper than 119 levels; anything is taken instead",
        "tool `deeper`: its output schema is nested deeper than 119 levels; anything is taken instead",
        "tool `wide`: its input schema is too large; anything is taken instead",
        "tool `other`: its input schema can't be read (number out of range at line 1 column 16); anything is taken instead",
        "a tool's name is an array",
        "an entry is an array instead of a tool",
    ];
    assert_eq!(upstream.problems().to_vec(), expected);
}

#[tokio::test]
async fn a_list_with_the_deepest_schemas_can_be_kept() {
    let folder = tempfile::tempdir().unwrap();
    let options = UpstreamOptions {
        cache_dir: Some(folder.path().to_owned()),
        ..Default::default()
    };
    let schema = format!(r#"{{"a":{}{}}}"#, "[".repeat(118), "]".repeat(118));
    let (first, mut fakes) = upstream(options.clone());
    let asking = listing(&first);
    let mut fake = fakes.session().await;
    let request = fake.recv().await;
    fake.raw(&format!(
        r#"{{"id":{},"result":{{"tools":[{{"name":"deep","inputSchema":{schema}}}]}}}}"#,
        request["id"]
    ))
    .await;
    asking.await.unwrap();
    assert!(first.problems().is_empty(), "{:?}", first.problems());
    // What was to be kept, is.
    first.stop().await;
    let (second, _fakes) = upstream(options);
    assert_eq!(names(&second.known_tools().unwrap()), ["deep"]);
}
