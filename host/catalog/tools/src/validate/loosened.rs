//! Keywords that refuse more when what is in them accepts more: where a part of a schema is left
//! out, they are left out or loosened as well, wherever that part has a say in them.

use std::collections::HashSet;

use serde_json::{Map, Value, json};

use super::references::{REFERENCES, decoded};

/// How many times references are followed back. A schema with longer chains of them is loose
/// everywhere.
const MAX_ROUNDS: usize = 64;

/// Loosens a schema that lacks something at these places.
pub(super) fn loosened(schema: &mut Value, gaps: &[String]) {
    if gaps.is_empty() {
        return;
    }
    let mut found = SchemaPlaces::default();
    found.look(schema, &mut String::new());
    let mut loose = HashSet::new();
    for gap in gaps {
        mark(&mut loose, gap);
    }
    for round in 0.. {
        let before = loose.len();
        for (place, target) in &found.references {
            if loose.contains(target) || round == MAX_ROUNDS {
                mark(&mut loose, place);
            }
        }
        if loose.len() == before || round == MAX_ROUNDS {
            break;
        }
    }
    // The innermost first: places stay what they are until something around them is changed.
    for place in found.objects.iter().rev().filter(|it| loose.contains(*it)) {
        if let Some(Value::Object(keywords)) = schema.pointer_mut(place) {
            loosen(keywords, &|part| loose.contains(&format!("{place}/{part}")));
        }
    }
}

/// A place, and all that it is in.
fn mark(loose: &mut HashSet<String>, place: &str) {
    let mut place = place;
    while loose.insert(place.to_owned()) {
        let Some((above, _)) = place.rsplit_once('/') else {
            break;
        };
        place = above;
    }
}

fn loosen(keywords: &mut Map<String, Value>, is_loose: &impl Fn(&str) -> bool) {
    if is_loose("not") {
        keywords.shift_remove("not");
    }
    if is_loose("if") {
        for keyword in ["if", "then", "else"] {
            keywords.shift_remove(keyword);
        }
    }
    if is_loose("contains") {
        keywords.shift_remove("maxContains");
    }
    for keyword in ["unevaluatedProperties", "unevaluatedItems"] {
        keywords.shift_remove(keyword);
    }
    if is_loose("oneOf")
        && let Some(branches) = keywords.shift_remove("oneOf")
    {
        // Two may accept a value now, of which one did.
        let any = json!({ "anyOf": branches });
        match keywords.get_mut("allOf") {
            Some(Value::Array(all)) => all.push(any),
            _ => {
                keywords.insert("allOf".to_owned(), json!([any]));
            }
        }
    }
}

#[derive(Default)]
struct SchemaPlaces {
    /// The places of all objects, those around others first.
    objects: Vec<String>,
    /// Where a reference is, and where it leads.
    references: Vec<(String, String)>,
}

impl SchemaPlaces {
    fn look(&mut self, value: &Value, place: &mut String) {
        let length = place.len();
        match value {
            Value::Object(members) => {
                self.objects.push(place.clone());
                for keyword in REFERENCES {
                    if let Some(reference) = members.get(keyword).and_then(Value::as_str) {
                        self.references.push((place.clone(), decoded(reference)));
                    }
                }
                for (name, member) in members {
                    place.push('/');
                    place.push_str(&name.replace('~', "~0").replace('/', "~1"));
                    self.look(member, place);
                    place.truncate(length);
                }
            }
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    place.push_str(&format!("/{index}"));
                    self.look(item, place);
                    place.truncate(length);
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_refuse_more_is_loosened_where_a_gap_has_a_say() {
        let mut schema = json!({
            "properties": {
                "a": { "not": { "properties": { "x": {} } } },
                "b": { "oneOf": [{ "$ref": "#/$defs/Gap" }, { "type": "string" }] },
                "c": { "if": { "$ref": "#/$defs/Through" }, "then": false, "type": "object" },
                "d": { "contains": {}, "maxContains": 1 },
                "e": { "oneOf": [{ "type": "integer" }, { "type": "string" }], "not": { "const": 3 } },
                "f": { "allOf": [{}], "unevaluatedProperties": false },
            },
            "$defs": { "Gap": {}, "Through": { "items": { "$ref": "#/$defs/Gap" } } },
        });
        let gaps = [
            "/properties/a/not/properties/x",
            "/properties/d/contains",
            "/properties/f/allOf/0",
            "/$defs/Gap",
        ];
        loosened(&mut schema, &gaps.map(str::to_owned));
        let expected = json!({
            "properties": {
                "a": {},
                "b": { "allOf": [{ "anyOf": [{ "$ref": "#/$defs/Gap" }, { "type": "string" }] }] },
                "c": { "type": "object" },
                "d": { "contains": {} },
                "e": { "oneOf": [{ "type": "integer" }, { "type": "string" }], "not": { "const": 3 } },
                "f": { "allOf": [{}] },
            },
            "$defs": { "Gap": {}, "Through": { "items": { "$ref": "#/$defs/Gap" } } },
        });
        assert_eq!(schema, expected);
    }
}
