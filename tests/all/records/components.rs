//! Recorded runs of components.

use ampoule::{Binding as _, Component, Grant, Keep};
use ampoule_tests::{components, lowered, test_tools};
use serde_json::json;

use super::{Recorded, elsewhere, options, read, same};

#[tokio::test]
async fn a_component_is_in_its_record() {
    let recorded = Recorded::new();
    let wasm =
        components::component("(call $return (i32.const 0) (local.get $at) (local.get $length))");
    let component = match Component::from_bytes(wasm) {
        Ok(component) => component,
        Err(error) => panic!("{error}"),
    };
    let outcome = recorded.runtime.isolate(component).run().await.unwrap();
    let record = read(&recorded.file(&outcome));
    assert_eq!(record.head.language, "component");
    let replayed = same(record).await;
    assert_eq!(
        replayed.outcome.ending.to_string(),
        outcome.ending.to_string()
    );
    assert_eq!(replayed.outcome.usage.fuel, outcome.usage.fuel);
}

/// A program that prints its environment: what is `NAME=value`, each with a zero byte behind it.
const PRINTS_ENVIRONMENT: &str = r#"(module
    (import "wasi_snapshot_preview1" "fd_write" (func $fd_write (param i32 i32 i32 i32) (result i32)))
    (import "wasi_snapshot_preview1" "environ_sizes_get" (func $sizes (param i32 i32) (result i32)))
    (import "wasi_snapshot_preview1" "environ_get" (func $get (param i32 i32) (result i32)))
    (memory (export "memory") 4)
    (func (export "_start")
        (drop (call $sizes (i32.const 8) (i32.const 12)))
        (drop (call $get (i32.const 1000) (i32.const 2000)))
        (i32.store (i32.const 0) (i32.const 2000))
        (i32.store (i32.const 4) (i32.load (i32.const 12)))
        (drop (call $fd_write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 16)))))"#;

#[tokio::test]
async fn the_environment_of_a_component_is_in_its_record_without_secrets() {
    let mut options = options(Keep::All);
    options.secrets = vec!["hunter2-token".to_owned()];
    let recorded = Recorded::with(options);
    let component = Component::from_bytes(components::command(PRINTS_ENVIRONMENT)).unwrap();
    let component = component
        .env("PLACE", "Ghent")
        .env("TOKEN", "hunter2-token");
    let outcome = recorded.runtime.isolate(component).run().await.unwrap();
    let printed = "PLACE=Ghent\0TOKEN=hunter2-token\0\n";
    assert_eq!(outcome.output.to_string(), printed, "{}", outcome.ending);
    let text = std::fs::read_to_string(recorded.file(&outcome)).unwrap();
    assert!(text.contains("Ghent") && !text.contains("hunter2-token"));
    // It is run with what is in the record.
    let record = read(&recorded.file(&outcome));
    let replayed = elsewhere().replay(record).run().await.unwrap();
    assert_eq!(
        replayed.outcome.output.to_string(),
        "PLACE=Ghent\0TOKEN=*************\0\n"
    );
}

#[tokio::test]
async fn calls_of_a_component_are_answered_from_its_record() {
    let recorded = Recorded::new();
    let tools = test_tools().known_tools().unwrap();
    let add = tools.iter().find(|tool| tool.name == "add").unwrap();
    let wasm = lowered::calling("test-tools", add, &json!({ "a": 2, "b": 3 })).unwrap();
    let component = Component::from_bytes(wasm).unwrap();
    let isolate = recorded.runtime.isolate(component).grant(Grant::all());
    let outcome = isolate.run().await.unwrap();
    let [call] = &outcome.usage.calls[..] else {
        panic!("{:?}: {}", outcome.usage, outcome.ending);
    };
    assert_eq!((&*call.server, &*call.tool), ("test-tools", "add"));
    let replayed = same(recorded.record(&outcome)).await;
    assert_eq!(replayed.outcome.usage.calls.len(), 1);
    assert_eq!(replayed.outcome.usage.fuel, outcome.usage.fuel);
    assert_eq!(
        replayed.outcome.ending.to_string(),
        outcome.ending.to_string()
    );
}
