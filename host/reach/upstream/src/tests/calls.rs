//! Calls: their answers of all kinds, and how they end without one.

use std::time::Duration;

use ampoule_tools::CallError;
use serde_json::{Value, json};

use crate::UpstreamOptions;
use crate::testing::{SECRET, call, call_with, connected, failure, upstream};

#[tokio::test(start_paused = true)]
async fn what_is_unusual_in_a_result_is_kept() {
    let (upstream, _fakes, mut fake) = connected().await;
    let calling = call(&upstream, "odd");
    let request = fake.request("tools/call").await;
    let hologram = json!({ "type": "hologram", "voxels": [1, 2] });
    // `tools` and `resources` would make rmcp take it for a list.
    let result = json!({ "content": [hologram, { "type": "text" }, 7], "structuredContent": [1, null], "isError": true, "tools": [], "resources": [] });
    fake.answer(&request, result).await;
    let result = calling.await.unwrap().unwrap();
    assert_eq!(
        result.content,
        [hologram, json!({ "type": "text" }), json!(7)]
    );
    assert_eq!(result.structured_content.unwrap().get(), "[1,null]");
    assert!(result.is_error);
}

#[tokio::test(start_paused = true)]
async fn large_numbers_and_duplicate_keys_come_as_they_were_written() {
    let (upstream, _fakes, mut fake) = connected().await;
    let calling = call(&upstream, "exact");
    let request = fake.request("tools/call").await;
    let structured = r#"{"a":1e400,"a":12345678901234567890123}"#;
    fake.raw(&format!(
        r#"{{"jsonrpc":"2.0","id":{},"result":{{"structuredContent":{structured}}}}}"#,
        request["id"]
    ))
    .await;
    assert_eq!(
        calling
            .await
            .unwrap()
            .unwrap()
            .structured_content
            .unwrap()
            .get(),
        structured
    );
}

#[tokio::test(start_paused = true)]
async fn a_refusal_is_told() {
    let (upstream, _fakes, mut fake) = connected().await;
    let calling = call(&upstream, "odd");
    let request = fake.request("tools/call").await;
    fake.send(json!({ "jsonrpc": "2.0", "id": request["id"], "error": { "code": -32602, "message": "Unknown tool: odd", "data": { "near": ["old"], "key": SECRET } } })).await;
    assert_eq!(
        failure(calling.await.unwrap()),
        r#"Unknown tool: odd (error -32602); {"near":["old"],"key":"[redacted]"}"#
    );
    let calling = call(&upstream, "odd");
    let request = fake.request("tools/call").await;
    fake.send(
        json!({ "jsonrpc": "2.0", "id": request["id"], "error": { "code": 1, "message": SECRET.repeat(5000) } }),
    )
    .await;
    let message = failure(calling.await.unwrap());
    assert_eq!(message, "[redacted]".repeat(200), "it is cut");
}

#[tokio::test(start_paused = true)]
async fn a_result_that_is_too_large_ends_its_call_alone() {
    let (upstream, _fakes, mut fake) = connected().await;
    let (small, large) = (
        call_with(&upstream, "small", 1000),
        call_with(&upstream, "large", 5_000_000),
    );
    for _ in 0..2 {
        let request = fake.request("tools/call").await;
        fake.answer(
            &request,
            json!({ "structuredContent": "x".repeat(2_000_000) }),
        )
        .await;
    }
    assert!(matches!(
        small.await.unwrap(),
        Err(CallError::ResultTooLarge { bytes: 2_000_024 })
    ));
    assert_eq!(
        large
            .await
            .unwrap()
            .unwrap()
            .structured_content
            .unwrap()
            .get()
            .len(),
        2_000_002
    );
}

