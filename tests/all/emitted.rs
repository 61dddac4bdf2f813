//! What scripts give the person with `emit`, and whole results, in programs and in the terminal.

use ampoule::{
    Ending, Functions, Grant, Keep, Language, Limit, Limits, Outcome, RecordOptions, Runtime,
    RuntimeBuilder, Script, ToolResult,
};
use ampoule_tests::binary;
use ampoule_tests::command::Workplace;
use ampoule_tests::runtime_builder;
use serde_json::{Value, json};

use Language::{Python, TypeScript};

/// A server with a tool that answers more than a value.
fn shop() -> Functions {
    let tool = json!({ "name": "order", "inputSchema": { "type": "object" } });
    let answer = json!({
        "content": [{ "type": "text", "text": "ordered", "annotations": { "priority": 1.0 } }],
        "structuredContent": { "id": 7 },
        "_meta": { "own": [1] },
    });
    let order = move |_, _| {
        let answer: ToolResult = serde_json::from_value(answer.clone()).unwrap();
        std::future::ready(Ok(answer))
    };
    Functions::new("shop").raw(serde_json::from_value(tool).unwrap(), order)
}

fn builder() -> RuntimeBuilder {
    runtime_builder().binding(shop())
}

async fn run(runtime: &Runtime, language: Language, source: &str) -> Outcome {
    let isolate = runtime.isolate(Script::new(language, source));
    isolate.grant(Grant::all()).run().await.unwrap()
}

fn emitted(outcome: &Outcome) -> Vec<Value> {
    let values = outcome.emitted.iter();
    values
        .map(|value| serde_json::from_str(value.get()).unwrap())
        .collect()
}

const BOTH: [(Language, &str); 2] = [
    (
        TypeScript,
        "emit('a', { b: 1 }); console.log('c'); return 2",
    ),
    (Python, "emit('a', {'b': 1})\nprint('c')\nreturn 2"),
];

#[tokio::test]
async fn emitted_values_are_apart_from_the_result_and_the_output() {
    let runtime = builder().build().unwrap();
    for (language, source) in BOTH {
        let outcome = run(&runtime, language, source).await;
        assert_eq!(outcome.value::<u32>().unwrap(), 2);
        assert_eq!(outcome.output.to_string(), "c\n");
        assert_eq!(emitted(&outcome), [json!("a"), json!({ "b": 1 })]);
        let document = serde_json::to_value(&outcome).unwrap();
        assert_eq!(document["emitted"], json!(["a", { "b": 1 }]));
    }
    let silent = run(&runtime, TypeScript, "return 1").await;
    let document = serde_json::to_value(&silent).unwrap();
    assert!(document.get("emitted").is_none(), "{document}");
}

#[tokio::test]
async fn a_run_that_fails_has_emitted_and_limits_hold() {
    let runtime = builder().build().unwrap();
    for (language, source) in [
        (TypeScript, "emit(1); throw new Error('no')"),
        (Python, "emit(1)\nraise ValueError('no')"),
        (TypeScript, "emit(1); emit('x'.repeat(2 << 20))"),
        (Python, "emit(1)\nemit('x' * (2 << 20))"),
        (TypeScript, "emit(1); for (;;) {}"),
    ] {
        let limits = Limits {
            fuel: 3_000_000_000,
            output_bytes: 1 << 20,
            ..Limits::default()
        };
        let isolate = runtime.isolate(Script::new(language, source));
        let outcome = isolate.limits(limits).unwrap().run().await.unwrap();
        let ended = &outcome.ending;
        assert!(!matches!(ended, Ending::Returned(_)), "{source}: {ended}");
        if source.contains("<<") {
            let is_output =
                |hit: &Limit| matches!(hit, Limit::OutputBytes | Limit::HostBytes | Limit::Memory);
            match ended {
                Ending::Limit(hit) => assert!(is_output(&hit.limit), "{source}: {ended}"),
                other => panic!("{source}: {other}"),
            }
        }
        assert_eq!(emitted(&outcome), [json!(1)], "{source}: {ended}");
    }
    let many =
        "let n = 0; try { for (;; n++) emit(n) } catch (error) { return `${n} ${error.name}` }";
    let outcome = run(&runtime, TypeScript, many).await;
    assert_eq!(outcome.value::<String>().unwrap(), "100 RangeError");
    let many = "n = 0\ntry:\n    while True:\n        emit(n)\n        n += 1\nexcept ValueError as error:\n    return f'{n} {error}'";
    let outcome = run(&runtime, Python, many).await;
    let told = outcome.value::<String>().unwrap();
    assert!(told.starts_with("100 a script can emit at most"), "{told}");
    assert_eq!(outcome.emitted.len(), 100);
    assert!(
        outcome.usage.output_bytes >= 100,
        "{}",
        outcome.usage.output_bytes
    );
}

