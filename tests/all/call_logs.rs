//! The log of the calls that a failed run made.

use std::time::Duration;

use ampoule::{CallResult, Grant, Limits, Script};
use ampoule_tests::run_limited;

/// The log of a run that failed, as text.
async fn log_of(source: &str, limits: Limits) -> Option<String> {
    let outcome = run_limited(source, limits).await;
    outcome.call_log.map(|log| log.to_string())
}

#[tokio::test]
async fn a_run_that_fails_tells_which_calls_it_made() {
    let heading = "Calls made until then, none of them undone. Continue after them:";
    let adds =
        "await tools.testTools.add({ a: 1, b: 2 }); await tools.testTools.fail().catch(() => 0);";
    let limits = *ampoule_tests::runtime().limits();
    let lines = format!(
        "{heading}\n- test-tools.add({{\"a\":1,\"b\":2}}): done\n- test-tools.fail({{}}): failed"
    );
    let threw = log_of(&format!("{adds} throw new Error('x')"), limits).await;
    assert_eq!(threw.as_deref(), Some(&*lines));
    // A limit, and a call that it cuts short.
    let few = Limits { calls: 3, ..limits };
    let hangs =
        format!("{adds} tools.testTools.hang(); await tools.testTools.add({{ a: 3, b: 4 }})");
    let limited = log_of(&hangs, few).await;
    let unknown = format!("{lines}\n- test-tools.hang({{}}): unknown whether done");
    assert_eq!(limited.as_deref(), Some(&*unknown));
    let short = Limits {
        wall_time: Duration::from_millis(500),
        ..limits
    };
    let timed_out = log_of(&format!("{adds} await tools.testTools.hang()"), short).await;
    assert_eq!(timed_out.as_deref(), Some(&*unknown));
    // Many are summed up.
    let many = "for (let a = 0; a < 52; a++) await tools.testTools.add({ a, b: 0 }); throw 1";
    let many = log_of(many, limits).await.unwrap();
    assert_eq!(many.lines().count(), 17);
    assert!(
        many.contains("\n… 37 more, all done\n- test-tools.add({\"a\":42,"),
        "{many}"
    );
    // Those that did nothing need no word, nor do runs that end by themselves.
    for source in [
        "await tools.testTools.fail()",
        "await tools.testTools.add({ a: 'x' })",
        "throw new Error('x')",
        "return await tools.testTools.add({ a: 1, b: 2 })",
    ] {
        assert_eq!(log_of(source, limits).await, None, "{source}");
    }
}

#[tokio::test]
async fn a_call_whose_answer_goes_over_a_limit_was_done() {
    let limits = *ampoule_tests::runtime().limits();
    let small = Limits {
        result_bytes: 1_000,
        ..limits
    };
    let few = Limits {
        host_bytes: 300_000,
        ..limits
    };
    for (limits, bytes) in [(small, 2_000), (few, 400_000)] {
        let source = format!("await tools.testTools.text({{ bytes: {bytes} }})");
        let log = log_of(&source, limits).await.unwrap_or_default();
        let line = format!("\n- test-tools.text({{\"bytes\":{bytes}}}): done");
        assert!(log.ends_with(&line), "{log}");
    }
    // A call that a limit kept from being made is not told.
    let never = "await tools.testTools.text({ bytes: 'x'.repeat(2_000_000) })";
    let few = Limits {
        argument_bytes: 1_000,
        ..limits
    };
    assert_eq!(log_of(never, few).await, None);
}

#[tokio::test]
async fn a_run_that_is_cancelled_tells_which_calls_it_made() {
    let source = "await tools.testTools.add({ a: 1, b: 2 }); await tools.testTools.hang()";
    let runtime = ampoule_tests::runtime();
    let isolate = runtime.isolate(Script::typescript(source));
    let run = isolate.grant(Grant::all()).start().await.unwrap();
    let mut events = run.events();
    while let Some(event) = events.next().await {
        if matches!(event.event, ampoule::Event::CallStarted { call: 1, .. }) {
            run.cancel();
            break;
        }
    }
    let log = run.outcome().await.unwrap().call_log.unwrap();
    let results: Vec<CallResult> = log.calls.iter().map(|call| call.result).collect();
    assert_eq!(results, [CallResult::Done, CallResult::Unknown]);
}
