//! `wasi:random`: the entropy of the run's world. Wasmtime's own would draw each byte by itself,
//! and has no error for a world that has none.

use wasmtime::component::{HasSelf, Linker};
use wasmtime_wasi::p2::bindings::random as p2;
use wasmtime_wasi::p3::bindings::random as p3;

use super::price::USE;
use crate::imports::RANDOM_BYTE;
use crate::state::RunState;

/// How many random bytes a guest may ask for at once.
const MOST_BYTES: u64 = 64 << 10;

pub(super) fn add_to_linker(linker: &mut Linker<RunState>) -> wasmtime::Result<()> {
    type Run = RunState;
    type Itself = HasSelf<RunState>;
    p2::random::add_to_linker::<Run, Itself>(linker, |run| run)?;
    p2::insecure::add_to_linker::<Run, Itself>(linker, |run| run)?;
    p2::insecure_seed::add_to_linker::<Run, Itself>(linker, |run| run)?;
    p3::random::add_to_linker::<Run, Itself>(linker, |run| run)?;
    p3::insecure::add_to_linker::<Run, Itself>(linker, |run| run)?;
    p3::insecure_seed::add_to_linker::<Run, Itself>(linker, |run| run)
}

impl RunState {
    /// So many random bytes.
    fn entropy(&self, count: u64) -> wasmtime::Result<Vec<u8>> {
        self.spend(USE + RANDOM_BYTE * count)?;
        let mut bytes = vec![0; usize::try_from(count)?];
        self.world.fill(&mut bytes)?;
        Ok(bytes)
    }

    /// So many, of WASI 0.2, which has to give as many as are asked for.
    fn all_entropy(&self, count: u64) -> wasmtime::Result<Vec<u8>> {
        if count > MOST_BYTES {
            return Err(wasmtime::Error::msg(format!(
                "{count} random bytes at once; at most {MOST_BYTES}"
            )));
        }
        self.entropy(count)
    }

    fn random_number(&self) -> wasmtime::Result<u64> {
        self.spend(USE + RANDOM_BYTE * 8)?;
        let mut bytes = [0; 8];
        self.world.fill(&mut bytes)?;
        Ok(u64::from_le_bytes(bytes))
    }

    /// A seed, which is the same for all of the run.
    fn seed(&mut self) -> wasmtime::Result<(u64, u64)> {
        self.spend(USE)?;
        Ok(self.wasi().seed)
    }
}

impl p2::random::Host for RunState {
    fn get_random_bytes(&mut self, count: u64) -> wasmtime::Result<Vec<u8>> {
        self.all_entropy(count)
    }

    fn get_random_u64(&mut self) -> wasmtime::Result<u64> {
        self.random_number()
    }
}

impl p2::insecure::Host for RunState {
    fn get_insecure_random_bytes(&mut self, count: u64) -> wasmtime::Result<Vec<u8>> {
        self.all_entropy(count)
    }

    fn get_insecure_random_u64(&mut self) -> wasmtime::Result<u64> {
        self.random_number()
    }
}

impl p2::insecure_seed::Host for RunState {
    fn insecure_seed(&mut self) -> wasmtime::Result<(u64, u64)> {
        self.seed()
    }
}

impl p3::random::Host for RunState {
    fn get_random_bytes(&mut self, most: u64) -> wasmtime::Result<Vec<u8>> {
        self.entropy(most.min(MOST_BYTES))
    }

    fn get_random_u64(&mut self) -> wasmtime::Result<u64> {
        self.random_number()
    }
}

impl p3::insecure::Host for RunState {
    fn get_insecure_random_bytes(&mut self, most: u64) -> wasmtime::Result<Vec<u8>> {
        self.entropy(most.min(MOST_BYTES))
    }

    fn get_insecure_random_u64(&mut self) -> wasmtime::Result<u64> {
        self.random_number()
    }
}

impl p3::insecure_seed::Host for RunState {
    fn get_insecure_seed(&mut self) -> wasmtime::Result<(u64, u64)> {
        self.seed()
    }
}
