//! How programs end: what they waited for, and what nobody heard.

use super::*;

#[test]
fn timers_count_from_the_end_of_the_call_before() {
    let slow = "await tools.googleDrive.slowSearch();";
    assert_returns(&[
        (
            &format!(
                "{slow} {slow} const a = performance.now(); await new Promise((r) => setTimeout(r, 3)); return performance.now() - a"
            ),
            "3",
        ),
        (
            &format!(
                "setTimeout(() => {{}}, 1); {slow} const a = performance.now(); await new Promise((r) => setTimeout(r, 3)); return performance.now() - a"
            ),
            "3",
        ),
        (
            &format!(
                "{slow} {slow} const s = AbortSignal.timeout(9); {slow} const early = s.aborted; {slow} return [early, s.aborted]"
            ),
            "[false,true]",
        ),
    ]);
}
