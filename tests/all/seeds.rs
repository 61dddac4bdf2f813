//! The scripts that this product began with, in `tests/seeds`: as other surfaces document them,
//! unchanged but for servers and names, they do what they did there.

use std::collections::BTreeSet;
use std::future::ready;
use std::sync::{Arc, Mutex};

use ampoule::{Ending, Grant, Runtime, Script, ToolResult};
use ampoule_projection::Tool;
use ampoule_tests::binding::{self, Stub, returned};
use ampoule_tests::{repository, runtime_builder};
use futures::FutureExt;
use serde::Deserialize;
use serde_json::{Map, Value, json};

/// How a seed ends.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Expected {
    #[serde(default)]
    value: Option<Value>,
    #[serde(default)]
    output: String,
    /// The calls that change something, each with its arguments.
    #[serde(default)]
    changes: Vec<(String, Value)>,
    /// How many calls there are in all.
    calls: usize,
}

pub(crate) type Changes = Arc<Mutex<Vec<(String, Value)>>>;

/// A tool that takes these arguments, all of them required.
fn tool(name: &str, description: &str, arguments: &[&str]) -> Tool {
    let properties: Map<String, Value> = arguments
        .iter()
        .map(|&name| (name.to_owned(), json!({})))
        .collect();
    let schema = json!({"type": "object", "properties": properties, "required": arguments});
    Tool {
        description: Some(description.to_owned()),
        ..binding::tool(name, schema)
    }
}

/// The same, with a list as its result, as FastMCP gives it.
fn listing(name: &str, description: &str, arguments: &[&str]) -> Tool {
    let result = json!({"type": "array", "items": {}});
    let schema = json!({"type": "object", "properties": {"result": result}, "required": ["result"], "x-fastmcp-wrap-result": true});
    Tool {
        output_schema: Some(schema.into()),
        ..tool(name, description, arguments)
    }
}

/// The servers that the seeds know. Their tools answer in each of the ways that there are.
pub(crate) fn servers(changes: &Changes) -> [Stub; 6] {
    let polls = Mutex::new(0);
    let servers = [
        (
            "google-drive",
            vec![
                tool("get_document", "Reads a document.", &["documentId"]),
                listing("get_sheet", "Reads the rows of a sheet.", &["sheetId"]),
            ],
        ),
        (
            "salesforce",
            vec![tool(
                "update_record",
                "Updates a record.",
                &["objectType", "recordId", "data"],
            )],
        ),
        (
            "slack",
            vec![tool(
                "get_channel_history",
                "Reads the last messages of a channel.",
                &["channel"],
            )],
        ),
        (
            "jira",
            vec![
                listing("search_issues", "Finds issues.", &["project", "status"]),
                tool("get_issue", "Reads an issue.", &["id"]),
            ],
        ),
        (
            "github",
            vec![tool(
                "create_issue",
                "Opens an issue.",
                &["repo", "title", "body"],
            )],
        ),
        (
            "filesystem",
            vec![
                listing("list_directory", "Lists files.", &["path"]),
                tool("read_file", "Reads a file.", &["path"]),
            ],
        ),
    ];
    let polls = Arc::new(polls);
    servers.map(|(name, tools)| {
        let (changes, polls) = (Arc::clone(changes), Arc::clone(&polls));
        Stub::new(name, tools).answering(move |tool, arguments| {
            if ["update_record", "create_issue"].contains(&tool) {
                let change = (format!("{name}.{tool}"), Value::Object(arguments.clone()));
                changes.lock().expect("it is whole").push(change);
            }
            let mut polls = polls.lock().expect("it is whole");
            *polls += usize::from(tool == "get_channel_history");
            ready(answer(tool, &arguments, *polls)).boxed()
        })
    })
}

