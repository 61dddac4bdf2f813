//! Functions that take calls back.

use std::sync::{Arc, Mutex};

use super::*;

#[test]
fn a_failed_run_is_undone_once() {
    let described = json!([
        { "name": "create", "inputSchema": { "type": "object" }, "undo": "remove({ id: result.id })" },
        { "name": "remove", "inputSchema": { "type": "object" } },
    ]);
    let called = Arc::new(Mutex::new(Vec::new()));
    let calls = Arc::clone(&called);
    let tools = Tools::by_callback("host", &described.to_string(), move |call, reply| {
        let mut calls = calls.lock().unwrap();
        calls.push(format!("{} {}", call.name, call.arguments));
        reply.answer(Ok(json!({ "id": calls.len() }).to_string()));
    });
    let (tools, runtime) = (tools.expect("tools"), runtime());
    let run = |options| runtime.run_here(options, std::slice::from_ref(&tools), &[], || true);
    let fails = RunOptions {
        language: Some("js".to_owned()),
        ..code("await host.create({}); await host.create({}); throw new Error('no')")
    };
    let failed = read(&run(fails).expect("an outcome"));
    assert_eq!(failed["undo"]["calls"][0]["arguments"], r#"{"id":2}"#);
    let undo = || RunOptions {
        undo: failed["undo"]["run"].as_str().map(str::to_owned),
        ..RunOptions::default()
    };
    let undone = read(&run(undo()).expect("an outcome"));
    assert_eq!(
        (&undone["ending"], &undone["language"]),
        (&json!("returned"), &json!("undo"))
    );
    let called = called.lock().unwrap().clone();
    assert_eq!(called[2..], [r#"remove {"id":2}"#, r#"remove {"id":1}"#]);
    let again = run(undo()).expect_err("it is undone").to_string();
    assert!(again.contains("a run is undone once"), "{again}");
    let both = RunOptions {
        code: "return 1".to_owned(),
        ..undo()
    };
    let both = run(both).expect_err("two things").to_string();
    assert!(both.contains("`code` is an option of scripts"), "{both}");
}

#[test]
fn a_wrong_rule_is_told() {
    let wrong =
        json!([{ "name": "create", "inputSchema": {}, "undo": "remove({ id: results.id })" }]);
    let fault = Tools::by_callback("host", &wrong.to_string(), |_, _| {});
    let told = fault.err().expect("a fault").to_string();
    assert!(
        told.contains("at character 21") && told.contains("undo"),
        "{told}"
    );
}
