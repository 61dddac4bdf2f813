//! The schemas that hold at one place at once.

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::Schema;
use super::lower::Lowering;
use super::note::Problem;

/// One of the schemas that hold at a place.
#[derive(Clone, Copy)]
pub(super) struct Part<'a> {
    pub(super) schema: &'a Map<String, Value>,
    /// Whether `anyOf` and `oneOf` of it are dealt with, so that only the rest holds.
    pub(super) without_choices: bool,
}

/// Schemas that hold at once, with `$ref` and `allOf` followed.
pub(super) struct Conjunction<'a> {
    /// Those that say something about the type.
    pub(super) parts: Vec<Part<'a>>,
    /// All of them, also those that only tell people something, from the outermost in.
    pub(super) said: Vec<&'a Map<String, Value>>,
    /// The name of what the last followed reference points to. Nothing if no reference was followed
    /// to any of the parts.
    pub(super) reference: Option<Option<String>>,
    /// Whether `false` is among them.
    pub(super) impossible: bool,
}

/// Keywords that change what type a schema stands for. `type` is apart: beside a `$ref` it repeats
/// what the target says.
const SHAPING: &[&str] = &[
    "properties",
    "required",
    "additionalProperties",
    "patternProperties",
    "unevaluatedProperties",
    "items",
    "prefixItems",
    "additionalItems",
    "enum",
    "const",
    "anyOf",
    "oneOf",
    "then",
    "else",
    "dependentSchemas",
    "dependencies",
    "nullable",
];

/// Whether a schema says anything about the type besides what `$ref` and `allOf` say.
fn shapes(schema: &Map<String, Value>) -> bool {
    // Most schemas have fewer keywords than there are here: looking up each would take longer.
    schema
        .keys()
        .any(|keyword| SHAPING.contains(&keyword.as_str()))
        || (schema.contains_key("type") && !schema.contains_key("$ref"))
}

/// Whether a schema plainly allows every value.
fn allows_all(schema: &Value) -> bool {
    match schema {
        Value::Bool(allowed) => *allowed,
        Value::Object(keywords) => keywords.is_empty(),
        _ => false,
    }
}

/// The references of a schema. Those that are dynamic are taken as if they were not: within one
/// document they mean the same.
fn references(schema: &Map<String, Value>) -> impl Iterator<Item = &str> {
    ["$ref", "$dynamicRef", "$recursiveRef"]
        .into_iter()
        .filter_map(|keyword| schema.get(keyword)?.as_str())
}

impl<'a> Part<'a> {
    pub(super) fn whole(schema: &'a Map<String, Value>) -> Self {
        Self {
            schema,
            without_choices: false,
        }
    }

    /// What tells it from other parts of the same document. The address is compared, and never
    /// followed.
    pub(super) fn key(&self) -> (usize, bool) {
        (std::ptr::from_ref(self.schema).addr(), self.without_choices)
    }

    /// The value of a keyword.
    pub(super) fn get(&self, keyword: &str) -> Option<&'a Value> {
        self.schema.get(keyword)
    }
}

impl<'a> Lowering<'_, 'a> {
    /// The target of a schema that is nothing but a reference, perhaps with words of its own: the
    /// type is then that of the target.
    pub(super) fn alias_target(
        &mut self,
        schema: &'a Map<String, Value>,
    ) -> Option<super::document::Target<'a>> {
        let reference = schema.get("$ref")?.as_str()?;
        if shapes(schema) || schema.contains_key("allOf") {
            return None;
        }
        let target = self.document.resolve(reference);
        if target.is_none() {
            self.note(Problem::Unresolved(reference.to_owned()));
        }
        target
    }

    /// Follows `$ref` and `allOf` from `seeds`, each schema once.
    pub(super) fn conjoin(&mut self, seeds: &[Part<'a>]) -> Conjunction<'a> {
        let mut found = Conjunction {
            parts: Vec::new(),
            said: Vec::new(),
            reference: None,
            impossible: false,
        };
        let mut seen: HashSet<usize> = seeds.iter().map(|seed| seed.key().0).collect();
        let mut open: Vec<(Part<'a>, Option<Option<String>>)> =
            seeds.iter().rev().map(|seed| (*seed, None)).collect();
        while let Some((part, reference)) = open.pop() {
            if !self.visit(part.schema) {
                break;
            }
            found.said.push(part.schema);
            found.impossible |= part.get("not").is_some_and(allows_all);
            if shapes(part.schema) {
                found.parts.push(part);
                found.reference = reference.clone().or(found.reference);
            }
            let mut next = Vec::new();
            for target in references(part.schema) {
                match self.document.resolve(target) {
                    Some(target) => next.push((target.schema, Some(target.name))),
                    None => self.note(Problem::Unresolved(target.to_owned())),
                }
            }
            for member in self.schemas_in(part.schema, "allOf") {
                next.push((member, reference.clone()));
            }
            for (schema, reference) in next.into_iter().rev() {
                match schema {
                    Schema::Boolean(allowed) => found.impossible |= !allowed,
                    Schema::Object(schema) if seen.insert(std::ptr::from_ref(schema).addr()) => {
                        open.push((Part::whole(schema), reference))
                    }
                    Schema::Object(_) => {}
                }
            }
        }
        found
    }

    /// The schemas in the list that a keyword has. What is not a schema is noted and left out.
    pub(super) fn schemas_in(
        &mut self,
        schema: &'a Map<String, Value>,
        keyword: &'static str,
    ) -> Vec<Schema<'a>> {
        let Some(value) = schema.get(keyword) else {
            return Vec::new();
        };
        let Some(members) = value.as_array() else {
            self.note(Problem::Malformed(keyword));
            return Vec::new();
        };
        let schemas: Vec<_> = members.iter().filter_map(Schema::of).collect();
        if schemas.len() < members.len() {
            self.note(Problem::Malformed(keyword));
        }
        schemas
    }
}
