//! `component/*`: a compiled guest, from instantiation to outcome, and a thousand typed calls of a
//! Rust function that answers at once.

use ampoule::Grant;
use ampoule_benches::guest::{Calls, SUM, component};
use ampoule_benches::{checked, executor, runtime};
use criterion::{Criterion, criterion_group, criterion_main};

fn components(criterion: &mut Criterion) {
    let runtime = runtime();
    let executor = executor();
    let mut group = criterion.benchmark_group("component");
    let isolate = |calls| {
        let component = component(calls);
        let runtime = runtime.clone();
        move || runtime.isolate(component.clone()).grant(Grant::all())
    };
    let none = isolate(Calls::None);
    group.bench_function("instantiate", |bencher| {
        bencher.iter(|| {
            executor
                .block_on(none().instantiate())
                .expect("an instance")
        });
    });
    for (name, calls) in [
        ("trivial", Calls::None),
        ("call/sequential/1000", Calls::Sequential),
        ("call/concurrent/1000", Calls::Concurrent),
    ] {
        let isolate = isolate(calls);
        group.bench_function(name, |bencher| {
            bencher.iter(|| assert_eq!(checked(executor.block_on(isolate().run())), SUM));
        });
    }
    group.finish();
}

criterion_group!(benches, components);
criterion_main!(benches);
