//! Calls that servers make tasks of.

use std::sync::Arc;
use std::time::Duration;

use ampoule_tools::{Notice, RunId};
use serde_json::{Value, json};
use tokio::time::Instant;

use super::asks::{Calling, Person, call};
use crate::testing::{Fake, Fakes, failure, upstream};
use crate::{Upstream, UpstreamOptions};

/// A call that its server has made a task of, in a run that may take that long.
async fn task(person: &Arc<Person>, wall_time: Duration) -> (Arc<Upstream>, Fakes, Fake, Calling) {
    let options = UpstreamOptions {
        call_timeout: Duration::from_secs(10),
        ..UpstreamOptions::default()
    };
    let (upstream, mut fakes) = upstream(options);
    let calling = call(&upstream, RunId::new(), person, wall_time);
    let mut fake = fakes.next().await;
    let discover = fake.recv().await;
    let greeting = json!({ "supportedVersions": ["2026-07-28"], "capabilities": { "tools": {} } });
    fake.answer(&discover, greeting).await;
    let request = fake.request("tools/call").await;
    let capabilities =
        &request["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"]["extensions"];
    assert!(
        capabilities["io.modelcontextprotocol/tasks"].is_object(),
        "{request}"
    );
    fake.answer(&request, as_told("task", "working", json!({})))
        .await;
    (upstream, fakes, fake, calling)
}

fn as_told(kind: &str, status: &str, more: Value) -> Value {
    let mut told = json!({ "resultType": kind, "taskId": "t1", "status": status,
        "createdAt": "2026-07-28T00:00:00Z", "lastUpdatedAt": "2026-07-28T00:00:00Z",
        "ttlMs": null, "pollIntervalMs": 2000 });
    let more = more.as_object().cloned().unwrap_or_default();
    told.as_object_mut().expect("an object").extend(more);
    told
}

async fn says(fake: &mut Fake, status: &str, more: Value) {
    let get = fake.request("tasks/get").await;
    assert_eq!(get["params"]["taskId"], "t1", "{get}");
    fake.answer(&get, as_told("complete", status, more)).await;
}

#[tokio::test(start_paused = true)]
async fn a_task_is_waited_for_longer_than_a_call_may_take_and_its_questions_are_answered() {
    let person = Arc::default();
    let (_upstream, _fakes, mut fake, calling) = task(&person, Duration::from_secs(120)).await;
    let begun = Instant::now();
    for _ in 0..20 {
        says(&mut fake, "working", json!({})).await;
    }
    assert_eq!(begun.elapsed(), Duration::from_secs(40));
    let ask = |message: &str| {
        let schema = json!({ "type": "object", "properties": {} });
        json!({ "method": "elicitation/create",
            "params": { "message": message, "requestedSchema": schema } })
    };
    let both = json!({ "inputRequests": { "a": ask("Who?"), "b": ask("Why?") } });
    says(&mut fake, "input_required", both.clone()).await;
    let update = fake.request("tasks/update").await;
    let answers = &update["params"]["inputResponses"];
    assert_eq!(answers["a"]["content"]["n"], 1, "{update}");
    assert_eq!(answers["b"]["content"]["n"], 1, "{update}");
    fake.answer(&update, json!({ "resultType": "complete" }))
        .await;
    // It has not taken the answers yet, and nobody is asked again.
    says(&mut fake, "input_required", both).await;
    let result = json!({ "content": [{ "type": "text", "text": "done" }] });
    says(&mut fake, "completed", json!({ "result": result })).await;
    let result = calling.await.unwrap().unwrap();
    assert_eq!(result.content[0]["text"], "done");
    assert_eq!(person.asked.lock().len(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_task_ends_with_the_run_that_waits_for_it() {
    let (_upstream, _fakes, mut fake, calling) =
        task(&Arc::default(), Duration::from_secs(5)).await;
    says(&mut fake, "working", json!({})).await;
    says(&mut fake, "working", json!({})).await;
    let said = failure(calling.await.unwrap());
    assert_eq!(said, "the run is over");
    let cancel = fake.request("tasks/cancel").await;
    assert_eq!(cancel["params"]["taskId"], "t1", "{cancel}");
}

#[tokio::test(start_paused = true)]
async fn whoever_answers_for_a_call_hears_that_it_is_a_task_and_how_it_was_refused() {
    let person = Arc::default();
    let (_upstream, _fakes, mut fake, calling) = task(&person, Duration::from_secs(60)).await;
    let data = json!({ "requiredCapabilities": { "sampling": {} } });
    let error = json!({ "code": -32021, "message": "no model", "data": data });
    says(&mut fake, "failed", json!({ "error": error })).await;
    let said = failure(calling.await.unwrap());
    assert!(said.starts_with("no model (error -32021)"), "{said}");
    let (server, tool): (Arc<str>, Arc<str>) = ("fake".into(), "write".into());
    let required = data["requiredCapabilities"].as_object().cloned();
    let expected = [
        Notice::Task {
            server: Arc::clone(&server),
            tool: Arc::clone(&tool),
        },
        Notice::Refused {
            server,
            tool,
            code: -32021,
            required: required.unwrap_or_default(),
        },
    ];
    assert_eq!(*person.told.lock(), expected);
}

#[tokio::test(start_paused = true)]
async fn a_task_that_has_no_result_says_why() {
    let error = json!({ "error": { "code": -32603, "message": "no paper" } });
    let cases = [
        ("failed", error, "no paper (error -32603)"),
        (
            "cancelled",
            json!({ "statusMessage": "lunch" }),
            "cancelled the call's task: lunch",
        ),
        ("completed", json!({}), "it lacks `result`"),
        ("dancing", json!({}), "its status is `dancing`"),
        ("working", json!({ "taskId": "t2" }), "it is another one"),
    ];
    for (status, more, why) in cases {
        let (_upstream, _fakes, mut fake, calling) =
            task(&Arc::default(), Duration::from_secs(60)).await;
        says(&mut fake, status, more).await;
        let said = failure(calling.await.unwrap());
        assert!(said.contains(why), "{status}: {said}");
    }
    let (_upstream, _fakes, mut fake, calling) =
        task(&Arc::default(), Duration::from_secs(60)).await;
    let get = fake.request("tasks/get").await;
    fake.refuse(&get, -32602).await;
    let said = failure(calling.await.unwrap());
    assert!(said.contains("no (error -32602)"), "{said}");
}
