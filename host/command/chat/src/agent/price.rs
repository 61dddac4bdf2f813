//! What tokens cost.

use crate::endpoint::Usage;

/// How many tokens a price is for.
const MILLION: f64 = 1e6;

/// What a million tokens costs, in one's own money.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Prices {
    /// Of what the model reads.
    pub input: f64,
    /// Of what it reads from the endpoint's cache, if that costs something else.
    pub cached: Option<f64>,
    /// Of what it writes.
    pub output: f64,
}

impl Prices {
    /// What this costs.
    pub fn cost(&self, usage: &Usage) -> f64 {
        let cached = usage.cached.min(usage.input);
        let fresh = (usage.input - cached) as f64 * self.input;
        let cached = cached as f64 * self.cached.unwrap_or(self.input);
        (fresh + cached + usage.output as f64 * self.output) / MILLION
    }
}
