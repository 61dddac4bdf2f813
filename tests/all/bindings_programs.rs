//! The programs of `tests/bindings` as files, and through what bindings for other languages share:
//! see its README.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::LazyLock;
use std::sync::mpsc;
use std::time::Duration;

use ampoule_foreign::{Reply, RunOptions, Runtime, RuntimeOptions, ToolCall, Tools};
use ampoule_projection::Tool;
use ampoule_tests::binding::Stub;
use ampoule_tests::{repository, runtime_builder};
use serde_json::{Map, Value, json};

/// The ends of programs' names, and the languages that these are in.
const LANGUAGES: [(&str, &str); 2] = [("ts", "typescript"), ("py", "python")];

/// A program, and the end that it must come to.
pub(crate) struct Program {
    /// What it is called, but for its end.
    pub(crate) case: String,
    /// The end of its name.
    pub(crate) end: &'static str,
    pub(crate) language: &'static str,
    pub(crate) code: String,
    expected: Map<String, Value>,
}

/// All programs.
pub(crate) fn programs() -> Vec<Program> {
    let mut cases = BTreeSet::new();
    for file in std::fs::read_dir(folder().join("programs")).expect("the programs") {
        let name = file.expect("a file").file_name();
        let name = name.to_string_lossy().into_owned();
        let case = name.rsplit_once('.').expect("an end").0;
        cases.insert(case.to_owned());
    }
    assert!(cases.len() >= 30, "{} cases", cases.len());
    let in_each =
        |case: &String| LANGUAGES.map(|(end, language)| Program::read(case, end, language));
    cases.iter().flat_map(in_each).collect()
}

fn folder() -> PathBuf {
    repository().join("tests/bindings")
}

/// A file of the folder.
pub(crate) fn read(path: &str) -> String {
    let path = folder().join(path);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

impl Program {
    fn read(case: &str, end: &'static str, language: &'static str) -> Self {
        let expected = read(&format!("programs/{case}.json"));
        let expected = serde_json::from_str(&expected);
        let mut expected: Map<String, Value> =
            expected.unwrap_or_else(|error| panic!("{case}: {error}"));
        if let Some(Value::Object(own)) = expected.get(language).cloned() {
            expected.extend(own);
        }
        Self {
            case: case.to_owned(),
            end,
            language,
            code: read(&format!("programs/{case}.{end}")),
            expected,
        }
    }

    /// One of the tables that say how it is run: `env` or `limits`.
    pub(crate) fn table(&self, key: &str) -> Map<String, Value> {
        let table = self.expected.get(key).and_then(Value::as_object);
        table.cloned().unwrap_or_default()
    }

    /// The texts of `strings`.
    pub(crate) fn strings(&self) -> BTreeMap<String, String> {
        let strings = self.table("strings").into_iter();
        let strings = strings.map(|(name, value)| (name, text(&value).to_owned()));
        strings.collect()
    }

    /// How often it runs.
    pub(crate) fn times(&self) -> u64 {
        self.expected
            .get("times")
            .and_then(Value::as_u64)
            .unwrap_or(1)
    }

    /// The line that it is cancelled on.
    pub(crate) fn cancelled_on(&self) -> Option<&str> {
        self.expected.get("cancelOn").map(text)
    }

    /// What is not as expected of an outcome, a line each.
    pub(crate) fn mistakes(&self, outcome: &str) -> Vec<String> {
        let outcome: Value = serde_json::from_str(outcome).expect("JSON");
        let wrong = wrong(&self.expected, &outcome).into_iter();
        wrong
            .map(|what| format!("{}.{}: {what}: {outcome}", self.case, self.end))
            .collect()
    }
}

/// What is not as expected, a line each.
fn wrong(expected: &Map<String, Value>, outcome: &Value) -> Vec<String> {
    let Some(output) = outcome["output"].as_array() else {
        return vec!["there is no outcome".to_owned()];
    };
    let line = |line: &Value| format!("{}\n", line["text"].as_str().expect("a text"));
    let printed: String = output.iter().map(line).collect();
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
            "env" | "strings" | "limits" | "times" | "cancelOn" | "typescript" | "python" => {}
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

static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| {
    // Its guests are compiled by another process.
    drop(runtime_builder());
    Runtime::new(&RuntimeOptions::default()).expect("a runtime")
});

/// The tools, as a server that answers nothing.
pub(crate) fn host() -> Stub {
    let tools: Vec<Tool> = serde_json::from_str(&read("tools.json")).expect("tools");
    Stub::new("host", tools)
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
fn outcome(program: &Program, tools: Tools) -> String {
    let options = RunOptions {
        code: program.code.clone(),
        language: Some(program.language.to_owned()),
        env: program.table("env"),
        strings: program.strings(),
        limits: program.table("limits"),
        ..RunOptions::default()
    };
    let (end, ended) = mpsc::channel();
    let ended_with = move |outcome| drop(end.send(outcome));
    let run = RUNTIME
        .start(options, &[tools], &[], ended_with)
        .expect("a run");
    if let Some(line) = program.cancelled_on() {
        let mut events = run.events();
        while let Some(event) = events.next_here() {
            let event: Value = serde_json::from_str(&event).expect("JSON");
            if event["text"] == *line {
                run.cancel();
            }
        }
    }
    ended.recv().expect("an end").expect("an outcome")
}

#[test]
fn programs_come_to_their_ends() {
    let (tools, mut mistakes) = (tools(), Vec::new());
    for program in programs() {
        for _ in 0..program.times() {
            mistakes.extend(program.mistakes(&outcome(&program, tools.clone())));
        }
    }
    assert!(mistakes.is_empty(), "{}", mistakes.join("\n"));
}
