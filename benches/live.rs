//! `live/500`, `live/python/50`: physical memory of isolates that are alive, each in the middle of a tool call.

#![expect(clippy::print_stdout, reason = "a bench prints what it measured")]

use ampoule::Script;
use ampoule_benches::{HOLD, executor, live_memory};

fn main() {
    let executor = executor();
    for (name, script, count) in [
        ("live", Script::typescript(HOLD), 500),
        ("live/python", Script::python(HOLD), 50),
    ] {
        let count = if ampoule_benches::only_tested() {
            count / 25
        } else {
            count
        };
        let each = live_memory(&executor, count, &script);
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
