//! Runs of one call, without a script.

use ampoule::{CallEnd, Code, DirectCall, Ending, Grant, Isolate, Limit, Outcome};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::{Recorded, elsewhere, same};

fn call(server: &str, tool: &str, arguments: &Value) -> DirectCall {
    let arguments = RawValue::from_string(arguments.to_string()).unwrap();
    DirectCall::new(server, tool, arguments)
}

impl Recorded {
    fn direct(&self, tool: &str, arguments: &Value) -> Isolate {
        let isolate = self.runtime.isolate(call("test-tools", tool, arguments));
        isolate.grant(Grant::all())
    }

    async fn calls(&self, tool: &str, arguments: &Value) -> Outcome {
        self.direct(tool, arguments).run().await.unwrap()
    }
}

#[tokio::test]
async fn a_call_is_a_run_that_comes_to_the_same_elsewhere() {
    let recorded = Recorded::new();
    for (tool, arguments, ending) in [
        ("add", json!({ "a": 1, "b": 2 }), r#"{"sum":3.0}"#),
        ("sleep", json!({ "ms": 20 }), "20"),
        // As models write names.
        ("ADD", json!({ "a": 1, "b": 2 }), r#"{"sum":3.0}"#),
        (
            "fail",
            json!({}),
            "ToolError: test-tools.fail: it always fails",
        ),
    ] {
        let outcome = recorded.calls(tool, &arguments).await;
        assert_eq!(outcome.ending.to_string(), ending, "{tool}");
        assert_eq!(outcome.usage.calls.len(), 1, "{tool}");
        assert_eq!(outcome.usage.peak_memory_bytes, 0, "{tool}: no guest ran");
        assert!(outcome.usage.fuel > 0, "{tool}");
        let record = recorded.record(&outcome);
        assert_eq!(record.head.language, "call");
        assert!(matches!(record.program.code().unwrap(), Code::Call(_)));
        let replayed = same(record).await;
        assert_eq!(replayed.answered, 1, "{tool}");
        assert_eq!(replayed.outcome.usage.fuel, outcome.usage.fuel, "{tool}");
        let again = replayed.outcome.ending.to_string();
        assert_eq!(again, outcome.ending.to_string(), "{tool}");
    }
    // A replay may stop before the call, and has no source that could be changed.
    let outcome = recorded.calls("add", &json!({ "a": 1, "b": 2 })).await;
    let rerun = elsewhere().replay(recorded.record(&outcome)).until(0);
    let (number, asked) = rerun.run().await.unwrap().stopped.expect("it stopped");
    assert_eq!(
        (number, asked.to_string().as_str()),
        (0, r#"test-tools.add({"a":1,"b":2})"#)
    );
    let edited = elsewhere()
        .replay(recorded.record(&outcome))
        .edited("return 1");
    let refused = edited.err().expect("an error").to_string();
    assert!(refused.contains("one call without a script"), "{refused}");
}

#[tokio::test]
async fn what_is_not_granted_does_not_exist_for_a_call() {
    let recorded = Recorded::new();
    let add = call("test-tools", "add", &json!({ "a": 1, "b": 2 }));
    for grant in ["test-tools.echo", "test-tools.fail, test-tools.sleep"] {
        let isolate = recorded.runtime.isolate(add.clone());
        let outcome = isolate.grant(grant.parse().unwrap()).run().await.unwrap();
        let said = outcome.ending.to_string();
        assert!(matches!(outcome.ending, Ending::Threw(_)), "{said}");
        assert!(said.contains("`add`") && !said.contains("sum"), "{said}");
        assert!(outcome.usage.calls.is_empty());
        same(recorded.record(&outcome)).await;
    }
    let nothing = recorded.runtime.isolate(add).run().await.unwrap();
    assert!(
        matches!(nothing.ending, Ending::Threw(_)),
        "{}",
        nothing.ending
    );
}

#[tokio::test]
async fn a_call_has_the_limits_of_a_run() {
    let recorded = Recorded::new();
    let limited = async |limit: Limit, amount: u64, tool: &str, arguments: Value| {
        let mut limits = *recorded.runtime.limits();
        match limit {
            Limit::ResultBytes => limits.result_bytes = amount,
            Limit::ArgumentBytes => limits.argument_bytes = amount,
            Limit::OutputBytes => limits.output_bytes = amount,
            Limit::WallTime => limits.wall_time = std::time::Duration::from_millis(amount),
            Limit::Fuel => limits.fuel = amount,
            other => panic!("{other}"),
        }
        let isolate = recorded.direct(tool, &arguments).limits(limits).unwrap();
        let outcome = isolate.run().await.unwrap();
        match outcome.ending {
            Ending::Limit(hit) => assert_eq!(hit.limit, limit),
            other => panic!("{limit}: {other}"),
        }
        outcome.usage
    };
    let large = json!({ "value": "x".repeat(50_000) });
    limited(Limit::ResultBytes, 1_000, "text", json!({ "bytes": 2_000 })).await;
    limited(Limit::ArgumentBytes, 1_000, "echo", large.clone()).await;
    limited(Limit::OutputBytes, 1_000, "text", json!({ "bytes": 2_000 })).await;
    limited(Limit::Fuel, 10_000, "echo", large).await;
    let usage = limited(Limit::WallTime, 50, "hang", json!({})).await;
    assert_eq!(usage.calls[0].end, CallEnd::Cancelled);
}

#[tokio::test]
async fn a_call_can_be_cancelled_and_has_no_session() {
    let recorded = Recorded::new();
    let run = recorded.direct("hang", &json!({})).start().await.unwrap();
    let mut events = run.events();
    while events
        .next()
        .await
        .is_some_and(|it| !matches!(it.event, ampoule::Event::CallStarted { .. }))
    {}
    run.cancel();
    let outcome = run.outcome().await.unwrap();
    assert!(matches!(outcome.ending, Ending::Cancelled));
    same(recorded.record(&outcome)).await;
    let in_session = recorded
        .direct("add", &json!({ "a": 1, "b": 2 }))
        .session("s");
    let refused = in_session.run().await.unwrap_err().to_string();
    assert!(refused.contains("no session"), "{refused}");
}
