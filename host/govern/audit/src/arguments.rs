//! Arguments, as they are written down: as a digest, in full, or with their values left out.
//!
//! A digest is keyed with the log's own key: the same arguments have the same one throughout a log,
//! and nobody without the key finds out what they were by trying all telephone numbers.

use ampoule_projection::names::ToolPattern;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// How large arguments may be that are written in full, in bytes of JSON. Of larger ones there is a
/// digest.
const MOST_FULL_BYTES: usize = 64 << 10;
/// How many values of redacted arguments are described.
const MOST_VALUES: usize = 256;
/// How much of a name is shown, in characters.
const MOST_NAME: usize = 64;
/// How deep they are looked into.
const MOST_DEPTH: usize = 16;

/// Arguments, as they were written down.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct WrittenArguments {
    /// Their keyed digest, in hexadecimal digits: BLAKE3, 128 bits.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub digest: String,
    /// How large they are as JSON, in bytes.
    #[serde(default)]
    pub bytes: u64,
    /// All of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub full: Option<Value>,
    /// Their names, with the kind and the size of each value in its place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub redacted: Option<Value>,
}

/// How arguments are written down. Those that are not in full have a digest besides.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ArgumentForm {
    /// Their digest alone.
    #[default]
    Digest,
    /// All of them.
    Full,
    /// The names, without the values.
    Redacted,
}

/// How the arguments of some tools are written down.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    /// Of which tools.
    pub tools: ToolPattern,
    /// How.
    pub how: ArgumentForm,
}

/// How arguments are written down, by tool: as the first rule says that fits. By default all as
/// digests.
#[derive(Debug, Clone, Default)]
pub struct Arguments {
    /// The rules, in order.
    pub rules: Vec<Rule>,
    /// How those are that no rule is about.
    pub otherwise: ArgumentForm,
}

impl Arguments {
    /// How those of a tool are.
    pub fn of(&self, server: &str, tool: &str) -> ArgumentForm {
        let rule = self.rules.iter().find(|it| it.tools.matches(server, tool));
        rule.map_or(self.otherwise, |rule| rule.how)
    }
}

impl WrittenArguments {
    /// Of arguments, with a key for the digest.
    pub(crate) fn of(arguments: &impl Serialize, how: ArgumentForm, key: &[u8; 32]) -> Self {
        // What has been JSON can be written as JSON.
        let json = serde_json::to_vec(arguments).unwrap_or_default();
        let hash = blake3::keyed_hash(key, &json).to_hex();
        let mut written = Self {
            digest: hash[..32].to_owned(),
            bytes: json.len() as u64,
            ..Self::default()
        };
        let value = || serde_json::from_slice(&json).ok();
        match how {
            ArgumentForm::Digest => {}
            ArgumentForm::Full if json.len() <= MOST_FULL_BYTES => written.full = value(),
            ArgumentForm::Full => {}
            ArgumentForm::Redacted => {
                let mut left = MOST_VALUES;
                written.redacted =
                    value().map(|value: Value| redacted(&value, MOST_DEPTH, &mut left));
            }
        }
        written
    }

    /// The same, with something in place of what else there is: arguments of which somebody who
    /// knows more has taken out what nobody should read.
    #[must_use]
    pub fn with_redacted(mut self, arguments: Value) -> Self {
        self.full = None;
        self.redacted = Some(arguments);
        self
    }
}

/// What is said of a value where it must not be read itself.
fn redacted(value: &Value, depth: usize, left: &mut usize) -> Value {
    const MORE: &str = "<more>";
    if *left == 0 || depth == 0 {
        return MORE.into();
    }
    *left -= 1;
    match value {
        Value::Null => Value::Null,
        Value::Bool(_) => "<boolean>".into(),
        Value::Number(_) => "<number>".into(),
        Value::String(text) => format!("<text of {} bytes>", text.len()).into(),
        Value::Array(items) => {
            // One item says what the others are.
            let first = items.first().map(|item| redacted(item, depth - 1, left));
            let rest = (items.len() > 1).then(|| format!("<{} more>", items.len() - 1).into());
            first.into_iter().chain(rest).collect()
        }
        Value::Object(members) => {
            let mut told = Map::new();
            for (name, member) in members {
                if *left == 0 {
                    told.insert(MORE.to_owned(), members.len().into());
                    break;
                }
                // The caller chooses names, too.
                let shown = match name.char_indices().nth(MOST_NAME) {
                    Some((end, _)) => format!("{}…", &name[..end]),
                    None => name.clone(),
                };
                told.insert(shown, redacted(member, depth - 1, left));
            }
            Value::Object(told)
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn arguments_are_written_as_the_rules_say() {
        let arguments =
            json!({"to": "a@b.example", "count": 7, "parts": [{"x": true}, 1, 2], "none": null});
        let key = [7; 32];
        let written = |how| WrittenArguments::of(&arguments, how, &key);
        let digest = written(ArgumentForm::Digest);
        assert_eq!(
            (digest.digest.len(), digest.full, digest.redacted),
            (32, None, None)
        );
        assert_ne!(
            digest.digest,
            WrittenArguments::of(&arguments, ArgumentForm::Digest, &[8; 32]).digest
        );
        assert_eq!(written(ArgumentForm::Full).full, Some(arguments.clone()));
        let expected = json!({"to": "<text of 11 bytes>", "count": "<number>",
            "parts": [{"x": "<boolean>"}, "<2 more>"], "none": null});
        assert_eq!(written(ArgumentForm::Redacted).redacted, Some(expected));
    }

    #[test]
    fn large_arguments_take_no_room() {
        let wide: Map<String, Value> = (0..100_000).map(|n| (format!("m{n}"), json!(n))).collect();
        assert_eq!(
            WrittenArguments::of(&wide, ArgumentForm::Full, &[0; 32]).full,
            None
        );
        let told = WrittenArguments::of(&wide, ArgumentForm::Redacted, &[0; 32])
            .redacted
            .unwrap();
        assert_eq!(told.as_object().unwrap().len(), MOST_VALUES);
        let deep = (0..100).fold(json!(1), |inner, _| json!({"a": inner}));
        let told = WrittenArguments::of(&deep, ArgumentForm::Redacted, &[0; 32])
            .redacted
            .unwrap();
        assert!(told.to_string().len() < 200, "{told}");
    }
}
