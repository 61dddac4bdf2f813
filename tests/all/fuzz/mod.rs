//! A bounded fuzz of the guest interface: random source, random sequences of calls, timers and
//! aborts, and packages with something changed.
//!
//! `AMPOULE_FUZZ_CASES` says how many cases each test tries, `AMPOULE_FUZZ_SEED` with which one it
//! begins. A failure names its seed.

mod archives;
mod calls;
mod source;
mod targets;

use std::time::Duration;

use ampoule::{Ending, Limits, Outcome};
use ampoule_mutated::Random;
use ampoule_tests::value;
use futures::StreamExt;

fn pick<'a, T: ?Sized>(random: &mut Random, from: &[&'a T]) -> &'a T {
    from[random.below(from.len())]
}

fn from_environment(name: &str, default: u64) -> u64 {
    std::env::var(name)
        .ok()
        .map_or(default, |text| text.parse().expect("a number"))
}

/// After whatever came before, an ordinary script gives what it must.
async fn still_sound() {
    let source = "const n: number[] = [3, 1, 2]; const { sum } = await tools.testTools.add({ a: 1, b: 2 }); return [n.sort().join(), sum]";
    assert_eq!(value(source).await, serde_json::json!(["1,2,3", 3]));
}

/// What must hold however a run ended.
fn check(outcome: &Outcome, elapsed: Duration, limits: &Limits) -> Result<(), String> {
    if let Ending::Trapped(trapped) = &outcome.ending {
        return Err(format!("it trapped: {}", trapped.message));
    }
    if elapsed > limits.wall_time + Duration::from_secs(5) {
        return Err(format!("it took {elapsed:?}"));
    }
    let usage = &outcome.usage;
    if usage.fuel > limits.fuel || usage.peak_memory_bytes > limits.memory_bytes {
        return Err(format!("it used more than it may: {usage:?}"));
    }
    if usage.output_bytes > limits.output_bytes || usage.calls.len() as u64 > limits.calls {
        return Err(format!("it gave or called more than it may: {usage:?}"));
    }
    Ok(())
}

/// What became of a case.
struct Tried {
    returned: bool,
    problem: Option<String>,
}

/// Tries all cases, some at once, as much of what they do is to wait. Tells how many returned.
async fn try_all(cases: impl Iterator<Item: Future<Output = Tried>>) -> u64 {
    let mut runs = futures::stream::iter(cases).buffer_unordered(16);
    let (mut ended, mut returned, mut problems) = (0, 0, Vec::new());
    while let Some(tried) = runs.next().await {
        returned += u64::from(tried.returned);
        problems.extend(tried.problem);
        ended += 1;
        if ended % 100 == 0 {
            still_sound().await;
        }
    }
    problems.truncate(5);
    assert!(problems.is_empty(), "{}", problems.join("\n\n"));
    returned
}
