//! The programs of `tests/bindings` through the crate `ampoule`: see its README.

use std::path::Path;
use std::time::Duration;

use ampoule::{CallContext, Functions, Grant, Language, Limits, Outcome, Runtime, Script, Tool};
use ampoule_tests::runtime_builder;
use serde_json::{Map, Value, json};
use tokio::task::spawn_blocking;
use tokio::time::sleep;

use crate::bindings_programs::{Program, programs, read};

type Answer = Result<ampoule::ToolResult, ampoule::CallError>;

fn tools() -> Functions {
    let described: Vec<Tool> = serde_json::from_str(&read("tools.json")).expect("tools");
    described
        .into_iter()
        .fold(Functions::new("host"), |functions, tool| {
            let name = tool.name.clone();
            functions.raw(tool, move |arguments, _: CallContext| {
                carried_out(name.clone(), arguments)
            })
        })
}

/// What the tools do.
async fn carried_out(tool: String, arguments: Map<String, Value>) -> Answer {
    let number = |name: &str| arguments[name].as_f64().expect("a number");
    let returned = ampoule::ToolResult::returned;
    match tool.as_str() {
        "add" => returned(&json!({ "sum": number("a") + number("b") })),
        "echo" => returned(&arguments["value"]),
        "sleep" => {
            sleep(Duration::from_secs_f64(number("ms") / 1e3)).await;
            returned(&Value::Null)
        }
        "block" => {
            let waited = Duration::from_secs_f64(number("ms") / 1e3);
            let blocked = spawn_blocking(move || std::thread::sleep(waited)).await;
            blocked.expect("no panic");
            returned(&Value::Null)
        }
        "fail" => {
            let message = arguments["message"].as_str().expect("a text");
            Ok(ampoule::ToolResult::failed(message))
        }
        other => panic!("there is no tool {other}"),
    }
}

/// The limits of a program as Rust has them.
fn limits(program: &Program) -> Limits {
    let mut limits = Limits::default();
    for (name, value) in program.table("limits") {
        let number = || value.as_u64().expect("a number");
        match name.as_str() {
            "fuel" => limits.fuel = number(),
            "calls" => limits.calls = number(),
            "outputBytes" => limits.output_bytes = number(),
            "argumentBytes" => limits.argument_bytes = number(),
            "resultBytes" => limits.result_bytes = number(),
            "memory" => {
                let text = value.as_str().and_then(|text| text.strip_suffix("MiB"));
                let mebibytes: u64 = text.expect("MiB").parse().expect("a number");
                limits.memory_bytes = mebibytes << 20;
            }
            "wallTime" => limits.wall_time = time(&value),
            other => panic!("the limit {other} has no line here"),
        }
    }
    limits
}

/// A number of milliseconds, or a text with its unit.
fn time(value: &Value) -> Duration {
    if let Some(millis) = value.as_u64() {
        return Duration::from_millis(millis);
    }
    let text = value.as_str().expect("a text");
    let (number, unit) = match text.strip_suffix("ms") {
        Some(number) => (number, 1),
        None => (text.strip_suffix('s').expect("a unit"), 1000),
    };
    Duration::from_millis(number.parse::<u64>().expect("a number") * unit)
}

async fn outcome(runtime: &Runtime, program: &Program) -> Outcome {
    let file = format!("program.{}", program.end);
    let language = Language::of_file(Path::new(&file)).expect("a language");
    let script = Script::new(language, program.code.clone());
    let env = program.table("env").into_iter();
    let script = env.fold(script, |script, (name, value)| script.env(name, value));
    let strings = program.strings().into_iter();
    let script = strings.fold(script, |script, (name, text)| script.string(name, text));
    let isolate = runtime.isolate(script).grant(Grant::all());
    let isolate = isolate.limits(limits(program)).expect("limits");
    let Some(line) = program.cancelled_on() else {
        return isolate.run().await.expect("an outcome");
    };
    let run = isolate.start().await.expect("a run");
    let mut events = run.events();
    while let Some(event) = events.next().await {
        let event = serde_json::to_value(&*event).expect("JSON");
        if event["text"] == *line {
            run.cancel();
        }
    }
    run.outcome().await.expect("an outcome")
}

#[tokio::test(flavor = "multi_thread")]
async fn programs_come_to_their_ends() {
    let runtime = runtime_builder().binding(tools()).build();
    let runtime = runtime.expect("a runtime");
    let mut mistakes = Vec::new();
    for program in programs() {
        for _ in 0..program.times() {
            let outcome = outcome(&runtime, &program).await;
            let outcome = serde_json::to_string(&outcome).expect("JSON");
            mistakes.extend(program.mistakes(&outcome));
        }
    }
    assert!(mistakes.is_empty(), "{}", mistakes.join("\n"));
}
