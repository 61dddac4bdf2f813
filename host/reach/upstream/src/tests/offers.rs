//! What servers have besides tools.

use std::sync::Arc;

use ampoule_tools::{Binding, CallContext, CallError, ToolResult};
use serde_json::{Map, Value, json};
use tokio::task::JoinHandle;

use crate::testing::{Fake, Fakes, failure, upstream};
use crate::{Upstream, UpstreamOptions};

/// A server with these capabilities, that has been called and has listed its tools.
async fn offering(capabilities: Value) -> (Arc<Upstream>, Fakes, Fake) {
    let (upstream, mut fakes) = upstream(UpstreamOptions::default());
    let listing = tokio::spawn({
        let upstream = Arc::clone(&upstream);
        async move { upstream.tools().await.map(|tools| tools.len()) }
    });
    let mut fake = fakes.next().await;
    let hello = fake.recv().await;
    fake.refuse(&hello, -32601).await;
    let hello = fake.recv().await;
    let greeting = json!({ "protocolVersion": "2025-11-25", "capabilities": capabilities });
    fake.answer(&hello, greeting).await;
    let list = fake.request_after_greeting("tools/list").await;
    fake.answer(&list, json!({ "tools": [] })).await;
    assert_eq!(listing.await.unwrap().unwrap(), 0);
    (upstream, fakes, fake)
}

fn called(
    upstream: &Arc<Upstream>,
    name: &'static str,
    arguments: Value,
) -> JoinHandle<Result<ToolResult, CallError>> {
    let upstream = Arc::clone(upstream);
    let arguments: Map<String, Value> = serde_json::from_value(arguments).unwrap();
    let context = CallContext::without_a_run("fake", name, 1000);
    tokio::spawn(async move { upstream.call(name, arguments, context).await })
}

async fn value(calling: JoinHandle<Result<ToolResult, CallError>>) -> String {
    let result = calling.await.unwrap().unwrap();
    result.structured_content.unwrap().get().to_owned()
}

#[tokio::test(start_paused = true)]
async fn a_server_offers_what_it_is_capable_of() {
    let cases = [
        (json!({ "tools": {} }), ""),
        (json!({ "resources": {} }), "$resources $templates $read"),
        (
            json!({ "prompts": { "listChanged": true }, "completions": {} }),
            "$prompts $prompt $complete",
        ),
    ];
    for (capabilities, expected) in cases {
        let (upstream, _fakes, _fake) = offering(capabilities).await;
        let offered = upstream.offered();
        let names: Vec<_> = offered.iter().map(|tool| &*tool.name).collect();
        assert_eq!(names.join(" "), expected);
    }
}

#[tokio::test(start_paused = true)]
async fn lists_come_whole_and_as_the_server_wrote_them() {
    let (upstream, _fakes, mut fake) = offering(json!({ "resources": {} })).await;
    let listing = called(&upstream, "$resources", json!({}));
    let first = fake.request("resources/list").await;
    assert!(first["params"].get("cursor").is_none(), "{first}");
    fake.raw(&format!(
        r#"{{"jsonrpc":"2.0","id":{},"result":{{"resources":[ {{"uri":"a","size":1.0}} ],"nextCursor":"x"}}}}"#,
        first["id"]
    ))
    .await;
    let second = fake.request("resources/list").await;
    assert_eq!(second["params"]["cursor"], "x");
    fake.answer(&second, json!({ "resources": [], "nextCursor": "y" }))
        .await;
    let third = fake.request("resources/list").await;
    fake.answer(&third, json!({ "resources": [{ "uri": "b" }] }))
        .await;
    assert_eq!(
        value(listing).await,
        r#"[{"uri":"a","size":1.0},{"uri":"b"}]"#
    );

    let endless = called(&upstream, "$resources", json!({}));
    for _ in 0..2 {
        let page = fake.request("resources/list").await;
        fake.answer(&page, json!({ "resources": [], "nextCursor": "x" }))
            .await;
    }
    let said = failure(endless.await.unwrap());
    assert!(said.contains("leads back"), "{said}");

    let large = called(&upstream, "$resources", json!({}));
    for cursor in ["1", "2"] {
        let page = fake.request("resources/list").await;
        let uri = "x".repeat(700);
        fake.answer(
            &page,
            json!({ "resources": [{ "uri": uri }], "nextCursor": cursor }),
        )
        .await;
    }
    let Err(CallError::ResultTooLarge { bytes }) = large.await.unwrap() else {
        panic!("both pages together are more than the run accepts");
    };
    assert!(bytes > 1000, "{bytes}");
}

#[tokio::test(start_paused = true)]
async fn what_is_read_is_the_part_that_matters() {
    let capabilities = json!({ "resources": {}, "prompts": {}, "completions": {} });
    let (upstream, _fakes, mut fake) = offering(capabilities).await;
    let completion = json!({ "values": ["a"] });
    let cases = [
        (
            ("$read", json!({ "uri": "a" })),
            ("resources/read", json!({ "uri": "a" })),
            json!({ "contents": [{ "text": "x" }], "_meta": {} }),
            r#"[{"text":"x"}]"#,
        ),
        (
            ("$prompt", json!({ "name": "a", "arguments": { "b": "c" } })),
            (
                "prompts/get",
                json!({ "name": "a", "arguments": { "b": "c" } }),
            ),
            json!({ "messages": [], "_meta": {}, "resultType": "complete" }),
            r#"{"messages":[]}"#,
        ),
        (
            (
                "$complete",
                json!({ "ref": "a", "argument": { "name": "b" } }),
            ),
            (
                "completion/complete",
                json!({ "ref": { "type": "ref/prompt", "name": "a" }, "argument": { "name": "b" } }),
            ),
            json!({ "completion": completion }),
            r#"{"values":["a"]}"#,
        ),
        (
            ("$complete", json!({ "ref": "a://{b}" })),
            (
                "completion/complete",
                json!({ "ref": { "type": "ref/resource", "uri": "a://{b}" } }),
            ),
            json!({ "completion": completion }),
            r#"{"values":["a"]}"#,
        ),
    ];
    for ((name, arguments), (method, params), result, expected) in cases {
        let calling = called(&upstream, name, arguments);
        let request = fake.request(method).await;
        assert_eq!(request["params"], params);
        fake.answer(&request, result).await;
        assert_eq!(value(calling).await, expected);
    }
    for result in [json!({}), json!([])] {
        let calling = called(&upstream, "$read", json!({ "uri": "a" }));
        let request = fake.request("resources/read").await;
        fake.answer(&request, result).await;
        let said = failure(calling.await.unwrap());
        assert!(said.contains("can't be read"), "{said}");
    }
}
