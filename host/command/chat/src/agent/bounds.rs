//! How much a task may take.

use std::fmt;
use std::time::Duration;

use serde::Serialize;

use crate::endpoint::Usage;

/// How much a task may take.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bounds {
    /// How many requests the model gets, with those that are sent again.
    pub steps: u32,
    /// How many tokens it reads and writes.
    pub tokens: u64,
    /// How long it takes.
    pub time: Duration,
    /// How much it costs, in the money of the prices.
    pub cost: Option<f64>,
}

impl Default for Bounds {
    fn default() -> Self {
        Self {
            steps: 50,
            tokens: 2_000_000,
            time: Duration::from_secs(60 * 60),
            cost: None,
        }
    }
}

/// What a task may not take more of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Bound {
    /// Requests to the model.
    Steps,
    /// Tokens.
    Tokens,
    /// Time.
    Time,
    /// Money.
    Cost,
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Steps => "steps",
            Self::Tokens => "tokens",
            Self::Time => "time",
            Self::Cost => "cost",
        })
    }
}

/// What was taken so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Spending {
    /// How many requests the model got.
    pub steps: u32,
    /// How many of its calls were made.
    pub calls: u32,
    /// Its tokens.
    pub usage: Usage,
}

impl Spending {
    /// Adds that of another task.
    pub fn add(&mut self, other: &Self) {
        self.steps = self.steps.saturating_add(other.steps);
        self.calls = self.calls.saturating_add(other.calls);
        self.usage.add(other.usage);
    }
}

impl Bounds {
    /// The bound that is reached, if one is.
    pub fn reached(&self, spent: &Spending, cost: Option<f64>) -> Option<Bound> {
        let is_above = |most: f64| cost.is_some_and(|cost| cost >= most);
        match () {
            () if spent.steps >= self.steps => Some(Bound::Steps),
            () if spent.usage.total() >= self.tokens => Some(Bound::Tokens),
            () if self.cost.is_some_and(is_above) => Some(Bound::Cost),
            () => None,
        }
    }
}
