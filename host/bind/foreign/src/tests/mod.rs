//! What every binding relies on.

use std::sync::mpsc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::*;

mod governed;
mod layers;
mod parked;
mod patterns;
mod steps;
mod undo;

fn runtime() -> Runtime {
    Runtime::new(&RuntimeOptions::default()).expect("a runtime")
}

fn code(code: &str) -> RunOptions {
    RunOptions {
        code: code.to_owned(),
        ..RunOptions::default()
    }
}

fn read(document: &str) -> Value {
    serde_json::from_str(document).expect("JSON")
}

/// A server `host` with the tools `double`, `fail` and `never`, the last of which tells that it was
/// called, and when the call is cancelled.
fn tools() -> (Tools, mpsc::Receiver<&'static str>) {
    let number =
        json!({ "type": "object", "properties": { "n": { "type": "number" } }, "required": ["n"] });
    let described = json!([
        { "name": "double", "description": "Doubles a number.", "inputSchema": number },
        { "name": "fail", "inputSchema": { "type": "object" } },
        { "name": "never", "inputSchema": { "type": "object" } },
        { "name": "broken", "inputSchema": { "type": "object" } },
    ]);
    let (tell, told) = mpsc::channel();
    let tools = Tools::by_callback("host", &described.to_string(), move |call, mut reply| {
        let arguments = read(&call.arguments);
        match &*call.name {
            "double" => {
                let doubled = arguments["n"].as_f64().map(|n| (2.0 * n).to_string());
                reply.answer(doubled.ok_or_else(|| "no number".to_owned()));
            }
            "fail" => reply.answer(Err("on purpose".to_owned())),
            "broken" => reply.answer(Ok("{".to_owned())),
            _ => {
                let tell = tell.clone();
                let _ = tell.send("called");
                tokio::spawn(async move {
                    reply.cancelled().await;
                    let _ = tell.send("given up");
                });
            }
        }
    });
    (tools.expect("tools"), told)
}

#[test]
fn a_run_has_its_own_tools_and_env_in_each_language() {
    let (runtime, (tools, _)) = (runtime(), tools());
    for (language, source) in [
        (
            "ts",
            "const n: number = env.n; return await host.double({ n })",
        ),
        ("javascript", "return await tools.host.double({ n: env.n })"),
        ("py", "return await host.double(n=env['n'])"),
    ] {
        let options = RunOptions {
            language: Some(language.to_owned()),
            env: json!({ "n": 21 }).as_object().cloned().unwrap_or_default(),
            ..code(source)
        };
        let outcome = runtime.run_here(options, std::slice::from_ref(&tools), &[], || true);
        let outcome = read(&outcome.expect("an outcome"));
        assert_eq!(outcome["value"], json!(42), "{outcome}");
        assert_eq!(outcome["usage"]["calls"][0]["tool"], "double");
    }
}

#[test]
fn one_call_is_a_run_of_its_own() {
    let (runtime, (tools, _)) = (runtime(), tools());
    let run = |options: &str| {
        let options = RunOptions::from_json(options)?;
        runtime.run_here(options, std::slice::from_ref(&tools), &[], || true)
    };
    let call = r#"{ "call": { "server": "host", "tool": "double", "arguments": { "n": 21 } } }"#;
    let outcome = read(&run(call).expect("an outcome"));
    assert_eq!(outcome["value"], json!(42), "{outcome}");
    assert_eq!(outcome["language"], "call");
    let failed = r#"{ "call": { "server": "host", "tool": "fail" } }"#;
    let outcome = read(&run(failed).expect("an outcome"));
    let said = outcome["error"]["message"].as_str().expect("a message");
    assert_eq!(said, "host.fail: on purpose");
    for (option, value) in [
        ("code", json!("return 1")),
        ("language", json!("js")),
        ("name", json!("n")),
        ("env", json!({ "a": 1 })),
        ("strings", json!({ "a": "b" })),
        ("session", json!("s")),
        ("check", json!("alone")),
    ] {
        let mut options = read(call);
        options[option] = value;
        let fault = run(&options.to_string()).expect_err("a fault").message;
        let said = format!("`{option}` is an option of scripts");
        assert!(fault.starts_with(&said), "{fault}");
    }
}

#[test]
fn what_a_tool_says_reaches_the_script() {
    let (runtime, (tools, _)) = (runtime(), tools());
    for (tool, message) in [
        ("fail", "on purpose"),
        ("broken", "what the tool returned is not JSON"),
    ] {
        let source = format!(
            "try {{ await host.{tool}() }} catch (error) {{ return [error.name, error.message] }}"
        );
        let outcome = runtime.run_here(code(&source), std::slice::from_ref(&tools), &[], || true);
        let value = &read(&outcome.expect("an outcome"))["value"];
        assert_eq!(value[0], "ToolError");
        let said = value[1].as_str().expect("a message");
        assert!(said.starts_with(message), "{said}");
    }
}

