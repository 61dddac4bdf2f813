//! `isolate/*`: what one run costs.

use ampoule::{Grant, Script};
use ampoule_benches::{TRIVIAL, TYPESCRIPT, checked, executor, run, runtime};
use criterion::{Criterion, criterion_group, criterion_main};
use serde_json::json;

fn isolate(criterion: &mut Criterion) {
    let runtime = runtime();
    let executor = executor();
    let mut group = criterion.benchmark_group("isolate");
    group.bench_function("instantiate", |bencher| {
        bencher.iter(|| {
            let isolate = runtime
                .isolate(Script::typescript(TRIVIAL))
                .grant(Grant::all());
            executor
                .block_on(isolate.instantiate())
                .expect("an instance");
        });
    });
    group.bench_function("trivial", |bencher| {
        bencher.iter(|| assert_eq!(checked(executor.block_on(run(&runtime, TRIVIAL))), 2));
    });
    group.bench_function("typescript", |bencher| {
        bencher.iter(|| {
            assert_eq!(
                checked(executor.block_on(run(&runtime, TYPESCRIPT))),
                json!(3)
            )
        });
    });
    group.bench_function("console", |bencher| {
        bencher.iter(|| {
            let outcome = executor
                .block_on(run(&runtime, "console.log('a', 1, { b: [1, 2] })"))
                .expect("no host fault");
            assert_eq!(outcome.output.to_string(), "a 1 { b: [ 1, 2 ] }\n");
        });
    });
    group.finish();
}

criterion_group!(benches, isolate);
criterion_main!(benches);
