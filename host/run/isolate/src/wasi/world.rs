//! Clocks and entropy of the run's world, as WASI asks for them.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ampoule_tools::Error;
use rand::TryRng;
use wasmtime_wasi::clocks::{HostMonotonicClock, HostWallClock};

use crate::world::World;

/// The clocks that the run's world shows. If it can't continue, they stay at zero: WASI has no
/// error for that.
#[derive(Clone)]
pub(super) struct WorldClock {
    pub(super) world: Arc<dyn World>,
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

/// The entropy of the run's world; zeros if it can't continue.
pub(super) struct Entropy(pub(super) Arc<dyn World>);

impl TryRng for Entropy {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        let mut bytes = [0; 4];
        self.try_fill_bytes(&mut bytes)?;
        Ok(u32::from_le_bytes(bytes))
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        let mut bytes = [0; 8];
        self.try_fill_bytes(&mut bytes)?;
        Ok(u64::from_le_bytes(bytes))
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        if self.0.fill(bytes).is_err() {
            bytes.fill(0);
        }
        Ok(())
    }
}

pub(super) fn seed(world: &dyn World) -> Result<u128, Error> {
    let mut bytes = [0; 16];
    world
        .fill(&mut bytes)
        .map_err(|error| Error::request(error.to_string()))?;
    Ok(u128::from_le_bytes(bytes))
}
