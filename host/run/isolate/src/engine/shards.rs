//! Shards: what runs share, made again for each core.
//!
//! A run counts references to its engine, its code and its types again and again. Threads that
//! share one engine pass those counts to and fro between their cores, the more so the more threads
//! there are. So each thread keeps to a shard of its own.

use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use tokio::sync::OnceCell;

/// The most shards: each engine takes address space for every isolate that may be alive.
const MOST_SHARDS: usize = 8;

/// Values of which each thread uses one, made when they are first used.
pub struct Shards<T>(Box<[OnceCell<T>]>);

impl<T> Shards<T> {
    /// As many shards as there are cores, up to eight. `first` is the shard of the first thread
    /// that asks for its own.
    pub fn new(first: T) -> Self {
        let others = (1..count()).map(|_| OnceCell::new());
        Self(
            [OnceCell::new_with(Some(first))]
                .into_iter()
                .chain(others)
                .collect(),
        )
    }

    /// This thread's shard.
    pub async fn mine<E>(&self, make: impl FnOnce() -> Result<T, E>) -> Result<&T, E> {
        let shard = &self.0[number_of_thread() % self.0.len()];
        shard.get_or_try_init(async || make()).await
    }
}

/// How many shards there may be on this machine.
pub(super) fn count() -> usize {
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    cores.min(MOST_SHARDS)
}

/// Threads are numbered as they first ask.
fn number_of_thread() -> usize {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    thread_local!(static NUMBER: usize = NEXT.fetch_add(1, Ordering::Relaxed));
    NUMBER.with(|number| *number)
}
