//! The functions that scripts call: some of the host that answer at once, and one that answers only
//! when released.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use tokio::sync::watch;

/// Calls of `hold`: how many there are, how many there will be, and whether they may continue.
#[derive(Debug, Default, Clone, Copy)]
struct State {
    holding: usize,
    wanted: usize,
    closed: bool,
}

/// Where calls of `hold` wait.
#[derive(Debug, Default)]
pub(crate) struct Gate(watch::Sender<State>);

impl Gate {
    /// From now on calls wait, and so many will come.
    pub(super) fn close(&self, wanted: usize) {
        self.0.send_replace(State {
            holding: 0,
            wanted,
            closed: true,
        });
    }

    /// Releases the waiting calls.
    pub(super) fn open(&self) {
        self.0.send_modify(|state| state.closed = false);
    }

    /// Until as many wait as will come.
    pub(super) async fn reached(&self) {
        let mut states = self.0.subscribe();
        // The sender is `self`.
        let _ = states.wait_for(|state| state.holding >= state.wanted).await;
    }

    /// A call that waits elsewhere.
    pub(super) fn count(&self) {
        self.0.send_modify(|state| state.holding += 1);
    }

    /// Until the gate, closed now or soon, is open.
    pub(super) async fn opened(&self) {
        let mut states = self.0.subscribe();
        let _ = states.wait_for(|state| state.closed).await;
        let _ = states.wait_for(|state| !state.closed).await;
    }

    /// One call.
    pub(super) async fn hold(&self) -> Arc<RawValue> {
        let mut states = self.0.subscribe();
        self.count();
        let _ = states.wait_for(|state| !state.closed).await;
        raw(&json!({ "held": true })).into()
    }
}

/// What answers at once.
#[derive(Debug)]
pub(crate) struct Tools {
    folder: PathBuf,
    /// The tools' answers, as they lie in files: all peers have them as text.
    kept: Mutex<HashMap<String, Arc<RawValue>>>,
}

impl Tools {
    /// Answers are files in this folder.
    pub(crate) fn new(folder: impl AsRef<Path>) -> Self {
        Self {
            folder: folder.as_ref().to_owned(),
            kept: Mutex::default(),
        }
    }

    /// The names, with the schemas of their arguments and of their results.
    pub(crate) fn declared() -> Vec<Value> {
        let number = json!({ "type": "integer" });
        let object = |properties: Value| json!({ "type": "object", "properties": properties });
        [
            ("echo", json!({ "n": number }), json!({ "n": number })),
            (
                "rows",
                json!({ "count": number }),
                json!({ "rows": { "type": "array" } }),
            ),
            ("text", json!({}), json!({ "text": { "type": "string" } })),
            ("hold", json!({}), json!({ "held": { "type": "boolean" } })),
        ]
        .into_iter()
        .map(|(name, arguments, result)| {
            json!({
                "name": name,
                "description": format!("What `{name}` does in the comparison."),
                "inputSchema": object(arguments),
                "outputSchema": object(result),
                "annotations": { "readOnlyHint": true },
            })
        })
        .collect()
    }

    /// The answer of a function, but for `hold`.
    pub(crate) fn call(
        &self,
        name: &str,
        arguments: &Map<String, Value>,
    ) -> Result<Arc<RawValue>, String> {
        match name {
            "echo" => Ok(raw(&json!({ "n": arguments.get("n") })).into()),
            "rows" => {
                let count = arguments.get("count").and_then(Value::as_u64);
                self.file(&format!("rows-{}.json", count.unwrap_or_default()))
            }
            "text" => self.file("text.json"),
            other => Err(format!("unknown function {other}")),
        }
    }

    fn file(&self, name: &str) -> Result<Arc<RawValue>, String> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = kept.get(name) {
            return Ok(Arc::clone(known));
        }
        let text = fs::read_to_string(self.folder.join(name))
            .map_err(|error| format!("{name}: {error}"))?;
        let read: Arc<RawValue> = RawValue::from_string(text)
            .map_err(|error| format!("{name}: {error}"))?
            .into();
        kept.insert(name.to_owned(), Arc::clone(&read));
        Ok(read)
    }
}

fn raw(value: &Value) -> Box<RawValue> {
    serde_json::value::to_raw_value(value).unwrap_or_default()
}
