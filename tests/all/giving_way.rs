//! Runs that fill and copy much memory at once: they give way as loops do, each millisecond.

use std::future::Future;
use std::pin::pin;

use ampoule::{Limits, Script};
use ampoule_tests::{run_script, verdict};

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
