//! What an operator chooses: `[privacy]`.

use std::collections::BTreeMap;
use std::fmt;

use schemars::JsonSchema;
use serde::de::value::MapAccessDeserializer;
use serde::de::{self, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

/// Personal data on its way to the model. Without this table, nothing is done about it. A table
/// without `mode` replaces it by tokens.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Settings {
    /// What is done about personal data on its way to the model: nothing, it is counted, it is
    /// replaced by tokens such as `<email:1>`, or it does not go there. Default: `tokens`.
    #[serde(default = "Mode::of_a_table")]
    pub mode: Mode,
    /// What is looked for: `address`, `card`, `email`, `iban`, `id`, `ip`, `name`, `phone`,
    /// `secret`, and the names of patterns. Default: all.
    #[serde(
        deserialize_with = "ampoule_fields::texts",
        skip_serializing_if = "Option::is_none"
    )]
    pub kinds: Option<Vec<String>>,
    /// What else is looked for: a name for it, and a regular expression.
    #[serde(
        deserialize_with = "patterns",
        skip_serializing_if = "BTreeMap::is_empty"
    )]
    pub patterns: BTreeMap<String, String>,
    /// The tools whose data is looked at. Default: all.
    #[serde(
        deserialize_with = "ampoule_fields::texts",
        skip_serializing_if = "Option::is_none"
    )]
    pub from: Option<Vec<String>>,
    /// The tools that get the real value where a script passes a token: patterns, or tables with
    /// `tools` and `kinds`. Default: all, as a script that has the data can pass it to any tool that it
    /// may call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<Vec<Receiver>>,
}

/// What is done about personal data.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    /// Nothing.
    #[default]
    Off,
    /// It is counted.
    Detect,
    /// It is replaced by tokens.
    Tokens,
    /// What has some does not go to the model; an error does.
    Block,
}

impl Mode {
    /// That of a table that does not say one: it protects.
    fn of_a_table() -> Self {
        Self::Tokens
    }
}

/// Patterns by name.
fn patterns<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<BTreeMap<String, String>, D::Error> {
    #[derive(Deserialize)]
    struct Pattern(#[serde(deserialize_with = "ampoule_fields::text")] String);

    let patterns = BTreeMap::<String, Pattern>::deserialize(deserializer)?;
    Ok(patterns
        .into_iter()
        .map(|(name, of)| (name, of.0))
        .collect())
}

/// Tools that get real values: all kinds, or some.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Receiver {
    /// A pattern of tools that get all kinds.
    All(String),
    /// One of tools that get some.
    Some(Kinds),
}

/// Tools that get some kinds of real values.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Kinds {
    /// A pattern of tools.
    #[serde(deserialize_with = "ampoule_fields::text")]
    pub tools: String,
    /// What they get. Default: all kinds.
    #[serde(default, deserialize_with = "ampoule_fields::texts")]
    pub kinds: Option<Vec<String>>,
}

impl<'de> Deserialize<'de> for Receiver {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ReceiverVisitor;

        impl<'de> Visitor<'de> for ReceiverVisitor {
            type Value = Receiver;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("tools in quotes, or a table with `tools`")
            }

            fn visit_str<E: de::Error>(self, tools: &str) -> Result<Receiver, E> {
                let tools = de::value::StrDeserializer::new(tools);
                ampoule_fields::text(tools).map(Receiver::All)
            }

            fn visit_map<A: MapAccess<'de>>(self, table: A) -> Result<Receiver, A::Error> {
                Kinds::deserialize(MapAccessDeserializer::new(table)).map(Receiver::Some)
            }
        }

        deserializer.deserialize_any(ReceiverVisitor)
    }
}

impl Receiver {
    /// The pattern of tools.
    pub fn tools(&self) -> &str {
        match self {
            Self::All(tools) => tools,
            Self::Some(some) => &some.tools,
        }
    }

    /// The kinds that they get, if not all.
    pub fn kinds(&self) -> Option<&[String]> {
        match self {
            Self::All(_) => None,
            Self::Some(some) => some.kinds.as_deref(),
        }
    }

    /// Whether they get a kind of this name.
    pub fn gets(&self, kind: &str) -> bool {
        (self.kinds()).is_none_or(|kinds| kinds.iter().any(|name| name == kind))
    }
}
