//! A world in which no time passes and nothing is random, as at the making of the guests: what all
//! runs begin with may hold neither.

use std::time::Instant;

use ampoule_isolate::{DivergenceError, World};

pub(super) struct StillWorld;

impl World for StillWorld {
    fn now(&self) -> Result<u64, DivergenceError> {
        Ok(0)
    }

    fn elapsed(&self, _: Instant) -> Result<u64, DivergenceError> {
        Ok(0)
    }

    fn fill(&self, bytes: &mut [u8]) -> Result<(), DivergenceError> {
        bytes.fill(0);
        Ok(())
    }
}
