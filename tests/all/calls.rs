//! Calls of tools, as scripts see them.

use std::time::{Duration, Instant};

use ampoule::{CallEnd, Limits};
use ampoule_tests::{run, run_limited, thrown, value, verdict};
use serde_json::json;

#[tokio::test]
async fn tools_are_reached_in_each_form() {
    for source in [
        "return (await tools.testTools.add({ a: 1, b: 2 })).sum",
        "return (await tools['test-tools'].add({ a: 1, b: 2 })).sum",
        "return (await tools.test_tools['add']({ a: 1, b: 2 })).sum",
        "return (await testTools.add({ a: 1, b: 2 })).sum",
        "return (await codemode.add({ a: 1, b: 2 })).sum",
        "return (await callMCPTool('test-tools__add', { a: 1, b: 2 })).sum",
        "return (await callMCPTool('mcp__test-tools__add', { a: 1, b: 2 })).sum",
        "import * as t from './servers/test-tools'; return (await t.add({ a: 1, b: 2 })).sum",
        "import { add } from 'servers/test-tools/index.ts'; return (await add({ a: 1, b: 2 })).sum",
        "import { add } from './servers/test-tools/add'; return (await add({ a: 1, b: 2 })).sum",
        "import { TestToolsTools } from '~/.mcp/wrappers/test-tools'; const t = new TestToolsTools({}); return (await t.add(1, 2)).sum",
        "import { TestToolsTools } from '~/.mcp/wrappers/test-tools'; return (await new TestToolsTools().add({ a: 1, b: 2 })).sum",
    ] {
        assert_eq!(value(source).await, json!(3), "{source}");
    }
}

#[tokio::test]
async fn any_name_can_be_called() {
    let source = "const names = ['__proto__', 'then', 'constructor', 'toString', 'get-item', 'get item', 'valueOf', '1st', ''];
        const all = []; for (const name of names) all.push(await tools.odd[name]()); return all";
    assert_eq!(
        value(source).await,
        json!([
            "__proto__",
            "then",
            "constructor",
            "toString",
            "get-item",
            "get item",
            "valueOf",
            "1st",
            ""
        ])
    );
}

#[tokio::test]
async fn a_server_with_a_tool_named_then_can_be_awaited() {
    assert_eq!(
        value("const odd = await tools.odd; return await odd['get-item']()").await,
        "get-item"
    );
}

#[tokio::test]
async fn calls_run_concurrently() {
    // The guest is loaded by then.
    assert_eq!(value("return 0").await, 0);
    let started = Instant::now();
    let source = "return (await Promise.all(Array.from({ length: 20 }, () => tools.testTools.sleep({ ms: 300 })))).length";
    assert_eq!(value(source).await, 20);
    assert!(
        started.elapsed() < Duration::from_secs(3),
        "{:?}",
        started.elapsed()
    );
}

#[tokio::test]
async fn calls_above_the_limit_at_once_wait_their_turn() {
    let limits = Limits {
        calls_at_once: 2,
        ..Limits::default()
    };
    let source =
        "await Promise.all(Array.from({ length: 6 }, () => tools.testTools.sleep({ ms: 50 })))";
    let outcome = run_limited(source, limits).await;
    assert_eq!(outcome.usage.calls.len(), 6);
    assert!(
        outcome.usage.wall_time >= Duration::from_millis(150),
        "{:?}",
        outcome.usage.wall_time
    );
}

#[tokio::test]
async fn the_first_of_a_race_wins_and_the_other_is_cancelled() {
    let outcome = run("return await Promise.race([tools.testTools.hang({}), tools.testTools.add({ a: 1, b: 1 })])").await;
    assert_eq!(
        outcome.value::<serde_json::Value>().unwrap(),
        json!({"sum": 2})
    );
    let ends: Vec<CallEnd> = outcome.usage.calls.iter().map(|call| call.end).collect();
    assert_eq!(ends, [CallEnd::Cancelled, CallEnd::Returned]);
    assert!(
        outcome
            .output
            .to_string()
            .contains("1 call was still under way"),
        "{}",
        outcome.output
    );
}

#[tokio::test]
async fn a_call_that_nobody_awaited_is_told_once_by_its_name_and_line() {
    let outcome = run("const sum = tools.testTools.hang({});\nreturn sum === 2").await;
    assert!(!outcome.value::<bool>().unwrap());
    assert_eq!(outcome.usage.calls[0].end, CallEnd::Cancelled);
    assert_eq!(
        outcome.output.to_string(),
        "Warning: the call of test-tools.hang in line 1 was never awaited, and the script ended before the answer: \
         it may or may not have been done. Write `await tools.testTools.hang(…)`.\n"
    );
}

#[tokio::test]
async fn a_call_is_aborted_by_its_signal() {
    let source = "const stop = new AbortController(); setTimeout(() => stop.abort(new Error('enough')), 20);
        try { await tools.testTools.hang({}, { signal: stop.signal }) } catch (error) { return error.message }";
    let outcome = run(source).await;
    assert_eq!(outcome.value::<String>().unwrap(), "enough");
    assert_eq!(outcome.usage.calls[0].end, CallEnd::Cancelled);
    let source = "try { await tools.testTools.hang({}, { signal: AbortSignal.timeout(20) }) } catch (error) { return error.name }";
    assert_eq!(value(source).await, "TimeoutError");
}

