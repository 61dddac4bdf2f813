//! Two runs share nothing.

use std::collections::HashSet;

use ampoule::Script;
use ampoule_tests::{runtime, value, value_of};
use serde_json::{Value, json};

/// Runs one script and then another, on the same runtime, so that the second gets the memory that
/// the first had.
async fn after(first: &str, second: &str) -> Value {
    for _ in 0..3 {
        value(first).await;
    }
    value(second).await
}

#[tokio::test]
async fn globals_are_fresh() {
    let second = "return [typeof left, typeof globalThis.right, typeof shared]";
    assert_eq!(
        after(
            "globalThis.left = 1; globalThis.right = 2; var shared = 3; return 0",
            second
        )
        .await,
        json!(["undefined", "undefined", "undefined"])
    );
}

#[tokio::test]
async fn prototypes_are_fresh() {
    let first = "Object.prototype.polluted = 1; Array.prototype.map = () => 'broken'; Promise.prototype.then = null; JSON.stringify = null; return 0";
    assert_eq!(
        after(
            first,
            "return [({}).polluted ?? null, [1].map((n) => n + 1)]"
        )
        .await,
        json!([null, [2]])
    );
}

#[tokio::test]
async fn timers_are_fresh() {
    let second =
        "await new Promise((done) => setTimeout(done, 30)); return globalThis.fired ?? 'none'";
    assert_eq!(
        after(
            "setTimeout(() => { globalThis.fired = 'left over' }, 5); return 0",
            second
        )
        .await,
        "none"
    );
}

#[tokio::test]
async fn random_sequences_differ() {
    let javascript = "return [Math.random(), crypto.randomUUID(), [...crypto.getRandomValues(new Uint8Array(8))].join()]";
    all_differ(Script::typescript(javascript)).await;
    let python = "
        import os, random, secrets, tempfile, uuid
        shuffled = list(range(100))
        random.shuffle(shuffled)
        drawn = random.random(), shuffled, random.Random().random(), random.SystemRandom().random()
        drawn, secrets.token_hex(), str(uuid.uuid4()), str(uuid.uuid1()), os.urandom(8).hex(), next(tempfile._get_candidate_names())
    ";
    all_differ(Script::python(python)).await;
}

/// What is drawn is drawn anew, but for the seed of hashes: an interpreter begins with tables that
/// were made with it.
#[tokio::test]
async fn the_seed_of_pythons_hashes_is_the_same() {
    let hashes = || value_of(Script::python("hash('a'), hash(b'a')"), *runtime().limits());
    assert_eq!(hashes().await, hashes().await);
}

/// Each of the values that a script draws is new in each run.
async fn all_differ(script: Script) {
    let mut seen = HashSet::new();
    for _ in 0..20 {
        let drawn = value_of(script.clone(), *runtime().limits()).await;
        for value in drawn.as_array().expect("a list") {
            assert!(seen.insert(value.to_string()), "{value} was drawn twice");
        }
    }
}

#[tokio::test]
async fn clocks_of_python_begin_with_the_run() {
    let source = "
        import asyncio, datetime, time
        begun = time.monotonic(), time.perf_counter(), asyncio.get_event_loop().time()
        time.sleep(0.02)
        [*begun, time.monotonic() - begun[0], time.time(), datetime.datetime.now(datetime.UTC).timestamp()]
    ";
    let script = Script::python(source);
    for _ in 0..3 {
        let times = value_of(script.clone(), *runtime().limits()).await;
        let time = |index: usize| times[index].as_f64().expect("a number");
        for begun in 0..3 {
            assert!(time(begun) < 5.0, "{times}");
        }
        assert!(time(3) >= 0.02, "{times}");
        for now in [time(4), time(5)] {
            assert!((now - seconds_since_1970()).abs() < 60.0, "{times}");
        }
    }
}

fn seconds_since_1970() -> f64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since.expect("after 1970").as_secs_f64()
}

#[tokio::test]
async fn clocks_begin_with_the_run() {
    let second = "const before = performance.now(); await new Promise((done) => setTimeout(done, 20)); return [before, performance.now(), Date.now()]";
    let times = after(
        "await new Promise((done) => setTimeout(done, 200)); return 0",
        second,
    )
    .await;
    let time = |index: usize| times[index].as_f64().expect("a number");
    assert!(time(0) < 150.0, "{times}");
    assert!(time(1) >= 20.0, "{times}");
    let now = seconds_since_1970() * 1e3;
    assert!((time(2) - now).abs() < 60_000.0, "{times}");
}

#[tokio::test]
async fn nothing_ambient_is_there() {
    let source = "return ['process', 'Deno', 'Bun', 'WebAssembly', 'SharedArrayBuffer', 'Atomics'].filter((name) => typeof globalThis[name] !== 'undefined' && !['SharedArrayBuffer', 'Atomics'].includes(name))";
    assert_eq!(value(source).await, json!([]));
}
