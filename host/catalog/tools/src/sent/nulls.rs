//! Nulls that stand for leaving a property out: those of optional properties whose schema has
//! `null` as their default, and does not take it as a value.

use std::collections::{HashMap, HashSet};

use crate::validate::references::decoded;
use ampoule_projection::says_nullable;
use serde_json::{Map, Value};

/// How many references from one schema to the next are followed.
const MAX_REFERENCES: usize = 16;

/// Which nulls within a tool's arguments are left out. It is made of the schema once, so that
/// looking for them takes no longer than the arguments are.
pub(super) struct Nulls {
    /// What each schema says, the outermost first; nothing where no null is left out.
    shapes: Vec<Shape>,
}

/// What a schema says of the values in one that it describes.
struct Shape {
    members: HashMap<String, Member>,
    /// The place of its items' shape.
    items: Option<usize>,
}

struct Member {
    is_left_out: bool,
    /// The place of its shape.
    shape: Option<usize>,
}

impl Nulls {
    pub(super) fn of(root: &Map<String, Value>) -> Self {
        let mut schemas = Schemas::within(root);
        schemas.place(root);
        let mut shapes: Vec<Shape> = Vec::new();
        while let Some(&schema) = schemas.placed.get(shapes.len()) {
            shapes.push(schemas.shape(schema));
        }
        let is_any = |shape: &Shape| shape.members.values().any(|member| member.is_left_out);
        if !shapes.iter().any(is_any) {
            shapes = Vec::new();
        }
        Self { shapes }
    }

    pub(super) fn leave_out(&self, arguments: &mut Value) {
        if let Some(outermost) = self.shapes.first() {
            self.leave_out_of(arguments, outermost);
        }
    }

    fn leave_out_of(&self, value: &mut Value, shape: &Shape) {
        match value {
            Value::Object(members) => members.retain(|name, value| {
                let Some(member) = shape.members.get(name) else {
                    return true;
                };
                if value.is_null() && member.is_left_out {
                    return false;
                }
                if let Some(place) = member.shape {
                    self.leave_out_of(value, &self.shapes[place]);
                }
                true
            }),
            Value::Array(items) => {
                if let Some(place) = shape.items {
                    let shape = &self.shapes[place];
                    items
                        .iter_mut()
                        .for_each(|item| self.leave_out_of(item, shape));
                }
            }
            _ => {}
        }
    }
}

/// The schemas within one, by their addresses: many values may have the same. Each is looked at
/// once.
struct Schemas<'a> {
    root: &'a Map<String, Value>,
    /// What each refers to.
    targets: HashMap<*const Map<String, Value>, Option<&'a Map<String, Value>>>,
    taking_null: HashMap<*const Map<String, Value>, bool>,
    /// Those that have a shape, and the place of each.
    placed: Vec<&'a Map<String, Value>>,
    places: HashMap<*const Map<String, Value>, usize>,
}

impl<'a> Schemas<'a> {
    fn within(root: &'a Map<String, Value>) -> Self {
        Self {
            root,
            targets: HashMap::new(),
            taking_null: HashMap::new(),
            placed: Vec::new(),
            places: HashMap::new(),
        }
    }

    /// The place of a schema's shape, if it says anything of values in others.
    fn place(&mut self, schema: &'a Map<String, Value>) -> Option<usize> {
        let schema = self.resolved(schema);
        let is_object = |name| schema.get(name).is_some_and(Value::is_object);
        (is_object("properties") || is_object("items")).then(|| {
            *self.places.entry(schema).or_insert_with(|| {
                self.placed.push(schema);
                self.placed.len() - 1
            })
        })
    }

    fn shape(&mut self, schema: &'a Map<String, Value>) -> Shape {
        let required = schema.get("required").and_then(Value::as_array);
        let required: HashSet<&str> = required
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        let properties = schema.get("properties").and_then(Value::as_object);
        let mut members = HashMap::new();
        for (name, of) in properties.into_iter().flatten() {
            let Some(of) = of.as_object() else { continue };
            let member = Member {
                is_left_out: self.stands_for_nothing(of) && !required.contains(name.as_str()),
                shape: self.place(of),
            };
            if member.is_left_out || member.shape.is_some() {
                members.insert(name.clone(), member);
            }
        }
        let items = schema.get("items").and_then(Value::as_object);
        Shape {
            members,
            items: items.and_then(|of| self.place(of)),
        }
    }

    fn stands_for_nothing(&mut self, schema: &'a Map<String, Value>) -> bool {
        if schema.get("default") != Some(&Value::Null) || says_nullable(schema) {
            return false;
        }
        let target = self.resolved(schema);
        let takes_null = self.taking_null.entry(target);
        !*takes_null.or_insert_with(|| takes_null_of(target))
    }

