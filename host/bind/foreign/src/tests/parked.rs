//! Runs that are parked because a call waits for an answer from outside.

use std::path::Path;
use std::sync::{Arc, Mutex};

use futures::FutureExt;
use futures::future::{BoxFuture, ready};
use tokio::sync::oneshot;

use super::*;

/// Lets calls pass whose numbers are known, and has others wait.
struct Asking(Vec<u32>);

impl Interceptor for Asking {
    fn pass(&self, call: PassingCall) -> BoxFuture<'static, Result<String, String>> {
        if !self.0.contains(&call.call.number) {
            let waits = r#"{ "details": {"why":"ask"}, "kind": "park" }"#;
            return ready(Ok(waits.to_owned())).boxed();
        }
        async move {
            let (tell, told) = oneshot::channel();
            call.onward
                .send(call.arguments, |came_to| drop(tell.send(came_to)));
            Ok(told.await.expect("it is told").expect("a result"))
        }
        .boxed()
    }
}

fn parking(folder: &Path) -> Runtime {
    let options = RuntimeOptions {
        parked: Some(folder.join("parked")),
        ..RuntimeOptions::default()
    };
    Runtime::new(&options).expect("a runtime")
}

/// A server with the tool `pay`, and what it was called with.
fn pay() -> (Tools, Arc<Mutex<Vec<String>>>) {
    let described = json!([{ "name": "pay", "inputSchema": { "type": "object" } }]);
    let called = Arc::new(Mutex::new(Vec::new()));
    let calls = Arc::clone(&called);
    let tools = Tools::by_callback("host", &described.to_string(), move |call, reply| {
        calls.lock().unwrap().push(call.arguments);
        reply.answer(Ok("\"paid\"".to_owned()));
    });
    (tools.expect("tools"), called)
}

fn run(runtime: &Runtime, options: RunOptions, tools: &Tools, allowed: &[u32]) -> Value {
    let layer = Layer::new(Asking(allowed.to_vec()));
    let tools = std::slice::from_ref(tools);
    let outcome = runtime.run_here(options, tools, &[layer], || true);
    read(&outcome.expect("an outcome"))
}

fn parkable(source: &str) -> RunOptions {
    RunOptions {
        language: Some("js".to_owned()),
        park_after: Some(json!(10)),
        label: Some("call-1".to_owned()),
        ..code(source)
    }
}

fn resumed(run: &Value) -> RunOptions {
    RunOptions {
        resume: run["run"].as_str().map(str::to_owned),
        ..RunOptions::default()
    }
}

