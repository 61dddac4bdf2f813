//! Calls of tools, as scripts see them.

use std::future::ready;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ampoule::{
    Binding, BindingError, CallContext, CallEnd, CallError, CallResult, FailureKind, Grant,
    Language, Limits, Runtime, Script, Tool, ToolResult,
};
use ampoule_tests::{run, run_limited, thrown, value, verdict};
use futures::future::BoxFuture;
use serde_json::{Map, Value, json};

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
async fn a_failed_call_throws_a_tool_error() {
    let source = "try { await tools.testTools.fail({}) } catch (e) { return [e instanceof ToolError, e instanceof Error, e.name, e.kind, e.server, e.tool, e.message, e.content] }";
    assert_eq!(
        value(source).await,
        json!([true, true, "ToolError", "failed", "test-tools", "fail", "it always fails", [{"type": "text", "text": "it always fails"}]])
    );
    let error = thrown("const before = 1;\n  await tools.testTools.fail({})").await;
    assert_eq!(
        (error.name.as_str(), error.message.as_str()),
        ("ToolError", "test-tools.fail: it always fails")
    );
    let location = error.location.expect("a location");
    assert_eq!(
        (location.line, location.text.as_str()),
        (2, "  await tools.testTools.fail({})")
    );
}

/// A server whose tool fails in each way that there is, as its argument says.
struct Fails;

impl Binding for Fails {
    fn name(&self) -> &'static str {
        "fails"
    }

    fn tools(&self) -> BoxFuture<'_, Result<Arc<[Tool]>, BindingError>> {
        let tool = json!({ "name": "so", "inputSchema": { "type": "object", "properties": { "how": { "type": "string" } } } });
        let tool: Tool = serde_json::from_value(tool).expect("a tool");
        Box::pin(ready(Ok(Arc::from([tool]))))
    }

    fn call<'a>(
        &'a self,
        _: &'a str,
        arguments: Map<String, Value>,
        _: CallContext,
    ) -> BoxFuture<'a, Result<ToolResult, CallError>> {
        let how = arguments["how"].as_str().expect("how").to_owned();
        let message = format!("it was {how}");
        Box::pin(ready(match &*how {
            "failed" => Ok(ToolResult::failed(&message)),
            "denied" => Err(CallError::Denied(message)),
            "needs-sign-in" => Err(CallError::NeedsSignIn(message)),
            "not-reached" => Err(CallError::NotReached(message)),
            "refused" => Err(CallError::Refused(message)),
            "protocol" => Err(CallError::Protocol(message)),
            "timed-out" => Err(CallError::TimedOut(message)),
            "cancelled" => Err(CallError::Cancelled(message)),
            "lost" => Err(CallError::Lost(message)),
            other => panic!("{other}"),
        }))
    }
}

#[tokio::test]
async fn an_error_says_of_which_kind_it_is() {
    let runtime = Runtime::builder()
        .binding(Fails)
        .build()
        .expect("a runtime");
    let javascript = "const seen = [];
        for (const how of env.kinds) {
            try { await tools.fails.so({ how }) } catch (error) { seen.push([error.kind, error.message]) }
        }
        try { await tools.fails.so({ how: 1 }) } catch (error) { seen.push(error.kind) }
        seen.push(new ToolError('mine').kind);
        return seen";
    let python = "seen = []
for how in env.kinds:
    try:
        await tools.fails.so(how=how)
    except ToolError as error:
        seen.append([error.kind, str(error)])
try:
    await tools.fails.so(how=1)
except ToolError as error:
    seen.append(error.kind)
seen.append(ToolError('mine').kind)
return seen";
    let kinds = [
        FailureKind::Failed,
        FailureKind::Denied,
        FailureKind::NeedsSignIn,
        FailureKind::NotReached,
        FailureKind::Refused,
        FailureKind::Protocol,
        FailureKind::TimedOut,
        FailureKind::Cancelled,
        FailureKind::Lost,
    ];
    // They are called what they serialise as.
    let names: Vec<_> = kinds.iter().map(|kind| json!(kind)).collect();
    for (kind, name) in kinds.iter().zip(&names) {
        assert_eq!(kind.name(), name);
    }
    let each = names.iter();
    let each = each.map(|name| json!([name, format!("it was {}", name.as_str().expect("a name"))]));
    let wanted: Vec<_> = each.chain([json!("arguments"), json!("failed")]).collect();
    for (language, source) in [
        (Language::TypeScript, javascript),
        (Language::Python, python),
    ] {
        let script = Script::new(language, source).env("kinds", names.clone());
        let isolate = runtime.isolate(script).grant(Grant::all());
        let outcome = isolate.run().await.expect("an outcome");
        assert_eq!(outcome.value::<Value>().expect("a value"), json!(wanted));
        let states = outcome.usage.calls.iter().zip(&kinds);
        assert!(
            states
                .clone()
                .all(|(call, kind)| call.state == kind.state())
        );
        assert_eq!(states.count(), kinds.len());
    }
}

#[tokio::test]
async fn arguments_are_held_against_the_schema() {
    let error = thrown("await tools.testTools.add({ a: 1, b: 'two' })").await;
    assert_eq!(error.name, "ToolError");
    assert!(
        error.message.contains('b') && error.message.contains("number"),
        "{}",
        error.message
    );
    let error = thrown("await tools.testTools.add({ a: 1 })").await;
    assert!(
        error.message.contains("`b`") || error.message.contains("\"b\""),
        "{}",
        error.message
    );
    // Values are taken in the schema's order.
    let error = thrown("await tools.testTools.add(7)").await;
    assert_eq!(error.message, "test-tools.add: `b` is missing");
    let error = thrown("await tools.testTools.add([1, 2], 'x', 3)").await;
    assert_eq!(error.name, "TypeError", "{}", error.message);
}

#[tokio::test]
async fn unknown_names_throw_at_once_with_what_is_near() {
    let error = thrown("await tools.testTools.ad({ a: 1, b: 2 })").await;
    assert!(
        error.message.contains("`test-tools`") && error.message.contains("`add`"),
        "{}",
        error.message
    );
    let error = thrown("await tools.tesTools.add({ a: 1, b: 2 })").await;
    assert!(error.message.contains("`test-tools`"), "{}", error.message);
    let error = thrown("import { ad } from './servers/test-tools'; ad()").await;
    assert!(error.message.contains("`add`"), "{}", error.message);
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
