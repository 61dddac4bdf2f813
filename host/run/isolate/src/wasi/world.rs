//! Clocks of the run's world, as WASI asks for them, and a seed.

use std::sync::Arc;
use std::time::{Duration, Instant};

use ampoule_tools::Error;
use wasmtime_wasi::clocks::{HostMonotonicClock, HostWallClock};

use crate::world::World;

/// The clocks that the run's world shows. If it can't continue, they stay at zero: WASI has no
/// error for that.
#[derive(Clone)]
pub(super) struct WorldClock {
    world: Arc<dyn World>,
    began: Instant,
}

impl WorldClock {
    pub(super) fn of(world: Arc<dyn World>, began: Instant) -> Self {
        Self { world, began }
    }
}

impl HostWallClock for WorldClock {
    fn resolution(&self) -> Duration {
        Duration::from_nanos(1)
    }

    fn now(&self) -> Duration {
        Duration::from_nanos(self.world.now().unwrap_or_default())
    }
}

impl HostMonotonicClock for WorldClock {
    fn resolution(&self) -> u64 {
        1
    }

    fn now(&self) -> u64 {
        self.world.elapsed(self.began).unwrap_or_default()
    }
}

/// A seed for what need not be secret, as WASI gives it.
pub(super) fn seed(world: &dyn World) -> Result<(u64, u64), Error> {
    let mut bytes = [0; 16];
    world
        .fill(&mut bytes)
        .map_err(|error| Error::request(error.to_string()))?;
    let number = u128::from_le_bytes(bytes);
    Ok((number as u64, (number >> 64) as u64))
}
