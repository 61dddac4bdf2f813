//! How long things took, so that percentiles can be told without keeping each time.

use std::collections::BTreeMap;

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

/// How many steps there are between a power of two and the next: a percentile is at most an eighth
/// above the true one.
const STEPS: u64 = 8;

/// Times, counted by their size. It takes the same room for a thousand and for a million of them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Latency {
    counts: BTreeMap<u64, u64>,
    slowest_us: u64,
}

impl Latency {
    /// One time, in microseconds.
    pub(crate) fn of(us: u64) -> Self {
        Self {
            counts: BTreeMap::from([(step(us), 1)]),
            slowest_us: us,
        }
    }

    pub(crate) fn add(&mut self, other: &Self) {
        for (step, count) in &other.counts {
            let counted = self.counts.entry(*step).or_default();
            *counted = counted.saturating_add(*count);
        }
        self.slowest_us = self.slowest_us.max(other.slowest_us);
    }

    /// Whether nothing was counted.
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    /// The time in microseconds that so many percent of all times did not exceed; none where
    /// nothing was counted.
    pub fn percentile_us(&self, percent: u64) -> Option<u64> {
        let all: u64 = self.counts.values().sum();
        let wanted = all
            .saturating_mul(percent.min(100))
            .div_ceil(100)
            .clamp(1, all.max(1));
        let mut counted = 0;
        let found = self.counts.iter().find(|(_, count)| {
            counted += *count;
            counted >= wanted
        });
        found.map(|(step, _)| end(*step).min(self.slowest_us))
    }
}

impl Serialize for Latency {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut document = serializer.serialize_map(None)?;
        for (name, percent) in [("p50Us", 50), ("p95Us", 95), ("p99Us", 99)] {
            if let Some(us) = self.percentile_us(percent) {
                document.serialize_entry(name, &us)?;
            }
        }
        document.end()
    }
}

/// The step that a time belongs to. Small times have a step each.
fn step(us: u64) -> u64 {
    if us < STEPS {
        return us;
    }
    let power = u64::from(us.ilog2());
    let within = (us >> (power - 3)) & (STEPS - 1);
    (power - 2) * STEPS + within
}

/// The longest time of a step.
fn end(step: u64) -> u64 {
    if step < STEPS {
        return step;
    }
    let (power, within) = (step / STEPS + 2, step % STEPS);
    let next = u128::from(STEPS + within + 1) << (power - 3);
    u64::try_from(next - 1).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_time_is_at_most_an_eighth_below_the_end_of_its_step() {
        let times = (0..2000).chain((11..64).flat_map(|power| {
            let at = 1_u64 << power;
            [at - 1, at, at + 1, at + at / 3]
        }));
        for us in times.chain([u64::MAX]) {
            let end = end(step(us));
            assert!(end >= us, "{us}: {end}");
            assert!(end - us <= us / 8, "{us}: {end}");
        }
    }

    #[test]
    fn percentiles_are_those_of_the_times() {
        let mut all = Latency::default();
        assert!(all.is_empty());
        assert_eq!(all.percentile_us(50), None);
        for us in 1..=1000 {
            all.add(&Latency::of(us));
        }
        for (percent, exact) in [(50, 500), (95, 950), (99, 990), (100, 1000)] {
            let found = all.percentile_us(percent).unwrap();
            assert!((exact..=exact + exact / 8).contains(&found), "{found}");
        }
        let written = serde_json::to_value(&all).unwrap();
        assert_eq!(written["p99Us"], 1000, "the slowest is the most");
        // One slow call of a hundred is not the median.
        let mut few = Latency::of(1_000_000);
        (0..99).for_each(|_| few.add(&Latency::of(10)));
        assert_eq!(few.percentile_us(50), Some(10));
        assert_eq!(few.percentile_us(99), Some(10));
        assert_eq!(few.percentile_us(100), Some(1_000_000));
    }
}
