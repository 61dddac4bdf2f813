//! Which schemas are safe to check against.
//!
//! A schema can refer to itself without going deeper into the value, which never ends; or use each
//! of a chain of definitions twice, which takes twice as long with every link. The validator does
//! as it runs, so such schemas are found before.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::references::{REFERENCES, References};
use super::subschemas::{DEPENDENT, SAME_VALUE};
use super::unevaluated;

/// How many subschemas may apply to one and the same value.
const MAX_COST: u64 = 10_000;

/// How deep a schema may be nested: compiling it takes stack.
const MAX_DEPTH: usize = 100;

/// How many patterns a schema may have: compiling one takes up to some milliseconds.
const MAX_PATTERNS: usize = 1_000;

/// Whether checking against a schema takes a bounded time.
///
/// # Errors
///
/// A sentence says what the matter is.
pub(super) fn check(root: &Value) -> Result<(), String> {
    let mut costs = Costs {
        references: References::within(root),
        known: HashMap::new(),
        patterns: 0,
        has_unevaluated: false,
    };
    costs.visit(root, 0)?;
    match costs.has_unevaluated {
        true => unevaluated::check(&costs.references),
        false => Ok(()),
    }
}

/// How many schemas apply to one value: for its own sake, and once more where one around it asks
/// what is unevaluated.
#[derive(Clone, Copy)]
struct Cost {
    once: u64,
    again: u64,
}

struct Costs<'a> {
    references: References<'a>,
    /// By the schema's address. `None` while it is being computed.
    known: HashMap<*const Value, Option<Cost>>,
    /// How many patterns there were so far.
    patterns: usize,
    has_unevaluated: bool,
}

impl<'a> Costs<'a> {
    /// Checks every schema in the document. What is not a schema, such as an example, does no harm
    /// here.
    fn visit(&mut self, value: &'a Value, depth: usize) -> Result<(), String> {
        if depth > MAX_DEPTH {
            return Err(format!("it is nested deeper than {MAX_DEPTH} levels"));
        }
        match value {
            Value::Object(members) => {
                if depth > 0 && members.get("$id").is_some_and(Value::is_string) {
                    return Err("it has documents within the document (`$id`)".to_owned());
                }
                self.has_unevaluated |= unevaluated::is_in(members);
                if is_schema(members) {
                    self.cost(value, 0)?;
                }
                self.patterns += patterns(members);
                if self.patterns > MAX_PATTERNS {
                    return Err(format!("it has more than {MAX_PATTERNS} patterns"));
                }
                members
                    .values()
                    .try_for_each(|member| self.visit(member, depth + 1))
            }
            Value::Array(items) => items
                .iter()
                .try_for_each(|item| self.visit(item, depth + 1)),
            _ => Ok(()),
        }
    }

    /// How many subschemas apply to one value.
    fn cost(&mut self, schema: &'a Value, depth: usize) -> Result<Cost, String> {
        let Value::Object(members) = schema else {
            return Ok(Cost { once: 1, again: 1 });
        };
        match self.known.get(&std::ptr::from_ref(schema)) {
            Some(Some(cost)) => return Ok(*cost),
            Some(None) => return Err("it refers to itself endlessly".to_owned()),
            None if depth > MAX_DEPTH => {
                return Err(format!("its references go deeper than {MAX_DEPTH} levels"));
            }
            None => {}
        }
        self.known.insert(schema, None);
        let (mut once, mut again) = (1_u64, 1_u64);
        for (keyword, value) in members {
            for subschema in self.same_value(keyword, value)? {
                let cost = self.cost(subschema, depth + 1)?;
                once = once.saturating_add(cost.once);
                again = again.saturating_add(cost.once).saturating_add(cost.again);
            }
        }
        if unevaluated::is_in(members) {
            once = once.saturating_add(again);
        }
        if once > MAX_COST {
            return Err(format!(
                "more than {MAX_COST} of its parts apply to one value"
            ));
        }
        let cost = Cost { once, again };
        self.known.insert(schema, Some(cost));
        Ok(cost)
    }

    fn same_value(&self, keyword: &str, value: &'a Value) -> Result<Vec<&'a Value>, String> {
        Ok(match (keyword, value) {
            (keyword, Value::String(reference)) if REFERENCES.contains(&keyword) => {
                vec![self.references.resolve(reference)?]
            }
            (keyword, Value::Object(members)) if DEPENDENT.contains(&keyword) => {
                members.values().collect()
            }
            (keyword, Value::Array(subschemas)) if SAME_VALUE.contains(&keyword) => {
                subschemas.iter().collect()
            }
            (keyword, subschema) if SAME_VALUE.contains(&keyword) => vec![subschema],
            _ => Vec::new(),
        })
    }
}

fn is_schema(members: &Map<String, Value>) -> bool {
    members
        .keys()
        .any(|key| key.starts_with("$") || SAME_VALUE.contains(&key.as_str()))
}

fn patterns(members: &Map<String, Value>) -> usize {
    let of_names = members.get("patternProperties").and_then(Value::as_object);
    usize::from(members.contains_key("pattern")) + of_names.map_or(0, Map::len)
}
