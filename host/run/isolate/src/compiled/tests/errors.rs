//! What components know of errors: those that were built before errors had data get the rest.

use ampoule_limits::{Limit, LimitError, Limits};
use ampoule_projection::Tool;
use ampoule_projection::wit::VALUES;
use ampoule_projection_tests::tool;
use ampoule_tools::{Grant, ToolResult};
use serde_json::value::RawValue;
use serde_json::{Value, json};
use wasmtime::component::Val;
use wit_component::{ComponentEncoder, StringEncoding, embed_component_metadata};
use wit_parser::Resolve;

use crate::component::Component;

use super::{Host, forwarder, package, try_call};

fn tools() -> Vec<Tool> {
    let output = json!({"type": "object", "properties": {"artifact": {"type": "string"}}, "required": ["artifact"]});
    let nothing = json!({"type": "object", "properties": {}, "additionalProperties": false});
    vec![tool("build", nothing, Some(output))]
}

/// `ampoule:guest/values` with other fields of errors than there are.
fn values(fields: &str) -> String {
    let (before, after) = VALUES.split_once("record tool-error {").unwrap();
    let (_, after) = after.split_once('}').unwrap();
    format!("{before}record tool-error {{ {fields} }}{after}")
}

const BEFORE_DATA: &str = "kind: failure-kind, message: string, content: list<content>,";

/// A tool's answer that has failed.
fn failed(text: &str, data: Option<Value>) -> ToolResult {
    ToolResult {
        structured_content: data.map(|data| RawValue::from_string(data.to_string()).unwrap()),
        ..ToolResult::failed(text)
    }
}

/// What a component that was built against these values gets of an answer.
async fn error(
    values: &str,
    answer: ToolResult,
    limits: Limits,
) -> wasmtime::Result<Vec<(String, Val)>> {
    let host = Host::new("shop", tools());
    let component = forwarder::built_against(values, &package("shop", &tools()));
    let (mut store, instance) = host.instance(&component, limits).await;
    host.server.answer(answer);
    let called = try_call(&mut store, &instance, "mcp:shop/shop", "build", &[]).await?;
    match called.unwrap_err().map(|error| *error) {
        Some(Val::Record(fields)) => Ok(fields),
        other => panic!("{other:?}"),
    }
}

fn text(text: &str) -> Val {
    Val::String(text.into())
}

#[tokio::test]
async fn an_error_has_its_data_as_it_came() {
    let limits = Limits::default();
    let data = json!({"ok": false, "row": 121.0, "big": 12345678901234567890_u64});
    let told = failed("compile failed", Some(data.clone()));
    let fields = error(VALUES, told, limits).await.unwrap();
    assert_eq!(fields[0].1, Val::Enum("failed".into()));
    assert_eq!(fields[1].1, text("compile failed"));
    let given = Val::Option(Some(Box::new(text(&data.to_string()))));
    assert_eq!(fields[3], ("data".to_owned(), given));
    let fields = error(VALUES, failed("no", None), limits).await.unwrap();
    assert_eq!(fields[3].1, Val::Option(None));
}

#[tokio::test]
async fn a_component_that_was_built_before_errors_had_data_gets_the_rest() {
    let told = failed("compile failed", Some(json!({"row": 121})));
    let before = values(BEFORE_DATA);
    let fields = error(&before, told, Limits::default()).await.unwrap();
    let names: Vec<&str> = fields.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["kind", "message", "content"]);
    assert_eq!(fields[1].1, text("compile failed"));
}

#[tokio::test]
async fn other_errors_are_not_errors_of_tools() {
    let host = Host::new("shop", tools());
    for fields in [
        "kind: failure-kind, message: string,",
        "kind: failure-kind, message: string, content: list<content>, data: json,",
        "kind: failure-kind, message: string, content: list<content>, more: option<json>,",
        "kind: failure-kind, message: string, data: option<json>, content: list<content>,",
        "kind: failure-kind, message: string, content: list<content>, data: option<json>, more: option<json>,",
    ] {
        let component = forwarder::built_against(&values(fields), &package("shop", &tools()));
        let refused = host.link(&component, Grant::all()).await.err();
        let told = refused.expect(fields).to_string();
        assert!(told.contains("error is not the `tool-error`"), "{told}");
    }
}

