//! Values that are written in the script, as JSON.

use pyo3::ffi;

use super::super::facts::{Member, Value, Whole};
use super::super::tree::{Expression, ExpressionKind, Object};
use super::Walk;

impl Walk<'_> {
    /// What is known of a value. Nothing of it is looked at as code.
    pub(super) fn value(&mut self, of: Expression<'_>) -> Value {
        if self.room == 0 {
            return Value::Unknown;
        }
        self.room -= 1;
        self.deeper(|walk| walk.value_here(of))
    }

    fn value_here(&mut self, of: Expression<'_>) -> Value {
        match of.kind() {
            ExpressionKind::Constant(constant) => plain(constant),
            ExpressionKind::Minus(Some(of)) => match of.kind() {
                ExpressionKind::Constant(number) => negative(plain(number)),
                _ => Value::Unknown,
            },
            ExpressionKind::Name(name) => {
                let name = self.name(name);
                if self.inner.iter().any(|(inner, _)| *inner == name) {
                    return Value::Unknown;
                }
                Value::Name(name, self.site.scope)
            }
            ExpressionKind::List(items) | ExpressionKind::Tuple(items) => {
                let is_one =
                    |item: &Expression<'_>| !matches!(item.kind(), ExpressionKind::Starred(_));
                let known: Vec<Value> = items
                    .iter()
                    .take_while(is_one)
                    .map(|item| self.value(item))
                    .collect();
                let whole = if known.len() == items.len() {
                    Whole::Yes
                } else {
                    Whole::No
                };
                Value::List(known, whole)
            }
            ExpressionKind::Dict(keys, values) => {
                let pairs = keys.gaps().zip(values.iter());
                let member = |(key, value): (Option<Expression<'_>>, Expression<'_>)| {
                    let Some(key) = key else {
                        return Member::Spread(self.value(value));
                    };
                    match key.kind() {
                        ExpressionKind::Constant(key) => match key.as_text() {
                            Some(key) => Member::Pair(key.to_owned(), self.value(value)),
                            None => Member::Unknown,
                        },
                        _ => Member::Unknown,
                    }
                };
                Value::Object(pairs.map(member).collect())
            }
            _ => Value::Unknown,
        }
    }
}

/// A constant as JSON.
fn plain(constant: Object<'_>) -> Value {
    let object = constant.pointer();
    // SAFETY: it is one of Python's objects, whose type is looked at first.
    unsafe {
        if object == ffi::Py_None() {
            return Value::Null;
        }
        if ffi::PyBool_Check(object) != 0 {
            let is_true = object == ffi::Py_True();
            return Value::Plain(if is_true { "true" } else { "false" }.to_owned());
        }
        if ffi::PyLong_CheckExact(object) != 0 {
            let number = ffi::PyLong_AsLongLong(object);
            if number == -1 && !ffi::PyErr_Occurred().is_null() {
                // It is larger.
                ffi::PyErr_Clear();
                return Value::Unknown;
            }
            return Value::Plain(itoa::Buffer::new().format(number).to_owned());
        }
        if ffi::PyFloat_CheckExact(object) != 0 {
            let number = ffi::PyFloat_AS_DOUBLE(object);
            return if number.is_finite() {
                Value::Plain(zmij::Buffer::new().format_finite(number).to_owned())
            } else {
                Value::Unknown
            };
        }
    }
    constant
        .as_text()
        .map_or(Value::Unknown, |text| Value::Plain(quoted(text)))
}

fn negative(number: Value) -> Value {
    match number {
        Value::Plain(text) if text.starts_with(|first: char| first.is_ascii_digit()) => {
            Value::Plain(format!("-{text}"))
        }
        _ => Value::Unknown,
    }
}

/// A text as JSON.
fn quoted(text: &str) -> String {
    let mut json = String::with_capacity(text.len() + 2);
    quote(text, &mut json);
    json
}

/// Writes a text as JSON.
pub(in super::super) fn quote(text: &str, json: &mut String) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    json.push('"');
    let mut rest = text;
    let is_special = |byte: &u8| *byte < b' ' || *byte == b'"' || *byte == b'\\';
    while let Some(at) = rest.as_bytes().iter().position(&is_special) {
        json.push_str(&rest[..at]);
        let byte = rest.as_bytes()[at];
        if byte < b' ' {
            json.push_str("\\u00");
            json.push(char::from(DIGITS[usize::from(byte >> 4)]));
            json.push(char::from(DIGITS[usize::from(byte & 15)]));
        } else {
            json.push('\\');
            json.push(char::from(byte));
        }
        rest = &rest[at + 1..];
    }
    json.push_str(rest);
    json.push('"');
}
