//! What a script reads of an answer, against the tool's schema for answers.

use std::sync::Arc;

use ampoule_effort::{self as effort, Effort, EffortError};
use ampoule_projection::names::{canonical, near};
use ampoule_projection::{Idiom, result_schema, says_nullable};
use serde_json::{Map, Value};

use crate::resolved::ResolvedTool;
use crate::spelling;
use crate::validate::references::decoded;

/// The keys of an answer in the protocol. A script gets the value without them.
const PROTOCOL: [&str; 3] = ["content", "structuredContent", "isError"];

/// The most properties that a sentence lists; it counts the others.
const LISTED: usize = 20;

/// The most names that a sentence suggests.
const NEAR: usize = 3;

/// How many references from one schema to the next are followed.
const MAX_REFERENCES: usize = 16;

/// Keywords that may allow properties beside those that a schema lists.
const UNSURE: [&str; 3] = ["$dynamicRef", "$recursiveRef", "patternProperties"];

/// The price of one step into a schema.
const STEP: u64 = effort::ITEM;

/// A property that answers do not have.
pub(super) struct Missing<'p> {
    /// Its place.
    pub(super) place: &'p str,
    /// What is said of the value that lacks it, behind its name.
    pub(super) said: String,
}

/// A tool's schema for answers.
pub(super) struct AnswerSchema {
    root: Arc<Value>,
    idiom: Idiom,
}

impl AnswerSchema {
    /// The price of [the schema](Self::of) of a tool.
    pub(super) fn price(tool: &ResolvedTool) -> u64 {
        tool.listing.price_of_answers(tool.index)
    }

    /// The schema of a tool's answers, if it says that answers lack something.
    ///
    /// # Errors
    ///
    /// The run can't pay for the work.
    pub(super) fn of(tool: &ResolvedTool, effort: &Effort) -> Result<Option<Self>, EffortError> {
        let root = tool.listing.closed_answers(tool.index, effort)?;
        let idiom = tool.idiom;
        Ok(root.map(|root| Self { root, idiom }))
    }

    /// The first property on the way to a place that answers do not have; none if answers may have
    /// all of them. The place is a JSON Pointer, where `-` stands for any item of a list.
    ///
    /// # Errors
    ///
    /// The run can't pay for the work.
    pub(super) fn missing<'p>(
        &self,
        place: &'p str,
        effort: &Effort,
    ) -> Result<Option<Missing<'p>>, EffortError> {
        effort.spend(effort::ITEM + effort::BYTE * place.len() as u64)?;
        let Some(tokens) = place.strip_prefix('/') else {
            return Ok(None);
        };
        let mut at = result_schema(&self.root);
        let mut length = 0;
        for token in tokens.split('/') {
            length += 1 + token.len();
            let name = token.replace("~1", "/").replace("~0", "~");
            let Some(object) = self.settled(at, effort)? else {
                return Ok(None);
            };
            match member(object, &name) {
                Member::Of(schema) => at = schema,
                Member::Unknown => return Ok(None),
                Member::NotIn(properties) => {
                    let said = self.sentence(&name, properties, effort)?;
                    let place = &place[..length];
                    return Ok(said.map(|said| Missing { place, said }));
                }
            }
        }
        Ok(None)
    }

    /// The schema that decides which properties a value has, behind references; none if no single
    /// schema decides.
    fn settled<'a>(
        &'a self,
        mut schema: &'a Value,
        effort: &Effort,
    ) -> Result<Option<&'a Map<String, Value>>, EffortError> {
        for _ in 0..MAX_REFERENCES {
            effort.spend(STEP)?;
            let Some(object) = schema.as_object().filter(|object| is_sure(object)) else {
                return Ok(None);
            };
            let referred = match object.get("$ref").and_then(Value::as_str) {
                Some(reference) if reference.starts_with('#') => {
                    effort.spend(effort::BYTE * reference.len() as u64)?;
                    self.root.pointer(&decoded(reference))
                }
                Some(_) => None,
                None => return Ok(Some(object)),
            };
            match referred {
                Some(referred) => schema = referred,
                None => return Ok(None),
            }
        }
        Ok(None)
    }

    /// What is said of a name that a closed object does not have; nothing where it may stand for one
    /// that it has.
    fn sentence(
        &self,
        name: &str,
        properties: &Map<String, Value>,
        effort: &Effort,
    ) -> Result<Option<String>, EffortError> {
        effort.spend(spelling::price(name, properties.len()))?;
        // Python's scripts may write a name as their language has it.
        let is_alike = |other: &String| canonical(other) == canonical(name);
        let is_meant = self.idiom == Idiom::Python && properties.keys().any(is_alike);
        Ok((!is_meant).then(|| sentence(name, properties)))
    }
}

/// What a schema says of a member of its values.
enum Member<'a> {
    Of(&'a Value),
    /// It may be anything.
    Unknown,
    /// The member is missing: these are all.
    NotIn(&'a Map<String, Value>),
}

fn member<'a>(object: &'a Map<String, Value>, name: &str) -> Member<'a> {
    let is_index = name == "-" || name.bytes().all(|byte| byte.is_ascii_digit());
    if is_of_type(object, "array") {
        let items = object.get("items");
        let items = items.filter(|_| is_index && !object.contains_key("prefixItems"));
        return items.map_or(Member::Unknown, Member::Of);
    }
    let properties = object.get("properties").and_then(Value::as_object);
    let Some(properties) = properties.filter(|_| is_of_type(object, "object")) else {
        return Member::Unknown;
    };
    if let Some(property) = properties.get(name) {
        return Member::Of(property);
    }
    let is_closed = object.get("additionalProperties") == Some(&Value::Bool(false));
    match is_closed && !is_index {
        true => Member::NotIn(properties),
        false => Member::Unknown,
    }
}

/// Whether a schema's own keywords say which properties its values have.
fn is_sure(schema: &Map<String, Value>) -> bool {
    !says_nullable(schema) && !UNSURE.iter().any(|keyword| schema.contains_key(*keyword))
}

fn is_of_type(schema: &Map<String, Value>, name: &str) -> bool {
    schema.get("type").is_some_and(|of| of == name)
}

fn sentence(name: &str, properties: &Map<String, Value>) -> String {
    let mut keys: Vec<&str> = properties.keys().map(String::as_str).collect();
    let meant: Vec<String> = near(name, keys.iter().copied(), NEAR)
        .into_iter()
        .map(|name| format!("`{name}`"))
        .collect();
    let more = keys.len().saturating_sub(LISTED);
    keys.truncate(LISTED);
    let keys = match (keys.is_empty(), more) {
        (true, _) => "It has no keys".to_owned(),
        (false, 0) => format!("Its keys: {}", keys.join(", ")),
        (false, more) => format!("Its keys: {} and {more} more", keys.join(", ")),
    };
    match (PROTOCOL.contains(&name), meant.is_empty()) {
        (true, _) => format!(
            "has no `{name}`, for an answer is the value itself, without what the protocol has around it. {keys}"
        ),
        (false, false) => format!(
            "has no `{name}`; did you mean {}? {keys}",
            meant.join(" or ")
        ),
        (false, true) => format!("has no `{name}`. {keys}"),
    }
}
