//! Schemas of a document as JSON Schema, whole: what a schema refers to comes along in `$defs`, once,
//! also where it refers to itself.

use std::collections::{HashMap, HashSet, VecDeque};

use ampoule_untrusted::json;
use serde_json::{Map, Value, json};

use crate::document::{Documents, Version};

/// How much one schema may hold, in values: what is referred to after that may be anything. Results
/// are there to be read, and what is near counts: in some documents each refers to all others.
const MAX_VALUES: usize = 1 << 17;
const MAX_VALUES_OF_RESULTS: usize = 1 << 11;

/// How long an example may be that is kept, in bytes.
const MAX_EXAMPLE: usize = 120;

/// How many definitions are named alike at most, before they are numbered.
const MAX_NAME: usize = 80;

/// Which way values go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Direction {
    /// To the server: what is read-only need not be there.
    Request,
    /// From the server: what is write-only need not be there.
    Response,
}

/// A schema in the file of that number.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place<'v> {
    pub(crate) file: usize,
    pub(crate) schema: &'v Value,
}

/// Collects the definitions that schemas need.
pub(crate) struct Schemas<'d> {
    documents: &'d Documents,
    direction: Direction,
    /// The names of what was referred to, by file and pointer.
    names: HashMap<(usize, String), String>,
    taken: HashSet<String>,
    /// What was referred to and is not written yet.
    open: VecDeque<(usize, String, String)>,
    room: usize,
}

impl<'d> Schemas<'d> {
    pub(crate) fn new(documents: &'d Documents, direction: Direction) -> Self {
        Self {
            documents,
            direction,
            names: HashMap::new(),
            taken: HashSet::new(),
            open: VecDeque::new(),
            room: match direction {
                Direction::Request => MAX_VALUES,
                Direction::Response => MAX_VALUES_OF_RESULTS,
            },
        }
    }

    /// A schema as JSON Schema, whose references lead to what [`definitions`](Self::definitions)
    /// gives.
    pub(crate) fn of(&mut self, place: Place<'_>) -> Value {
        match place.schema {
            Value::Object(schema) => self.object(place.file, schema),
            Value::Bool(all) => Value::Bool(*all),
            _ => json!({}),
        }
    }

    /// What was referred to, and what that refers to.
    pub(crate) fn definitions(mut self) -> Map<String, Value> {
        let mut definitions = Map::new();
        while let Some((file, pointer, name)) = self.open.pop_front() {
            let found = self.documents.at(file, &pointer);
            let size = found.as_ref().map_or(0, |schema| json::count([schema]));
            let schema = match found {
                Some(schema) if size <= self.room => {
                    self.room -= size;
                    self.of(Place {
                        file,
                        schema: &schema,
                    })
                }
                found => left_out(found.as_ref()),
            };
            definitions.insert(name, schema);
        }
        definitions
    }

