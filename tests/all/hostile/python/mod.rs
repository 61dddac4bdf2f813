//! Hostile programs in Python.

mod computing;
mod crashes;
mod floods;
mod memory;
mod recursion;
mod sources;
mod tampering;

use std::time::Duration;

use ampoule::{Limits, Script};
use ampoule_tests::value_of;
use serde_json::json;

use super::{Hostile, all_end_as_they_must};

/// As for JavaScript, with room for an interpreter that takes more from the start.
fn limits() -> Limits {
    Limits {
        fuel: 5_000_000_000,
        memory_bytes: 64 << 20,
        ..super::limits()
    }
}

fn python(name: &'static str, source: &str, verdict: &'static str) -> Hostile {
    Hostile {
        name,
        script: Script::python(source),
        limits: limits(),
        verdict,
    }
}

/// A program that only waits.
fn python_briefly(name: &'static str, source: &str, verdict: &'static str) -> Hostile {
    Hostile {
        limits: Limits {
            wall_time: Duration::from_millis(500),
            ..limits()
        },
        ..python(name, source, verdict)
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
async fn sources_that_are_deep() {
    all_end_as_they_must(sources::programs()).await;
}

#[tokio::test]
async fn programs_that_flood_the_host() {
    all_end_as_they_must(floods::programs()).await;
}

#[tokio::test]
async fn programs_that_crash() {
    all_end_as_they_must(crashes::programs()).await;
}

#[tokio::test]
async fn programs_that_tamper() {
    all_end_as_they_must(tampering::programs()).await;
}

/// A run leaves its marks in each place that it can reach, and the next, in the memory that it had,
/// looks for them with all that Python has to look at itself.
#[tokio::test]
async fn nothing_reaches_another_run() {
    let leaves = "
        import builtins, gc, json, sys
        mark = 'left_by_' + 'another_run'
        builtins.left_by_another_run = json.left_by_another_run = sys.left_by_another_run = mark
        json.dumps = lambda *args: mark
        sys.modules[mark] = json
        for found in gc.get_objects():
            if type(found) is dict:
                found[mark] = mark
        held = [bytearray(mark.encode()) for _ in range(100_000)]
        return len(held)
    ";
    let looks = "
        import gc, json, sys
        mark = ''.join(['left_by_', 'another_run'])
        places = [found for found in gc.get_objects() if type(found) is dict and mark in found]
        modules = [name for name, module in sys.modules.items() if name == mark or mark in getattr(module, '__dict__', {})]
        frames, frame = [], sys._getframe()
        while frame:
            frames += [name for space in (frame.f_globals, frame.f_builtins) for name in space if name == mark]
            frame = frame.f_back
        return [len(places), modules, frames, json.dumps([1])]
    ";
    for _ in 0..3 {
        assert_eq!(
            value_of(Script::python(leaves), limits()).await,
            json!(100_000)
        );
        assert_eq!(
            value_of(Script::python(looks), limits()).await,
            json!([0, [], [], "[1]"])
        );
    }
}
