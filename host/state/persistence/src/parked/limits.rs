//! What parked runs may take: `[runs.parked]`.

use std::time::Duration;

use ampoule_fields::Quantity;
use schemars::JsonSchema;
use serde::Deserialize;

/// The limits of parked runs. A run above them is not parked, and keeps its isolate.
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
    /// How long a parked run is stored that no process resumes, or whose outcome no client reads.
    /// Default: `7d`.
    #[serde(deserialize_with = "ampoule_fields::time")]
    #[schemars(with = "Quantity")]
    pub age: Duration,
    /// The limits of the parked runs of all principals together.
    pub all: ParkedTotals,
}

/// The limits of the parked runs of all principals together.
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
