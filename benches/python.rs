//! `isolate/python/*`, `calls/python/*`, `data/python/*`: what runs in Python cost.

use ampoule::binding::Grant;
use ampoule::script::Script;
use ampoule_benches::{TRIVIAL_PYTHON, checked, executor, run_python, runtime, throughput};
use criterion::{Criterion, criterion_group, criterion_main};
use serde_json::json;
use std::time::Duration;

/// What a thousand calls give together.
const SUM: u32 = 499_500;

const SEQUENTIAL: &str = "total = 0
for n in range(1000):
    total += (await bench.echo(n=n)).n
total";

const GATHER: &str = "import asyncio
sum(answer.n for answer in await asyncio.gather(*(bench.echo(n=n) for n in range(1000))))";

/// Ten thousand rows that come from a tool call, filtered, grouped, with mean and median, sorted.
const REPORT: &str = "from collections import defaultdict
from statistics import fmean

rows = (await bench.rows(count=10000)).rows
by_region = defaultdict(list)
for row in rows:
    if row['status'] != 'cancelled':
        by_region[row['region']].append(row['amount'])
report = []
for region, amounts in by_region.items():
    amounts.sort()
    report.append({'region': region, 'count': len(amounts), 'mean': round(fmean(amounts), 2), 'median': amounts[len(amounts) // 2]})
report.sort(key=lambda line: -line['mean'])
{'rows': len(rows), 'kept': sum(line['count'] for line in report), 'regions': len(report)}";

fn python(criterion: &mut Criterion) {
    let runtime = runtime();
    let executor = executor();
    let value = |source: &str| checked(executor.block_on(run_python(&runtime, source)));

    let mut group = criterion.benchmark_group("isolate/python");
    group.bench_function("instantiate", |bencher| {
        bencher.iter(|| {
            let isolate = runtime
                .isolate(Script::python(TRIVIAL_PYTHON))
                .grant(Grant::all());
            executor
                .block_on(isolate.instantiate())
                .expect("an instance");
        });
    });
    group.bench_function("trivial", |bencher| {
        bencher.iter(|| assert_eq!(value(TRIVIAL_PYTHON), 2));
    });
    group.bench_function("print", |bencher| {
        bencher.iter(|| {
            let outcome = executor.block_on(run_python(&runtime, "print('a', 1, {'b': [1, 2]})"));
            let output = outcome.expect("no host fault").output.to_string();
            assert_eq!(output, "a 1 {'b': [1, 2]}\n");
        });
    });
    for threads in [1, 2] {
        group.bench_function(format!("parallel/{threads}"), |bencher| {
            bencher.iter_custom(|runs| {
                let trivial =
                    || async { assert_eq!(checked(run_python(&runtime, TRIVIAL_PYTHON).await), 2) };
                let rate = throughput(threads, Duration::from_millis(200), trivial);
                Duration::from_secs_f64(runs as f64 / rate)
            });
        });
    }
    group.finish();

    let mut group = criterion.benchmark_group("calls/python");
    for (name, source) in [("sequential/1000", SEQUENTIAL), ("gather/1000", GATHER)] {
        group.bench_function(name, |bencher| {
            bencher.iter(|| assert_eq!(value(source), SUM));
        });
    }
    group.finish();

    let kept = value(REPORT)["kept"].clone();
    criterion.bench_function("data/python/10k-rows", |bencher| {
        let expected = json!({ "rows": 10_000, "kept": kept, "regions": 4 });
        bencher.iter(|| assert_eq!(value(REPORT), expected));
    });
}

criterion_group!(benches, python);
criterion_main!(benches);
