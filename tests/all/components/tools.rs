//! Components that are tools: what scripts and clients have of them.

use std::sync::{Arc, Mutex};

use ampoule::{
    Binding as _, CallContext, CallError, Component, ComponentTool, Grant, Hints, Layer,
    LimitsConfig, Next, Outcome, RunId, Runtime, Script, ToolResult,
};
use ampoule_tests::command::{Served, Workplace};
use ampoule_tests::components::built_for;
use ampoule_tests::lowered::typed_calling;
use ampoule_tests::{runtime_builder, test_tools};
use futures::future::BoxFuture;
use serde_json::{Map, Value, json};

/// A component that says of a city whether it will be warm: where days are given, it is.
pub(super) fn report() -> Vec<u8> {
    built_for(
        "package test:program;
        world program {
            record question { city: string, days-ahead: option<u32> }
            record answer { city: string, is-warm: bool }
            export run: func(input: question) -> result<answer, string>;
        }",
        r#"(module
            (memory (export "memory") 2)
            (data (i32.const 100) "no city")
            (func (export "cabi_realloc") (param i32 i32 i32 i32) (result i32) (i32.const 1024))
            (func (export "run") (param $at i32) (param $length i32) (param $has i32) (param $days i32) (result i32)
                (if (i32.eqz (local.get $length))
                    (then
                        (i32.store8 (i32.const 16) (i32.const 1))
                        (i32.store (i32.const 20) (i32.const 100))
                        (i32.store (i32.const 24) (i32.const 7))
                        (return (i32.const 16))))
                (i32.store (i32.const 20) (local.get $at))
                (i32.store (i32.const 24) (local.get $length))
                (i32.store8 (i32.const 28) (local.get $has))
                (i32.const 16)))"#,
    )
}

/// A component that computes without end.
fn endless() -> Vec<u8> {
    built_for(
        "package test:program; world program { export run: func(); }",
        r#"(module (func (export "run") (loop (br 0))))"#,
    )
}

fn tool(name: &str, wasm: Vec<u8>) -> ComponentTool {
    ComponentTool::new(name, Component::from_bytes(wasm).expect("a component"))
}

/// A component that calls a tool of a server.
fn calling(server: &str, tool: &ampoule::Tool, arguments: &Value) -> Vec<u8> {
    typed_calling(server, tool, arguments).expect("arguments that fit")
}

/// A component that adds two numbers by a tool of the test server's.
fn adding() -> Vec<u8> {
    let tools = test_tools().known_tools().expect("its tools");
    let add = tools
        .iter()
        .find(|tool| tool.name == "add")
        .expect("a tool");
    calling("test-tools", add, &json!({ "a": 2, "b": 3 }))
}

/// Notes which calls pass: of which run, with which number, and of which tool.
#[derive(Clone, Default)]
struct Notes(Arc<Mutex<Vec<Note>>>);

struct Note {
    run: RunId,
    number: u32,
    tool: String,
}

impl Layer for Notes {
    fn call<'a>(
        &'a self,
        arguments: Map<String, Value>,
        context: CallContext,
        next: Next<'a>,
    ) -> BoxFuture<'a, Result<ToolResult, CallError>> {
        let call = context.call();
        let note = Note {
            run: call.run,
            number: call.number,
            tool: call.tool.to_string(),
        };
        self.0.lock().expect("notes").push(note);
        next.call(arguments, context)
    }
}

fn runtime(tools: Vec<ComponentTool>, notes: &Notes) -> Runtime {
    let builder = runtime_builder().binding(test_tools()).layer(notes.clone());
    builder.component_tools(tools).build().expect("a runtime")
}

async fn run(runtime: &Runtime, source: &str, grant: Grant) -> Outcome {
    let isolate = runtime.isolate(Script::typescript(source)).grant(grant);
    isolate.run().await.expect("no host fault")
}

/// What a script gets of a call: its value, or the kind of the error and its message.
fn told(call: &str) -> String {
    format!("return await {call}.catch(error => [error.kind, error.message])")
}

#[tokio::test]
async fn a_script_calls_a_component_as_a_tool() {
    let hints = Hints {
        read_only: Some(true),
        ..Hints::default()
    };
    let report = tool("report", report())
        .described("Says how warm it will be.")
        .hints(hints);
    let runtime = runtime(vec![report], &Notes::default());
    let call = "tools.components.report({ city: 'Bonn', days_ahead: 2 })";
    let outcome = run(&runtime, &told(call), Grant::all()).await;
    assert_eq!(
        outcome.value::<Value>().unwrap(),
        json!({ "city": "Bonn", "is_warm": true })
    );
    let call = "tools.components.report({ city: '' })";
    let outcome = run(&runtime, &told(call), Grant::all()).await;
    assert_eq!(
        outcome.value::<Value>().unwrap(),
        json!(["failed", "no city"])
    );
    let call = "tools.components.report(JSON.parse('{ \"days_ahead\": 2 }'))";
    let outcome = run(&runtime, &told(call), Grant::all()).await;
    let [kind, message] = outcome.value::<[String; 2]>().unwrap();
    assert!(kind == "arguments" && message.contains("city"), "{message}");
    let granted = runtime.tools(Grant::all()).unwrap();
    let server = Arc::clone(granted.server("components").unwrap());
    let listed = granted.tools_of(&server).await.unwrap();
    let definition = listed[0].definition();
    assert_eq!(
        definition.description.as_deref(),
        Some("Says how warm it will be.")
    );
    assert_eq!(definition.annotations, hints);
    let schema = definition.input_schema.parse();
    assert_eq!(schema["properties"]["days_ahead"]["type"], "integer");
    assert_eq!(schema["required"], json!(["city"]));
}

