//! How many messages of a hook are taken.

use std::num::NonZeroU32;

use governor::{DefaultDirectRateLimiter, Quota};

/// How many messages of a hook start runs in a minute.
#[derive(Debug)]
pub struct HookRate(DefaultDirectRateLimiter);

impl HookRate {
    /// So many in a minute, and so many at once.
    pub fn per_minute(most: NonZeroU32) -> Self {
        Self(DefaultDirectRateLimiter::direct(Quota::per_minute(most)))
    }

    /// Counts one more. False if there were too many.
    pub fn takes_one(&self) -> bool {
        self.0.check().is_ok()
    }
}
