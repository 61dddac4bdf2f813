//! Hostile programs, each with its verdict, and hostile servers. After each, the same process runs
//! the next script correctly, and its memory is where it was.

mod computing;
mod floods;
mod memory;
mod python;
mod recursion;
mod server;
mod tampering;

use std::time::{Duration, Instant};

use ampoule::{Limits, Script};
use ampoule_tests::{run_limited, run_script, runtime, value, verdict};

/// How much more memory the process may have after a program, in bytes: what a slot of the pool
/// keeps for the next run, and what the allocator keeps of the largest results.
const MOST_GROWN: i64 = 64 << 20;

/// A program, the limits that it runs under, and how it must end; `a or b` where that depends on
/// what lies in memory.
struct Hostile {
    name: &'static str,
    script: Script,
    limits: Limits,
    verdict: &'static str,
}

/// Time enough for what fuel ends: how long that takes on a busy machine, in code that is compiled
/// without optimisation, is not what is tried here.
fn limits() -> Limits {
    Limits {
        wall_time: Duration::from_secs(120),
        memory_bytes: 32 << 20,
        ..Limits::default()
    }
}

fn hostile(name: &'static str, source: impl Into<String>, verdict: &'static str) -> Hostile {
    let wall_time = match verdict {
        // It waits for that.
        "limit:wall-time" => Duration::from_secs(30),
        _ => limits().wall_time,
    };
    Hostile {
        name,
        script: Script::typescript(source),
        limits: Limits {
            wall_time,
            ..limits()
        },
        verdict,
    }
}

/// Runs each program, and then a harmless one.
async fn all_end_as_they_must(programs: Vec<Hostile>) {
    harmless_is_right("at the start").await;
    let before = resident_bytes();
    let mut wrong = Vec::new();
    for program in programs {
        let Hostile {
            name,
            script,
            limits,
            verdict: expected,
        } = program;
        let started = Instant::now();
        let outcome = run_script(script, limits).await;
        let ended = verdict(&outcome);
        if !expected.split(" or ").any(|verdict| verdict == ended) {
            wrong.push(format!(
                "{name}: {ended}, not {expected}: {:.300}",
                outcome.ending.to_string()
            ));
        }
        drop(outcome);
        if started.elapsed() > limits.wall_time + Duration::from_secs(10) {
            wrong.push(format!("{name}: took {:?}", started.elapsed()));
        }
        harmless_is_right(name).await;
        let grown = grown_since(before).await;
        if grown > MOST_GROWN {
            wrong.push(format!("{name}: {} MiB more than before", grown >> 20));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

async fn harmless_is_right(after: &str) {
    assert_eq!(
        value("return [1, 2, 3].map((n) => n * 2)").await,
        serde_json::json!([2, 4, 6]),
        "after {after}"
    );
}

/// How much more physical memory this process has, in bytes, as soon as that is little: other tests
/// may run in it.
async fn grown_since(before: i64) -> i64 {
    let deadline = Instant::now() + Duration::from_secs(5);
    loop {
        let grown = resident_bytes() - before;
        if grown <= MOST_GROWN || Instant::now() > deadline {
            return grown;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

#[tokio::test]
async fn programs_that_compute_without_end() {
    all_end_as_they_must(computing::programs()).await;
}

#[tokio::test]
async fn programs_that_take_memory() {
    all_end_as_they_must(memory::programs()).await;
}

#[tokio::test]
async fn programs_that_recurse() {
    all_end_as_they_must(recursion::programs()).await;
}

#[tokio::test]
async fn programs_that_flood_the_host() {
    all_end_as_they_must(floods::programs()).await;
}

#[tokio::test]
async fn programs_that_tamper() {
    all_end_as_they_must(tampering::programs()).await;
}

/// Not among the floods: what a panic prints takes memory that stays.
#[tokio::test]
async fn a_tool_that_panics_fails_its_call() {
    let outcome = run_limited("await tools.testTools.panic({})", limits()).await;
    assert_eq!(verdict(&outcome), "threw:ToolError");
    harmless_is_right("a panic").await;
}

/// Physical memory of this process, in bytes, without the pages of files that it only reads:
/// compiled guests are files.
fn resident_bytes() -> i64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("/proc");
    let kibibytes = status
        .lines()
        .find_map(|line| line.strip_prefix("RssAnon:")?.strip_suffix("kB"))
        .and_then(|number| number.trim().parse::<i64>().ok());
    kibibytes.expect("a number of KiB") << 10
}

#[tokio::test]
async fn memory_returns_to_where_it_was() {
    let grow = "const all = []; for (;;) all.push(new Array(1000).fill(all.length))";
    let flood = "await Promise.all(Array.from({ length: 4 }, () => tools.testTools.text({ bytes: 1e6 }))); for (;;) console.log('x'.repeat(1000))";
    for _ in 0..2 {
        run_limited(grow, limits()).await;
        run_limited(flood, limits()).await;
    }
    let before = resident_bytes();
    for _ in 0..10 {
        assert_eq!(verdict(&run_limited(grow, limits()).await), "limit:memory");
        assert_eq!(
            verdict(&run_limited(flood, limits()).await),
            "limit:output-bytes"
        );
    }
    let grown = (resident_bytes() - before) / (1 << 20);
    assert!(grown < 16, "{grown} MiB more than before");
}

#[tokio::test]
async fn a_script_that_spins_holds_up_no_other() {
    // Compiling the guest is not what is measured.
    assert_eq!(value("return 0").await, 0);
    let spinning: Vec<_> = (0..4)
        .map(|_| {
            tokio::spawn(run_limited(
                "for (;;);",
                Limits {
                    wall_time: Duration::from_secs(5),
                    fuel: runtime().ceilings().fuel,
                    ..limits()
                },
            ))
        })
        .collect();
    tokio::task::yield_now().await;
    // All on the one thread of this test.
    let mut longest = Duration::ZERO;
    for _ in 0..20 {
        let started = Instant::now();
        assert_eq!(value("return 1").await, 1);
        longest = longest.max(started.elapsed());
    }
    assert!(
        spinning.iter().all(|run| !run.is_finished()),
        "the spinning scripts ended too early"
    );
    assert!(
        longest < Duration::from_millis(500),
        "a run took {longest:?}"
    );
    for run in spinning {
        run.abort();
    }
}