#[tokio::test]
async fn a_component_calls_what_it_and_its_caller_are_granted() {
    let notes = Notes::default();
    let tools = vec![
        tool("granted", adding()).grant("test-tools.add".parse().unwrap()),
        tool("bare", adding()),
    ];
    let runtime = runtime(tools, &notes);
    let granted = told("tools.components.granted({ who: 'me' })");
    let outcome = run(&runtime, &granted, Grant::all()).await;
    assert_eq!(outcome.value::<Value>().unwrap(), "null");
    let notes = std::mem::take(&mut *notes.0.lock().unwrap());
    let [outer, inner] = &notes[..] else {
        panic!("{}", notes.len());
    };
    assert_eq!(
        (&*outer.tool, outer.number, &*inner.tool),
        ("granted", 0, "add")
    );
    // Its calls are the run's, under numbers that the run's own calls don't have.
    assert_eq!(inner.run, outer.run);
    assert_eq!(u64::from(inner.number), runtime.limits().calls);
    assert_eq!(outcome.usage.calls.len(), 1);
    let narrow: Grant = "components".parse().unwrap();
    let bare = told("tools.components.bare({ who: 'me' })");
    for (source, grant) in [(granted, narrow), (bare, Grant::all())] {
        let outcome = run(&runtime, &source, grant).await;
        let [kind, message] = outcome.value::<[String; 2]>().unwrap();
        assert!(
            kind == "denied" && message.contains("the component can't run"),
            "{message}"
        );
    }
}

#[tokio::test]
async fn components_call_no_components() {
    let first = runtime(vec![tool("report", report())], &Notes::default());
    let granted = first.tools(Grant::all()).unwrap();
    let server = Arc::clone(granted.server("components").unwrap());
    let listed = granted.tools_of(&server).await.unwrap();
    let calls = calling(
        "components",
        listed[0].definition(),
        &json!({ "city": "Bonn" }),
    );
    let tools = vec![
        tool("report", report()),
        tool("nested", calls).grant(Grant::all()),
    ];
    let runtime = runtime(tools, &Notes::default());
    let source = told("tools.components.nested({ who: 'me' })");
    let outcome = run(&runtime, &source, Grant::all()).await;
    let [kind, message] = outcome.value::<[String; 2]>().unwrap();
    assert_eq!(kind, "failed");
    assert!(message.contains("can't call such components"), "{message}");
}

#[tokio::test]
async fn the_run_pays_for_its_components_and_their_limits_hold() {
    const FUEL: u64 = 50_000_000;
    let limits = LimitsConfig {
        fuel: Some(FUEL),
        ..LimitsConfig::default()
    };
    let endless = tool("endless", endless()).limits(limits);
    let runtime = runtime(vec![endless], &Notes::default());
    let outcome = run(
        &runtime,
        &told("tools.components.endless({})"),
        Grant::all(),
    )
    .await;
    let [kind, message] = outcome.value::<[String; 2]>().unwrap();
    assert_eq!(kind, "failed");
    assert!(
        message.contains("in the component, the run hit its fuel limit"),
        "{message}"
    );
    assert!(outcome.usage.fuel >= FUEL, "{}", outcome.usage.fuel);
}

/// A configuration with a component that is a tool, and one that can't be.
fn workplace(more: &str) -> Workplace {
    let workplace = Workplace::default();
    workplace.file("report.wasm", report());
    workplace.file(
        "text.wasm",
        ampoule_tests::components::component("(i32.const 16)"),
    );
    let config = "[tools.report]\ncomponent = 'report.wasm'\ndescription = 'How warm it will be.'\n\
        [tools.text]\ncomponent = 'text.wasm'\n[tools.missing]\ncomponent = 'missing.wasm'\n";
    workplace.file("ampoule.toml", format!("{config}{more}"));
    workplace
}

#[tokio::test]
async fn what_is_configured_is_offered_and_the_rest_is_told() {
    let workplace = workplace("");
    let source = "return await tools.components.report({ city: 'Bonn' })";
    let ran = workplace.run(&["run", "-e", source]).await;
    assert_eq!(
        ran.json(),
        json!({ "city": "Bonn", "is_warm": false }),
        "{ran:?}"
    );
    for said in [
        "`text` is not offered: its `run` has no types of its own",
        "`missing` is not offered",
    ] {
        assert!(ran.stderr.contains(said), "{said}: {ran:?}");
    }
}

#[tokio::test]
async fn clients_call_a_component_as_a_tool_of_their_own() {
    let workplace = workplace("[exposure]\ndirect = ['components.report']\n");
    let mut served = Served::greeted(&workplace, &[]).await;
    let listed = served
        .ask(json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" }))
        .await;
    let tools = listed["result"]["tools"].as_array().expect("tools");
    let name = "components__report";
    let tool = tools.iter().find(|tool| tool["name"] == name);
    let tool = tool.unwrap_or_else(|| panic!("{listed}"));
    assert_eq!(tool["inputSchema"]["required"], json!(["city"]));
    let call = json!({ "name": name, "arguments": { "city": "Bonn", "days_ahead": 1 } });
    let called = served
        .ask(json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call }))
        .await;
    let answer = &called["result"];
    assert_eq!(
        answer["structuredContent"],
        json!({ "city": "Bonn", "is_warm": true }),
        "{called}"
    );
}