fn answer(tool: &str, arguments: &Map<String, Value>, polls: usize) -> ToolResult {
    let wrapped = |list: Value| returned(json!({ "result": list }).to_string());
    match tool {
        "get_document" => texts(&[
            &json!({"title": "Call with Acme", "content": "They need it by May."}).to_string(),
        ]),
        "get_sheet" => wrapped(json!([
            {"Id": "A1", "Status": "overdue", "Email": "a@example.com"},
            {"Id": "B2", "Status": "paid", "Email": "b@example.com"},
            {"Id": "C3", "Status": "overdue", "Email": "c@example.com"},
        ])),
        "update_record" => {
            returned(json!({"id": arguments["recordId"], "success": true}).to_string())
        }
        "get_channel_history" => {
            let last = if polls < 3 {
                "rollout at 60 %"
            } else {
                "rollout finished"
            };
            let message = |text: &str| json!({"user": "U1", "text": text}).to_string();
            texts(&[&message("rollout begins"), &message(last)])
        }
        "search_issues" => {
            wrapped(json!([{"id": "SHOP-1", "title": "Cart"}, {"id": "SHOP-2", "title": "Search"}]))
        }
        "get_issue" => match arguments["id"].as_str() {
            Some("SHOP-1") => returned(json!({"description": "A crash in the cart"}).to_string()),
            Some("SHOP-2") => returned(json!({"description": "It is slow"}).to_string()),
            _ => ToolResult::failed("there is no such issue"),
        },
        "create_issue" => returned(json!({"number": 7}).to_string()),
        "list_directory" => wrapped(json!(["/srv/a.py", "/srv/b.py"])),
        "read_file" if arguments["path"] == "/srv/b.py" => texts(&["# FIXME: later"]),
        _ => texts(&["# done"]),
    }
}

/// An answer of text blocks alone, as older servers give it.
fn texts(texts: &[&str]) -> ToolResult {
    let block = |text: &&str| json!({"type": "text", "text": text});
    ToolResult {
        content: texts.iter().map(block).collect(),
        ..ToolResult::default()
    }
}

async fn holds(runtime: &Runtime, file: &str, expected: &Expected) -> Result<(), String> {
    let code = std::fs::read_to_string(repository().join("tests/seeds").join(file));
    let code = code.map_err(|error| error.to_string())?;
    let script = match file.rsplit_once('.') {
        Some((_, "py")) => Script::python(code),
        Some((_, "ts")) => Script::typescript(code),
        _ => Script::javascript(code),
    };
    let changes = Changes::default();
    let isolate = runtime.isolate(script).grant(Grant::all());
    let isolate = servers(&changes)
        .into_iter()
        .fold(isolate, |isolate, server| isolate.binding(server));
    let outcome = isolate.run().await.expect("an outcome");
    let value = match &outcome.ending {
        Ending::Returned(value) => value
            .as_ref()
            .map(|value| serde_json::from_str(value.get()).expect("JSON")),
        ended => return Err(ended.to_string()),
    };
    let changes = std::mem::take(&mut *changes.lock().expect("it is whole"));
    let came_to = (
        value,
        outcome.output.to_string(),
        changes,
        outcome.usage.calls.len(),
    );
    let expected = (
        expected.value.clone(),
        expected.output.clone(),
        expected.changes.clone(),
        expected.calls,
    );
    match came_to == expected {
        true => Ok(()),
        false => Err(format!("it came to {came_to:#?}")),
    }
}

#[tokio::test]
async fn scripts_of_other_surfaces_run_as_they_are() {
    let folder = repository().join("tests/seeds");
    let table = std::fs::read_to_string(folder.join("expected.json")).expect("a table");
    let table: std::collections::BTreeMap<String, Expected> =
        serde_json::from_str(&table).expect("what is expected of each");
    let files = std::fs::read_dir(&folder).expect("the seeds");
    let files = files.map(|file| {
        file.expect("a file")
            .file_name()
            .to_string_lossy()
            .into_owned()
    });
    let files: BTreeSet<String> = files.filter(|name| name != "expected.json").collect();
    assert_eq!(
        files,
        table.keys().cloned().collect(),
        "each seed says how it ends"
    );
    let runtime = runtime_builder().build().expect("a runtime");
    let mut wrong = Vec::new();
    for (file, expected) in &table {
        if let Err(problem) = holds(&runtime, file, expected).await {
            wrong.push(format!("{file}: {problem}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
