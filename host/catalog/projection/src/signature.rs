//! A tool in a line: what a search shows of many. What it leaves out, a declaration has.

use ampoule_untrusted::text::escape_hidden;

use super::idiom::Idiom;
use super::interface::{Function, Interface};
use super::observed::ObservedShape;
use super::schema_text::SchemaText;
use super::tool::{Hints, Tool};
use super::types::{Enum, Extra, Record, Type};
use super::typescript::property_name;

/// How many properties of one object are named, and values of one enumeration listed.
const PROPERTIES: usize = 12;
const VALUES: usize = 6;

/// How deep the properties of arguments are shown, and those of results.
const ARGUMENTS: usize = 2;
const RESULT: usize = 1;

/// How deep what was seen of results is shown, and how long that may get, in bytes.
const SEEN: usize = 3;
const LONGEST_SEEN: usize = 300;

/// How long a line may get, in bytes; what is longer ends with `…`.
const LONGEST: usize = 700;

/// `listOrders({ status?: "open" | "closed", limit?: number }): { items: object[], total: number
/// }`; in Python `list_orders(*, status: "open" | "closed" = ..., limit: int = ...) -> {items:
/// list, total: int}`. `name` is the tool's identifier.
pub fn of(name: &str, function: &Function, interface: &Interface, idiom: Idiom) -> String {
    let mut line = Line {
        interface,
        idiom,
        text: name.to_owned(),
    };
    line.arguments(&function.arguments.ty);
    if let Some(result) = &function.result {
        line.text += match idiom {
            Idiom::TypeScript => ": ",
            Idiom::Python => " -> ",
        };
        line.ty(&result.ty, RESULT);
    }
    line.cut(LONGEST)
}

/// What was seen of a tool's results, as a type: `{ items: { id: string }[], total: number }`.
/// Nothing where none was.
pub fn seen(tool: &Tool, idiom: Idiom) -> Option<String> {
    let output_schema = Some(tool.seen.shape()?.schema().into());
    let tool = Tool {
        name: tool.name.clone(),
        title: None,
        description: None,
        input_schema: SchemaText::default(),
        output_schema,
        annotations: Hints::default(),
        ui: None,
        seen: ObservedShape::default(),
    };
    let interface = Interface::of([&tool]);
    let mut line = Line {
        interface: &interface,
        idiom,
        text: String::new(),
    };
    line.ty(&interface.functions[0].result.as_ref()?.ty, SEEN);
    Some(line.cut(LONGEST_SEEN))
}

struct Line<'a> {
    interface: &'a Interface,
    idiom: Idiom,
    text: String,
}

impl<'a> Line<'a> {
    fn cut(mut self, longest: usize) -> String {
        if self.text.len() > longest {
            self.text.truncate(self.text.floor_char_boundary(longest));
            self.text += "…";
        }
        self.text
    }

    fn arguments(&mut self, ty: &'a Type) {
        let record = match self.resolved(ty) {
            Type::Record(record) => record,
            other => {
                self.text += "(";
                self.ty(other, ARGUMENTS);
                self.text += ")";
                return;
            }
        };
        let empty = record.properties.is_empty() && !matches!(record.extra, Extra::Of(_));
        match self.idiom {
            _ if empty => self.text += "()",
            Idiom::TypeScript => {
                self.text += "(";
                self.record(record, ARGUMENTS);
                self.text += ")";
            }
            Idiom::Python => {
                self.text += "(*, ";
                self.properties(record, ARGUMENTS, " = ...");
                self.text += ")";
            }
        }
    }

