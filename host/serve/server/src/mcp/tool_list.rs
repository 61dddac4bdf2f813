//! Ampoule's own tools as clients see them: the same for every client of a configuration, but for
//! what policies keep from some, and `call_tool` where a client asks for it.
//!
//! Their schemas are flat: no `$ref`, no lists of types, no `format`, no `$schema`. Several clients
//! refuse those, and each costs tokens in every conversation.

use std::sync::{Arc, LazyLock};

use ampoule::{GrantedTools, GuestKind, Language};
use rmcp::model::{JsonObject, MetaObject, Tool, ToolAnnotations};
use serde_json::{Value, json};

use super::exposure::Exposure;
use super::exposure::warnings::Warnings;
use super::wording::{self, Environment, ToolsText};
use crate::runs::components::ComponentSources;
use crate::runs::service::Runs;
use crate::runs::tool_usage::ToolName;

/// Tells Claude Code not to hide a tool behind a search: it is the one by which all others are
/// found.
const ALWAYS_LOAD: &str = "anthropic/alwaysLoad";

/// The description of `execute_code` for a client whose scripts may call these tools, and used the
/// hot ones most.
pub(super) fn description(
    runs: &Runs,
    granted: &GrantedTools,
    exposure: &Exposure,
    hot: &[ToolName],
    warnings: &Warnings,
) -> String {
    let runtime = &runs.shared.runtime;
    let has = Environment::of(granted, runtime.has_workspaces())
        .with_packages(
            runtime.packages(Language::Python),
            runtime.packages(Language::JavaScript),
        )
        .with_data(runtime.guest_kinds().any(|it| it == GuestKind::PythonData));
    let components = runs.shared.components.wording();
    let ToolsText { text, left_out, .. } = wording::tools(granted, exposure, hot);
    if left_out > 0 {
        warnings.once(format!(
            "{left_out} tools of `exposure.listed` have no signature in the description of execute_code: `exposure.budget` is {} tokens",
            exposure.budget()
        ));
    }
    wording::execute_code(&text, components, &has)
}

/// One call, without a script.
pub(super) fn call_tool() -> Tool {
    static CALL_TOOL: LazyLock<Tool> = LazyLock::new(call_tool_as_listed);
    CALL_TOOL.clone()
}

fn call_tool_as_listed() -> Tool {
    // Weak models have it, and leave out what they need not write.
    let expected = json!({
        "type": "object",
        "properties": {
            "server": { "type": "string" },
            "tool": { "type": "string" },
            "arguments": { "type": "object" },
        },
        "required": ["server", "tool"],
    });
    let described = "Makes one call. For more than one, prefer execute_code.";
    of_ampoule(
        Tool::new("call_tool", described, Arc::new(object(expected))),
        executes(),
    )
}

/// What a call may do.
fn executes() -> ToolAnnotations {
    ToolAnnotations::new()
        .read_only(false)
        .destructive(true)
        .idempotent(false)
        .open_world(true)
}

fn of_ampoule(tool: Tool, annotations: ToolAnnotations) -> Tool {
    let meta = object(json!({ ALWAYS_LOAD: true }));
    tool.with_annotations(annotations)
        .with_meta(MetaObject(meta))
}

/// `execute_code` with this description, and `search_tools`. It is said whether calls of failed runs can
/// be taken back.
pub(super) fn tools(
    description: String,
    components: &ComponentSources,
    has_undo: bool,
) -> Vec<Tool> {
    let schema = execute_code(components, has_undo);
    let execute_code = Tool::new("execute_code", description, schema);
    let search_tools = Tool::new("search_tools", "Finds tools for scripts.", search_tools());
    let searches = ToolAnnotations::new().read_only(true).open_world(false);
    vec![
        of_ampoule(execute_code, executes()),
        of_ampoule(search_tools, searches),
    ]
}

