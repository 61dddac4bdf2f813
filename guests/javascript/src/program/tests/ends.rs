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

#[test]
fn a_run_ends_when_there_is_nothing_left_to_do() {
    assert_returns(&[
        ("setTimeout(() => console.log('late'), 50); return 1", "1"),
        ("tools.googleDrive.never({}); return 1", "1"),
        (
            "tools.googleDrive.slowSearch({}).then(console.log)\nlet x",
            "none",
        ),
    ]);
    assert_eq!(
        native::with(|host| host
            .output
            .iter()
            .map(|(_, text)| text.clone())
            .collect::<Vec<_>>()),
        ["found"]
    );
    assert_eq!(
        returned("setTimeout(() => console.log('a'), 5); setTimeout(() => console.log('b'), 1)"),
        "none"
    );
    assert_eq!(
        native::with(|host| host
            .output
            .iter()
            .map(|(_, text)| text.clone())
            .collect::<Vec<_>>()),
        ["b", "a"]
    );
    let stuck = thrown("await new Promise(() => {})");
    assert!(stuck.message.contains("nothing can settle"), "{stuck:?}");
}

#[test]
fn rejections_that_nobody_hears_are_told() {
    let unheard = thrown("async function f() { throw new Error('lost') }\nf();\nlet x;");
    assert_eq!(
        (unheard.message.as_str(), unheard.location.map(|at| at.line)),
        ("lost", Some(1))
    );
    assert_eq!(returned("Promise.reject(new Error('lost')); return 1"), "1");
    assert!(native::with(|host| host.output[0].1.contains("lost")));
    assert_eq!(
        returned("const p = Promise.reject(1); await null; p.catch(() => {}); let x"),
        "none"
    );
    let timer = thrown("setTimeout(() => { throw new TypeError('in a timer') }, 1);\nlet x");
    assert_eq!(
        (timer.name.as_str(), timer.location.map(|at| at.line)),
        ("TypeError", Some(1))
    );
}
