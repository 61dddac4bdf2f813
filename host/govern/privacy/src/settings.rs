//! What an operator chooses: `[privacy]`.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What is done about personal data on its way to the model. By default nothing is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Settings {
    /// `mode`: what is done.
    pub mode: Mode,
    /// `kinds`: what is looked for: names of kinds, or of own patterns. By default, all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kinds: Option<Vec<String>>,
    /// `patterns`: what else is looked for: a name for it, and a regular expression.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub patterns: BTreeMap<String, String>,
    /// `from`: the tools whose data is looked at, as patterns of grants. By default all: whatever
    /// runs print and return is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<Vec<String>>,
    /// `to`: the tools that get the real value where a script passes a token. By default all, as a
    /// script that has the data can pass it to any tool that it may call.
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

/// Tools that get real values: all kinds, or some.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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
    /// `tools`: a pattern of tools.
    pub tools: String,
    /// `kinds`: what they get.
    pub kinds: Vec<String>,
}

impl Receiver {
    /// The pattern of tools.
    pub fn tools(&self) -> &str {
        match self {
            Self::All(tools) => tools,
            Self::Some(some) => &some.tools,
        }
    }

    /// Whether they get a kind of this name.
    pub fn gets(&self, kind: &str) -> bool {
        match self {
            Self::All(_) => true,
            Self::Some(some) => some.kinds.iter().any(|name| name == kind),
        }
    }
}