    fn object(&mut self, file: usize, schema: &Map<String, Value>) -> Value {
        let mut out = Map::new();
        if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
            match self.reference(file, reference) {
                Some(reference) => out.insert("$ref".to_owned(), reference.into()),
                None => None,
            };
            // Beside a reference, older documents say nothing that holds, but for people.
            if self.documents.version() != Version::OpenApi31 {
                let said = schema.get("description").filter(|it| it.is_string());
                out.extend(said.map(|said| ("description".to_owned(), said.clone())));
                return out.into();
            }
        }
        for (key, value) in schema {
            if let Some(value) = self.keyword(file, key, value) {
                out.insert(key.clone(), value);
            }
        }
        bounds(&mut out);
        self.required(file, schema, &mut out);
        self.discriminated(file, schema, &mut out);
        if let Some(example) = schema.get("example").filter(|it| is_short(it)) {
            out.entry("examples").or_insert_with(|| json!([example]));
        }
        out.into()
    }

    fn keyword(&mut self, file: usize, key: &str, value: &Value) -> Option<Value> {
        let mut of = |schema: &Value| self.of(Place { file, schema });
        Some(match (key, value) {
            ("$ref" | "xml" | "externalDocs" | "example" | "discriminator" | "required", _)
            | ("$schema" | "$id" | "id" | "$anchor" | "$dynamicAnchor" | "$dynamicRef", _) => {
                return None;
            }
            (key, _) if key.starts_with("x-") => return None,
            ("examples", examples) => {
                let short = examples.as_array()?.iter().find(|it| is_short(it))?;
                json!([short])
            }
            (
                "properties" | "patternProperties" | "$defs" | "definitions" | "dependentSchemas",
                Value::Object(members),
            ) => {
                let members = members.iter();
                members
                    .map(|(name, schema)| (name.clone(), of(schema)))
                    .collect()
            }
            ("allOf" | "anyOf" | "oneOf" | "prefixItems" | "items", Value::Array(schemas)) => {
                schemas.iter().map(of).collect()
            }
            (
                "items"
                | "additionalProperties"
                | "additionalItems"
                | "not"
                | "if"
                | "then"
                | "else"
                | "contains"
                | "propertyNames"
                | "unevaluatedProperties"
                | "unevaluatedItems"
                | "contentSchema",
                schema @ (Value::Object(_) | Value::Bool(_)),
            ) => of(schema),
            // Of a list, `null` among its types is a value like the others.
            (_, value) => value.clone(),
        })
    }

    /// The reference to a definition, which is noted.
    fn reference(&mut self, file: usize, reference: &str) -> Option<String> {
        let target = self.documents.target(file, reference)?;
        let name = match self.names.get(&target) {
            Some(name) => name.clone(),
            None => {
                let name = self.name(&target.1);
                self.open
                    .push_back((target.0, target.1.clone(), name.clone()));
                self.names.insert(target, name.clone());
                name
            }
        };
        Some(format!("#/$defs/{name}"))
    }

    /// The last part of a pointer, in letters that a pointer may have as they are.
    fn name(&mut self, pointer: &str) -> String {
        let last = pointer.rsplit('/').next().unwrap_or_default();
        let last = last.replace("~1", "_").replace("~0", "_");
        let plain = |c: char| match c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.') {
            true => c,
            false => '_',
        };
        let last: String = last.chars().take(MAX_NAME).map(plain).collect();
        let last = match last.is_empty() {
            true => "Schema".to_owned(),
            false => last,
        };
        let mut name = last.clone();
        let mut number = 1;
        while !self.taken.insert(name.clone()) {
            number += 1;
            name = format!("{last}_{number}");
        }
        name
    }

    /// What must be there, but for what does not go this way.
    fn required(&self, file: usize, schema: &Map<String, Value>, out: &mut Map<String, Value>) {
        let Some(names) = schema.get("required").and_then(Value::as_array) else {
            return;
        };
        let flag = match self.direction {
            Direction::Request => "readOnly",
            Direction::Response => "writeOnly",
        };
        let properties = schema.get("properties");
        let goes = |name: &&Value| {
            let property = name.as_str().and_then(|name| properties?.get(name));
            let says = |schema: &Value| schema.get(flag) == Some(&Value::Bool(true));
            let Some(property) = property else {
                return true;
            };
            let meant = self.documents.meant(file, property);
            !says(property) && !meant.is_some_and(|(_, meant)| says(&meant))
        };
        let names: Vec<Value> = names
            .iter()
            .filter(|it| it.is_string())
            .filter(goes)
            .cloned()
            .collect();
        if !names.is_empty() {
            out.insert("required".to_owned(), names.into());
        }
    }

    /// Says of each choice by which value the discriminator tells it from the others.
    fn discriminated(
        &mut self,
        file: usize,
        schema: &Map<String, Value>,
        out: &mut Map<String, Value>,
    ) {
        let discriminator = schema.get("discriminator");
        let property = discriminator.and_then(|it| it.get("propertyName")?.as_str());
        let Some(property) = property else { return };
        let mapping = discriminator.and_then(|it| it.get("mapping")?.as_object());
        for key in ["oneOf", "anyOf"] {
            let (Some(choices), Some(written)) = (
                schema.get(key).and_then(Value::as_array),
                out.get_mut(key).and_then(Value::as_array_mut),
            ) else {
                continue;
            };
            for (choice, written) in choices.iter().zip(written) {
                let Some(reference) = choice.get("$ref").and_then(Value::as_str) else {
                    continue;
                };
                let values = values_of(reference, mapping);
                let own = self.documents.meant(file, choice);
                if own.is_some_and(|(_, own)| says_which(&own, property)) || values.is_empty() {
                    continue;
                }
                let tag = json!({ "type": "string", "enum": values });
                let tagged = json!({ "type": "object", "properties": { property: tag }, "required": [property] });
                *written = json!({ "allOf": [written.take(), tagged] });
            }
        }
    }
}

/// What stands for a schema that there is no room for.
fn left_out(schema: Option<&Value>) -> Value {
    let said = schema.and_then(|schema| schema.get("description")?.as_str());
    match said {
        Some(said) => json!({ "description": ampoule_api::line(said) }),
        None => json!({}),
    }
}

/// What the discriminator's property holds where this is meant.
fn values_of(reference: &str, mapping: Option<&Map<String, Value>>) -> Vec<String> {
    let last = |reference: &str| reference.rsplit('/').next().unwrap_or_default().to_owned();
    let name = last(reference);
    let means = |to: &Value| {
        let to = to.as_str().unwrap_or_default();
        to == reference || to == name
    };
    let mapped = mapping.into_iter().flatten();
    let mapped: Vec<String> = mapped
        .filter(|(_, to)| means(to))
        .map(|(value, _)| value.clone())
        .collect();
    match mapped.is_empty() {
        true => vec![name],
        false => mapped,
    }
}

/// Whether a schema says itself what the property holds.
fn says_which(schema: &Value, property: &str) -> bool {
    let own = schema.get("properties").and_then(|it| it.get(property));
    own.is_some_and(|own| own.get("enum").is_some() || own.get("const").is_some())
}

/// Before JSON Schema 6, whether a bound is excluded was a flag beside it.
fn bounds(schema: &mut Map<String, Value>) {
    for (exclusive, bound) in [
        ("exclusiveMinimum", "minimum"),
        ("exclusiveMaximum", "maximum"),
    ] {
        match schema.get(exclusive) {
            Some(Value::Bool(true)) => {
                match schema.remove(bound) {
                    Some(limit) => schema.insert(exclusive.to_owned(), limit),
                    None => schema.remove(exclusive),
                };
            }
            Some(Value::Bool(false)) => {
                schema.remove(exclusive);
            }
            _ => {}
        }
    }
}

fn is_short(example: &Value) -> bool {
    match example {
        Value::String(text) => text.len() <= MAX_EXAMPLE,
        Value::Number(_) | Value::Bool(_) => true,
        other => json::bytes_of([other], MAX_EXAMPLE as u64 + 1) <= MAX_EXAMPLE as u64,
    }
}

#[cfg(test)]
mod tests;