#[tokio::test]
async fn tools_are_found_from_code() {
    assert_eq!(
        value("return (await tools.$servers()).map((server) => server.name)").await,
        json!(["test-tools", "odd"])
    );
    let found = value("return await tools.$search('add numbers', { limit: 1 })").await;
    assert_eq!(found[0]["name"], "add", "{found}");
    let declaration = value("return await tools.$describe('test-tools.add')").await;
    let declaration = declaration.as_str().expect("text");
    assert!(
        declaration.contains("Adds two numbers.") && declaration.contains("a: number"),
        "{declaration}"
    );
}

#[tokio::test]
async fn usage_tells_of_each_call() {
    let outcome = run(
        "await tools.testTools.add({ a: 1, b: 2 }); await tools.testTools.text({ bytes: 1000 })",
    )
    .await;
    let calls: Vec<_> = outcome
        .usage
        .calls
        .iter()
        .map(|call| {
            (
                &*call.server,
                &*call.tool,
                call.argument_bytes,
                call.result_bytes,
            )
        })
        .collect();
    assert_eq!(
        calls,
        [
            ("test-tools", "add", 13, 11),
            ("test-tools", "text", 14, 1002)
        ]
    );
    assert!(
        outcome.usage.fuel > 1000 && outcome.usage.peak_memory_bytes > 1 << 20,
        "{:?}",
        outcome.usage
    );
}

#[tokio::test]
async fn a_call_that_nobody_awaits_is_made_all_the_same_where_nothing_is_returned() {
    let outcome = run("tools.testTools.add({ a: 1, b: 2 }).then((sum) => console.log(sum))").await;
    assert_eq!(outcome.output.to_string(), "{ sum: 3 }\n");
    let outcome = run("for (const a of [1, 2]) { tools.testTools.add({ a, b: 0 }) }").await;
    assert!(
        outcome
            .usage
            .calls
            .iter()
            .all(|call| call.end == CallEnd::Returned),
        "{:?}",
        outcome.usage.calls
    );
}

#[tokio::test]
async fn a_call_that_ended_was_made_whether_or_not_its_answer_was_taken() {
    let outcome = run("tools.testTools.add({ a: 1, b: 2 }); return 1").await;
    assert_eq!(
        outcome.output.to_string(),
        "Warning: the call of test-tools.add in line 1 was never awaited, and the script ended before the answer: \
         it may or may not have been done. Write `await tools.testTools.add(…)`.\n"
    );
    let call = &outcome.usage.calls[0];
    assert_eq!((call.end, call.result_bytes), (CallEnd::Returned, 11));
}

#[tokio::test]
async fn a_tool_that_panics_fails_its_call_alone() {
    for tool in ["panicAtOnce", "panic"] {
        let source = format!(
            "try {{ await tools.testTools.{tool}({{}}) }} catch (error) {{ return error.message }}"
        );
        assert_eq!(
            value(&source).await,
            "the tool failed inside the host; its operator can find the reason in the log",
            "{tool}"
        );
    }
}

#[tokio::test]
async fn arguments_count_as_what_they_are_parsed_to() {
    let limits = Limits {
        wall_time: Duration::from_secs(20),
        ..Limits::default()
    };
    let source = "const rows = new Array(200_000).fill(0);
        await Promise.all(Array.from({ length: 14 }, () => tools.testTools.hang({ rows })))";
    let outcome = run_limited(source, limits).await;
    assert_eq!(verdict(&outcome), "limit:host-bytes");
    let source = "const text = 'x'.repeat(400_000);
        await Promise.race([...Array.from({ length: 14 }, () => tools.testTools.hang({ text })), tools.testTools.sleep({ ms: 50 })])";
    let outcome = run_limited(source, limits).await;
    assert!(
        outcome.usage.peak_host_bytes < 16 << 20,
        "{}",
        outcome.usage.peak_host_bytes
    );
}

#[tokio::test]
async fn what_calls_held_is_free_again_once_they_ended() {
    let source = "const rows = new Array(200_000).fill(0);
        for (let n = 0; n < 14; n++) await tools.testTools.add({ a: 1, b: 2, rows });
        for (let n = 0; n < 14; n++) await Promise.race([tools.testTools.hang({ rows }, { signal: AbortSignal.timeout(5) }).catch(() => {}), new Promise(() => {})])";
    assert_eq!(verdict(&run(source).await), "returned");
}

#[tokio::test]
async fn a_promise_that_can_never_settle_is_an_error() {
    let error = thrown("await new Promise(() => {})").await;
    assert!(
        error.message.contains("nothing can settle"),
        "{}",
        error.message
    );
}

#[tokio::test]
async fn a_timer_that_is_due_does_not_run_after_the_script_returned() {
    let source = "const first = new Promise((done) => setTimeout(done, 1));
        setTimeout(() => { console.log('after'); tools.testTools.add({ a: 1, b: 1 }) }, 2);
        const start = Date.now(); while (Date.now() - start < 20); await first; return 1";
    let outcome = run(source).await;
    assert_eq!(
        (
            outcome.output.to_string().as_str(),
            outcome.usage.calls.len()
        ),
        ("", 0)
    );
}
