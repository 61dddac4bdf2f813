//! The programs of `tests/bindings` through what all bindings share: see its README.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::LazyLock;
use std::sync::mpsc;
use std::time::Duration;

use ampoule_foreign::{Reply, RunOptions, Runtime, RuntimeOptions, ToolCall, Tools};
use ampoule_tests::{repository, runtime_builder};
use serde_json::{Map, Value, json};

static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| {
    // Its guests are compiled by another process.
    drop(runtime_builder());
    Runtime::new(&RuntimeOptions::default()).expect("a runtime")
});

fn folder() -> PathBuf {
    repository().join("tests/bindings")
}

fn read(path: &str) -> String {
    let path = folder().join(path);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn tools() -> Tools {
    Tools::by_callback("host", &read("tools.json"), answer).expect("tools")
}

/// What the tools do.
fn answer(call: ToolCall, reply: Reply) {
    let arguments: Value = serde_json::from_str(&call.arguments).expect("JSON");
    let waited = Duration::from_secs_f64(arguments["ms"].as_f64().unwrap_or(0.0) / 1e3);
    match &*call.name {
        "add" => {
            let (a, b) = (arguments["a"].as_f64(), arguments["b"].as_f64());
            let sum = a.expect("a number") + b.expect("a number");
            reply.answer(Ok(json!({ "sum": sum }).to_string()));
        }
        "echo" => reply.answer(Ok(arguments["value"].to_string())),
        "sleep" => drop(tokio::spawn(async move {
            tokio::time::sleep(waited).await;
            reply.answer(Ok("null".to_owned()));
        })),
        "block" => drop(tokio::task::spawn_blocking(move || {
            std::thread::sleep(waited);
            reply.answer(Ok("null".to_owned()));
        })),
        "fail" => reply.answer(Err(arguments["message"]
            .as_str()
            .expect("a text")
            .to_owned())),
        other => panic!("there is no tool {other}"),
    }
}

/// A run of a program, to its end.
fn outcome(code: &str, language: &str, expected: &Map<String, Value>, tools: Tools) -> Value {
    let table = |key: &str| expected.get(key).and_then(Value::as_object).cloned();
    let options = RunOptions {
        code: code.to_owned(),
        language: Some(language.to_owned()),
        env: table("env").unwrap_or_default(),
        limits: table("limits").unwrap_or_default(),
        ..RunOptions::default()
    };
    let (end, ended) = mpsc::channel();
    let ended_with = move |outcome| drop(end.send(outcome));
    let run = RUNTIME.start(options, &[tools], ended_with).expect("a run");
    if let Some(line) = expected.get("cancelOn") {
        let mut events = run.events();
        while let Some(event) = events.next_here() {
            let event: Value = serde_json::from_str(&event).expect("JSON");
            if event["text"] == *line {
                run.cancel();
            }
        }
    }
    let outcome = ended.recv().expect("an end").expect("an outcome");
    serde_json::from_str(&outcome).expect("JSON")
}

/// What is not as expected, a line each.
fn wrong(expected: &Map<String, Value>, outcome: &Value) -> Vec<String> {
    let printed: String = outcome["output"]
        .as_array()
        .expect("the output")
        .iter()
        .map(|line| format!("{}\n", line["text"].as_str().expect("a text")))
        .collect();
    let calls = outcome["usage"]["calls"].as_array().expect("the calls");
    let called = |call: &Value| json!(format!("{}.{}", text(&call["server"]), text(&call["tool"])));
    let calls: Vec<Value> = calls.iter().map(called).collect();
    let mut wrong = Vec::new();
    let mut hold = |what: &str, wanted: &Value, got: &Value| {
        if !is_same(wanted, got) {
            wrong.push(format!("{what} is {got}, not {wanted}"));
        }
    };
    for (key, wanted) in expected {
        match key.as_str() {
            "env" | "limits" | "times" | "cancelOn" | "typescript" | "python" => {}
            "output" => hold(key, wanted, &json!(printed)),
            "calls" => hold(key, wanted, &json!(calls)),
            "error" => {
                let error = &outcome["error"];
                for (key, wanted) in wanted.as_object().expect("a table") {
                    match key.as_str() {
                        "says" => {
                            let says = text(&error["message"]).contains(text(wanted));
                            hold("what is said", &json!(true), &json!(says));
                        }
                        "line" => hold(key, wanted, &error["location"]["line"]),
                        _ => hold(key, wanted, &error[key]),
                    }
                }
            }
            _ => hold(key, wanted, &outcome[key]),
        }
    }
    wrong
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// The same as JSON has it, where 3 and 3.0 are one number.
fn is_same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => a == b || a.as_f64() == b.as_f64(),
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_same(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            let same = |(key, a): (&String, &Value)| b.get(key).is_some_and(|b| is_same(a, b));
            a.len() == b.len() && a.iter().all(same)
        }
        _ => a == b,
    }
}

#[test]
fn programs_come_to_their_ends() {
    let (tools, mut cases, mut mistakes) = (tools(), BTreeSet::new(), Vec::new());
    for file in std::fs::read_dir(folder().join("programs")).expect("the programs") {
        let name = file.expect("a file").file_name();
        let name = name.to_string_lossy().into_owned();
        let case = name.rsplit_once('.').expect("an end").0;
        cases.insert(case.to_owned());
    }
    for case in &cases {
        let expected: Value = serde_json::from_str(&read(&format!("programs/{case}.json")))
            .unwrap_or_else(|error| panic!("{case}: {error}"));
        for (end, language) in [("ts", "typescript"), ("py", "python")] {
            let mut expected = expected.as_object().expect("a table").clone();
            if let Some(Value::Object(own)) = expected.get(language).cloned() {
                expected.extend(own);
            }
            let code = read(&format!("programs/{case}.{end}"));
            for _ in 0..expected.get("times").and_then(Value::as_u64).unwrap_or(1) {
                let outcome = outcome(&code, language, &expected, tools.clone());
                let found = wrong(&expected, &outcome).into_iter();
                mistakes.extend(found.map(|what| format!("{case}.{end}: {what}: {outcome}")));
            }
        }
    }
    assert!(mistakes.is_empty(), "{}", mistakes.join("\n"));
    assert!(cases.len() >= 15, "{} cases", cases.len());
}
