//! A call of a tool, as a script writes it.

use ampoule_projection::{Idiom, python, typescript};
use ampoule_tools::ResolvedTool;
use ampoule_untrusted::text;
use serde_json::{Map, Value};

/// The call of a tool with these arguments, in the language that the tool is named in.
pub(super) fn call(tool: &ResolvedTool, arguments: &Map<String, Value>, idiom: Idiom) -> String {
    let server = tool.its_server().called_in(idiom);
    let arguments = match idiom {
        _ if arguments.is_empty() => String::new(),
        Idiom::TypeScript => in_typescript(&Value::Object(arguments.clone())),
        Idiom::Python => named_in_python(tool, arguments),
    };
    format!("await tools.{server}.{}({arguments})", tool.identifier())
}

fn in_typescript(value: &Value) -> String {
    match value {
        Value::String(text) => typescript::string(text),
        Value::Array(items) => format!("[{}]", joined(items.iter().map(in_typescript))),
        Value::Object(members) if !members.is_empty() => {
            let members = members.iter().map(|(name, value)| {
                let name = typescript::property_name(name);
                format!("{name}: {}", in_typescript(value))
            });
            format!("{{ {} }}", joined(members))
        }
        other => other.to_string(),
    }
}

/// Arguments by name; in one dictionary, if a name of the tool's can't be written.
fn named_in_python(tool: &ResolvedTool, arguments: &Map<String, Value>) -> String {
    let all_are_names = (tool.parameters().iter()).all(|name| python::is_parameter_name(name));
    if !all_are_names {
        return in_python(&Value::Object(arguments.clone()));
    }
    let named = arguments.iter();
    joined(named.map(|(name, value)| format!("{name}={}", in_python(value))))
}

fn in_python(value: &Value) -> String {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => {
            let word = python::constant(value).map(str::to_owned);
            word.unwrap_or_else(|| value.to_string())
        }
        Value::String(_) => text::escape_hidden(&value.to_string()),
        Value::Array(items) => format!("[{}]", joined(items.iter().map(in_python))),
        Value::Object(members) => {
            let members = members.iter().map(|(name, value)| {
                let name = in_python(&Value::from(name.as_str()));
                format!("{name}: {}", in_python(value))
            });
            format!("{{{}}}", joined(members))
        }
    }
}

fn joined(parts: impl Iterator<Item = String>) -> String {
    parts.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_are_written_as_each_language_has_them() {
        let value = json!({
            "text": "a \"b\"",
            "due-at": null,
            "tags": ["x", true, false, 1.5],
            "none": {},
        });
        assert_eq!(
            in_typescript(&value),
            r#"{ text: "a \"b\"", "due-at": null, tags: ["x", true, false, 1.5], none: {} }"#
        );
        assert_eq!(
            in_python(&value),
            r#"{"text": "a \"b\"", "due-at": None, "tags": ["x", True, False, 1.5], "none": {}}"#
        );
    }
}
