//! The tools of real servers: each is called through a component, and gets the arguments that were given; its answer comes back the same.

use std::path::PathBuf;

use ampoule_limits::Limits;
use ampoule_projection::{Interface, Tool};
use ampoule_projection_tests::{bytes, document, json_files, same, tools_in};
use ampoule_tools::ToolResult;
use ampoule_values::PackageValues as _;
use arbitrary::Unstructured;
use serde_json::{Value, json};
use wasmtime::component::Val;

use super::{Host, call, forwarder, package};

/// What a schema says of texts and lists beyond their types.
const CONSTRAINTS: [&str; 9] = [
    "pattern",
    "format",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "uniqueItems",
    "minProperties",
    "maxProperties",
];
/// Golden cases that no call can reach: their arguments are not an object.
const UNREACHED: [&str; 2] = ["string-root", "array-root"];
/// How many documents are tried until one is allowed by all that the schema says; the generator knows its types only.
const TRIES: u64 = 300;
/// How much memory a value may take, in bytes.
const ALLOWED: u64 = 64 << 20;

/// A document as tools get it: zero is an integer, which has no sign.
fn unsigned(document: Value) -> Value {
    match document {
        Value::Number(number) if number.as_f64() == Some(0.0) => json!(0),
        Value::Array(items) => items.into_iter().map(unsigned).collect(),
        Value::Object(properties) => properties
            .into_iter()
            .map(|(name, value)| (name, unsigned(value)))
            .collect(),
        other => other,
    }
}

#[tokio::test]
async fn each_tool_of_each_server_gets_what_it_is_sent_and_gives_what_it_answers() {
    for path in json_files("tools") {
        let server = path.file_stem().unwrap().to_str().unwrap();
        assert_eq!(round_trips(server, loosened(&path)).await, [""; 0]);
    }
}

#[tokio::test]
async fn each_golden_case_too() {
    let mut unreached = Vec::new();
    for path in json_files("projection") {
        unreached.extend(round_trips("golden", loosened(&path)).await);
    }
    assert_eq!(unreached, UNREACHED);
}

/// The tools of a file without what their schemas say of texts and lists beyond types, since documents are made from types alone.
fn loosened(path: &PathBuf) -> Vec<Tool> {
    let mut tools = tools_in(path);
    for tool in &mut tools {
        let mut schema = tool.input_schema.parse();
        loosen(&mut schema);
        tool.input_schema = schema.into();
    }
    tools
}

fn loosen(schema: &mut Value) {
    match schema {
        Value::Object(object) => {
            // A property of such a name has a schema, which is an object.
            object.retain(|key, value| !CONSTRAINTS.contains(&key.as_str()) || value.is_object());
            object.values_mut().for_each(loosen);
        }
        Value::Array(items) => items.iter_mut().for_each(loosen),
        _ => {}
    }
}

/// Calls each tool, and gives the names of those that no document reaches.
async fn round_trips(server: &str, tools: Vec<Tool>) -> Vec<String> {
    let mut unreached = Vec::new();
    let package = package(server, &tools);
    let interface = Interface::of(&tools);
    let host = Host::new(server, tools.clone());
    let name = package.interface().replace('%', "");
    let component = forwarder::component(&package);
    let (mut store, instance) = host.instance(&component, Limits::default()).await;
    for (index, function) in interface.functions.iter().enumerate() {
        let signature = &package.functions[index];
        let mut reached = false;
        for attempt in 0..TRIES {
            let random = bytes(attempt, 4_000);
            let mut u = Unstructured::new(&random);
            let given = match signature.arguments {
                Some(_) => document(&function.arguments.ty, &interface, &mut u),
                None => Ok(json!({})),
            };
            let result = function.result.as_ref();
            let answer = result.map(|result| document(&result.ty, &interface, &mut u));
            let (Ok(given), Ok(answer)) = (given, answer.transpose()) else {
                continue;
            };
            let parameters = package
                .parameters(signature, &given.to_string(), ALLOWED)
                .unwrap();
            host.server.answer(match &answer {
                Some(answer) => ToolResult::returned(answer).unwrap(),
                None => ToolResult {
                    content: vec![json!({"type": "text", "text": "as it was"})],
                    ..ToolResult::default()
                },
            });
            let returned = call(&mut store, &instance, &name, &signature.name, &parameters).await;
            let sent = host.server.take_calls();
            if sent.is_empty() {
                // What the schema does not allow is refused, and says why.
                let refused = returned.expect_err("nothing was sent");
                assert!(matches!(refused.as_deref(), Some(Val::Record(_))));
                continue;
            }
            assert_eq!(sent[0].0, function.tool);
            let given = unsigned(given);
            assert!(same(&given, &sent[0].1), "{given}\nbecame\n{}", sent[0].1);
            let value = returned.unwrap().unwrap();
            match &answer {
                Some(answer) => {
                    let json = package.json_of_result(signature, &value).unwrap();
                    let json: Value = serde_json::from_str(&json).unwrap();
                    assert!(same(answer, &json), "{answer}\nbecame\n{json}");
                }
                None => assert_eq!(
                    *value,
                    Val::List(vec![Val::Variant(
                        "text".into(),
                        Some(Box::new(Val::String("as it was".into())))
                    )])
                ),
            }
            reached = true;
            break;
        }
        if !reached {
            unreached.push(function.tool.clone());
        }
    }
    unreached
}