#[tokio::test]
async fn a_whole_result_is_as_the_tool_gave_it() {
    let runtime = builder().build().unwrap();
    for (language, source) in [
        (TypeScript, "return await whole(tools.shop.order, { n: 1 })"),
        (Python, "return await whole(tools.shop.order, n=1)"),
    ] {
        let outcome = run(&runtime, language, source).await;
        let whole = outcome.value::<Value>().unwrap();
        assert_eq!(whole["content"][0]["annotations"]["priority"], 1.0);
        assert_eq!(whole["structuredContent"], json!({ "id": 7 }), "{whole}");
        let call = json!({ "server": "shop", "tool": "order", "arguments": { "n": 1 } });
        let meta = json!({ "own": [1], "ampoule/call": call });
        assert_eq!(whole["_meta"], meta, "{whole}");
    }
}

#[tokio::test]
async fn a_replay_emits_again_and_has_whole_results() {
    let folder = tempfile::tempdir().unwrap();
    let mut options = RecordOptions::default();
    options.keep = Keep::All;
    let recorded = builder()
        .records(folder.path().join("records"), options)
        .build()
        .unwrap();
    for (language, source) in [
        (
            TypeScript,
            "emit('a', await whole(tools.shop.order, { n: 1 })); throw new Error('no')",
        ),
        (
            Python,
            "emit('a', await whole(tools.shop.order, n=1))\nraise ValueError('no')",
        ),
    ] {
        let outcome = run(&recorded, language, source).await;
        let record = outcome.record.expect("a record").to_string();
        let record = recorded.records(None).unwrap().record(&record).unwrap();
        let elsewhere = runtime_builder().build().unwrap();
        let replayed = elsewhere.replay(record).run().await.unwrap();
        assert!(replayed.difference.is_none(), "{:?}", replayed.difference);
        assert_eq!(emitted(&replayed.outcome), emitted(&outcome));
        assert_eq!(emitted(&outcome)[1]["_meta"]["own"], json!([1]));
    }
}

#[tokio::test]
async fn the_terminal_prints_what_is_emitted() {
    let workplace = Workplace::default();
    let binary = binary();
    let demo = format!("[servers.demo]\ncommand = {binary:?}\nargs = [\"demo-server\"]\n");
    workplace.file("ampoule.toml", demo);
    let source = "emit('for you', { a: 1 }); return 'result'";
    let ran = workplace.run(&["run", "-e", source]).await;
    let at = |text: &str| {
        ran.stdout
            .find(text)
            .unwrap_or_else(|| panic!("{text}: {ran:?}"))
    };
    assert!(
        at("for you") < at("result") && at("\"a\"") < at("result"),
        "{ran:?}"
    );
    let ran = workplace.run(&["run", "--json", "-e", source]).await;
    let document = ran.json();
    assert_eq!(document["emitted"], json!(["for you", { "a": 1 }]));
    assert_eq!(document["value"], "result");
    let source = "return await whole(tools.demo.getOrder, { orderId: 'ORD-10001' })";
    let ran = workplace.run(&["run", "-e", source]).await;
    assert!(ran.stdout.contains("ORD-10001"), "{ran:?}");
    assert!(!ran.stdout.contains("ampoule/call"), "{ran:?}");
}
