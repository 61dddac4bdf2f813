//! `sessions/*`: what a run of a session costs beside one without, and what it takes on disk.

use std::time::Instant;

use ampoule::{Isolate, Language, Runtime, Script, SessionLimits};
use ampoule_benches::{executor, functions, warm};
use criterion::{Criterion, criterion_group, criterion_main};

/// What a session has: some data, a function, a generator half run.
const BEGINS: [(Language, &str, &str); 2] = [
    (
        Language::TypeScript,
        "const rows = Array.from({ length: 100 }, (_, id) => ({ id, name: `row ${id}` })); let count = 0;
         function next() { return rows[count++ % 100].id } function* all() { yield* rows } const it = all(); it.next()",
        "return next()",
    ),
    (
        Language::Python,
        "rows = [{'id': n, 'name': f'row {n}'} for n in range(100)]\ncount = 0\ndef step():\n    global count\n    count += 1\n    return rows[count % 100]['id']\nit = iter(rows)\n_ = next(it)",
        "step()",
    ),
];

fn isolate(runtime: &Runtime, language: Language, source: &str) -> Isolate {
    runtime.isolate(Script::new(language, source))
}

fn sessions(criterion: &mut Criterion) {
    let folder = tempfile::tempdir().expect("a folder");
    let builder = Runtime::builder().binding(functions());
    let builder = builder.sessions(folder.path().join("sessions"), SessionLimits::default());
    let runtime = warm(builder.build().expect("a runtime"));
    let executor = executor();
    let mut group = criterion.benchmark_group("sessions");
    for (language, begins, goes_on) in BEGINS {
        let name = language.name();
        let run = |source: &str, session: &str| {
            let isolate = isolate(&runtime, language, source).session(session);
            let outcome = executor.block_on(isolate.run()).expect("no host fault");
            let end = outcome.session.expect("a session");
            assert!(end.kept, "{:?}: {}", end.notes, outcome.ending);
            end.bytes
        };
        run(begins, name);
        let bytes = run(goes_on, name);
        assert!(bytes < 100 << 10, "{name}: {bytes} bytes");
        // Each from the same state: a session that goes on and on grows with what its scripts leave.
        group.bench_function(format!("{name}/goes-on"), |bencher| {
            bencher.iter_custom(|times| {
                let timed = (0..times).map(|_| {
                    let began = Instant::now();
                    run(goes_on, name);
                    let took = began.elapsed();
                    let sessions = runtime.sessions(None).expect("sessions");
                    let mut session = sessions.take(name).expect("nobody else has it");
                    session.rewind(1).expect("a run to go back");
                    took
                });
                timed.sum()
            });
        });
        // It throws, so nothing is kept: what it begins with is put back, and that is all.
        group.bench_function(format!("{name}/not-kept"), |bencher| {
            let throws = match language {
                Language::Python => "raise ValueError",
                _ => "throw 1",
            };
            bencher.iter(|| {
                let isolate = isolate(&runtime, language, throws).session(name);
                let outcome = executor.block_on(isolate.run()).expect("no host fault");
                assert!(!outcome.session.expect("a session").kept);
            });
        });
        group.bench_function(format!("{name}/without"), |bencher| {
            let alone = format!("{begins}\n{goes_on}");
            bencher.iter(|| {
                let isolate = isolate(&runtime, language, &alone);
                executor
                    .block_on(isolate.run())
                    .expect("no host fault")
                    .value::<u32>()
                    .expect("a number");
            });
        });
        group.bench_function(format!("{name}/trivial"), |bencher| {
            bencher.iter(|| {
                let isolate = isolate(&runtime, language, "1 + 1");
                executor.block_on(isolate.run()).expect("no host fault");
            });
        });
        group.bench_function(format!("{name}/instantiate"), |bencher| {
            bencher.iter(|| {
                let isolate = isolate(&runtime, language, "1");
                executor
                    .block_on(isolate.instantiate())
                    .expect("an instance");
            });
        });
    }
    group.finish();
}

criterion_group!(benches, sessions);
criterion_main!(benches);
