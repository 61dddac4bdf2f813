//! Which fields of a value are taken out of it: `email, customers.*.phone`.

use std::fmt;
use std::str::FromStr;

use serde_json::Value;

/// What stands where something was taken out.
pub const REDACTED: &str = "[redacted]";
/// How many fields one policy may name.
const MOST_FIELDS: usize = 64;

/// Which fields of a value are taken out of it. Written as a list of paths: `email,
/// customers.*.phone`, where `*` is every member of an object or every item of an array; a number
/// is an item. `*` alone is everything.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fields(Vec<Vec<String>>);

/// A text that is no list of [`Fields`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` names no fields; write paths such as `email, customers.*.phone`, at most 64")]
pub struct NoFields(String);

impl FromStr for Fields {
    type Err = NoFields;

    fn from_str(text: &str) -> Result<Self, NoFields> {
        let path = |path: &str| path.trim().split('.').map(str::to_owned).collect();
        let paths: Vec<Vec<String>> = text.split(',').map(path).collect();
        let empty = paths.iter().flatten().any(String::is_empty);
        match empty || paths.len() > MOST_FIELDS {
            true => Err(NoFields(text.to_owned())),
            false => Ok(Self(paths)),
        }
    }
}

impl fmt::Display for Fields {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let paths: Vec<String> = self.0.iter().map(|path| path.join(".")).collect();
        f.write_str(&paths.join(", "))
    }
}

impl Fields {
    /// Whether they are all there is.
    pub fn are_all(&self) -> bool {
        self.0.iter().any(|path| path == &["*"])
    }

    /// Puts [`REDACTED`] for each of them that there is in `value`; says how many there were.
    pub fn redact(&self, value: &mut Value) -> usize {
        if self.are_all() {
            *value = REDACTED.into();
            return 1;
        }
        let paths = self.0.iter();
        paths.map(|path| redact(path, value)).sum()
    }
}

fn redact(path: &[String], value: &mut Value) -> usize {
    let Some((step, rest)) = path.split_first() else {
        if value.as_str() == Some(REDACTED) {
            return 0;
        }
        *value = REDACTED.into();
        return 1;
    };
    match (value, step.as_str()) {
        (Value::Object(members), "*") => {
            let values = members.values_mut();
            values.map(|value| redact(rest, value)).sum()
        }
        (Value::Object(members), name) => {
            members.get_mut(name).map_or(0, |value| redact(rest, value))
        }
        (Value::Array(items), "*") => items.iter_mut().map(|item| redact(rest, item)).sum(),
        (Value::Array(items), index) => {
            let item = index
                .parse()
                .ok()
                .and_then(|index: usize| items.get_mut(index));
            item.map_or(0, |value| redact(rest, value))
        }
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_is_named_is_taken_out() {
        let fields: Fields = "email, customers.*.phone, rows.0".parse().unwrap();
        let mut value = json!({
            "email": "a@b.c",
            "customers": [{"phone": 1, "name": "x"}, {"name": "y"}, {"phone": {"home": 2}}],
            "rows": ["first", "second"],
        });
        assert_eq!(fields.redact(&mut value), 4);
        let redacted = json!({
            "email": REDACTED,
            "customers": [{"phone": REDACTED, "name": "x"}, {"name": "y"}, {"phone": REDACTED}],
            "rows": [REDACTED, "second"],
        });
        assert_eq!(value, redacted);
        assert_eq!(fields.redact(&mut value), 0);
        assert_eq!(fields.to_string(), "email, customers.*.phone, rows.0");
    }

    #[test]
    fn a_star_alone_is_everything() {
        let mut value = json!(["a"]);
        let fields: Fields = "*".parse().unwrap();
        assert_eq!(fields.redact(&mut value), 1);
        assert_eq!(value, REDACTED);
    }

    #[test]
    fn what_names_nothing_is_refused() {
        let many = vec!["a"; MOST_FIELDS + 1].join(",");
        for text in ["", "a,", "a..b", ".", many.as_str()] {
            assert!(text.parse::<Fields>().is_err(), "{text}");
        }
    }
}