#[test]
fn a_run_whose_calls_wait_is_parked_and_resumes_in_another_runtime() {
    let folder = tempfile::tempdir().expect("a folder");
    let (first, second) = (parking(folder.path()), parking(folder.path()));
    let (tools, called) = pay();
    let source = "console.log('a'); const all = await Promise.all([1, 2, 3].map((n) => host.pay({ n }))); return all.length";
    // The first call passes, and two wait.
    let parked = run(&first, parkable(source), &tools, &[0]);
    assert_eq!(parked["ending"], "parked", "{parked}");
    assert_eq!(parked["output"][0]["text"], "a");
    assert_eq!(
        parked["waiting"],
        json!([
            { "call": 1, "server": "host", "tool": "pay", "arguments": { "n": 2 }, "details": { "why": "ask" } },
            { "call": 2, "server": "host", "tool": "pay", "arguments": { "n": 3 }, "details": { "why": "ask" } },
        ])
    );
    let listed = read(&second.parked(None).expect("a list"));
    assert_eq!(listed[0]["label"], "call-1");
    assert_eq!(listed[0]["state"], "left");
    assert_eq!(listed[0]["openCalls"][0]["arguments"], json!({ "n": 2 }));
    // One of the two answers is there.
    let again = run(&second, resumed(&parked), &tools, &[0, 1]);
    assert_eq!(again["waiting"][0]["call"], 2);
    let ended = run(&first, resumed(&again), &tools, &[0, 1, 2]);
    assert_eq!(
        (&ended["value"], &ended["language"]),
        (&json!(3), &json!("javascript"))
    );
    assert_eq!(
        *called.lock().unwrap(),
        [r#"{"n":1}"#, r#"{"n":2}"#, r#"{"n":3}"#]
    );
    assert_eq!(read(&first.parked(None).expect("a list")), json!([]));
}

#[test]
fn a_run_is_resumed_once_and_can_be_removed() {
    let folder = tempfile::tempdir().expect("a folder");
    let runtime = parking(folder.path());
    let (tools, called) = pay();
    let parked = run(&runtime, parkable("return await host.pay({})"), &tools, &[]);
    assert_eq!(parked["ending"], "parked", "{parked}");
    let id = parked["run"].as_str().expect("an id");
    let wrong = RunOptions {
        grant: Some(Grants::Text("*".to_owned())),
        ..resumed(&parked)
    };
    let fault = runtime.run_here(wrong, &[], &[], || true);
    let told = fault.expect_err("two things").to_string();
    assert!(told.contains("`grant` is an option of new runs"), "{told}");
    runtime.remove_parked(id, None).expect("it is removed");
    let gone = runtime.run_here(resumed(&parked), &[tools], &[], || true);
    let told = gone.expect_err("it is gone").to_string();
    assert!(told.contains("unknown parked run"), "{told}");
    assert!(called.lock().unwrap().is_empty());
}

#[test]
fn a_call_that_can_not_wait_fails_and_says_why() {
    let folder = tempfile::tempdir().expect("a folder");
    let (tools, _) = pay();
    let caught = "try { await host.pay({}) } catch (error) { return [error.kind, error.message] }";
    // This run is never parked.
    let never = RunOptions {
        park_after: None,
        ..parkable(caught)
    };
    let (tell, told) = mpsc::channel();
    let runtime = parking(folder.path());
    let layer = Layer::new(Asking(Vec::new()));
    let started = runtime.start(
        never,
        std::slice::from_ref(&tools),
        &[layer],
        move |outcome| {
            drop(tell.send(outcome));
        },
    );
    started.expect("it starts");
    let outcome = told.recv().expect("it ends").expect("an outcome");
    let value = &read(&outcome)["value"];
    assert_eq!(value[0], "not-reached");
    assert!(
        value[1]
            .as_str()
            .is_some_and(|why| why.contains("`parkAfter`")),
        "{value}"
    );
    // Python can wait in the middle of a function, where nothing can be kept.
    let blocking = RunOptions {
        language: Some("py".to_owned()),
        ..parkable(
            "try:\n    host.pay().result()\nexcept ToolError as error:\n    return str(error)",
        )
    };
    let value = run(&runtime, blocking, &tools, &[])["value"].clone();
    assert!(
        value
            .as_str()
            .is_some_and(|why| why.contains("can't be parked")),
        "{value}"
    );
}

#[test]
fn a_folder_that_others_can_read_is_refused_at_once() {
    use std::os::unix::fs::PermissionsExt;

    let folder = tempfile::tempdir().expect("a folder");
    let open = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(folder.path(), open).expect("it is mine");
    let options = RuntimeOptions {
        parked: Some(folder.path().to_owned()),
        ..RuntimeOptions::default()
    };
    let told = Runtime::new(&options).err().expect("a fault").to_string();
    assert!(told.contains("parked runs can't be used"), "{told}");
}

#[test]
fn a_waiting_call_does_not_stop_the_clock_of_a_script_that_works_on() {
    let folder = tempfile::tempdir().expect("a folder");
    let described = json!([
        { "name": "pay", "inputSchema": { "type": "object" } },
        { "name": "slow", "inputSchema": { "type": "object" } },
    ]);
    let tools = Tools::by_callback("host", &described.to_string(), |_, reply| {
        std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(20));
            reply.answer(Ok("1".to_owned()));
        });
    });
    let tools = tools.expect("tools");
    // All calls pass but the first.
    let passes: Vec<u32> = (1..10_000).collect();
    let source = "host.pay({}).catch(() => {}); for (;;) await host.slow({})";
    let limits = json!({ "wallTime": 500 });
    let options = RunOptions {
        limits: limits.as_object().cloned().unwrap_or_default(),
        ..parkable(source)
    };
    let outcome = run(&parking(folder.path()), options, &tools, &passes);
    assert_eq!(
        (&outcome["ending"], &outcome["limit"]),
        (&json!("limit"), &json!("wall-time")),
        "{outcome}"
    );
}

