//! Answers that belong to no request, and objects that are not messages.

use std::time::Duration;

use ampoule_tools::CallError;
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::UpstreamOptions;
use crate::testing::{call, connected, failure, upstream};

const TEXT: &str = r#"{"content":[{"type":"text","text":"hello"}]}"#;

fn answer(id: &Value) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{TEXT}}}"#)
}

#[tokio::test(start_paused = true)]
async fn a_log_on_stdout_hinders_no_slow_start() {
    let (upstream, mut fakes) = upstream(UpstreamOptions::default());
    let calling = call(&upstream, "greet");
    let mut fake = fakes.next().await;
    fake.recv().await;
    fake.raw("{\"level\":\"info\",\"id\":1,\"msg\":\"loading\"}\n")
        .await;
    let initialize = fake.recv().await;
    fake.raw("{\"level\":\"info\",\"msg\":\"still loading\"}\n")
        .await;
    tokio::time::sleep(Duration::from_secs(8)).await;
    let old = json!({ "protocolVersion": "2025-06-18", "capabilities": {} });
    fake.answer(&initialize, old).await;
    assert_eq!(fake.recv().await["method"], "notifications/initialized");
    let request = fake.request("tools/call").await;
    fake.raw(&format!("{}\n", answer(&request["id"]))).await;
    calling.await.unwrap().unwrap();
    let skipped = upstream.status().skipped.unwrap();
    assert!(
        skipped.contains("loading") && skipped.contains("1 more line"),
        "{skipped}"
    );
}

#[tokio::test(start_paused = true)]
async fn answers_that_say_nowhere_that_they_are_are_told() {
    let (upstream, mut fakes) = upstream(UpstreamOptions::default());
    let calling = call(&upstream, "greet");
    let mut fake = fakes.next().await;
    let started = Instant::now();
    let request = fake.recv().await;
    fake.try_send(&json!({ "id": request["id"], "result": {} }))
        .await;
    let told = failure(calling.await.unwrap());
    assert!(told.contains(r#"has no `"jsonrpc": "2.0"`"#), "{told}");
    assert!(
        started.elapsed() < Duration::from_secs(8),
        "{:?}",
        started.elapsed()
    );
}

#[tokio::test(start_paused = true)]
async fn an_answer_under_another_id_ends_the_one_call_under_way() {
    for (member, id) in [
        ("result", "0"),
        ("error", "0"),
        ("result", "\"a\""),
        ("result", "99"),
    ] {
        let (upstream, _fakes, mut fake) = connected().await;
        let calling = call(&upstream, "greet");
        let request = fake.request("tools/call").await;
        let started = Instant::now();
        fake.raw(&format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"{member}\":{{}}}}\n"
        ))
        .await;
        let told = match calling.await.unwrap() {
            Err(CallError::Protocol(told)) => told,
            other => panic!("{other:?}"),
        };
        let said = format!(
            "answered with the id {id}, where the request has the id {}",
            request["id"]
        );
        assert!(told.contains(&said), "{told}");
        assert!(
            started.elapsed() < Duration::from_secs(3),
            "{:?}",
            started.elapsed()
        );
    }
}

#[tokio::test(start_paused = true)]
async fn the_right_answer_counts_and_so_do_calls_beside_it() {
    let (upstream, _fakes, mut fake) = connected().await;
    // The right one comes soon enough.
    let calling = call(&upstream, "greet");
    let request = fake.request("tools/call").await;
    fake.raw(&format!(
        "{}\n{}\n",
        answer(&json!(0)),
        answer(&request["id"])
    ))
    .await;
    calling.await.unwrap().unwrap();
    // Of two under way, neither is given up, however long they take.
    let calls = ["one", "other"].map(|tool| call(&upstream, tool));
    let [one, other] = [
        fake.request("tools/call").await,
        fake.request("tools/call").await,
    ];
    fake.raw(&format!("{}\n", answer(&json!(0)))).await;
    tokio::time::sleep(Duration::from_secs(20)).await;
    fake.raw(&format!(
        "{}\n{}\n",
        answer(&one["id"]),
        answer(&other["id"])
    ))
    .await;
    for calling in calls {
        calling.await.unwrap().unwrap();
    }
    // An answer that comes twice is not that of the next call.
    let calling = call(&upstream, "greet");
    let request = fake.request("tools/call").await;
    fake.raw(&format!("{}\n", answer(&one["id"]))).await;
    tokio::time::sleep(Duration::from_secs(20)).await;
    fake.raw(&format!("{}\n", answer(&request["id"]))).await;
    calling.await.unwrap().unwrap();
}
