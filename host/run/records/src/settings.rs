//! What an operator chooses: `[records]`.

use std::time::Duration;

use ampoule_fields::Quantity;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::limits::{Keep, RecordLimits};

/// Which runs leave a record, which `ampoule runs replay` replays.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct RecordSettings {
    /// Which runs leave a record. Default: `none`.
    pub keep: Keep,
    /// How much the records of one principal may take; the oldest are removed first. Default:
    /// `1GiB`.
    #[serde(deserialize_with = "ampoule_fields::bytes")]
    #[schemars(with = "Quantity")]
    pub bytes: u64,
    /// How large one record may be; a run that needs more leaves none. Default: `64MiB`.
    #[serde(deserialize_with = "ampoule_fields::bytes")]
    #[schemars(with = "Quantity")]
    pub each: u64,
    /// How long a record is stored. Default: `7d`.
    #[serde(deserialize_with = "ampoule_fields::time")]
    #[schemars(with = "Quantity")]
    pub age: Duration,
}

impl Default for RecordSettings {
    fn default() -> Self {
        let RecordLimits { each, bytes, age } = RecordLimits::default();
        Self {
            keep: Keep::default(),
            bytes,
            each,
            age,
        }
    }
}

impl RecordSettings {
    /// What records may take.
    pub fn limits(&self) -> RecordLimits {
        RecordLimits {
            each: self.each,
            bytes: self.bytes,
            age: self.age,
        }
    }
}
