//! JSON → values of Cedar, by the shape, as much of it as policies read.
//!
//! What no policy reads is not looked at. What a policy reads must fit, or nothing can be decided:
//! a policy that can't be evaluated must not be passed by.

use std::borrow::Cow;
use std::fmt;

use ampoule_untrusted::text;
use cedar_policy::RestrictedExpression;
use serde_json::{Map, Number, Value};

use super::{Attribute, Record, Shape};
use crate::needs::Needs;

/// How many bytes of arguments policies may read for one call.
const MOST_BYTES: usize = 4 << 20;
/// How many values.
const MOST_VALUES: usize = 50_000;
/// How many names are looked for: an object that has few members may have many by its schema.
const MOST_NAMES: usize = 1_000_000;
/// What a decimal of Cedar may be at most, as an integer.
const MOST_DECIMAL: f64 = 922_337_203_685_476.0;
/// How many digits of a decimal may follow its point.
const DECIMAL_DIGITS: usize = 4;

const LARGE: &str = "is too large for policies to read";

/// Why arguments, or a part of them, can't be made into what policies read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ArgumentError {
    /// Which, from the innermost name out.
    path: Vec<String>,
    why: Cow<'static, str>,
}

impl ArgumentError {
    fn new(why: impl Into<Cow<'static, str>>) -> Self {
        Self {
            path: Vec::new(),
            why: why.into(),
        }
    }

    /// What is there and has no type. It is not taken for absent: policies would pass it by.
    pub(crate) fn unseen(why: impl fmt::Display) -> Self {
        Self::new(format!("can't be seen by policies: {why}"))
    }

    fn within(mut self, name: &str) -> Self {
        self.path.push(name.to_owned());
        self
    }
}

impl fmt::Display for ArgumentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.path.is_empty() {
            return write!(f, "the arguments {}", self.why);
        }
        let path: Vec<&str> = self.path.iter().rev().map(String::as_str).collect();
        let path = path.join(".");
        write!(f, "the argument `{}` {}", text::one_line(&path), self.why)
    }
}

/// The reading of one call's arguments.
pub(crate) struct Reading {
    bytes: usize,
    values: usize,
    names: usize,
}

impl Reading {
    pub(crate) fn new() -> Self {
        Self {
            bytes: MOST_BYTES,
            values: MOST_VALUES,
            names: MOST_NAMES,
        }
    }

    /// An object, with those of its attributes that are needed.
    pub(crate) fn record(
        &mut self,
        shape: &Record,
        value: &Value,
        needs: &[&Needs],
    ) -> Result<RestrictedExpression, ArgumentError> {
        let members = match value {
            Value::Object(members) => Some(members),
            // A call without arguments.
            Value::Null => None,
            _ => return Err(ArgumentError::new("are not an object")),
        };
        let names = names(shape, members, needs);
        let left = self.names.checked_sub(names.len());
        self.names = left.ok_or_else(|| ArgumentError::new(LARGE))?;
        let mut read = Vec::new();
        for name in names {
            let member = members.and_then(|members| members.get(name));
            let member = member.filter(|member| !member.is_null());
            let value = self.member(shape.get(name), member, || {
                needs.iter().filter_map(|needs| needs.of(name)).collect()
            });
            let value = value.map_err(|unfit| unfit.within(name))?;
            read.extend(value.map(|value| (name.to_owned(), value)));
        }
        self.count(0)?;
        RestrictedExpression::new_record(read).map_err(|_| ArgumentError::new("have a name twice"))
    }

