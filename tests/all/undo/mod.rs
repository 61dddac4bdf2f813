//! Calls of failed runs, taken back.

mod governed;
mod kept;
mod runs;
mod served;

use std::future::ready;
use std::sync::{Arc, Mutex};

use ampoule::{
    Functions, Grant, Isolate, Outcome, Runtime, RuntimeBuilder, Script, Tool, ToolResult,
};
use ampoule_tests::runtime_builder;
use serde_json::{Map, Value, json};

/// Three issues, and an error.
const THREE: &str = "
for (const title of ['a', 'b', 'c']) await tools.tracker.create({ title });
throw new Error('the review failed')";

/// A server with issues. Clones are the same one.
#[derive(Clone, Default)]
struct Tracker(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    /// What was called, in order.
    called: Vec<(String, Value)>,
    made: u64,
    /// The issue that can't be deleted.
    stuck: Option<u64>,
}

impl Tracker {
    fn binding(&self) -> Functions {
        Functions::new("tracker")
            .raw(
                tool("create", json!({ "destructiveHint": false })),
                self.does("create"),
            )
            .raw(
                tool(
                    "delete",
                    json!({ "destructiveHint": false, "readOnlyHint": true }),
                ),
                self.does("delete"),
            )
            .raw(tool("label", json!({})), self.does("label"))
            .raw(tool("note", json!({})), self.does("note"))
            .undo("create", "delete({ id: result.id })")
            .and_then(|tracker| tracker.undo("label", "delete({ id: result.key })"))
            .unwrap()
    }

    fn does(
        &self,
        tool: &'static str,
    ) -> impl Fn(
        Map<String, Value>,
        ampoule::CallContext,
    ) -> std::future::Ready<Result<ToolResult, ampoule::CallError>>
    + Send
    + Sync
    + 'static
    + use<> {
        let tracker = self.clone();
        move |arguments, _| ready(tracker.called(tool, arguments))
    }

    fn called(
        &self,
        tool: &str,
        arguments: Map<String, Value>,
    ) -> Result<ToolResult, ampoule::CallError> {
        let mut state = self.0.lock().unwrap();
        let id = arguments.get("id").and_then(Value::as_u64);
        state
            .called
            .push((tool.to_owned(), Value::Object(arguments)));
        match tool {
            "create" => {
                state.made += 1;
                ToolResult::returned(&json!({ "id": state.made }))
            }
            "delete" if state.stuck.is_some() && state.stuck == id => {
                Ok(ToolResult::failed("this issue is locked"))
            }
            _ => ToolResult::returned(&json!({ "done": true })),
        }
    }

    /// The ids that were deleted, in order.
    fn deleted(&self) -> Vec<u64> {
        let state = self.0.lock().unwrap();
        let deleted = state.called.iter().filter(|(tool, _)| tool == "delete");
        deleted.map(|(_, it)| it["id"].as_u64().unwrap()).collect()
    }

    /// From now on, this issue can't be deleted.
    fn sticks(&self, id: Option<u64>) {
        self.0.lock().unwrap().stuck = id;
    }

    fn builder(&self) -> RuntimeBuilder {
        runtime_builder().binding(self.binding())
    }

    fn runtime(&self) -> Runtime {
        self.builder().build().unwrap()
    }
}

fn tool(name: &str, annotations: Value) -> Tool {
    let schema = json!({
        "type": "object",
        "properties": { "title": { "type": "string" }, "id": { "type": "integer" } },
    });
    let tool = json!({ "name": name, "inputSchema": schema, "annotations": annotations });
    serde_json::from_value(tool).unwrap()
}

fn script(runtime: &Runtime, source: &str) -> Isolate {
    let isolate = runtime.isolate(Script::typescript(source));
    isolate.grant(Grant::all())
}

/// A run that fails.
async fn failed(runtime: &Runtime, source: &str) -> Outcome {
    script(runtime, source).run().await.unwrap()
}

/// The id of the run whose calls are offered.
fn offered(outcome: &Outcome) -> String {
    let offer = outcome.undo.as_ref();
    offer.expect("something can be taken back").run.to_string()
}

/// The run by which calls are taken back.
async fn undone(runtime: &Runtime, run: &str) -> Outcome {
    runtime.undo(run, None).await.unwrap().run().await.unwrap()
}

/// Why calls are not taken back.
async fn refused(runtime: &Runtime, run: &str) -> String {
    match runtime.undo(run, None).await {
        Err(error) => error.to_string(),
        Ok(isolate) => isolate.run().await.unwrap_err().to_string(),
    }
}