    /// What is meant by a name.
    fn resolved(&self, mut ty: &'a Type) -> &'a Type {
        // Names of names are few; those that go round in a circle mean nothing.
        for _ in 0..8 {
            match ty {
                Type::Named(id) => ty = &self.interface.definition(*id).value.ty,
                ty => return ty,
            }
        }
        &Type::Any
    }

    /// A type, with what objects in it consist of so many levels down.
    fn ty(&mut self, ty: &'a Type, depth: usize) {
        let python = self.idiom == Idiom::Python;
        let resolved = self.resolved(ty);
        match resolved {
            Type::Any => self.text += if python { "Any" } else { "any" },
            Type::Never => self.text += if python { "Never" } else { "never" },
            Type::Null => self.text += if python { "None" } else { "null" },
            Type::Boolean => self.text += if python { "bool" } else { "boolean" },
            Type::Integer(_) => self.text += if python { "int" } else { "number" },
            Type::Number => self.text += if python { "float" } else { "number" },
            Type::String => self.text += if python { "str" } else { "string" },
            Type::Enum(choices) => self.choices(choices),
            Type::Array(item) => self.list(&item.ty, depth),
            Type::Tuple(_) => self.text += if python { "list" } else { "any[]" },
            Type::Record(_) if depth == 0 => self.text += if python { "dict" } else { "object" },
            Type::Record(record) => self.record(record, depth),
            Type::Union(union) => {
                let variants = union.variants.iter().map(|variant| &variant.ty);
                for (index, variant) in variants.enumerate() {
                    self.text += if index == 0 { "" } else { " | " };
                    self.ty(variant, depth.saturating_sub(1));
                }
            }
            Type::Nullable(inner) => {
                self.ty(inner, depth);
                self.text += if python { " | None" } else { " | null" };
            }
            Type::Named(_) => {}
        }
    }

    fn list(&mut self, item: &'a Type, depth: usize) {
        if self.idiom == Idiom::Python {
            self.text += "list[";
            self.ty(item, depth);
            self.text += "]";
            return;
        }
        let start = self.text.len();
        self.ty(item, depth);
        if self.text[start..].contains(" | ") && !self.text[start..].starts_with('{') {
            self.text.insert(start, '(');
            self.text.push(')');
        }
        self.text += "[]";
    }

    fn choices(&mut self, choices: &Enum) {
        for (index, choice) in choices.values.iter().take(VALUES).enumerate() {
            self.text += if index == 0 { "" } else { " | " };
            self.text += &escape_hidden(&choice.value.to_string());
        }
        if choices.values.len() > VALUES {
            self.text += " | …";
        }
    }

    fn record(&mut self, record: &'a Record, depth: usize) {
        self.text += "{ ";
        self.properties(record, depth, "?");
        self.text += " }";
    }

    /// The properties of an object, what is not needed marked by `optional`: behind its name, or in
    /// Python's arguments behind its type.
    fn properties(&mut self, record: &'a Record, depth: usize, optional: &str) {
        let mark_name = optional == "?";
        for (index, property) in record.properties.iter().take(PROPERTIES).enumerate() {
            self.text += if index == 0 { "" } else { ", " };
            self.text += &property_name(&property.name);
            self.text += if mark_name && !property.required {
                optional
            } else {
                ""
            };
            self.text += ": ";
            self.ty(&property.value.ty, depth - 1);
            self.text += if mark_name || property.required {
                ""
            } else {
                optional
            };
        }
        let more = record.properties.len().saturating_sub(PROPERTIES);
        if more > 0 {
            self.text += &format!(", … {more} more");
        }
        if let Extra::Of(ty) = &record.extra {
            self.text += if record.properties.is_empty() {
                "[name]: "
            } else {
                ", [name]: "
            };
            self.ty(ty, depth - 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn signature(input: Value, output: Option<Value>, idiom: Idiom) -> String {
        let tool = json!({ "name": "tool", "inputSchema": input, "outputSchema": output });
        let tool: Tool = serde_json::from_value(tool).unwrap();
        let interface = Interface::of([&tool]);
        of("tool", &interface.functions[0], &interface, idiom)
    }

    #[test]
    fn a_line_has_what_a_call_needs() {
        let order = json!({ "type": "object", "required": ["id"], "properties": { "id": { "type": "string" }, "lines": { "type": "array" } } });
        let input = json!({
            "type": "object",
            "required": ["region"],
            "properties": {
                "region": { "enum": ["eu", "us"] },
                "limit": { "type": "integer", "minimum": 1 },
                "kinds": { "type": "array", "items": { "enum": ["a", "b"] } },
                "filter": { "type": "object", "properties": { "day-of": { "type": ["string", "null"] } } },
            },
        });
        let output = json!({ "type": "object", "required": ["items", "next"], "properties": {
            "items": { "type": "array", "items": order }, "next": { "anyOf": [{ "type": "string" }, { "type": "null" }] },
        } });
        assert_eq!(
            signature(input.clone(), Some(output.clone()), Idiom::TypeScript),
            r#"tool({ region: "eu" | "us", limit?: number, kinds?: ("a" | "b")[], filter?: { "day-of"?: string | null } }): { items: object[], next: string | null }"#
        );
        assert_eq!(
            signature(input, Some(output), Idiom::Python),
            r#"tool(*, region: "eu" | "us", limit: int = ..., kinds: list["a" | "b"] = ..., filter: { "day-of"?: str | None } = ...) -> { items: list[dict], next: str | None }"#
        );
    }

    #[test]
    fn what_is_large_or_hostile_is_cut_and_escaped() {
        let values: Vec<String> = (0..50).map(|n| format!("value\u{202e}{n}")).collect();
        let line = signature(
            json!({ "properties": { "a\nb": { "enum": values } } }),
            None,
            Idiom::TypeScript,
        );
        assert!(
            line.starts_with(r#"tool({ "a\nb"?: "value\u202e0" | "#),
            "{line}"
        );
        assert!(line.ends_with(" | … })"), "{line}");
        let many: serde_json::Map<_, _> = (0..50).map(|n| (format!("p{n}"), json!({}))).collect();
        let line = signature(json!({ "properties": many }), None, Idiom::Python);
        assert!(line.ends_with("p11: Any = ..., … 38 more)"), "{line}");
        let long = "x".repeat(2000);
        let line = signature(json!({ "properties": { long: {} } }), None, Idiom::Python);
        assert!(line.len() < 720 && line.ends_with('…'), "{line}");
    }

    #[test]
    fn what_was_seen_is_a_type() {
        let tool = json!({ "name": "tool", "inputSchema": {} });
        let tool: Tool = serde_json::from_value(tool).unwrap();
        assert_eq!(super::seen(&tool, Idiom::TypeScript), None);
        tool.seen
            .learn(r#"{"items": [{"id": "a", "at": {"lat": 1.5}}], "next": null}"#);
        assert_eq!(
            super::seen(&tool, Idiom::TypeScript).as_deref(),
            Some("{ items: { id: string, at: { lat: number } }[], next: null }")
        );
        assert_eq!(
            super::seen(&tool, Idiom::Python).as_deref(),
            Some("{ items: list[{ id: str, at: { lat: float } }], next: None }")
        );
    }

    #[test]
    fn circles_and_nothing_are_shown() {
        assert_eq!(signature(json!({}), None, Idiom::TypeScript), "tool()");
        let tree = json!({ "$ref": "#/$defs/tree", "$defs": { "tree": { "type": "object", "properties": { "children": { "type": "array", "items": { "$ref": "#/$defs/tree" } } } } } });
        assert_eq!(
            signature(tree, None, Idiom::TypeScript),
            "tool({ children?: { children?: object[] }[] })"
        );
    }
}
