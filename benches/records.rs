//! `records/*`: what a run costs that leaves a record, beside one that leaves none, and what it
//! takes to run one again.

use ampoule::{Grant, Isolate, Keep, RecordOptions, Runtime, Script};
use ampoule_benches::{executor, functions, warm};
use criterion::{Criterion, criterion_group, criterion_main};

/// A run with one call.
const SCRIPT: &str = "return Math.random() < 2 ? await tools.bench.echo({ n: 1 }) : 0";

fn isolate(runtime: &Runtime) -> Isolate {
    runtime
        .isolate(Script::typescript(SCRIPT))
        .grant(Grant::all())
}

fn records(criterion: &mut Criterion) {
    let folder = tempfile::tempdir().expect("a folder");
    let builder = Runtime::builder().binding(functions());
    let builder = builder.records(folder.path().join("records"), RecordOptions::default());
    let runtime = warm(builder.build().expect("a runtime"));
    let executor = executor();
    let run = |keep| {
        let isolate = isolate(&runtime).record(keep);
        executor.block_on(isolate.run()).expect("no host fault")
    };
    let mut group = criterion.benchmark_group("records");
    for (name, keep) in [
        ("none", Keep::None),
        // It returns: what was written is thrown away.
        ("failures", Keep::Failures),
        ("all", Keep::All),
    ] {
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                let outcome = run(keep);
                assert_eq!(outcome.record.is_some(), keep == Keep::All);
            });
        });
    }
    let kept = run(Keep::All).record.expect("a record").to_string();
    let records = runtime.records(None).expect("a folder");
    group.bench_function("replay", |bencher| {
        bencher.iter(|| {
            let record = records.record(&kept).expect("a record");
            let replayed = executor.block_on(runtime.replay(record).run());
            assert_eq!(replayed.expect("no host fault").difference, None);
        });
    });
}

criterion_group!(benches, records);
criterion_main!(benches);
