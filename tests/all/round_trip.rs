//! Arguments that the schemas of real servers allow reach the server as they are, from scripts in
//! both languages and from components; or an error names what does not.

use std::future::ready;
use std::sync::{Arc, Mutex};

use ampoule::{Code, Component, Ending, Grant, Script};
use ampoule_projection::names::{Names, Style};
use ampoule_projection::{Interface, Tool};
use ampoule_projection_tests::{bytes, document, json_files, same, tools_in};
use ampoule_tests::binding::{Stub, returned};
use ampoule_tests::{lowered, runtime};
use arbitrary::Unstructured;
use futures::FutureExt;
use serde_json::Value;

/// JavaScript's numbers are exact up to here; beyond, there are `BigInt`s.
const EXACT: u64 = 1 << 53;
/// How many documents are sent, each in each way.
const DOCUMENTS: usize = 150;
/// How often a document that a type allows is made anew where the schema does not allow it.
const ATTEMPTS: u64 = 50;

/// Arguments that tools of the corpora take, as their schemas say, the same each time: of each tool
/// in turn.
fn valid_arguments() -> Vec<(Tool, Value)> {
    let mut tools: Vec<Tool> = json_files("tools").iter().flat_map(tools_in).collect();
    for tool in &mut tools {
        // A server that gives back what it got has no type for it.
        tool.output_schema = None;
    }
    let makers: Vec<_> = tools
        .into_iter()
        .map(|tool| {
            let schema = tool.input_schema.parse();
            let validator = jsonschema::validator_for(&schema).expect("a schema");
            (Interface::of([&tool]), validator, tool)
        })
        .collect();
    let mut made = Vec::new();
    for round in 0.. {
        for (place, (interface, validator, tool)) in makers.iter().enumerate() {
            let ty = &interface.functions[0].arguments.ty;
            let one = (0..ATTEMPTS).find_map(|attempt| {
                let seed = (round * makers.len() as u64 + place as u64) * ATTEMPTS + attempt;
                let bytes = bytes(seed, 4_000);
                let one = document(ty, interface, &mut Unstructured::new(&bytes)).ok()?;
                validator.is_valid(&one).then_some(one)
            });
            made.extend(one.map(|one| (tool.clone(), one)));
        }
        if round == 0 {
            assert!(
                made.len() + 10 > makers.len(),
                "{} of {} tools",
                made.len(),
                makers.len()
            );
        }
        if made.len() >= DOCUMENTS {
            break;
        }
    }
    made.truncate(DOCUMENTS);
    made
}

/// A value as a script in JavaScript writes it: a number that would be rounded is a `BigInt`.
fn javascript(value: &Value) -> String {
    match value {
        Value::Number(number) => match number.as_i128() {
            Some(integer) if integer.unsigned_abs() > EXACT.into() => format!("{integer}n"),
            _ => number.to_string(),
        },
        Value::Array(items) => listed(items.iter().map(javascript), "[", "]"),
        Value::Object(object) => {
            // In brackets, as `__proto__` is a property like others then.
            let entries = object.iter();
            let entries =
                entries.map(|(key, value)| format!("[{}]: {}", quoted(key), javascript(value)));
            listed(entries, "{", "}")
        }
        other => other.to_string(),
    }
}

/// A value as tools get it: an integer, zero too, is sent as one, and has no sign where it is zero.
fn unsigned_zeros(value: &Value) -> Value {
    match value {
        Value::Number(number) if number.as_f64() == Some(0.0) => Value::from(0),
        Value::Array(items) => items.iter().map(unsigned_zeros).collect(),
        Value::Object(object) => {
            let entries = object.iter();
            entries
                .map(|(key, value)| (key.clone(), unsigned_zeros(value)))
                .collect()
        }
        other => other.clone(),
    }
}

/// The same in Python.
fn python(value: &Value) -> String {
    match value {
        Value::Null => "None".to_owned(),
        Value::Bool(true) => "True".to_owned(),
        Value::Bool(false) => "False".to_owned(),
        Value::Array(items) => listed(items.iter().map(python), "[", "]"),
        Value::Object(object) => {
            let entries = object.iter();
            let entries = entries.map(|(key, value)| format!("{}: {}", quoted(key), python(value)));
            listed(entries, "{", "}")
        }
        other => other.to_string(),
    }
}

fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

fn listed(items: impl Iterator<Item = String>, open: &str, close: &str) -> String {
    format!("{open}{}{close}", items.collect::<Vec<_>>().join(", "))
}

/// A script or a component that makes the call.
fn caller(way: &str, tool: &Tool, arguments: &Value) -> Result<Code, String> {
    let name = |style| {
        let names = Names::new([tool.name.as_str()], style);
        names.identifiers()[0].clone()
    };
    Ok(match way {
        "javascript" => {
            let called = name(Style::Camel);
            Script::javascript(format!(
                "await tools.corpus.{called}({})",
                javascript(arguments)
            ))
            .into()
        }
        "python" => {
            let called = name(Style::Snake);
            Script::python(format!(
                "await tools.corpus.{called}({})",
                python(arguments)
            ))
            .into()
        }
        _ => {
            let wasm = lowered::calling("corpus", tool, arguments);
            let wasm = wasm.map_err(|error| error.to_string())?;
            Component::from_bytes(wasm).expect("a component").into()
        }
    })
}

/// What a server with that tool gets, and how the run ends.
async fn sent(way: &str, tool: &Tool, arguments: &Value) -> Result<Vec<Value>, String> {
    let got = Arc::new(Mutex::new(Vec::new()));
    let keeps = Arc::clone(&got);
    let server = Stub::new("corpus", [tool.clone()]).answering(move |_, arguments| {
        keeps
            .lock()
            .expect("it is whole")
            .push(Value::Object(arguments));
        ready(returned("null".to_owned())).boxed()
    });
    let isolate = runtime()
        .isolate(caller(way, tool, arguments)?)
        .grant(Grant::all());
    let outcome = isolate.binding(server).run().await.expect("an outcome");
    match outcome.ending {
        Ending::Returned(_) => Ok(std::mem::take(&mut *got.lock().expect("it is whole"))),
        other => Err(other.to_string()),
    }
}

#[tokio::test]
async fn what_a_schema_allows_reaches_the_server_as_it_is_in_every_way() {
    let arguments = valid_arguments();
    assert_eq!(arguments.len(), DOCUMENTS);
    let mut wrong = Vec::new();
    for (tool, arguments) in &arguments {
        let expected = unsigned_zeros(arguments);
        for way in ["javascript", "python", "component"] {
            match sent(way, tool, arguments).await {
                Ok(got) if matches!(got.as_slice(), [one] if same(one, &expected)) => {}
                other => wrong.push(format!("{} by {way}: {arguments}\n  {other:?}", tool.name)),
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {}:\n{}",
        wrong.len(),
        3 * DOCUMENTS,
        wrong.join("\n")
    );
}
