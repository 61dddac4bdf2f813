//! `catalog/*`: a run that calls one tool, with that many tools configured.

use ampoule::Runtime;
use ampoule_benches::{catalog, checked, executor, run, warm};
use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};

fn catalogs(criterion: &mut Criterion) {
    let executor = executor();
    let mut group = criterion.benchmark_group("catalog");
    for count in [10, 1000] {
        let runtime = warm(
            Runtime::builder()
                .binding(catalog(count))
                .build()
                .expect("a runtime"),
        );
        group.bench_function(BenchmarkId::from_parameter(count), |bencher| {
            bencher.iter(|| {
                assert_eq!(
                    checked(
                        executor
                            .block_on(run(&runtime, "return (await catalog.tool_7({ n: 7 })).n"))
                    ),
                    7
                );
            });
        });
    }
    group.finish();
}

criterion_group!(benches, catalogs);
criterion_main!(benches);
