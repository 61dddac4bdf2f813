//! How often policies let something happen: counted by principal and policy, in this process.

use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use ampoule_policy::{Duty, Obligation, Rate};
use governor::clock::{Clock, DefaultClock};
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};
use parking_lot::RwLock;
use rustc_hash::FxHashMap;

/// How many principals and policies are told apart by one rate before those that have all of it
/// again are forgotten.
const KEYS: usize = 10_000;

/// Whose calls, by which policy.
type Key = (Arc<str>, Arc<str>);

/// A rate's counts: each rate that any policy ever stated has its own.
type Counts = Arc<DefaultKeyedRateLimiter<Key>>;

/// The rates of all policies. They outlive policies that are made anew.
#[derive(Default)]
pub(crate) struct Rates(RwLock<FxHashMap<Rate, Counts>>);

/// A rate is used up. Displays as a sentence for the script.
#[derive(Debug, thiserror::Error)]
#[error("the policy `{by}` allows {rate}, and they are used; the next is possible in {wait}", by = ampoule_untrusted::text::one_line(.by), wait = humantime::format_duration(*.wait))]
pub(crate) struct UsedUp {
    pub(crate) by: Arc<str>,
    rate: Rate,
    wait: Duration,
}

impl Rates {
    /// Counts one for each rate among the duties. Of several, those before the one that is used up
    /// are counted.
    pub(crate) fn take(&self, principal: &Arc<str>, duties: &[Duty]) -> Result<(), UsedUp> {
        for duty in duties {
            if let Obligation::Rate(rate) = duty.obligation {
                self.take_one(rate, (Arc::clone(principal), Arc::clone(&duty.by)))?;
            }
        }
        Ok(())
    }

    fn take_one(&self, rate: Rate, key: Key) -> Result<(), UsedUp> {
        let counts = self.counts(rate);
        if counts.len() > KEYS {
            counts.retain_recent();
            counts.shrink_to_fit();
        }
        counts.check_key(&key).map_err(|not| {
            let wait = not.wait_time_from(DefaultClock::default().now());
            let seconds = wait.as_secs() + u64::from(wait.subsec_nanos() > 0);
            UsedUp {
                by: key.1,
                rate,
                wait: Duration::from_secs(seconds.max(1)),
            }
        })
    }

    fn counts(&self, rate: Rate) -> Counts {
        if let Some(counts) = self.0.read().get(&rate) {
            return Arc::clone(counts);
        }
        let mut all = self.0.write();
        let counts = all
            .entry(rate)
            .or_insert_with(|| Arc::new(RateLimiter::keyed(quota(rate))));
        Arc::clone(counts)
    }
}

/// So many at once, after which they come back one by one.
fn quota(rate: Rate) -> Quota {
    let calls: NonZeroU32 = rate.calls();
    let each = (rate.per() / calls.get()).max(Duration::from_nanos(1));
    Quota::with_period(each).map_or_else(|| Quota::per_minute(calls), |one| one.allow_burst(calls))
}
