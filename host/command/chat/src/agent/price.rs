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
    /// Of what the endpoint writes to its cache, if that costs something else.
    pub written: Option<f64>,
    /// Of what it writes.
    pub output: f64,
}

impl Prices {
    /// What this costs.
    pub fn cost(&self, usage: &Usage) -> f64 {
        // Both are parts of what the model reads.
        let cached = usage.cached.min(usage.input);
        let written = usage.written.min(usage.input - cached);
        let fresh = (usage.input - cached - written) as f64 * self.input;
        let cached = cached as f64 * self.cached.unwrap_or(self.input);
        let written = written as f64 * self.written.unwrap_or(self.input);
        (fresh + cached + written + usage.output as f64 * self.output) / MILLION
    }
}
