//! What parked runs may take: `[runs.parked]`.

use std::time::Duration;

use ampoule_fields::Quantity;
use schemars::JsonSchema;
use serde::Deserialize;

/// What parked runs may take. A run for which there is no room is not parked, and keeps its isolate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
#[non_exhaustive]
pub struct ParkedLimits {
    /// How many runs of one principal may be parked. Default: 10,000.
    #[serde(deserialize_with = "ampoule_fields::at_least_one")]
    #[schemars(with = "Quantity")]
    pub most: usize,
    /// How large one parked run may be on disk. Default: `16MiB`.
    #[serde(deserialize_with = "ampoule_fields::bytes")]
    #[schemars(with = "Quantity")]
    pub each: u64,
    /// How long a run is kept that no process goes on with, or whose end nobody asked for. Default:
    /// `7d`.
    #[serde(deserialize_with = "ampoule_fields::time")]
    #[schemars(with = "Quantity")]
    pub age: Duration,
    /// What the parked runs of all principals may take together.
    pub all: ParkedTotals,
}

/// What the parked runs of all principals may take together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
#[non_exhaustive]
pub struct ParkedTotals {
    /// How many runs may be parked. Default: 20,000.
    #[serde(deserialize_with = "ampoule_fields::at_least_one")]
    #[schemars(with = "Quantity")]
    pub most: usize,
    /// How much parked runs may take on disk. Default: `4GiB`.
    #[serde(deserialize_with = "ampoule_fields::bytes")]
    #[schemars(with = "Quantity")]
    pub bytes: u64,
}

impl Default for ParkedLimits {
    fn default() -> Self {
        Self {
            most: 10_000,
            each: 16 << 20,
            age: Duration::from_hours(7 * 24),
            all: ParkedTotals::default(),
        }
    }
}

impl Default for ParkedTotals {
    fn default() -> Self {
        Self {
            most: 20_000,
            bytes: 4 << 30,
        }
    }
}
