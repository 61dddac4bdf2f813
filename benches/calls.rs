//! `calls/*`: a thousand calls of a Rust function that answers at once.

use ampoule_benches::{SEQUENTIAL_CALLS, checked, executor, run, runtime};
use criterion::{Criterion, criterion_group, criterion_main};

const CONCURRENT: &str =
    "const all = await Promise.all(Array.from({ length: 1000 }, (_, n) => bench.echo({ n })));
return all.reduce((sum, { n }) => sum + n, 0)";

fn calls(criterion: &mut Criterion) {
    let runtime = runtime();
    let executor = executor();
    let mut group = criterion.benchmark_group("calls");
    for (name, source) in [
        ("sequential/1000", SEQUENTIAL_CALLS),
        ("concurrent/1000", CONCURRENT),
    ] {
        group.bench_function(name, |bencher| {
            bencher.iter(|| assert_eq!(checked(executor.block_on(run(&runtime, source))), 499_500));
        });
    }
    group.finish();
}

criterion_group!(benches, calls);
criterion_main!(benches);
