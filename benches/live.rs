//! `live/1000`, `live/python/1000`: physical memory of isolates that are alive, each waiting for a
//! slow tool.
//!
//! Each language is measured in a process of its own: what is left of runs in another would be
//! taken for its own.

#![expect(clippy::print_stdout, reason = "a bench prints what it measured")]

use std::env;
use std::process::{Command, exit};

use ampoule::Script;
use ampoule_benches::{HOLD, executor, live_memory, only_tested};

/// Which one a process measures.
const ONLY: &str = "AMPOULE_BENCH_LIVE";
/// How many are alive.
const COUNT: usize = 1000;

fn main() {
    let languages = [
        ("live", Script::typescript(HOLD), 0.35),
        ("live/python", Script::python(HOLD), 0.35),
    ];
    let Ok(only) = env::var(ONLY) else {
        for (name, ..) in languages {
            let mut measuring = Command::new(env::current_exe().expect("a program"));
            let measured = measuring
                .args(env::args_os().skip(1))
                .env(ONLY, name)
                .status();
            if !measured.expect("a process").success() {
                exit(1);
            }
        }
        return;
    };
    let language = languages.into_iter().find(|(name, ..)| *name == only);
    let (name, script, most) = language.expect("a language");
    measure(name, &script, most);
}

/// Each may take so many MiB, shared pages counted once.
fn measure(name: &str, script: &Script, most: f64) {
    let executor = executor();
    let count = if only_tested() { COUNT / 25 } else { COUNT };
    let each = live_memory(&executor, count, script);
    println!(
        "{:<25}{:.2} MiB resident for each live isolate, {:.3} MiB with shared pages counted once",
        format!("{name}/{count}"),
        each.resident,
        each.proportional
    );
    // With fewer, what is there once counts for more.
    let most = if only_tested() { 64.0 } else { most };
    assert!(
        (0.01..most).contains(&each.proportional) && each.resident > 0.01,
        "{each:?} is not what it should be"
    );
}
