//! What uses of WASI cost.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Instant;

use super::{Host, guest, told};
use crate::imports::RANDOM_BYTE;
use crate::outcome::Ending;
use crate::tape::Recording;
use crate::wasi::price::USE;
use crate::world::{DivergenceError, World};

#[tokio::test]
async fn a_guest_pays_for_what_it_asks_wasi_for() {
    let mut host = Host::new();
    let outcome = host.run(guest("clocks", "{}")).await;
    assert_eq!(told(&outcome), "1");
    let fuel = outcome.usage.fuel;
    assert!((100_000 * USE..110_000 * USE).contains(&fuel), "{fuel}");
    // It has no more than that, and pays for nothing else that would show it.
    host.limits.fuel = 99_000 * USE;
    assert_eq!(told(&host.run(guest("clocks", "{}")).await), "limit: fuel");
}

#[tokio::test]
async fn entropy_is_drawn_at_once_and_paid_for() {
    let recording = Recording::default();
    let mut host = Host::new();
    host.world = Some(Arc::new(recording.clone()));
    let outcome = host.run(guest("entropy", "{}")).await;
    assert_eq!(told(&outcome), "1");
    let drawn = 20 * 65_536;
    let fuel = outcome.usage.fuel;
    assert!(fuel >= drawn * RANDOM_BYTE + 20 * USE, "{fuel}");
    // A seed of 16 bytes, and a byte of entropy for each byte.
    let tape = recording.tape().expect("it is short");
    assert_eq!(tape.entropy().len() as u64, 16 + drawn);
    host.limits.fuel = drawn;
    assert_eq!(told(&host.run(guest("entropy", "{}")).await), "limit: fuel");
}

/// A world that has a seed, and then no entropy.
struct DryWorld(AtomicUsize);

impl World for DryWorld {
    fn now(&self) -> Result<u64, DivergenceError> {
        Ok(0)
    }

    fn elapsed(&self, _: Instant) -> Result<u64, DivergenceError> {
        Ok(0)
    }

    fn fill(&self, _: &mut [u8]) -> Result<(), DivergenceError> {
        match self.0.fetch_add(1, Relaxed) {
            0 => Ok(()),
            _ => Err(DivergenceError("there is no entropy".to_owned())),
        }
    }
}

#[tokio::test]
async fn without_entropy_a_run_ends() {
    let mut host = Host::new();
    host.world = Some(Arc::new(DryWorld(AtomicUsize::new(0))));
    let outcome = host.run(guest("entropy", "{}")).await;
    assert!(matches!(outcome.ending, Ending::Trapped(_)));
    assert!(told(&outcome).contains("there is no entropy"));
}

#[tokio::test]
async fn no_more_is_written_at_once_than_a_stream_takes() {
    let mut host = Host::new();
    host.limits.output_bytes = 1 << 20;
    let outcome = host.run(guest("writes", "0")).await;
    assert_eq!(told(&outcome), "1");
    assert_eq!(outcome.output.to_string().len(), 65_536 + 1);
    let outcome = host.run(guest("writes", "1")).await;
    assert!(told(&outcome).contains("65537 bytes were written at once"));
    assert!(outcome.output.is_empty());
}
