//! What servers ask since 2026-07-28: by a result that wants something before the call goes on.

use std::sync::Arc;
use std::time::Duration;

use ampoule_tools::{AskKind, CallError, RunId};
use serde_json::{Value, json};

use super::asks::{Calling, Person, call, done};
use crate::testing::{Fake, Fakes, failure, upstream, with_tasks};
use crate::{Upstream, UpstreamOptions};

/// A call that is under way on a server of 2026-07-28, which may ask for a pause again and again.
async fn stateless(person: &Arc<Person>, roots: &[&str]) -> (Arc<Upstream>, Fakes, Fake, Calling) {
    let options = UpstreamOptions {
        roots: roots.iter().map(|root| (*root).to_owned()).collect(),
        ..UpstreamOptions::default()
    };
    let (upstream, mut fakes) = upstream(options);
    let calling = call(&upstream, RunId::new(), person, Duration::from_secs(120));
    let mut fake = fakes.next().await;
    let discover = fake.recv().await;
    let greeting = json!({ "resultType": "complete", "supportedVersions": ["2026-07-28"], "capabilities": { "tools": {} } });
    fake.answer(&discover, greeting).await;
    (upstream, fakes, fake, calling)
}

#[tokio::test(start_paused = true)]
async fn a_result_that_wants_something_is_answered_with_the_call_again() {
    let person = Arc::default();
    let (_upstream, _fakes, mut fake, calling) = stateless(&person, &["/srv"]).await;
    let first = fake.request("tools/call").await;
    let capabilities = &first["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"];
    assert_eq!(
        *capabilities,
        with_tasks(json!({ "elicitation": { "form": {} }, "roots": {} }))
    );
    let wants = json!({
        "resultType": "input_required",
        "requestState": "sealed",
        "inputRequests": {
            "who": { "method": "elicitation/create", "params": { "message": "Who?" } },
            "where": { "method": "roots/list" },
        },
    });
    fake.answer(&first, wants).await;
    let again = fake.request("tools/call").await;
    assert_ne!(again["id"], first["id"]);
    let params = &again["params"];
    assert_eq!(params["name"], "write");
    assert_eq!(params["requestState"], "sealed");
    assert_eq!(params["inputResponses"]["who"]["content"]["n"], 1);
    assert_eq!(
        params["inputResponses"]["where"]["roots"][0]["uri"],
        "file:///srv"
    );
    assert_eq!(params["_meta"]["progressToken"], again["id"]);
    fake.answer(
        &again,
        json!({ "resultType": "input_required", "requestState": "more" }),
    )
    .await;
    let third = fake.request("tools/call").await;
    assert_eq!(third["params"]["requestState"], "more");
    assert_eq!(third["params"]["inputResponses"], json!({}));
    done(&mut fake, &third, calling).await;
    assert_eq!(person.asked.lock().len(), 1);
}

/// Where the operator named no roots, the caller is asked for theirs.
#[tokio::test(start_paused = true)]
async fn roots_are_those_of_the_caller_where_the_operator_named_none() {
    let person = Arc::new(Person {
        has_roots: true,
        ..Person::default()
    });
    let (_upstream, _fakes, mut fake, calling) = stateless(&person, &[]).await;
    let first = fake.request("tools/call").await;
    let capabilities = &first["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"];
    assert_eq!(
        *capabilities,
        with_tasks(json!({ "elicitation": { "form": {} }, "roots": {} }))
    );
    let wants = json!({
        "resultType": "input_required",
        "inputRequests": { "where": { "method": "roots/list", "params": { "of": "somebody" } } },
    });
    fake.answer(&first, wants).await;
    let again = fake.request("tools/call").await;
    let answered = &again["params"]["inputResponses"]["where"];
    assert_eq!(
        *answered,
        json!({ "roots": [{ "uri": "file:///home/ada" }] })
    );
    done(&mut fake, &again, calling).await;
    let asked = person.asked.lock().pop().unwrap();
    assert_eq!(
        (asked.kind, asked.name.as_deref(), asked.params.is_empty()),
        (AskKind::Roots, Some("where"), true)
    );
}

#[tokio::test(start_paused = true)]
async fn a_call_that_has_begun_is_not_begun_again_where_the_connection_breaks() {
    let question = json!({ "method": "elicitation/create", "params": { "message": "Who?" } });
    for breaks_while_asked in [true, false] {
        let person = Arc::new(Person {
            takes: Duration::from_secs(1),
            ..Person::default()
        });
        let (_upstream, _fakes, mut fake, calling) = stateless(&person, &[]).await;
        let first = fake.request("tools/call").await;
        let wants = json!({ "resultType": "input_required", "inputRequests": { "who": question } });
        fake.answer(&first, wants).await;
        if !breaks_while_asked {
            fake.request("tools/call").await;
        }
        drop(fake);
        let error = calling.await.unwrap().unwrap_err();
        assert!(matches!(error, CallError::Lost(_)), "{error:?}");
        assert_eq!(person.asked.lock().len(), 1);
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_whose_questions_nobody_answers_says_why_it_can_not_go_on() {
    let wanting = |method: &str, params: Value| json!({ "resultType": "input_required", "inputRequests": { "a": { "method": method, "params": params } } });
    let cases = [
        (
            wanting("sampling/createMessage", json!({})),
            "scripts run unattended",
        ),
        (wanting("roots/list", json!({})), "scripts run unattended"),
        (
            wanting("elicitation/create", json!({ "message": "no" })),
            "not now",
        ),
        (
            json!({ "resultType": "input_required", "inputRequests": [] }),
            "can't be read",
        ),
    ];
    for (wants, why) in cases {
        let (_upstream, _fakes, mut fake, calling) = stateless(&Arc::default(), &[]).await;
        let request = fake.request("tools/call").await;
        fake.answer(&request, wants).await;
        let said = failure(calling.await.unwrap());
        assert!(said.contains(why), "{said}");
    }
    // Nor does it continue for ever.
    let (_upstream, _fakes, mut fake, calling) = stateless(&Arc::default(), &[]).await;
    for _ in 0..33 {
        let request = fake.request("tools/call").await;
        fake.answer(
            &request,
            json!({ "resultType": "input_required", "requestState": "s" }),
        )
        .await;
    }
    let said = failure(calling.await.unwrap());
    assert!(said.contains("asked for 32 things"), "{said}");
}

#[tokio::test(start_paused = true)]
async fn several_questions_of_one_answer_are_asked_at_once() {
    let person = Arc::new(Person {
        takes: Duration::from_secs(3),
        ..Person::default()
    });
    let (_upstream, _fakes, mut fake, calling) = stateless(&person, &[]).await;
    let request = fake.request("tools/call").await;
    let ask = |message: &str| {
        let schema = json!({ "type": "object", "properties": {} });
        json!({ "method": "elicitation/create",
            "params": { "message": message, "requestedSchema": schema } })
    };
    let asked = tokio::time::Instant::now();
    let wants = json!({
        "resultType": "input_required", "requestState": "s",
        "inputRequests": { "who": ask("Who?"), "why": ask("Why?") },
    });
    fake.answer(&request, wants).await;
    let again = fake.request("tools/call").await;
    assert_eq!(
        asked.elapsed(),
        Duration::from_secs(3),
        "not one after the other"
    );
    let answers = &again["params"]["inputResponses"];
    assert!(
        answers["who"].is_object() && answers["why"].is_object(),
        "{again}"
    );
    assert_eq!(person.asked.lock().len(), 2);
    done(&mut fake, &again, calling).await;
}
