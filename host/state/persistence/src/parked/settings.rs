//! What an operator chooses for runs: `[runs]`.

use std::time::Duration;

use ampoule_fields::Quantity;
use ampoule_limits::LEAST_PARK_AFTER;
use schemars::JsonSchema;
use serde::de::Error;
use serde::{Deserialize, Deserializer};

use crate::parked::limits::ParkedLimits;

/// Runs: whether scripts are checked first, and what happens to runs that wait for long.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct RunSettings {
    /// Whether the calls in a script are compared with the tools before the script runs. `false`: a
    /// mistake is found when the script comes to it. Default: true.
    pub check: bool,
    /// Whether scripts that wait for long are parked: kept on disk, without an isolate, until they
    /// resume. Default: true.
    pub park: bool,
    /// How long a script waits until it is parked. At least `10ms`. Default: `10s`.
    #[serde(deserialize_with = "park_after")]
    #[schemars(with = "Quantity")]
    pub park_after: Duration,
    /// The limits of parked runs, for each principal.
    pub parked: ParkedLimits,
}

impl Default for RunSettings {
    fn default() -> Self {
        Self {
            check: true,
            park: true,
            park_after: Duration::from_secs(10),
            parked: ParkedLimits::default(),
        }
    }
}

fn park_after<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
    let after: Duration = ampoule_fields::time(deserializer)?;
    match after < LEAST_PARK_AFTER {
        true => Err(D::Error::custom(
            "this is too short for parking: at least `10ms`; `park = false` turns parking off",
        )),
        false => Ok(after),
    }
}
