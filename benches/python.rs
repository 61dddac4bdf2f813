//! `isolate/python/*`, `calls/python/*`, `data/python/*`: what runs in Python cost; the last beside
//! the same work in the Python that is installed here.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

use ampoule::{Grant, Script};
use ampoule_benches::{TRIVIAL_PYTHON, checked, executor, page, run_python, runtime, throughput};
use criterion::{Criterion, criterion_group, criterion_main};
use serde_json::json;

/// What a thousand calls give together.
const SUM: u32 = 499_500;

const SEQUENTIAL: &str = "total = 0
for n in range(1000):
    total += (await bench.echo(n=n)).n
total";

const GATHER: &str = "import asyncio
sum(answer.n for answer in await asyncio.gather(*(bench.echo(n=n) for n in range(1000))))";

/// What the report needs.
const IMPORTS: &str = "from collections import defaultdict
from statistics import fmean
";

/// Ten thousand rows that come from a tool call.
const ROWS: &str = "rows = (await bench.rows(count=10000)).rows
";

/// The rows filtered, grouped, with mean and median, sorted.
const REPORT: &str = "by_region = defaultdict(list)
for row in rows:
    if row['status'] != 'cancelled':
        by_region[row['region']].append(row['amount'])
report = []
for region, amounts in by_region.items():
    amounts.sort()
    report.append({'region': region, 'count': len(amounts), 'mean': round(fmean(amounts), 2), 'median': amounts[len(amounts) // 2]})
report.sort(key=lambda line: -line['mean'])
result = {'rows': len(rows), 'kept': sum(line['count'] for line in report), 'regions': len(report)}";

/// A native Python that does the same a given number of times, from the rows as JSON to the result
/// as JSON, and reports how many nanoseconds that took.
struct Native {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Native {
    /// None where no Python is installed.
    fn start() -> Option<Self> {
        let report = REPORT.replace('\n', "\n        ");
        let source = format!(
            "import json, sys, time
{IMPORTS}
text = sys.stdin.readline()
for line in sys.stdin:
    begun = time.perf_counter_ns()
    for _ in range(int(line)):
        rows = json.loads(text)['rows']
        {report}
        json.dumps(result)
    print(time.perf_counter_ns() - begun, flush=True)
"
        );
        let mut child = Command::new("python3")
            .args(["-c", &source])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .ok()?;
        let mut input = child.stdin.take().expect("piped");
        let output = BufReader::new(child.stdout.take().expect("piped"));
        let (_, rows) = page(10_000);
        writeln!(input, "{rows}").expect("it reads");
        Some(Self {
            child,
            input,
            output,
        })
    }

    fn time(&mut self, runs: u64) -> Duration {
        writeln!(self.input, "{runs}").expect("it reads");
        let mut line = String::new();
        self.output.read_line(&mut line).expect("it answers");
        Duration::from_nanos(line.trim().parse().expect("a number"))
    }
}

impl Drop for Native {
    fn drop(&mut self) {
        let ended = self.child.kill().and_then(|()| self.child.wait());
        ended.expect("it ends");
    }
}

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

    let report = [IMPORTS, ROWS, REPORT].concat();
    let kept = value(&report)["kept"].clone();
    let mut group = criterion.benchmark_group("data/python");
    group.bench_function("10k-rows", |bencher| {
        let expected = json!({ "rows": 10_000, "kept": kept, "regions": 4 });
        bencher.iter(|| assert_eq!(value(&report), expected));
    });
    if let Some(mut native) = Native::start() {
        group.bench_function("10k-rows/native", |bencher| {
            bencher.iter_custom(|runs| native.time(runs));
        });
    }
    group.finish();
}

criterion_group!(benches, python);
criterion_main!(benches);
