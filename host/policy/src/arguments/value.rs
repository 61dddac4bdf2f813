//! JSON → values of Cedar, by the shape, as much of it as policies read.
//!
//! What no policy reads is not looked at. What a policy reads must fit, or nothing can be decided:
//! a policy that can't be evaluated must not be passed by.

use std::fmt;

use ampoule_untrusted::text;
use cedar_policy::RestrictedExpression;
use serde_json::{Number, Value};

use super::{Attribute, Record, Shape};
use crate::needs::Needs;

/// How many bytes of arguments policies may read for one call.
const MOST_BYTES: usize = 4 << 20;
/// How many values.
const MOST_VALUES: usize = 50_000;
/// What a decimal of Cedar may be at most, as an integer.
const MOST_DECIMAL: f64 = 922_337_203_685_476.0;
/// How many digits of a decimal may follow its point.
const DECIMAL_DIGITS: usize = 4;

/// Why arguments, or a part of them, can't be made into what policies read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Unfit {
    /// Which, from the innermost name out.
    path: Vec<String>,
    why: &'static str,
}

impl Unfit {
    fn new(why: &'static str) -> Self {
        Self {
            path: Vec::new(),
            why,
        }
    }

    fn within(mut self, name: &str) -> Self {
        self.path.push(name.to_owned());
        self
    }
}

impl fmt::Display for Unfit {
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
}

impl Reading {
    pub(crate) fn new() -> Self {
        Self {
            bytes: MOST_BYTES,
            values: MOST_VALUES,
        }
    }

    /// An object, with those of its attributes that are needed.
    pub(crate) fn record(
        &mut self,
        shape: &Record,
        value: &Value,
        needs: &[&Needs],
    ) -> Result<RestrictedExpression, Unfit> {
        let members = match value {
            Value::Object(members) => Some(members),
            // A call without arguments.
            Value::Null => None,
            _ => return Err(Unfit::new("are no object")),
        };
        let mut read = Vec::new();
        for (name, attribute) in shape {
            let within: Vec<&Needs> = needs.iter().filter_map(|needs| needs.of(name)).collect();
            if within.is_empty() {
                continue;
            }
            let member = members.and_then(|members| members.get(name));
            let value = self.attribute(attribute, member, &within);
            read.extend(
                value
                    .map_err(|unfit| unfit.within(name))?
                    .map(|value| (name.clone(), value)),
            );
        }
        self.count(0)?;
        RestrictedExpression::new_record(read).map_err(|_| Unfit::new("have a name twice"))
    }

    fn attribute(
        &mut self,
        attribute: &Attribute,
        value: Option<&Value>,
        needs: &[&Needs],
    ) -> Result<Option<RestrictedExpression>, Unfit> {
        let Ok(shape) = &attribute.shape else {
            return Ok(None);
        };
        match value {
            None | Some(Value::Null) if attribute.required => Err(Unfit::new("is missing")),
            None | Some(Value::Null) => Ok(None),
            Some(value) => self.value(shape, value, needs).map(Some),
        }
    }

    fn value(
        &mut self,
        shape: &Shape,
        value: &Value,
        needs: &[&Needs],
    ) -> Result<RestrictedExpression, Unfit> {
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
            _ => return Err(Unfit::new("is of another type than the tool's schema says")),
        };
        Ok(value)
    }

    fn count(&mut self, bytes: usize) -> Result<(), Unfit> {
        let large = || Unfit::new("is too large for policies to read");
        self.bytes = self.bytes.checked_sub(bytes).ok_or_else(large)?;
        self.values = self.values.checked_sub(1).ok_or_else(large)?;
        Ok(())
    }
}

/// An integer. JSON Schema takes `5.0` for one.
fn long(number: &Number) -> Result<i64, Unfit> {
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
        Some(float) if float.fract() != 0.0 => Err(Unfit::new("is no integer")),
        _ => Err(Unfit::new("is beyond the integers that policies know")),
    }
}

/// A decimal, as Cedar writes it. Exact, or none.
fn decimal(number: &Number) -> Result<String, Unfit> {
    let float = number.as_f64().unwrap_or(f64::INFINITY);
    if float.abs() >= MOST_DECIMAL {
        return Err(Unfit::new("is beyond the numbers that policies know"));
    }
    let mut written = match number.as_i64() {
        Some(integer) => integer.to_string(),
        None => float.to_string(),
    };
    match written.split_once('.') {
        None => written.push_str(".0"),
        Some((_, digits)) if digits.len() > DECIMAL_DIGITS => {
            return Err(Unfit::new(
                "has more than four digits after its point, which policies can't compare",
            ));
        }
        Some(_) => {}
    }
    Ok(written)
}
