//! How the time grows with what is projected: in proportion to its size, whatever its shape.
//!
//! A shape is tried in one size and in one eight times as large. What is linear takes about eight times as long, what is quadratic 64 times.
//!
//! - `schemas`: declarations of schemas
//! - `documents`: documents as values of WIT

mod documents;
mod schemas;

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// How much larger the larger size is.
const FACTOR: usize = 8;

/// How many times as long the larger size may take: three times for each doubling.
const MOST: u32 = 27;

/// How often each size is measured. The quickest time is the one that nothing disturbed.
const RUNS: usize = 5;

/// Panics if the time of `work` grows out of proportion. It is the processor's time for this thread: what else runs on the machine does not count.
fn assert_linear<T>(name: &str, size: usize, make: impl Fn(usize) -> T, work: impl Fn(&T)) {
    let [small, large] = [size, FACTOR * size].map(|size| {
        let input = make(size);
        let runs = (0..RUNS).map(|_| {
            let before = processor_time();
            work(&input);
            processor_time() - before
        });
        runs.min().unwrap()
    });
    assert!(
        large < MOST * small,
        "{name}: {size} take {small:?}, {FACTOR} times as many {large:?}"
    );
}

fn processor_time() -> Duration {
    clock_gettime(ClockId::ThreadCPUTime).try_into().unwrap()
}
