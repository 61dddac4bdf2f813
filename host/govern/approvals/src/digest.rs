//! Digests: what binds an answer to what was asked.

use std::fmt;
use std::str::FromStr;

use ampoule_store::key::Key;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

/// A keyed hash of a call, of a question or of a plan. Displays, and serialises, as hexadecimal
/// digits. Two of them are compared in constant time.
#[derive(Clone, Copy, Eq)]
pub struct Digest(blake3::Hash);

impl Digest {
    /// That of a call. The order of an object's members does not matter, all else does.
    pub(crate) fn of_call(
        key: &Key,
        server: &str,
        tool: &str,
        arguments: &Map<String, Value>,
    ) -> Self {
        let mut hasher = blake3::Hasher::new_keyed(key);
        hash_text(&mut hasher, b'c', server);
        hash_text(&mut hasher, b't', tool);
        hash_object(&mut hasher, arguments);
        Self(hasher.finalize())
    }

    /// That of something as JSON.
    pub(crate) fn of(key: &Key, what: &impl Serialize) -> serde_json::Result<Self> {
        let mut hasher = blake3::Hasher::new_keyed(key);
        hasher.update(b"j");
        serde_json::to_writer(&mut hasher, what)?;
        Ok(Self(hasher.finalize()))
    }
}

fn hash_length(hasher: &mut blake3::Hasher, tag: u8, length: usize) {
    hasher.update(&[tag]);
    hasher.update(&(length as u64).to_le_bytes());
}

fn hash_text(hasher: &mut blake3::Hasher, tag: u8, text: &str) {
    hash_length(hasher, tag, text.len());
    hasher.update(text.as_bytes());
}

fn hash_object(hasher: &mut blake3::Hasher, object: &Map<String, Value>) {
    let mut members: Vec<_> = object.iter().collect();
    members.sort_unstable_by_key(|(name, _)| *name);
    hash_length(hasher, b'o', members.len());
    for (name, value) in members {
        hash_text(hasher, b'k', name);
        hash_value(hasher, value);
    }
}

fn hash_value(hasher: &mut blake3::Hasher, value: &Value) {
    match value {
        Value::Null => hash_length(hasher, b'0', 0),
        Value::Bool(value) => hash_length(hasher, b'b', usize::from(*value)),
        Value::Number(number) => hash_text(hasher, b'n', &number.to_string()),
        Value::String(text) => hash_text(hasher, b's', text),
        Value::Array(items) => {
            hash_length(hasher, b'a', items.len());
            for item in items {
                hash_value(hasher, item);
            }
        }
        Value::Object(object) => hash_object(hasher, object),
    }
}

impl PartialEq for Digest {
    fn eq(&self, other: &Self) -> bool {
        // Hashes of this library are compared in constant time.
        self.0 == other.0
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.to_hex())
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Digest {
    type Err = DigestError;

    fn from_str(text: &str) -> Result<Self, DigestError> {
        blake3::Hash::from_hex(text)
            .map(Self)
            .map_err(|_| DigestError)
    }
}

/// It is not a digest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("this is not a digest: a digest has 64 hexadecimal digits")]
pub struct DigestError;

impl Serialize for Digest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0.to_hex())
    }
}

impl<'de> Deserialize<'de> for Digest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn digest(server: &str, tool: &str, arguments: Value) -> Digest {
        let Value::Object(arguments) = arguments else {
            panic!("arguments are an object")
        };
        Digest::of_call(&[7; 32], server, tool, &arguments)
    }

    #[test]
    fn only_the_order_of_members_does_not_matter() {
        let of = |arguments| digest("mail", "send", arguments);
        let one = of(json!({ "to": "a", "cc": { "x": 1, "y": [1, 2] } }));
        assert_eq!(one, of(json!({ "cc": { "y": [1, 2], "x": 1 }, "to": "a" })));
        let others = [
            json!({ "to": "b", "cc": { "x": 1, "y": [1, 2] } }),
            json!({ "to": "a", "cc": { "x": 1, "y": [2, 1] } }),
            json!({ "to": "a", "cc": { "x": 1.0, "y": [1, 2] } }),
            json!({ "to": "a", "cc": { "x": "1", "y": [1, 2] } }),
            json!({ "to": "a", "cc": { "x": 1, "y": [1], "z": [2] } }),
            json!({ "to": "a" }),
        ];
        for other in others {
            assert_ne!(one, of(other.clone()), "{other}");
        }
        // What stands where counts, not only what it is put together.
        assert_ne!(
            digest("mail", "send", json!({})),
            digest("mails", "end", json!({}))
        );
        assert_ne!(of(json!({ "a": [[], 1] })), of(json!({ "a": [[1]] })));
        assert_ne!(of(json!({ "a": null })), of(json!({ "a": false })));
    }

    #[test]
    fn a_digest_is_read_back_as_it_was_written() {
        let one = digest("a", "b", json!({}));
        let text = serde_json::to_string(&one).unwrap();
        assert_eq!(serde_json::from_str::<Digest>(&text).unwrap(), one);
        assert!("00".parse::<Digest>().is_err());
    }
}
