//! For tests: how long work takes, and that this grows in proportion to the size of what it is done
//! on.

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// The sizes that are tried, as multiples of the smallest.
const SIZES: [usize; 3] = [1, 2, 8];

/// How many times as long the largest may take as each of the others: a third less than what is
/// quadratic takes, twice what is linear does. Between two
/// sizes there may be a cliff, where what is worked on leaves one of the processor's caches.
const MOST: [(usize, u32); 2] = [(0, 27), (1, 9)];

/// How often each size is measured at first. The quickest time is the one that nothing disturbed. A
/// disturbed time of the largest size can only make a test fail, so that it is measured once; then,
/// if need be, as often as the smallest.
const RUNS: [usize; 3] = [3, 3, 1];

/// How often all of them are, if need be: a busy machine disturbs some.
const ATTEMPTS: usize = 4;

/// Panics if the time of `work` grows out of proportion. It is the processor's time for this
/// thread: what else runs on the machine does not count.
pub fn assert_linear<T>(name: &str, size: usize, make: impl Fn(usize) -> T, work: impl Fn(&T)) {
    let measure = |factor, runs: usize| {
        let input = make(factor * size);
        let runs = (0..runs).map(|_| timed(|| work(&input)).1);
        runs.min().unwrap()
    };
    let mut measured = Vec::new();
    for attempt in 0..ATTEMPTS {
        let runs = RUNS.map(|runs| if attempt == 0 { runs } else { RUNS[0] });
        let times: Vec<_> = SIZES
            .into_iter()
            .zip(runs)
            .map(|(size, runs)| measure(size, runs))
            .collect();
        if MOST
            .iter()
            .all(|&(smaller, most)| times[2] <= most * times[smaller])
        {
            return;
        }
        measured.push(times);
    }
    panic!("{name}: {SIZES:?} times {size} take {measured:?}");
}

/// Does work, and gives how long it takes: the processor's time for this thread.
pub fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let before = processor_time();
    let done = work();
    (done, processor_time() - before)
}

fn processor_time() -> Duration {
    clock_gettime(ClockId::ThreadCPUTime).try_into().unwrap()
}