#[tokio::test(start_paused = true)]
async fn a_line_that_is_too_long_is_skipped_whatever_end_the_id_is_at() {
    let (upstream, _fakes, mut fake) = connected().await;
    let filling = "y".repeat(20_000_000);
    for id_first in [true, false] {
        let calling = call_with(&upstream, "flood", 1000);
        let waiting = call_with(&upstream, "waiting", 1000);
        let mut requests = [
            fake.request("tools/call").await,
            fake.request("tools/call").await,
        ];
        requests.sort_by_key(|request| request["params"]["name"] != "flood");
        let (id, result) = (
            &requests[0]["id"],
            format!(r#"{{"structuredContent":"{filling}"}}"#),
        );
        let line = if id_first {
            format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#)
        } else {
            format!(r#"{{"jsonrpc":"2.0","result":{result},"id":{id}}}"#)
        };
        fake.raw(&line).await;
        match calling.await.unwrap() {
            Err(CallError::ResultTooLarge { bytes }) => assert_eq!(bytes, line.len() as u64),
            other => panic!("{other:?}"),
        }
        fake.answer(&requests[1], json!({ "structuredContent": 1 }))
            .await;
        assert_eq!(
            waiting
                .await
                .unwrap()
                .unwrap()
                .structured_content
                .unwrap()
                .get(),
            "1"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_long_line_without_an_id_in_sight_ends_every_call() {
    let (upstream, _fakes, mut fake) = connected().await;
    let calling = call_with(&upstream, "flood", 1000);
    let request = fake.request("tools/call").await;
    let filling = "z".repeat(2_000_000);
    fake.raw(&format!(
        r#"{{"x":"{filling}","id":{},"y":"{filling}"}}"#,
        request["id"]
    ))
    .await;
    let message = failure(calling.await.unwrap());
    assert!(
        message.starts_with("the server sent a message of 4000"),
        "{message}"
    );
    let calling = call(&upstream, "next");
    let request = fake.request("tools/call").await;
    fake.answer(&request, json!({})).await;
    calling.await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_long_notification_ends_no_call() {
    let (upstream, _fakes, mut fake) = connected().await;
    let calling = call(&upstream, "calm");
    let request = fake.request("tools/call").await;
    fake.send(json!({ "jsonrpc": "2.0", "method": "notifications/message", "params": { "data": "n".repeat(3_000_000) } })).await;
    fake.answer(&request, json!({})).await;
    calling.await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_is_broken_or_too_deep_is_an_error_of_its_call() {
    let (upstream, _fakes, mut fake) = connected().await;
    let deep = format!("{}{}", "[".repeat(200), "]".repeat(200));
    let cases = [
        (
            r#"{"content":[}"#.to_owned(),
            "the server's answer is not valid JSON",
        ),
        (
            format!(r#"{{"content":[],"structuredContent":[{deep}]}}"#),
            "the answer from `odd` can't be read: its structured content is nested deeper than 127 levels",
        ),
        ("[]".to_owned(), "the answer from `odd` can't be read: "),
        ("null".to_owned(), "the answer from `odd` can't be read: "),
        (
            r#"{"resultType":"input_required","inputRequests":{}}"#.to_owned(),
            "the tool wants to ask its user something",
        ),
        (
            r#"{"resultType":"task","taskId":"1"}"#.to_owned(),
            r#"the server answered with "task" instead of a result"#,
        ),
    ];
    for (result, expected) in cases {
        let calling = call(&upstream, "odd");
        let request = fake.request("tools/call").await;
        fake.raw(&format!(
            r#"{{"jsonrpc":"2.0","id":{},"result":{result}}}"#,
            request["id"]
        ))
        .await;
        let message = failure(calling.await.unwrap());
        assert!(message.starts_with(expected), "{message}");
    }
}

#[tokio::test(start_paused = true)]
async fn noise_is_skipped_and_batches_are_read() {
    let (upstream, _fakes, mut fake) = connected().await;
    let calling = call(&upstream, "noisy");
    let request = fake.request("tools/call").await;
    for _ in 0..100 {
        fake.raw("[12:00:01] Listening…").await;
    }
    fake.raw("").await;
    fake.raw("null").await;
    let answer = json!({ "jsonrpc": "2.0", "id": request["id"].to_string(), "result": { "structuredContent": 1 } });
    fake.send(json!([{ "jsonrpc": "2.0", "method": "notifications/progress" }, answer]))
        .await;
    assert_eq!(
        calling
            .await
            .unwrap()
            .unwrap()
            .structured_content
            .unwrap()
            .get(),
        "1"
    );
}

#[tokio::test(start_paused = true)]
async fn a_call_that_nobody_waits_for_is_cancelled_and_its_late_answer_dropped() {
    let (upstream, _fakes, mut fake) = connected().await;
    let calling = call(&upstream, "slow");
    let request = fake.request("tools/call").await;
    calling.abort();
    let cancelled = fake.recv().await;
    assert_eq!(
        (&cancelled["method"], &cancelled["params"]["requestId"]),
        (&json!("notifications/cancelled"), &request["id"])
    );
    fake.answer(&request, json!({ "structuredContent": "late" }))
        .await;
    let calling = call(&upstream, "next");
    let request = fake.request("tools/call").await;
    fake.answer(&request, json!({ "structuredContent": "next" }))
        .await;
    assert_eq!(
        calling
            .await
            .unwrap()
            .unwrap()
            .structured_content
            .unwrap()
            .get(),
        r#""next""#
    );
}

#[tokio::test(start_paused = true)]
async fn a_call_that_is_never_answered_ends_at_its_timeout() {
    let (upstream, mut fakes) = upstream(UpstreamOptions {
        call_timeout: Duration::from_secs(90),
        ..Default::default()
    });
    let calling = call(&upstream, "silent");
    let mut fake = fakes.session().await;
    let request = fake.request("tools/call").await;
    assert_eq!(
        failure(calling.await.unwrap()),
        "MCP server `fake` did not answer the call to `silent` within 1m 30s"
    );
    // The list of tools, which was not answered either, is cancelled too.
    while fake.recv().await["params"]["requestId"] != request["id"] {}
}

#[tokio::test(start_paused = true)]
async fn what_the_server_asks_is_refused() {
    let (upstream, _fakes, mut fake) = connected().await;
    let calling = call(&upstream, "curious");
    let request = fake.request("tools/call").await;
    let schema = json!({ "type": "object", "properties": {} });
    let asked = [
        (
            "elicitation/create",
            json!({ "message": "name?", "requestedSchema": schema }),
            "it has no user to ask",
        ),
        (
            "sampling/createMessage",
            json!({ "messages": [], "maxTokens": 1 }),
            "it has no model to sample from",
        ),
        ("roots/list", json!({}), "it has no roots"),
        ("acme/unheard-of", json!({}), "acme/unheard-of"),
    ];
    for (method, params, expected) in asked {
        fake.send(json!({ "jsonrpc": "2.0", "id": method, "method": method, "params": params }))
            .await;
        let answer = fake.recv().await;
        assert_eq!(
            (&answer["id"], &answer["error"]["code"]),
            (&json!(method), &json!(-32601)),
            "{answer}"
        );
        let message = answer["error"]["message"].as_str().unwrap();
        assert!(message.contains(expected), "{message}");
    }
    fake.answer(&request, json!({})).await;
    calling.await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn calls_run_at_once_and_their_answers_may_come_in_any_order() {
    let (upstream, _fakes, mut fake) = connected().await;
    let calls: Vec<_> = (0..200).map(|_| call(&upstream, "many")).collect();
    let mut requests = Vec::new();
    for _ in 0..200 {
        requests.push(fake.request("tools/call").await);
    }
    for request in requests.iter().rev() {
        fake.answer(request, json!({ "structuredContent": request["id"] }))
            .await;
    }
    let mut seen = std::collections::HashSet::new();
    for call in calls {
        let id: Value = serde_json::from_str(
            call.await
                .unwrap()
                .unwrap()
                .structured_content
                .unwrap()
                .get(),
        )
        .unwrap();
        assert!(seen.insert(id.as_i64().unwrap()));
    }
}
