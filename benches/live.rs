//! `live/500`: physical memory of isolates that are alive, each in the middle of a tool call.

#![expect(clippy::print_stdout, reason = "a bench prints what it measured")]

use ampoule_benches::{executor, live_mebibytes, runtime};

fn main() {
    let runtime = runtime();
    let count = if ampoule_benches::only_tested() {
        20
    } else {
        500
    };
    let each = live_mebibytes(&runtime, &executor(), count);
    assert!(each > 0.0 && each < 64.0, "{each} MiB can't be right");
    println!("live/{count:<20}{each:.2} MiB for each live isolate");
}
