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

#[test]
fn what_a_stuck_program_did_not_hear_is_thrown() {
    let stuck = thrown(
        "await new Promise(async (resolve) => {\n  resolve(await tools.googleDrive.fail({}));\n});",
    );
    assert_eq!(
        (stuck.name.as_str(), stuck.location.map(|at| at.line)),
        ("ToolError", Some(2))
    );
}

#[test]
fn rejections_after_the_first_are_warned_of() {
    for end in ["let x", "await new Promise(() => {})"] {
        let source = format!(
            "Promise.reject(new Error('first')); Promise.reject(new Error('second')); {end}"
        );
        assert_eq!(thrown(&source).message, "first", "{end}");
        let written = native::with(|host| std::mem::take(&mut host.output));
        assert!(
            matches!(&written[..], [(_, warning)] if warning.contains("Error: second")),
            "{end}: {written:?}"
        );
    }
}
