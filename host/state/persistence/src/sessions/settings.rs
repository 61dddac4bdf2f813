//! What an operator chooses: `[sessions]`.

use std::path::PathBuf;
use std::time::Duration;

use ampoule_fields::Quantity;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::sessions::limits::SessionLimits;

/// The limits of stored sessions, for each principal.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct SessionSettings {
    /// The folder of sessions. Default: `ampoule/sessions` in the user's folder of data.
    #[serde(deserialize_with = "ampoule_fields::path")]
    pub folder: Option<PathBuf>,
    /// How many sessions a principal may have; the oldest are removed. Default: 1000.
    #[serde(deserialize_with = "ampoule_fields::at_least_one")]
    #[schemars(with = "Quantity")]
    pub most: usize,
    /// The largest state that one run may leave. Default: `16MiB`.
    #[serde(deserialize_with = "ampoule_fields::bytes")]
    #[schemars(with = "Quantity")]
    pub each: u64,
    /// After how long without a run a session is removed. Default: `30d`.
    #[serde(deserialize_with = "ampoule_fields::time")]
    #[schemars(with = "Quantity")]
    pub age: Duration,
    /// How many states of a session are stored, to rewind to. Default: 10.
    #[serde(deserialize_with = "ampoule_fields::at_least_one")]
    #[schemars(with = "Quantity")]
    pub runs: usize,
}

impl Default for SessionSettings {
    fn default() -> Self {
        let limits = SessionLimits::default();
        Self {
            folder: None,
            most: limits.sessions,
            each: limits.bytes,
            age: limits.age,
            runs: limits.heads,
        }
    }
}

impl SessionSettings {
    /// What sessions may take.
    pub fn limits(&self) -> SessionLimits {
        SessionLimits {
            bytes: self.each,
            heads: self.runs,
            sessions: self.most,
            age: self.age,
        }
    }
}