#[test]
fn the_time_until_there_is_an_answer_is_not_the_runs() {
    let folder = tempfile::tempdir().expect("a folder");
    let runtime = parking(folder.path());
    let (tools, _) = pay();
    let began = Instant::now();
    let parked = run(&runtime, parkable("return await host.pay({})"), &tools, &[]);
    let waits = Duration::from_millis(1500);
    std::thread::sleep(waits);
    let again = run(&runtime, resumed(&parked), &tools, &[]);
    assert_eq!(again["ending"], "parked", "{again}");
    std::thread::sleep(waits);
    let ended = run(&runtime, resumed(&again), &tools, &[0]);
    assert_eq!(ended["value"], "paid", "{ended}");
    let used = Duration::from_secs_f64(ended["usage"]["wallMs"].as_f64().expect("a time") / 1e3);
    let all = began.elapsed();
    assert!(used + 2 * waits <= all, "{used:?} of {all:?}");
}

#[test]
fn a_call_of_a_run_that_is_never_parked_is_refused_at_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let (tools, _) = pay();
    let options = RunOptions {
        park_after: None,
        ..parkable("try { await host.pay({}) } catch (error) { return error.kind }")
    };
    let outcome = run(&parking(folder.path()), options, &tools, &[]);
    assert_eq!(outcome["value"], "not-reached", "{outcome}");
}

#[test]
fn without_a_principal_nobody_elses_run_is_reached() {
    let folder = tempfile::tempdir().expect("a folder");
    let runtime = parking(folder.path());
    let (tools, called) = pay();
    let options = RunOptions {
        principal: Some("ada".to_owned()),
        ..parkable("return await host.pay({})")
    };
    let parked = run(&runtime, options, &tools, &[]);
    let id = parked["run"].as_str().expect("an id");
    let layer = Layer::new(Asking(vec![0]));
    let tools = std::slice::from_ref(&tools);
    let refused = runtime.run_here(
        resumed(&parked),
        tools,
        std::slice::from_ref(&layer),
        || true,
    );
    let told = refused.expect_err("it is ada's").to_string();
    assert!(told.contains("name the `principal`"), "{told}");
    runtime.remove_parked(id, None).expect_err("it is ada's");
    let bob = Some("bob".to_owned());
    runtime.remove_parked(id, bob).expect_err("it is ada's");
    assert!(called.lock().unwrap().is_empty());
    let hers = RunOptions {
        principal: Some("ada".to_owned()),
        ..resumed(&parked)
    };
    let ended = runtime.run_here(hers, tools, &[layer], || true);
    assert_eq!(read(&ended.expect("an outcome"))["value"], "paid");
}

#[test]
fn the_outcome_of_a_resumed_run_is_kept_until_it_is_removed() {
    let folder = tempfile::tempdir().expect("a folder");
    let (first, second) = (parking(folder.path()), parking(folder.path()));
    let (tools, called) = pay();
    let options = parkable("console.log('a'); return await host.pay({})");
    let parked = run(&first, options, &tools, &[]);
    let kept = RunOptions {
        keep_outcome: true,
        label: Some("call-1#1".to_owned()),
        ..resumed(&parked)
    };
    let ended = run(&first, kept, &tools, &[0]);
    let listed = read(&second.parked(None).expect("a list"));
    assert_eq!(
        (&listed[0]["state"], &listed[0]["label"]),
        (&json!("ended"), &json!("call-1#1"))
    );
    assert_eq!(listed[0]["outcome"], ended);
    second
        .run_here(resumed(&parked), &[tools], &[], || true)
        .expect_err("it is over");
    let id = parked["run"].as_str().expect("an id");
    second.remove_parked(id, None).expect("it is removed");
    assert_eq!(read(&first.parked(None).expect("a list")), json!([]));
    assert_eq!(called.lock().unwrap().len(), 1);
}
