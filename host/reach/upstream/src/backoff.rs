//! How long a server is left alone that fails again and again; how pauses grow, for whoever tries
//! something again.

use std::time::Duration;

/// The most before the third attempt in a row; it doubles with each further one. The second comes
/// at once.
const FIRST_PAUSE: Duration = Duration::from_millis(500);

/// No pause is longer.
pub(super) const LONGEST_PAUSE: Duration = Duration::from_mins(1);

/// Attempts in a row that brought nothing that lasted.
#[derive(Debug, Default)]
pub(super) struct Backoff {
    failures: u32,
}

impl Backoff {
    /// One more failed. How long to wait before the next: what failed together is not tried again
    /// together, so part of it is left to chance.
    pub(super) fn fail(&mut self) -> Duration {
        self.failures = self.failures.saturating_add(1);
        match self.failures {
            0 | 1 => Duration::ZERO,
            more => jittered(doubled(FIRST_PAUSE, more - 2)),
        }
    }

    pub(super) fn failures(&self) -> u32 {
        self.failures
    }

    /// Something lasted.
    pub(super) fn reset(&mut self) {
        self.failures = 0;
    }
}

/// A pause that doubles each time, up to a minute.
pub(super) fn doubled(first: Duration, times: u32) -> Duration {
    first.saturating_mul(1 << times.min(16)).min(LONGEST_PAUSE)
}

/// Between this and half of it, so that many do not come back at once. Where the system has no
/// entropy, it is always the same, which does no harm.
pub(super) fn jittered(pause: Duration) -> Duration {
    let chance = f64::from(getrandom::u32().unwrap_or_default()) / f64::from(u32::MAX);
    pause.mul_f64(0.5 + chance / 2.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_up_to_a_bound_and_differ() {
        let mut backoff = Backoff::default();
        assert_eq!(backoff.fail(), Duration::ZERO);
        for most in [500, 1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000] {
            let most = Duration::from_millis(most);
            let pause = backoff.fail();
            assert!((most / 2..=most).contains(&pause), "{pause:?} of {most:?}");
        }
        backoff.failures = u32::MAX;
        let pauses: Vec<_> = (0..10).map(|_| backoff.fail()).collect();
        assert!(pauses.iter().any(|pause| *pause != pauses[0]));
        assert!(pauses.iter().all(|pause| *pause <= LONGEST_PAUSE));
        backoff.reset();
        assert_eq!(backoff.fail(), Duration::ZERO);
    }
}
