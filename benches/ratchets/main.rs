//! `ratchets WHAT TIMES`: does something so many times, for `tests.rs` to look at what that takes.

#![expect(clippy::print_stdout, reason = "it says what it measured")]

use std::env;

use ampoule::{Grant, Runtime, Script};
use ampoule_benches::catalogs::{project, servers};
use ampoule_benches::guest::{Calls, SUM, component};
use ampoule_benches::{HOLD, checked, executor, functions, live_memory};

/// How many tools are projected at once.
const TOOLS: usize = 20;

fn main() {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [what, times] = &arguments[..] else {
        panic!("ratchets WHAT TIMES, not {arguments:?}")
    };
    let times = times.parse().expect("a number");
    match what.as_str() {
        "projection" => projection(times),
        "live/javascript" => live(times, &Script::typescript(HOLD)),
        "live/python" => live(times, &Script::python(HOLD)),
        what => runs(what, times),
    }
}

fn projection(times: usize) {
    let servers = servers(TOOLS);
    for _ in 0..times {
        assert_ne!(project(&servers), 0);
    }
}

/// Prints how many KiB each of so many live isolates has to itself.
fn live(count: usize, script: &Script) {
    let each = live_memory(&executor(), count, script);
    println!("{:.0}", each.private * 1024.0);
}

/// Components: code for interpreters takes minutes to compile under callgrind, whose processor lacks
/// what others have.
fn runs(what: &str, times: usize) {
    let runtime = Runtime::builder().binding(functions()).build();
    let runtime = runtime.expect("a runtime");
    let calls = match what {
        "instantiate" | "run" => Calls::None,
        "dispatch" => Calls::Sequential,
        other => panic!("nothing is called {other}"),
    };
    let component = component(calls);
    executor().block_on(async {
        for _ in 0..times {
            let isolate = runtime.isolate(component.clone()).grant(Grant::all());
            match what {
                "instantiate" => isolate.instantiate().await.expect("an instance"),
                _ => assert_eq!(checked(isolate.run().await), SUM),
            }
        }
    });
}
