//! The figures that Ampoule promises, as ratios within one run, with their targets. Ends with an
//! error where one is missed.

#![expect(clippy::print_stdout, reason = "a bench prints what it measured")]

use std::process::ExitCode;
use std::time::Duration;

use ampoule::{Component, Grant, Runtime, Script};
use ampoule_benches::catalogs::{project, servers};
use ampoule_benches::figures::{Figure, report};
use ampoule_benches::guest::{Calls, SUM, component};
use ampoule_benches::{
    HOLD, SEQUENTIAL_CALLS, TRIVIAL, TRIVIAL_PYTHON, TYPESCRIPT, catalog, checked, executor,
    live_memory, medians, run, run_python, runtime, throughput, warm,
};

/// How long each pair of figures is measured.
const WINDOW: Duration = Duration::from_secs(3);

fn main() -> ExitCode {
    if ampoule_benches::only_tested() {
        // A busy machine can't promise figures; that they are measured at all is tested by the
        // other benches.
        return ExitCode::SUCCESS;
    }
    report(measure())
}

fn measure() -> Vec<Figure> {
    let runtime = runtime();
    let executor = executor();
    let instantiate = || async {
        let isolate = runtime
            .isolate(Script::typescript(TRIVIAL))
            .grant(Grant::all());
        isolate.instantiate().await.expect("an instance");
    };
    let trivial = || async { assert_eq!(checked(run(&runtime, TRIVIAL).await), 2) };
    let typescript = || async { assert_eq!(checked(run(&runtime, TYPESCRIPT).await), 3) };
    let [small, large] = [10, 1000].map(|count| {
        warm(
            Runtime::builder()
                .binding(catalog(count))
                .build()
                .expect("a runtime"),
        )
    });
    let call = |runtime: Runtime| async move {
        assert_eq!(
            checked(run(&runtime, "return (await catalog.tool_7({ n: 7 })).n").await),
            7
        );
    };
    let (floor, trivial_time) = medians(&executor, WINDOW, instantiate, trivial);
    let (typescript_floor, typescript_time) = medians(&executor, WINDOW, instantiate, typescript);
    let (ten, thousand) = medians(
        &executor,
        WINDOW,
        || call(small.clone()),
        || call(large.clone()),
    );
    let mut rates: Vec<(f64, f64)> = (0..9)
        .map(|_| {
            (
                throughput(1, WINDOW / 6, trivial),
                throughput(2, WINDOW / 6, trivial),
            )
        })
        .collect();
    rates.sort_by(|a, b| (a.1 / a.0).total_cmp(&(b.1 / b.0)));
    let (one, two) = rates[rates.len() / 2];
    let [few, many] = [10, 1000].map(servers);
    let (_, projection) = medians(
        &executor,
        WINDOW,
        || async { assert!(project(&few) > 0) },
        || async { assert!(project(&many) > 0) },
    );
    let [none, typed] = [Calls::None, Calls::Sequential].map(component);
    let isolate = |component: &Component| runtime.isolate(component.clone()).grant(Grant::all());
    let instantiate_component =
        || async { isolate(&none).instantiate().await.expect("an instance") };
    let scripts_calls =
        || async { assert_eq!(checked(run(&runtime, SEQUENTIAL_CALLS).await), SUM) };
    let typed_calls = || async { assert_eq!(checked(isolate(&typed).run().await), SUM) };
    let (interpreter, compiled) = medians(&executor, WINDOW, instantiate, instantiate_component);
    let (dispatched, called) = medians(&executor, WINDOW, scripts_calls, typed_calls);
    let live = live_memory(&executor, 500, &Script::typescript(HOLD));
    let python = || async { assert_eq!(checked(run_python(&runtime, TRIVIAL_PYTHON).await), 2) };
    executor.block_on(python());
    // By themselves: where runs in two languages alternate, each finds the other's memory in its
    // slot.
    let (python_time, _) = medians(&executor, WINDOW, python, python);
    let live_python = live_memory(&executor, 50, &Script::python(HOLD));
    println!(
        "a trivial run in Python {python_time:.1} µs; a live isolate of it has {:.2} MiB resident",
        live_python.resident
    );
    println!(
        "instantiate {floor:.1} µs, trivial {trivial_time:.1} µs, typescript {typescript_time:.1} µs, {one:.0} and {two:.0} runs/s on one and two threads"
    );
    println!(
        "instantiate a component {compiled:.1} µs; a thousand calls of a script {dispatched:.0} µs, of a component {called:.0} µs"
    );
    println!(
        "a live isolate has {:.2} MiB resident, shared pages counted for each\n",
        live.resident
    );
    vec![
        Figure::at_most(
            "trivial run / instantiate and drop",
            trivial_time / floor,
            2.0,
        ),
        Figure::at_most(
            "TypeScript run / instantiate and drop",
            typescript_time / typescript_floor,
            4.0,
        ),
        Figure::at_most(
            "a run with 1,000 tools configured / with 10",
            thousand / ten,
            1.05,
        ),
        Figure::at_most(
            "instantiating a component / an interpreter",
            compiled / interpreter,
            1.0,
        ),
        Figure::at_most(
            "a component's typed call / a script's call",
            called / dispatched,
            3.0,
        ),
        Figure::at_most(
            "a live isolate, MiB, shared pages counted once",
            live.proportional,
            0.6,
        ),
        Figure::at_most("projecting 1,000 tools, ms", projection / 1000.0, 50.0),
        Figure::at_most(
            "trivial run in Python / in JavaScript",
            python_time / trivial_time,
            16.0,
        ),
        Figure::at_most(
            "a live isolate of Python, MiB, shared pages counted once",
            live_python.proportional,
            4.0,
        ),
        Figure::at_least("runs per second on two threads / on one", two / one, 1.7),
    ]
}