#[test]
fn a_run_that_is_started_tells_what_happens_and_how_it_ends() {
    let (runtime, (tools, _)) = (runtime(), tools());
    let (end, ended) = mpsc::channel();
    let options = code("console.log('a'); await host.double({ n: 1 }); return 'done'");
    let ended_with = move |outcome| drop(end.send(outcome));
    let run = runtime
        .start(options, &[tools], &[], ended_with)
        .expect("a run");
    let mut events = run.events();
    let mut kinds = Vec::new();
    while let Some(event) = events.next_here() {
        let event = read(&event);
        assert_eq!(event["run"], run.id());
        kinds.push(event["event"].as_str().expect("a kind").to_owned());
    }
    kinds.retain(|kind| !kind.starts_with("compil"));
    assert_eq!(kinds, ["output", "call-started", "call-ended"]);
    let outcome = read(&ended.recv().expect("an end").expect("an outcome"));
    assert_eq!(outcome["value"], "done");
}

#[test]
fn a_call_that_nobody_waits_for_is_told_so() {
    let (runtime, (tools, told)) = (runtime(), tools());
    let (end, ended) = mpsc::channel();
    let options = code("await host.never()");
    let ended_with = move |outcome| drop(end.send(outcome));
    let run = runtime
        .start(options, &[tools], &[], ended_with)
        .expect("a run");
    let patience = Duration::from_secs(30);
    assert_eq!(told.recv_timeout(patience), Ok("called"));
    run.cancel();
    let outcome = read(&ended.recv().expect("an end").expect("an outcome"));
    assert_eq!(outcome["ending"], "cancelled");
    assert_eq!(told.recv_timeout(patience), Ok("given up"));
}

#[test]
fn limits_are_those_of_the_run() {
    let runtime = runtime();
    let limits = json!({ "wallTime": 200, "fuel": "1_000_000_000_000" });
    let options = RunOptions {
        limits: limits.as_object().cloned().unwrap_or_default(),
        ..code("for (;;) {}")
    };
    let outcome = runtime
        .run_here(options, &[], &[], || true)
        .expect("an outcome");
    let outcome = read(&outcome);
    assert_eq!(
        (&outcome["limit"], &outcome["allowed"]),
        (&json!("wall-time"), &json!(200))
    );
}

#[test]
fn who_waits_can_stop_waiting() {
    let runtime = runtime();
    let began = Instant::now();
    let mut asked = 0;
    let fault = runtime.run_here(
        code("await new Promise(() => setTimeout(() => {}, 60_000))"),
        &[],
        &[],
        || {
            asked += 1;
            asked < 3
        },
    );
    assert_eq!(fault.unwrap_err().kind, FaultKind::Closed);
    assert!(began.elapsed() < Duration::from_secs(30));
}

#[test]
fn a_runtime_that_is_closed_ends_its_runs() {
    let runtime = runtime();
    let (end, ended) = mpsc::channel();
    let options = code("await new Promise(() => setTimeout(() => {}, 60_000))");
    let ended_with = move |outcome| drop(end.send(outcome));
    let run = runtime.start(options, &[], &[], ended_with).expect("a run");
    runtime.close();
    let fault = ended.recv().expect("an end").unwrap_err();
    assert_eq!(fault.kind, FaultKind::Closed);
    while run.events().next_here().is_some() {}
    let fault = runtime.run_here(code("return 1"), &[], &[], || true);
    assert_eq!(fault.unwrap_err().message, "the runtime was closed");
    runtime.close();
}

#[test]
fn a_runtime_lives_as_long_as_its_runs() {
    let (end, ended) = mpsc::channel();
    let ended_with = move |outcome| drop(end.send(outcome));
    let run = runtime().start(code("return 7"), &[], &[], ended_with);
    drop(run.expect("a run"));
    let outcome = read(&ended.recv().expect("an end").expect("an outcome"));
    assert_eq!(outcome["value"], 7);
}

