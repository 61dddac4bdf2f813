//! `parked/*`: what a run that is parked takes of the host, and how long it takes to wake it.
//!
//! Ten thousand runs wait, each parked: how much memory the process has more than before, by run,
//! and how much disk, is printed. As a test, there are a few.

#![expect(clippy::print_stdout, reason = "it says what it measured beside times")]

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ampoule::{
    CallContext, Functions, Grant, Language, Limits, ParkedLimits, Run, Runtime, Script, Tool,
    ToolResult,
};
use ampoule_benches::{executor, warm};
use criterion::{Criterion, criterion_group, criterion_main};
use serde_json::{Map, Value, json};
use tokio::sync::Semaphore;

/// How many are parked at once.
const RUNS: u32 = 10_000;
/// How many, where this is only tried.
const TRIED: u32 = 20;
/// What a parked run may take on disk.
const MOST_ON_DISK: u64 = 100 << 10;

/// What waits, with some state of its own.
const WAITING: [(Language, &str); 2] = [
    (
        Language::TypeScript,
        "const rows = Array.from({ length: 20 }, (_, id) => ({ id })); await tools.gate.enter({}); return rows.length",
    ),
    (
        Language::Python,
        "rows = [{'id': n} for n in range(20)]\nawait tools.gate.enter()\nlen(rows)",
    ),
];

/// A binding whose calls end when they are let.
fn gate(open: &Arc<Semaphore>) -> Functions {
    let tool: Tool =
        serde_json::from_value(json!({ "name": "enter", "inputSchema": { "type": "object" } }))
            .expect("a tool");
    let open = Arc::clone(open);
    Functions::new("gate").raw(tool, move |_: Map<String, Value>, _: CallContext| {
        let open = Arc::clone(&open);
        async move {
            if let Ok(passed) = open.acquire().await {
                passed.forget();
            }
            Ok(ToolResult::default())
        }
    })
}

fn runtime(folder: &Path, open: &Arc<Semaphore>) -> Runtime {
    let hour = Limits {
        wall_time: Duration::from_hours(1),
        ..Limits::default()
    };
    let ceilings = Limits {
        wall_time: hour.wall_time,
        ..Limits::default_ceilings()
    };
    let builder = Runtime::builder().limits(hour).ceilings(ceilings);
    let builder = builder
        .isolates(200)
        .slot_wait(Duration::from_mins(10))
        .binding(gate(open));
    let builder = builder.parked(folder.join("parked"), ParkedLimits::default());
    let builder = builder.park_after(Duration::from_millis(10));
    warm(builder.build().expect("a runtime"))
}

async fn parked(runtime: &Runtime, script: Script, many: u32) -> Vec<Run> {
    let before = runtime.waiting().parked;
    let mut runs = Vec::new();
    for _ in 0..many {
        let isolate = runtime.isolate(script.clone());
        let run = isolate.grant(Grant::all()).start();
        runs.push(run.await.expect("a run"));
    }
    while runtime.waiting().parked < before + u64::from(many) {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    runs
}

/// What the process has of memory that is its own, in bytes.
fn memory() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("RssAnon:"));
    let kibibytes = line.and_then(|line| line.trim().strip_suffix("kB"));
    kibibytes
        .and_then(|number| number.trim().parse::<u64>().ok())
        .unwrap_or(0)
        << 10
}

fn parking(criterion: &mut Criterion) {
    let many = match std::env::args().any(|argument| argument == "--bench") {
        true => RUNS,
        false => TRIED,
    };
    let executor = executor();
    let mut group = criterion.benchmark_group("parked");
    group.sample_size(20);
    for (language, source) in WAITING {
        let name = language.name();
        let waiting = Script::new(language, source);
        let folder = tempfile::tempdir().expect("a folder");
        let open = Arc::new(Semaphore::new(0));
        let runtime = runtime(folder.path(), &open);
        let pass = |runs: Vec<Run>| {
            open.add_permits(runs.len());
            executor.block_on(async {
                for run in runs {
                    let outcome = run.outcome().await.expect("no host fault");
                    assert_eq!(outcome.value::<u32>().expect("a number"), 20);
                    assert_eq!(outcome.usage.parked, 1);
                }
            });
        };
        // The extra work of the first run must not count.
        pass(executor.block_on(parked(&runtime, waiting.clone(), TRIED)));
        group.bench_function(format!("{name}/wake-and-end"), |bencher| {
            bencher.iter_custom(|times| {
                let times = u32::try_from(times).unwrap_or(u32::MAX);
                let runs = executor.block_on(parked(&runtime, waiting.clone(), times));
                let began = Instant::now();
                pass(runs);
                began.elapsed()
            });
        });
        let (before, began) = (memory(), Instant::now());
        let runs = executor.block_on(parked(&runtime, waiting, many));
        let took = began.elapsed();
        let taken = memory().saturating_sub(before) / u64::from(many);
        let kept = runtime.parked(None).expect("a folder");
        let sizes = kept.into_iter().map(|run| run.expect("whole").kept_bytes);
        let most = sizes.max().unwrap_or(0);
        assert!(most <= MOST_ON_DISK, "{name}: {most} bytes");
        println!(
            "parked/{name}: {many} runs in {took:.1?}; each takes {taken} bytes of memory, at most {most} on disk"
        );
        assert_eq!(runtime.load(), (0, 0));
        let began = Instant::now();
        pass(runs);
        println!(
            "parked/{name}: {many} runs woken and ended in {:.1?}",
            began.elapsed()
        );
    }
    group.finish();
}

criterion_group!(benches, parking);
criterion_main!(benches);