    /// What stands under a name, if anything does.
    fn member<'n>(
        &mut self,
        attribute: Option<&Attribute>,
        value: Option<&Value>,
        needs: impl FnOnce() -> Vec<&'n Needs>,
    ) -> Result<Option<RestrictedExpression>, ArgumentError> {
        match (attribute.map(|attribute| &attribute.shape), value) {
            (Some(Ok(shape)), Some(value)) => self.value(shape, value, &needs()).map(Some),
            (Some(Err(why)), Some(_)) => Err(ArgumentError::unseen(why)),
            (None, Some(_)) => Err(ArgumentError::unseen("the tool's schema does not name it")),
            (Some(Ok(_)), None) if attribute.is_some_and(|attribute| attribute.required) => {
                Err(ArgumentError::new("is missing"))
            }
            (_, None) => Ok(None),
        }
    }

    fn value(
        &mut self,
        shape: &Shape,
        value: &Value,
        needs: &[&Needs],
    ) -> Result<RestrictedExpression, ArgumentError> {
        match (shape, value) {
            (Shape::Record(record), Value::Object(_)) => return self.record(record, value, needs),
            (Shape::Set(item), Value::Array(items)) => {
                self.count(0)?;
                let all = Needs::whole();
                let items = items.iter().map(|value| self.value(item, value, &[&all]));
                let items: Vec<_> = items.collect::<Result<_, _>>()?;
                return Ok(RestrictedExpression::new_set(items));
            }
            _ => {}
        }
        self.count(value.as_str().map_or(0, str::len))?;
        let value = match (shape, value) {
            (Shape::Bool, Value::Bool(value)) => RestrictedExpression::new_bool(*value),
            (Shape::String, Value::String(text)) => RestrictedExpression::new_string(text.clone()),
            (Shape::Long, Value::Number(number)) => RestrictedExpression::new_long(long(number)?),
            (Shape::Decimal, Value::Number(number)) => {
                RestrictedExpression::new_decimal(decimal(number)?)
            }
            _ => {
                return Err(ArgumentError::new(
                    "is of another type than the tool's schema says",
                ));
            }
        };
        Ok(value)
    }

    fn count(&mut self, bytes: usize) -> Result<(), ArgumentError> {
        let large = || ArgumentError::new(LARGE);
        self.bytes = self.bytes.checked_sub(bytes).ok_or_else(large)?;
        self.values = self.values.checked_sub(1).ok_or_else(large)?;
        Ok(())
    }
}

/// The names that are read of an object, each once: those that it may have by its schema, and those
/// that it has besides.
fn names<'n>(
    shape: &'n Record,
    members: Option<&'n Map<String, Value>>,
    needs: &[&'n Needs],
) -> Vec<&'n str> {
    if needs.iter().any(|needs| needs.is_whole()) {
        let named = shape.keys();
        let members = members.into_iter().flat_map(Map::keys);
        let others = members.filter(|name| !shape.contains_key(*name));
        return named.chain(others).map(String::as_str).collect();
    }
    let parts = needs.iter().flat_map(|needs| needs.parts());
    let mut names: Vec<&str> = parts.map(|(name, _)| name).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// An integer. JSON Schema takes `5.0` for one.
fn long(number: &Number) -> Result<i64, ArgumentError> {
    /// Every integer up to here is a float.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if let Some(integer) = number.as_i64() {
        return Ok(integer);
    }
    match number.as_f64() {
        #[expect(
            clippy::cast_possible_truncation,
            reason = "it has no fraction, and is in range"
        )]
        Some(float) if float.fract() == 0.0 && float.abs() <= EXACT => Ok(float as i64),
        Some(float) if float.fract() != 0.0 => Err(ArgumentError::new("is not an integer")),
        _ => Err(ArgumentError::new(
            "is beyond the integers that policies know",
        )),
    }
}

/// A decimal, as Cedar writes it. Exact, or none.
fn decimal(number: &Number) -> Result<String, ArgumentError> {
    let float = number.as_f64().unwrap_or(f64::INFINITY);
    if float.abs() >= MOST_DECIMAL {
        return Err(ArgumentError::new(
            "is beyond the numbers that policies know",
        ));
    }
    let mut written = match number.as_i64() {
        Some(integer) => integer.to_string(),
        None => float.to_string(),
    };
    match written.split_once('.') {
        None => written.push_str(".0"),
        Some((_, digits)) if digits.len() > DECIMAL_DIGITS => {
            return Err(ArgumentError::new(
                "has more than four digits after its point, which policies can't compare",
            ));
        }
        Some(_) => {}
    }
    Ok(written)
}
