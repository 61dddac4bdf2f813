//! What is different from the last save.

use ampoule_projection::Tool;
use serde::Serialize;
use serde_json::{Map, Value};

use super::view::ServerView;

/// The differences of two starts of a server.
#[derive(Debug, Default, PartialEq, Eq, Serialize)]
pub(super) struct Difference {
    /// The tools that are new.
    pub(super) added: Vec<String>,
    /// The tools that are gone.
    pub(super) removed: Vec<String>,
    /// The tools that are not as they were.
    pub(super) changed: Vec<ChangedTool>,
}

/// A tool that is not as it was.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(super) struct ChangedTool {
    pub(super) tool: String,
    /// What is different, a clause each.
    pub(super) changes: Vec<String>,
}

impl Difference {
    pub(super) fn between(before: &ServerView, now: &ServerView) -> Self {
        let before: Vec<_> = before.tools.iter().map(|tool| &tool.definition).collect();
        let now: Vec<_> = now.tools.iter().map(|tool| &tool.definition).collect();
        Self::of_tools(&before, &now)
    }

    fn of_tools(before: &[&Tool], now: &[&Tool]) -> Self {
        let mut difference = Self::default();
        for tool in now {
            let Some(former) = before.iter().find(|former| former.name == tool.name) else {
                difference.added.push(tool.name.clone());
                continue;
            };
            let changes = changes(former, tool);
            if !changes.is_empty() {
                difference.changed.push(ChangedTool {
                    tool: tool.name.clone(),
                    changes,
                });
            }
        }
        let gone = before
            .iter()
            .filter(|former| !now.iter().any(|tool| tool.name == former.name));
        difference.removed = gone.map(|tool| tool.name.clone()).collect();
        difference
    }

    pub(super) fn is_empty(&self) -> bool {
        self.added.is_empty() && self.removed.is_empty() && self.changed.is_empty()
    }
}

fn changes(before: &Tool, now: &Tool) -> Vec<String> {
    let mut changes = Vec::new();
    if (&before.title, &before.description) != (&now.title, &now.description) {
        changes.push("another description".to_owned());
    }
    if before.input_schema != now.input_schema {
        let [before, now] = [before, now].map(|tool| tool.input_schema.parse_object());
        changes.extend(changes_of_arguments(&before, &now));
    }
    match (&before.output_schema, &now.output_schema) {
        (None, Some(_)) => changes.push("it says what it returns".to_owned()),
        (Some(_), None) => changes.push("it no longer says what it returns".to_owned()),
        (before, now) if before != now => changes.push("it returns something else".to_owned()),
        _ => {}
    }
    if before.annotations != now.annotations {
        changes.push("other `annotations`".to_owned());
    }
    changes
}

/// What is different of two schemas of arguments that are not the same.
fn changes_of_arguments(before: &Map<String, Value>, now: &Map<String, Value>) -> Vec<String> {
    let empty = Map::new();
    let [properties, former_properties] = [now, before].map(|schema| {
        let properties = schema.get("properties").and_then(Value::as_object);
        properties.unwrap_or(&empty)
    });
    let is_required = |schema: &Map<String, Value>, name: &str| {
        let required = schema.get("required").and_then(Value::as_array);
        required.is_some_and(|names| names.iter().any(|it| it == name))
    };
    let mut changes = Vec::new();
    for (name, property) in properties {
        let required = is_required(now, name);
        let Some(former) = former_properties.get(name) else {
            let kind = if required { "required" } else { "optional" };
            changes.push(format!("a new argument `{name}`, {kind}"));
            continue;
        };
        if required != is_required(before, name) {
            let kind = if required { "required" } else { "optional" };
            changes.push(format!("`{name}` is {kind} now"));
        }
        if without_description(former) != without_description(property) {
            changes.push(format!("another schema of `{name}`"));
        } else if former != property {
            changes.push(format!("another description of `{name}`"));
        }
    }
    let gone = former_properties
        .keys()
        .filter(|name| !properties.contains_key(*name));
    changes.extend(gone.map(|name| format!("the argument `{name}` was removed")));
    if changes.is_empty() {
        changes.push("another schema of the arguments".to_owned());
    }
    changes
}

/// A schema without what it tells people.
fn without_description(schema: &Value) -> Value {
    let mut schema = schema.clone();
    if let Some(schema) = schema.as_object_mut() {
        for key in ["title", "description", "examples"] {
            schema.remove(key);
        }
    }
    schema
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn tool(name: &str, schema: Value) -> Tool {
        let definition = json!({ "name": name, "description": "x", "inputSchema": schema });
        serde_json::from_value(definition).expect("a tool")
    }

    #[test]
    fn each_change_of_a_tool_is_named() {
        let properties = json!({
            "text": { "type": "string", "description": "x" },
            "limit": { "type": "integer" },
            "old": {},
            "same": { "type": "string" },
        });
        let before = tool(
            "add",
            json!({ "type": "object", "properties": properties, "required": ["text"] }),
        );
        let properties = json!({
            "text": { "type": "string", "description": "y" },
            "limit": { "type": "number" },
            "same": { "type": "string" },
            "new": {},
        });
        let mut now = tool(
            "add",
            json!({ "type": "object", "properties": properties, "required": ["limit", "new"] }),
        );
        now.output_schema = Some(json!({ "type": "object" }).into());
        let gone = tool("gone", json!({ "type": "object" }));
        let added = tool("added", json!({ "type": "object" }));
        let difference = Difference::of_tools(&[&before, &gone], &[&added, &now]);
        assert_eq!(difference.added, ["added"]);
        assert_eq!(difference.removed, ["gone"]);
        assert_eq!(
            difference.changed[0].changes,
            [
                "`text` is optional now",
                "another description of `text`",
                "`limit` is required now",
                "another schema of `limit`",
                "a new argument `new`, required",
                "the argument `old` was removed",
                "it says what it returns",
            ]
        );
        assert!(Difference::of_tools(&[&now], &[&now]).is_empty());
    }
}
