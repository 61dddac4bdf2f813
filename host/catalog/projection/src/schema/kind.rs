//! `type`, and what stands for it.

use serde_json::{Map, Value};

use super::super::types::Bounds;
use super::conjunction::Part;
use super::lower::Lowering;
use super::note::Problem;

/// A type of JSON Schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Null,
    Boolean,
    Integer,
    Number,
    String,
    Array,
    Object,
}

impl<'a> Lowering<'_, 'a> {
    /// The types that all of the parts allow. Nothing if none of them says so.
    pub(super) fn kinds(&mut self, parts: &[Part<'a>]) -> Option<Vec<Kind>> {
        let mut common: Option<Vec<Kind>> = None;
        for part in parts {
            let Some(stated) = part.get("type").and_then(|value| self.stated_kinds(value)) else {
                continue;
            };
            common = Some(match common {
                None => stated,
                Some(common) => common
                    .into_iter()
                    .filter_map(|kind| kind.within(&stated))
                    .collect(),
            });
        }
        common
    }

    fn stated_kinds(&mut self, value: &Value) -> Option<Vec<Kind>> {
        let names = match value {
            Value::Array(names) => names.as_slice(),
            one => std::slice::from_ref(one),
        };
        let mut kinds = Vec::with_capacity(names.len().min(8));
        for name in names {
            let Some(kind) = name.as_str().and_then(Kind::of) else {
                self.note(name.as_str().map_or(Problem::Malformed("type"), |name| {
                    Problem::UnknownType(name.to_owned())
                }));
                return None;
            };
            if !kinds.contains(&kind) {
                kinds.push(kind);
            }
        }
        if kinds.is_empty() {
            self.note(Problem::Malformed("type"));
        }
        (!kinds.is_empty()).then_some(kinds)
    }
}

impl Kind {
    fn of(name: &str) -> Option<Self> {
        Some(match name {
            "null" => Self::Null,
            "boolean" => Self::Boolean,
            "integer" => Self::Integer,
            "number" => Self::Number,
            "string" => Self::String,
            "array" => Self::Array,
            "object" => Self::Object,
            _ => return None,
        })
    }

    /// What is left of it if one of `others` must hold too.
    fn within(self, others: &[Kind]) -> Option<Self> {
        match self {
            _ if others.contains(&self) => Some(self),
            Self::Integer if others.contains(&Self::Number) => Some(Self::Integer),
            Self::Number if others.contains(&Self::Integer) => Some(Self::Integer),
            _ => None,
        }
    }

    /// Whether `value` has this type.
    pub(super) fn has(self, value: &Value) -> bool {
        match (self, value) {
            (Self::Null, Value::Null)
            | (Self::Boolean, Value::Bool(_))
            | (Self::Number, Value::Number(_)) => true,
            (Self::String, Value::String(_))
            | (Self::Array, Value::Array(_))
            | (Self::Object, Value::Object(_)) => true,
            (Self::Integer, Value::Number(number)) => {
                !number.is_f64() || number.as_f64().is_some_and(|number| number.fract() == 0.0)
            }
            _ => false,
        }
    }
}

/// The types that parts mean which name none. Strictly they allow other types as well; those who
/// write them do not mean that.
pub(super) fn inferred(parts: &[Part<'_>], loose: &[&Map<String, Value>]) -> Vec<Kind> {
    const OBJECT: &[&str] = &[
        "properties",
        "required",
        "additionalProperties",
        "patternProperties",
        "unevaluatedProperties",
    ];
    const ARRAY: &[&str] = &["items", "prefixItems", "additionalItems"];
    let has = |keywords: &[&str]| {
        parts
            .iter()
            .any(|part| keywords.iter().any(|keyword| part.get(keyword).is_some()))
    };
    let mut kinds = Vec::new();
    if has(OBJECT) || loose.iter().any(|schema| schema.contains_key("properties")) {
        kinds.push(Kind::Object);
    }
    if has(ARRAY) {
        kinds.push(Kind::Array);
    }
    kinds
}

/// The range that all of the parts allow.
pub(super) fn bounds(parts: &[Part<'_>]) -> Bounds {
    let mut bounds = Bounds::default();
    for part in parts {
        let exclusive = |keyword: &str| part.get(keyword) == Some(&Value::Bool(true));
        let lowest = [
            integer(part.get("minimum"), f64::ceil)
                .map(|bound| bound + i128::from(exclusive("exclusiveMinimum"))),
            integer(part.get("exclusiveMinimum"), f64::floor).map(|bound| bound + 1),
        ];
        let highest = [
            integer(part.get("maximum"), f64::floor)
                .map(|bound| bound - i128::from(exclusive("exclusiveMaximum"))),
            integer(part.get("exclusiveMaximum"), f64::ceil).map(|bound| bound - 1),
        ];
        bounds.minimum = lowest.into_iter().flatten().chain(bounds.minimum).max();
        bounds.maximum = highest.into_iter().flatten().chain(bounds.maximum).min();
    }
    bounds
}

/// A bound as an integer. One that no 64-bit integer reaches is none.
fn integer(value: Option<&Value>, round: fn(f64) -> f64) -> Option<i128> {
    let number = value?.as_number()?;
    if let Some(integer) = number.as_i128() {
        return Some(integer);
    }
    let rounded = round(number.as_f64()?);
    // Every float of this size is an integer that fits.
    (rounded.abs() < 2f64.powi(65)).then_some(rounded as i128)
}
