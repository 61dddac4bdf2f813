//! What servers send that nobody asked for, and what is left of calls that a server does not read.

use std::sync::Arc;
use std::time::Duration;

use ampoule_tools::{Binding, CallContext, CallError};
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::testing::{call, call_with, connected, connected_with, failure};
use crate::{Upstream, UpstreamOptions};

/// A JSON text of that many arrays within an array, which would take hundreds of times its size as
/// a tree.
fn bomb(arrays: usize) -> String {
    format!("[{}0]", "[0],".repeat(arrays))
}

#[tokio::test(start_paused = true)]
async fn a_server_that_asks_on_without_reading_the_answers_is_let_go_of_with_the_true_reason() {
    for asked in ["ping", "roots/list", "sampling/createMessage"] {
        let (upstream, _fakes, mut fake) = connected().await;
        let calling = call(&upstream, "never");
        fake.request("tools/call").await;
        // What the pipe takes is not waited for by anybody; then a few hundred may wait.
        let mut sent = 0;
        while !calling.is_finished() {
            assert!(sent < 10_000, "{asked} is answered without end");
            fake.try_send(&json!({ "jsonrpc": "2.0", "id": sent, "method": asked }))
                .await;
            sent += 1;
        }
        let message = failure(calling.await.unwrap());
        let expected = "MCP server `fake` was disconnected, because it went on asking the client without reading the 256 answers that are waiting for it while the call was under way";
        assert!(message.starts_with(expected), "{message}");
    }
}

#[tokio::test(start_paused = true)]
async fn calls_that_were_given_up_before_they_were_read_leave_nothing_behind() {
    let options = UpstreamOptions {
        concurrency: 10_000,
        ..Default::default()
    };
    let (upstream, _fakes, mut fake) = connected_with(options).await;
    // More than the pipe takes, so that the others wait behind it.
    let first = call_of(&upstream, "x".repeat(1 << 20));
    fake.line_begins().await;
    for _ in 0..3 {
        let calls: Vec<_> = (0..5000)
            .map(|n| call_of(&upstream, n.to_string()))
            .collect();
        while upstream.unsent() < 5000 {
            tokio::task::yield_now().await;
        }
        for call in &calls {
            call.abort();
        }
        for call in calls {
            assert!(call.await.unwrap_err().is_cancelled());
        }
        assert_eq!(
            upstream.unsent(),
            0,
            "neither calls nor their cancellations"
        );
    }
    first.abort();
    let _ = first.await;
    // What was being written is read to its end, and only then cancelled; of the other calls, the
    // server never hears.
    let request = fake.request("tools/call").await;
    let cancelled = fake.recv().await;
    assert_eq!(cancelled["method"], "notifications/cancelled");
    assert_eq!(cancelled["params"]["requestId"], request["id"]);
    let calling = call(&upstream, "next");
    assert_eq!(fake.recv().await["params"]["name"], "next");
    calling.abort();
}

/// A call with an argument.
fn call_of(
    upstream: &Arc<Upstream>,
    text: String,
) -> tokio::task::JoinHandle<Result<ampoule_tools::ToolResult, CallError>> {
    let upstream = Arc::clone(upstream);
    tokio::spawn(async move {
        let arguments = [("text".to_owned(), Value::from(text))];
        let context = CallContext::without_a_run("server", "write", 1000);
        upstream
            .call("write", arguments.into_iter().collect(), context)
            .await
    })
}

#[tokio::test(start_paused = true)]
async fn what_does_not_fit_into_the_queue_is_refused_with_the_true_reason() {
    let (upstream, _fakes, mut fake) = connected().await;
    let large = || call_of(&upstream, "x".repeat(20 << 20));
    let calls: Vec<_> = (0..4).map(|_| large()).collect();
    fake.line_begins().await;
    let message = failure(large().await.unwrap());
    assert!(
        message.starts_with("MCP server `fake` does not read what it is sent: "),
        "{message}"
    );
    for call in calls {
        call.abort();
    }
}

#[tokio::test(start_paused = true)]
async fn a_flood_of_notifications_is_read_slowly_and_answers_come_through() {
    let (upstream, _fakes, mut fake) = connected().await;
    let calling = call(&upstream, "calm");
    let request = fake.request("tools/call").await;
    let started = Instant::now();
    let bomb = bomb(20_000);
    for _ in 0..1000 {
        fake.raw(&format!(
            r#"{{"jsonrpc":"2.0","method":"notifications/message","params":{{"data":{bomb}}}}}"#
        ))
        .await;
    }
    fake.answer(&request, json!({})).await;
    calling.await.unwrap().unwrap();
    let took = started.elapsed();
    assert!(
        (Duration::from_secs(1)..Duration::from_secs(5)).contains(&took),
        "80 MB took {took:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn an_error_is_held_against_what_a_result_may_have() {
    let (upstream, _fakes, mut fake) = connected().await;
    let bomb = bomb(1_000_000);
    let (small, large) = (
        call_with(&upstream, "small", 1_000_000),
        call_with(&upstream, "large", 10_000_000),
    );
    for _ in 0..2 {
        let request = fake.request("tools/call").await;
        fake.raw(&format!(
            r#"{{"jsonrpc":"2.0","id":{},"error":{{"code":1,"message":"no","data":{bomb}}}}}"#,
            request["id"]
        ))
        .await;
    }
    assert!(matches!(
        small.await.unwrap(),
        Err(CallError::ResultTooLarge { bytes }) if bytes > 4_000_000
    ));
    assert_eq!(
        failure(large.await.unwrap()),
        "no (error 1); its data of 4000003 bytes is left out"
    );
}

#[tokio::test(start_paused = true)]
async fn a_batch_of_very_many_messages_ends_the_calls_under_way() {
    let (upstream, _fakes, mut fake) = connected().await;
    let calling = call_with(&upstream, "batched", 100_000_000);
    fake.request("tools/call").await;
    fake.raw(&bomb(1_000_000)).await;
    let message = failure(calling.await.unwrap());
    assert!(
        message.starts_with("the server sent a batch of too many messages of 4000003 bytes"),
        "{message}"
    );
}

#[tokio::test(start_paused = true)]
async fn half_characters_arrive_as_a_replacement() {
    let (upstream, _fakes, mut fake) = connected().await;
    for (result, text, is_error) in [
        (r#""text":"cut \ud83d""#, "cut \u{fffd}", false),
        (r#""text":"cut \ud83d""#, "cut \u{fffd}", true),
        (r#""text":"\ud83d\ude00""#, "😀", false),
    ] {
        let calling = call(&upstream, "emoji");
        let request = fake.request("tools/call").await;
        fake.raw(&format!(
            r#"{{"jsonrpc":"2.0","id":{},"result":{{"content":[{{"type":"text",{result}}}],"structuredContent":{{"a":"\udc00"}},"isError":{is_error}}}}}"#,
            request["id"]
        ))
        .await;
        let result = calling.await.unwrap().unwrap();
        assert_eq!(result.content[0]["text"], text);
        assert_eq!(result.is_error, is_error);
        assert_eq!(
            result.structured_content.unwrap().get(),
            r#"{"a":"\ufffd"}"#
        );
    }
}