fn execute_code(components: &ComponentSources, has_undo: bool) -> Arc<JsonObject> {
    let mut languages = vec!["typescript", "javascript", "python"];
    let mut properties = object(json!({
        "code": { "type": "string" },
        "strings": { "type": "object", "description": "Texts: strings.name" },
        "language": { "type": "string" },
        "timeout_seconds": { "type": "number" },
        "wait": { "type": "number", "description": "Seconds until an unfinished run gives its id" },
        "session": { "type": "string" },
        "run": { "type": "string" },
        "cancel": { "type": "boolean" },
    }));
    if has_undo {
        properties.insert("undo".into(), json!({ "type": "boolean" }));
    }
    if components.any() {
        languages.push("wasm");
        let arguments = json!({ "description": "A component's arguments, any JSON. Default: {}" });
        properties.insert("arguments".into(), arguments);
    }
    properties["language"]["enum"] = json!(languages);
    schema(properties)
}

fn search_tools() -> Arc<JsonObject> {
    let properties = json!({
        "query": { "type": "string", "description": "Empty lists all" },
        "server": { "type": "string" },
        "limit": { "type": "integer" },
        "detail": { "type": "string", "enum": ["names", "summaries", "declarations"] },
        "language": { "type": "string", "enum": ["typescript", "python"] },
    });
    schema(object(properties))
}

/// Unknown arguments are reported when they are sent; to say so here takes tokens in every
/// conversation.
fn schema(properties: JsonObject) -> Arc<JsonObject> {
    Arc::new(object(
        json!({ "type": "object", "properties": properties }),
    ))
}

fn object(value: Value) -> JsonObject {
    match value {
        Value::Object(object) => object,
        other => unreachable!("{other} is not an object"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::content::tokens;
    use crate::runs::components::ClientComponents;

    fn offered() -> Vec<Value> {
        let sources = [
            ClientComponents::default(),
            ClientComponents {
                sent: true,
                folder: None,
            },
        ];
        let lists = sources.map(|allowed| {
            let sources = ComponentSources::new(&allowed).unwrap();
            serde_json::to_value(tools(
                wording::execute_code("", None, &Environment::default()),
                &sources,
                allowed.sent,
            ))
            .unwrap()
        });
        lists.to_vec()
    }

    #[test]
    fn schemas_are_flat() {
        fn look(schema: &Value) {
            match schema {
                Value::Object(members) => {
                    for (name, member) in members {
                        // Names of arguments may be any.
                        if name == "properties" {
                            member.as_object().unwrap().values().for_each(look);
                            continue;
                        }
                        let refused = ["$ref", "$defs", "$schema", "format", "anyOf", "oneOf"];
                        assert!(!refused.contains(&&**name), "{schema}");
                        assert!(name != "type" || member.is_string(), "{schema}");
                        look(member);
                    }
                }
                Value::Array(items) => items.iter().for_each(look),
                _ => {}
            }
        }
        for list in offered() {
            for tool in list.as_array().unwrap() {
                let schema = &tool["inputSchema"];
                look(schema);
            }
        }
    }

    /// What a model reads of them: names, descriptions and schemas.
    #[test]
    fn without_servers_both_take_three_hundred_tokens_at_the_most() {
        let list = &offered()[0];
        let read = list.as_array().unwrap().iter().map(|tool| {
            json!([tool["name"], tool["description"], tool["inputSchema"]]).to_string()
        });
        let tokens: usize = read.map(|text| tokens::exactly(&text)).sum();
        assert!((100..=300).contains(&tokens), "{tokens} tokens");
    }

    #[test]
    fn call_tool_takes_sixty_tokens_at_the_most() {
        let tool = serde_json::to_value(call_tool()).unwrap();
        let text = json!([tool["name"], tool["description"], tool["inputSchema"]]).to_string();
        let tokens = tokens::exactly(&text);
        assert!((30..=60).contains(&tokens), "{tokens} tokens");
    }

    #[test]
    fn clients_are_told_not_to_hide_them() {
        for tool in offered()[0].as_array().unwrap() {
            assert_eq!(tool["_meta"][ALWAYS_LOAD], true);
        }
    }
}