#[test]
fn what_is_asked_for_in_vain_is_told_in_a_sentence() {
    let runtime = runtime();
    let said = |options: RunOptions| {
        let fault = runtime.run_here(options, &[], &[], || true).unwrap_err();
        assert_eq!(fault.kind, FaultKind::Usage);
        fault.message
    };
    let mut options = code("");
    options.language = Some("ruby".to_owned());
    assert_eq!(
        said(options),
        "unknown language `ruby`; the languages are typescript, javascript, python"
    );
    let mut options = code("");
    options.grant = Some(Grants::List(vec!["nobody".to_owned()]));
    assert!(said(options).contains("nobody"));
    let fault = RunOptions::from_json(r#"{"cod": ""}"#).unwrap_err();
    assert!(
        fault.message.contains("`options.cod` is not a known key"),
        "{fault}"
    );
    let fault = RunOptions::from_json(r#"{"code": "", "strings": {"body": 1}}"#).unwrap_err();
    assert_eq!(
        fault.message,
        "`options.strings.body` must be a string, not 1"
    );
    let fault = crate::option::<serde_json::Map<String, Value>>("env", "[]").unwrap_err();
    assert_eq!(fault.message, "`env` must be an object, not a list");
    let fault = Tools::by_callback("host", r#"[{"inputSchema":{}}]"#, |_, _| {})
        .err()
        .expect("a fault");
    assert_eq!(
        fault.message,
        "the tools of `host`: `tools[0].name` is missing"
    );
    let twice = r#"[{"name":"a","inputSchema":{}},{"name":"a","inputSchema":{}}]"#;
    let fault = Tools::by_callback("host", twice, |_, _| {})
        .err()
        .expect("a fault");
    assert_eq!(fault.message, "the tools of `host`: two are called `a`");
}

#[test]
fn servers_are_written_as_clients_write_them() {
    for servers in [
        json!({ "files": { "command": "true", "args": [] } }),
        json!({ "mcpServers": { "files": { "command": "true" } } }),
    ] {
        let options = json!({ "servers": servers }).to_string();
        let options = RuntimeOptions::from_json(&options).expect("options");
        let runtime = Runtime::new(&options).expect("a runtime");
        let servers = runtime.runtime().expect("one that is open").standings();
        assert_eq!(servers.len(), 1);
        assert_eq!(&*servers[0].0, "files");
    }
    let options = json!({ "servers": { "files": { "command": 1 } } }).to_string();
    let options = RuntimeOptions::from_json(&options).expect("options");
    let fault = Runtime::new(&options).err().expect("a fault");
    assert_eq!(fault.kind, FaultKind::Usage);
    assert!(
        fault.message.contains("mcpServers.files.command"),
        "{fault}"
    );
}

#[test]
fn a_session_goes_on_from_run_to_run() {
    let folder = tempfile::tempdir().expect("a folder");
    let options = RuntimeOptions {
        sessions: Some(folder.path().join("sessions")),
        ..RuntimeOptions::default()
    };
    let runtime = Runtime::new(&options).expect("a runtime");
    let run = |source: &str| {
        let options = RunOptions {
            session: Some("one".to_owned()),
            language: Some("js".to_owned()),
            ..code(source)
        };
        read(
            &runtime
                .run_here(options, &[], &[], || true)
                .expect("an outcome"),
        )
    };
    run("let n = 41");
    let outcome = run("return n + 1");
    assert_eq!(
        (&outcome["value"], &outcome["session"]["run"]),
        (&json!(42), &json!(2))
    );
}

#[test]
fn options_are_read_as_json() {
    let options =
        RunOptions::from_json(r#"{"code": "return 1", "grant": "a.*, b", "keepAlways": true}"#);
    let options = options.expect("options");
    assert_eq!(options.grant, Some(Grants::Text("a.*, b".to_owned())));
    assert!(options.keep_always);
}

#[test]
fn tools_are_declared_in_the_language_of_scripts() {
    let (runtime, (tools, _)) = (runtime(), tools());
    let declared = |language| {
        let declared = runtime.declarations(language, None, std::slice::from_ref(&tools));
        declared.expect("declarations")
    };
    let typescript = declared("typescript");
    assert!(
        typescript.contains("double(args: { n: number })"),
        "{typescript}"
    );
    assert!(typescript.contains("Doubles a number."), "{typescript}");
    let python = declared("python");
    assert!(
        python.contains("async def double(\n    *,\n    n: float,\n)"),
        "{python}"
    );
}

#[test]
fn an_ampoule_toml_configures_a_runtime() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("ampoule.toml");
    std::fs::write(&file, "[limits]\nfuel = 1_000\n").expect("a file");
    let options = RuntimeOptions {
        config: Some(file),
        ..RuntimeOptions::default()
    };
    let runtime = Runtime::new(&options).expect("a runtime");
    let runtime = runtime.runtime().expect("one that is open");
    assert_eq!(runtime.limits().fuel, 1000);
}
