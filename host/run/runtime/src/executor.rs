//! Tokio, set up for runs that compute.

use std::io;

use tokio::runtime::{Builder, Runtime};

/// After how many slices of tasks a thread looks for new requests, timers and results: after each.
/// By default Tokio looks after 61, which are as many milliseconds where every task computes.
const SLICES: u32 = 1;

/// Tokio with a thread for each core, for runs that compute: between two of their slices, each
/// thread looks at what has arrived. An isolate runs on any Tokio runtime that has timers; on one
/// with Tokio's own settings, new requests, timers and messages wait for many slices.
///
/// # Errors
///
/// If the system has no threads to give.
pub fn executor() -> io::Result<Runtime> {
    Builder::new_multi_thread()
        .enable_all()
        .event_interval(SLICES)
        .global_queue_interval(SLICES)
        .build()
}
