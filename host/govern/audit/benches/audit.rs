//! What it costs to record: each event before its call leaves, and both of a call.

use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ampoule_audit::{
    Against, CallAsked, CallEnded, Event, Events, Filter, Log, Settings, Stats, SyncPolicy, verify,
};
use criterion::{Criterion, criterion_group, criterion_main};
use serde_json::json;

fn asked(log: &Log, call: u64) -> Event {
    let arguments = json!({"repository": "example/one", "title": "A title", "labels": ["a", "b"]});
    Event::CallAsked(CallAsked {
        run: "1f3a77c05b2e41d9-000042".into(),
        call,
        principal: Some("somebody@example.com".into()),
        server: "github".into(),
        tool: "create_issue".into(),
        arguments: log.arguments("github", "create_issue", &arguments),
        policy: Some("allow-github".into()),
        fingerprint: Some("9c1185a5c5e9fc54".into()),
        ..CallAsked::default()
    })
}

fn ended(call: u64) -> Event {
    Event::CallEnded(CallEnded {
        run: "1f3a77c05b2e41d9-000042".into(),
        call,
        principal: Some("somebody@example.com".into()),
        server: "github".into(),
        tool: "create_issue".into(),
        bytes: 480,
        took_us: 1234,
        ..CallEnded::default()
    })
}

fn opened(sync: SyncPolicy) -> (tempfile::TempDir, Log) {
    let folder = tempfile::tempdir().expect("a folder");
    let settings = Settings {
        sync,
        ..Settings::default()
    };
    let log = Log::open(&folder.path().join("audit"), settings).expect("a log");
    (folder, log)
}

fn write(criterion: &mut Criterion) {
    let every = SyncPolicy::Every(Duration::from_secs(1));
    let (_folder, log) = opened(every);
    let event = asked(&log, 7);
    criterion.bench_function("audit/write/asked", |bencher| {
        bencher.iter(|| log.write(black_box(&event)).expect("written"));
    });
    let event = ended(7);
    criterion.bench_function("audit/write/ended", |bencher| {
        bencher.iter(|| log.write(black_box(&event)).expect("written"));
    });
    criterion.bench_function("audit/write/call", |bencher| {
        bencher.iter(|| {
            let event = asked(&log, 7);
            log.write(black_box(&event)).expect("written");
            log.write(black_box(&ended(7))).expect("written");
        });
    });
    let (_folder, log) = opened(SyncPolicy::Each);
    let event = asked(&log, 7);
    criterion.bench_function("audit/write/asked, each synced", |bencher| {
        bencher.iter(|| log.write(black_box(&event)).expect("written"));
    });
}

/// Calls of several threads into one log.
fn threads(criterion: &mut Criterion) {
    for threads in [2, 8] {
        let (_folder, log) = opened(SyncPolicy::Every(Duration::from_secs(1)));
        let log = Arc::new(log);
        criterion.bench_function(&format!("audit/write/call, {threads} threads"), |bencher| {
            bencher.iter_custom(|times| {
                let began = Instant::now();
                std::thread::scope(|scope| {
                    for _ in 0..threads {
                        scope.spawn(|| {
                            for call in 0..times.div_ceil(threads) {
                                log.write(&asked(&log, call)).expect("written");
                                log.write(&ended(call)).expect("written");
                            }
                        });
                    }
                });
                began.elapsed()
            });
        });
    }
}

fn open(criterion: &mut Criterion) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("audit");
    criterion.bench_function("audit/open and close", |bencher| {
        bencher.iter(|| {
            let log = Log::open(&path, Settings::default()).expect("a log");
            log.write(&ended(1)).expect("written");
            log.close().expect("closed");
        });
    });
}

/// Logs of a thousand and of ten thousand calls, checked and counted: the time is as the size.
fn read(criterion: &mut Criterion) {
    for calls in [1_000, 10_000] {
        let (folder, log) = opened(SyncPolicy::Every(Duration::from_secs(1)));
        for call in 0..calls {
            log.write(&asked(&log, call)).expect("written");
            log.write(&ended(call)).expect("written");
        }
        log.close().expect("closed");
        let path = folder.path().join("audit");
        criterion.bench_function(&format!("audit/verify/{calls} calls"), |bencher| {
            bencher.iter(|| {
                let report = verify(&path, &Against::default()).expect("a log");
                assert!(report.is_whole() && report.events == 2 * calls + 3);
            });
        });
        criterion.bench_function(&format!("audit/stats/{calls} calls"), |bencher| {
            bencher.iter(|| {
                let events = Events::read(&path, Filter::default()).expect("a log");
                assert_eq!(Stats::of(events).all.calls, calls);
            });
        });
    }
}

criterion_group!(benches, write, threads, open, read);
criterion_main!(benches);
