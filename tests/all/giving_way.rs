//! Runs that compute give way each millisecond: also those that fill and copy much memory at once,
//! and to the runs of other principals first.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use ampoule::{Limits, Script};
use ampoule_tests::{run_script, runtime, verdict};

/// How many operations a script does, each of which takes some milliseconds.
const OPERATIONS: usize = 40;

/// A future's output, and how often it gave way before.
async fn counted<T>(future: impl Future<Output = T>) -> (T, usize) {
    let mut future = pin!(future);
    let mut times = 0;
    let output = std::future::poll_fn(|context| {
        let polled = future.as_mut().poll(context);
        times += usize::from(polled.is_pending());
        polled
    });
    (output.await, times)
}

#[tokio::test]
async fn large_fills_and_copies_give_way_in_their_midst() {
    let scripts = [
        Script::javascript(javascript("a.fill(n)")),
        Script::javascript(javascript("a.copyWithin(1, 0)")),
        Script::python(format!(
            "a = bytearray(48 << 20)\nb = bytearray(48 << 20)\nfor n in range({OPERATIONS}):\n    a[:] = b\na[5]"
        )),
    ];
    for (number, script) in scripts.into_iter().enumerate() {
        let (outcome, times) = counted(run_script(script, Limits::default())).await;
        assert_eq!(
            verdict(&outcome),
            "returned",
            "{number}: {}",
            outcome.ending
        );
        // An operation that nothing interrupts gives way once, at its end.
        assert!(
            times > OPERATIONS * 3 / 2,
            "{number}: gave way {times} times"
        );
    }
}

fn javascript(operation: &str) -> String {
    format!(
        "const a = new Uint8Array(100 << 20); for (let n = 0; n < {OPERATIONS}; n++) {operation}; return a[5]"
    )
}

/// How many endless loops make a flood.
const FLOOD: usize = 200;

#[tokio::test]
async fn endless_loops_of_one_principal_delay_the_runs_of_another_by_some_slices_and_not_by_all() {
    runtime().warm(ampoule::Language::JavaScript).await.unwrap();
    let polls = Arc::new(AtomicUsize::new(0));
    for _ in 0..FLOOD {
        let polls = Arc::clone(&polls);
        tokio::spawn(async move {
            let script = Script::javascript("for (;;);");
            let mut run = pin!(runtime().isolate(script).principal("bob").run());
            let counted = std::future::poll_fn(|context| {
                polls.fetch_add(1, Relaxed);
                run.as_mut().poll(context)
            });
            drop(counted.await);
        });
    }
    while polls.load(Relaxed) < 4 * FLOOD {
        tokio::task::yield_now().await;
    }
    let other = tokio::spawn(async move {
        let before = polls.load(Relaxed);
        let script = Script::javascript("return 1");
        let outcome = runtime().isolate(script).principal("ada").run().await;
        (outcome.unwrap(), polls.load(Relaxed) - before)
    });
    let (outcome, between) = other.await.unwrap();
    assert_eq!(outcome.value::<u32>().unwrap(), 1);
    // A slice takes two polls, one of which only gives way. In order, all would come before.
    assert!(between < FLOOD / 4, "{between}");
}
