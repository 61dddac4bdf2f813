//! `live/500`: physical memory of isolates that are alive, each in the middle of a tool call.

#![expect(clippy::print_stdout, reason = "a bench prints what it measured")]

use ampoule_benches::{executor, live_memory, runtime};

fn main() {
    let runtime = runtime();
    let count = if ampoule_benches::only_tested() {
        20
    } else {
        500
    };
    let each = live_memory(&runtime, &executor(), count);
    let plausible = 0.0..64.0;
    assert!(
        plausible.contains(&each.resident) && plausible.contains(&each.proportional),
        "{each:?} can't be right"
    );
    println!(
        "live/{count:<20}{:.2} MiB resident for each live isolate, {:.2} MiB with shared pages counted once",
        each.resident, each.proportional
    );
}
