//! For tests: that work grows in proportion to the size of what it is done on.

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// The sizes that are tried, as multiples of the smallest. What is linear takes about as many times as long, what is quadratic 64 times at the largest.
const SIZES: [usize; 4] = [1, 2, 4, 8];

/// How many times as long each of them may take: three times for each doubling.
const MOST: [u32; 4] = [1, 3, 9, 27];

/// How often each size is measured. The quickest time is the one that nothing disturbed.
const RUNS: usize = 3;

/// Panics if the time of `work` grows out of proportion. It is the processor's time for this thread: what else runs on the machine does not count.
pub(crate) fn assert_linear<T>(
    name: &str,
    size: usize,
    make: impl Fn(usize) -> T,
    work: impl Fn(&T),
) {
    let times = SIZES.map(|factor| {
        let input = make(factor * size);
        let runs = (0..RUNS).map(|_| {
            let before = processor_time();
            work(&input);
            processor_time() - before
        });
        runs.min().unwrap()
    });
    let in_time = times
        .iter()
        .zip(MOST)
        .all(|(time, most)| *time <= most * times[0]);
    assert!(in_time, "{name}: {SIZES:?} times {size} take {times:?}");
}

fn processor_time() -> Duration {
    clock_gettime(ClockId::ThreadCPUTime).try_into().unwrap()
}
