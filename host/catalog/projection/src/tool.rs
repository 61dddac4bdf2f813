//! A tool's definition, as a binding gives it.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::observed::ObservedShape;
use super::schema_text::SchemaText;

/// A tool: what a binding says of it before anything was projected. The fields are those of MCP's
/// `Tool`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Tool {
    /// The name, any text; unique within its binding.
    pub name: String,
    /// A name for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What the tool does; Markdown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The JSON Schema of the arguments; its root is an object.
    pub input_schema: SchemaText,
    /// The JSON Schema of the structured result, if the tool has one. Any schema, also `true` or
    /// `false`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_schema: Option<SchemaText>,
    /// What the tool says about its effects.
    #[serde(default)]
    pub annotations: Hints,
    /// What its server says of its app: `_meta.ui`, as MCP Apps has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ui: Option<Arc<ToolUi>>,
    /// What its results looked like so far: no part of the definition.
    #[serde(skip)]
    pub seen: ObservedShape,
}

/// The app of a tool: what shows its results to a person, in a client that can.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolUi {
    /// The address of the app, as the server has it: `ui://…`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resource_uri: Option<String>,
    /// Who may call the tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub visibility: Option<Vec<Caller>>,
}

/// Who calls a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Caller {
    /// A model, by itself or in scripts.
    Model,
    /// An app of the same server, in a client.
    App,
}

impl Tool {
    /// Whether the server lets this caller have the tool. Without a word on it, both may.
    pub fn is_for(&self, caller: Caller) -> bool {
        let visibility = self.ui.as_ref().and_then(|ui| ui.visibility.as_ref());
        visibility.is_none_or(|callers| callers.contains(&caller))
    }

    /// The address of its app, if it has one.
    pub fn app(&self) -> Option<&str> {
        self.ui.as_ref()?.resource_uri.as_deref()
    }

    /// Whether each structured result is `{"result": …}` and no more, around the value that is
    /// meant: so FastMCP's servers give what is not an object, and say so in the schema.
    /// Declarations have the value alone, and so does the caller of the tool.
    pub fn wraps_result(&self) -> bool {
        let says_so = |schema: &&SchemaText| schema.was_sent_with(WRAPS);
        let schema = self.output_schema.as_ref().filter(says_so);
        schema.is_some_and(|schema| wrapped(&schema.parse()).is_some())
    }
}

/// What says so in a schema.
const WRAPS: &str = "x-fastmcp-wrap-result";

/// The schema of the value that callers get, by a tool's output schema.
pub fn result_schema(output: &Value) -> &Value {
    wrapped(output).unwrap_or(output)
}

/// The schema of the value inside, where an output schema is that of a wrapped one.
pub(crate) fn wrapped(output: &Value) -> Option<&Value> {
    let says_so = output.get(WRAPS) == Some(&Value::Bool(true));
    let value = output.get("properties")?.get("result");
    value.filter(|value| says_so && (value.is_object() || value.is_boolean()))
}

/// What a tool says of its effects. Hints, not promises: MCP's `ToolAnnotations`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Hints {
    /// It changes nothing.
    #[serde(
        default,
        rename = "readOnlyHint",
        skip_serializing_if = "Option::is_none"
    )]
    pub read_only: Option<bool>,
    /// It may destroy something.
    #[serde(
        default,
        rename = "destructiveHint",
        skip_serializing_if = "Option::is_none"
    )]
    pub destructive: Option<bool>,
    /// Calling it again with the same arguments changes nothing more.
    #[serde(
        default,
        rename = "idempotentHint",
        skip_serializing_if = "Option::is_none"
    )]
    pub idempotent: Option<bool>,
    /// It reaches into the open world, such as the web.
    #[serde(
        default,
        rename = "openWorldHint",
        skip_serializing_if = "Option::is_none"
    )]
    pub open_world: Option<bool>,
}
