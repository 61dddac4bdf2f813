//! `isolate/parallel/*`: how runs per second grow with threads. The time is that of one run, all
//! threads together.

use std::time::{Duration, Instant};

use ampoule_benches::{TRIVIAL, checked, executor, run, runtime};
use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};

fn parallel(criterion: &mut Criterion) {
    let runtime = runtime();
    let mut group = criterion.benchmark_group("isolate/parallel");
    for threads in [1_u64, 2] {
        group.bench_function(BenchmarkId::from_parameter(threads), |bencher| {
            bencher.iter_custom(|runs| {
                let started = Instant::now();
                std::thread::scope(|scope| {
                    for _ in 0..threads {
                        scope.spawn(|| {
                            let executor = executor();
                            for _ in 0..runs.div_ceil(threads) {
                                assert_eq!(checked(executor.block_on(run(&runtime, TRIVIAL))), 2);
                            }
                        });
                    }
                });
                started.elapsed()
            });
        });
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default().measurement_time(Duration::from_secs(10));
    targets = parallel
}
criterion_main!(benches);