#[tokio::test]
async fn data_is_held_to_the_limits_of_results() {
    let limits = Limits {
        result_bytes: 1_000_000,
        host_bytes: 1_500_000,
        ..Limits::default()
    };
    let limit = async |values: &str, bytes: usize| {
        let told = failed("no", Some(json!("x".repeat(bytes))));
        match error(values, told, limits).await {
            Ok(_) => None,
            Err(error) => Some(error.downcast_ref::<LimitError>().expect("a limit").limit),
        }
    };
    let before = values(BEFORE_DATA);
    assert_eq!(limit(VALUES, 500_000).await, None);
    assert_eq!(limit(VALUES, 1_000_000).await, Some(Limit::ResultBytes));
    assert_eq!(limit(&before, 1_000_000).await, Some(Limit::ResultBytes));
    // As a text, and as the value that is made of it.
    assert_eq!(limit(VALUES, 900_000).await, Some(Limit::HostBytes));
    assert_eq!(limit(&before, 900_000).await, None);
}

#[tokio::test]
async fn an_error_without_room_for_its_blocks_keeps_its_data() {
    let limits = Limits {
        host_bytes: 200_000,
        ..Limits::default()
    };
    let picture = json!({"type": "image", "data": "AAAA".repeat(10_000), "mimeType": "image/png"});
    let told = ToolResult {
        content: vec![picture],
        ..failed("no", Some(json!({"row": 121})))
    };
    let fields = error(VALUES, told, limits).await.unwrap();
    assert_eq!(fields[2].1, Val::List(Vec::new()));
    let given = Val::Option(Some(Box::new(text(r#"{"row":121}"#))));
    assert_eq!(fields[3].1, given);
}

const CALLS: &str = include_str!("../../../../../../wit/calls.wit");

/// A component that waits for calls by itself, built against this `ampoule:guest/calls`. Its `run`
/// gives what it returns as the text of how many calls have ended: of none, `[]`.
fn waiting(calls: &str) -> Component {
    let mut resolve = Resolve::default();
    let tools = "interface tools { type tool-id = u32; }";
    let guest = format!("package ampoule:guest@0.1.0;\n{VALUES}\n{tools}\n{calls}");
    resolve.push_str("guest.wit", &guest).unwrap();
    let world = "package local:waiting;
        world waiting {
            import ampoule:guest/calls@0.1.0;
            export run: func(arguments: string) -> result<string, string>;
        }";
    let id = resolve.push_str("world.wit", world).unwrap();
    let world = resolve.select_world(&[id], None).unwrap();
    let module = r#"(module
        (import "ampoule:guest/calls@0.1.0" "wait" (func $wait (param i32 i64 i32)))
        (memory (export "memory") 1)
        (data (i32.const 64) "[]")
        (func (export "cabi_realloc") (param i32 i32 i32 i32) (result i32) (i32.const 1024))
        (func (export "run") (param i32 i32) (result i32)
            (call $wait (i32.const 1) (i64.const 0) (i32.const 128))
            (if (i32.load (i32.const 132)) (then (unreachable)))
            (i32.store (i32.const 20) (i32.const 64))
            (i32.store (i32.const 24) (i32.const 2))
            (i32.const 16)))"#;
    let mut module = wat::parse_str(module).unwrap();
    embed_component_metadata(&mut module, &resolve, world, StringEncoding::UTF8).unwrap();
    let mut encoder = ComponentEncoder::default().module(&module).unwrap();
    Component::from_bytes(encoder.encode().unwrap()).unwrap()
}

#[tokio::test]
async fn a_component_that_waits_by_itself_is_linked_as_it_was_built() {
    let (before, after) = CALLS.split_once("        data: option<string>,\n").unwrap();
    let host = Host::new("shop", tools());
    for calls in [CALLS, &format!("{before}{after}")] {
        let (mut store, instance) = host.instance(&waiting(calls), Limits::default()).await;
        let run = instance
            .get_typed_func::<(String,), (Result<String, String>,)>(&mut store, "run")
            .unwrap();
        let (returned,) = run
            .call_async(&mut store, ("{}".to_owned(),))
            .await
            .unwrap();
        assert_eq!(returned.as_deref(), Ok("[]"));
    }
    // What nobody ever had is refused.
    let other = CALLS.replace("        data: option<string>,", "        data: u32,");
    let refused = host.link(&waiting(&other), Grant::all()).await.err();
    let told = refused.unwrap().to_string();
    assert!(told.contains("does not fit this host"), "{told}");
}