    /// What a schema refers to, or itself.
    fn resolved(&mut self, mut schema: &'a Map<String, Value>) -> &'a Map<String, Value> {
        for _ in 0..MAX_REFERENCES {
            let target = self.targets.entry(schema);
            match *target.or_insert_with(|| target_of(self.root, schema)) {
                Some(target) => schema = target,
                None => break,
            }
        }
        schema
    }
}

fn takes_null_of(schema: &Map<String, Value>) -> bool {
    says_nullable(schema)
        || match schema.get("type") {
            Some(Value::String(name)) => name == "null",
            Some(Value::Array(names)) => names.iter().any(|name| name == "null"),
            _ => true,
        }
}

/// What a schema's reference points to within the document.
fn target_of<'a>(
    root: &'a Map<String, Value>,
    schema: &'a Map<String, Value>,
) -> Option<&'a Map<String, Value>> {
    let reference = schema.get("$ref")?.as_str()?;
    let place = decoded(reference);
    let place = place.strip_prefix('/')?;
    let (first, rest) = place.split_at(place.find('/').unwrap_or(place.len()));
    let first = root.get(&first.replace("~1", "/").replace("~0", "~"))?;
    first.pointer(rest)?.as_object()
}

#[cfg(test)]
mod tests {
    use ampoule_linear::assert_linear;
    use serde_json::json;

    use super::*;

    fn without(schema: &Value, mut arguments: Value) -> Value {
        Nulls::of(schema.as_object().unwrap()).leave_out(&mut arguments);
        arguments
    }

    #[test]
    fn nulls_that_are_defaults_alone_are_left_out() {
        let schema = json!({
            "required": ["needed"],
            "properties": {
                "plain": { "type": "string", "default": null },
                "needed": { "type": "string", "default": null },
                "nullable": { "type": "string", "nullable": true, "default": null },
                "both": { "type": ["string", "null"], "default": null },
                "any": { "anyOf": [{ "type": "string" }, { "type": "null" }], "default": null },
                "other": { "type": "string" },
                "referred": { "$ref": "#/$defs/text", "default": null },
                "rows": { "type": "array", "items": { "$ref": "#/$defs/row" } },
            },
            "$defs": {
                "text": { "type": "string" },
                "row": { "type": "object", "properties": {
                    "a": { "type": "integer", "default": null },
                    "b": { "type": "integer" },
                    "rows": { "items": { "$ref": "#/$defs/row" } },
                } },
            },
        });
        let cases = [
            (
                json!({ "plain": null, "other": null }),
                json!({ "other": null }),
            ),
            (
                json!({ "needed": null, "nullable": null, "both": null, "any": null }),
                json!({ "needed": null, "nullable": null, "both": null, "any": null }),
            ),
            (
                json!({ "referred": null, "rows": [{ "a": null, "b": null }, { "a": 1 }] }),
                json!({ "rows": [{ "b": null }, { "a": 1 }] }),
            ),
            (
                json!({ "rows": [{ "rows": [{ "rows": [{ "a": null }] }] }] }),
                json!({ "rows": [{ "rows": [{ "rows": [{}] }] }] }),
            ),
            (json!({ "plain": "null" }), json!({ "plain": "null" })),
            (json!(null), json!(null)),
        ];
        for (arguments, expected) in cases {
            assert_eq!(without(&schema, arguments.clone()), expected, "{arguments}");
        }
    }

    #[test]
    fn references_that_go_round_end() {
        let schema = json!({ "$ref": "#/$defs/a", "$defs": { "a": { "$ref": "#/$defs/b" }, "b": { "$ref": "#/$defs/a" } } });
        assert_eq!(without(&schema, json!({ "a": null })), json!({ "a": null }));
    }

    /// A schema of that size, whose every part many values, or many other parts, are held against.
    fn wide(size: usize) -> Value {
        let names: Vec<String> = (0..size).map(|index| format!("n{index}")).collect();
        let long = "x".repeat(100 * size);
        let text = json!({ "$ref": "#/$defs/hop", "default": null });
        let properties: Map<String, Value> = names
            .iter()
            .map(|name| (name.clone(), text.clone()))
            .collect();
        json!({
            "properties": { "rows": { "items": { "$ref": "#/$defs/row" } } },
            "$defs": {
                "row": { "properties": properties, "required": names[1..] },
                "hop": { "$ref": format!("#/$defs/{long}") },
                long: { "type": names },
            },
        })
    }

    #[test]
    fn the_time_grows_with_the_sum_of_schema_and_arguments() {
        let rows = |size: usize| json!({ "rows": vec![json!({ "n0": null, "n1": null }); size] });
        assert_linear(
            "nulls that are left out",
            300,
            |size| (wide(size), rows(size)),
            |(schema, arguments)| {
                let left = without(schema, arguments.clone());
                assert_eq!(left["rows"][7], json!({ "n1": null }));
            },
        );
    }
}
