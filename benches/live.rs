//! `live/500`, `live/python/50`: physical memory of isolates that are alive, each in the middle of a tool call.

#![expect(clippy::print_stdout, reason = "a bench prints what it measured")]

use ampoule::script::Script;
use ampoule_benches::{HOLD, checked, executor, live_memory, run_python, runtime};

fn main() {
    let runtime = runtime();
    let executor = executor();
    assert_eq!(checked(executor.block_on(run_python(&runtime, "2"))), 2);
    for (name, script, count) in [
        ("live", Script::typescript(HOLD), 500),
        ("live/python", Script::python(HOLD), 50),
    ] {
        let count = if ampoule_benches::only_tested() {
            count / 25
        } else {
            count
        };
        let each = live_memory(&runtime, &executor, count, &script);
        let plausible = 0.0..64.0;
        assert!(
            plausible.contains(&each.resident) && plausible.contains(&each.proportional),
            "{each:?} can't be right"
        );
        println!(
            "{:<25}{:.2} MiB resident for each live isolate, {:.2} MiB with shared pages counted once",
            format!("{name}/{count}"),
            each.resident,
            each.proportional
        );
    }
}
