//! Tests that passed only at their second try. Each is printed at the end with why its first try
//! failed: a retry must not hide a fault.

use quick_junit::{Report, TestCaseStatus, TestRerun};

use crate::say;

/// How much of a reason is printed: the end of what the test wrote, where the failure stands.
const LINES: usize = 12;

/// Prints the flaky tests of the run that ended.
pub(super) fn tell(report: &Report) {
    let flaky = found(report);
    for Flaky { test, reason } in &flaky {
        say(&format!(
            "flaky: {test} passed at the second try; the first failed with:"
        ));
        for line in reason.lines() {
            say(&format!("  {line}"));
        }
    }
    say(&match flaky.len() {
        0 => "no test was flaky".to_owned(),
        1 => "1 test was flaky".to_owned(),
        tests => format!("{tests} tests were flaky"),
    });
}

/// A test that failed, and then passed.
#[derive(Debug, PartialEq, Eq)]
struct Flaky {
    /// Its program and its name.
    test: String,
    /// What its first try said at its end.
    reason: String,
}

fn found(report: &Report) -> Vec<Flaky> {
    let cases = report.test_suites.iter().flat_map(|suite| {
        let name = suite.name.as_str();
        suite.test_cases.iter().map(move |case| (name, case))
    });
    let flaky = cases.filter_map(|(suite, case)| match &case.status {
        TestCaseStatus::Success { flaky_runs } => Some(Flaky {
            test: format!("{suite} {}", case.name.as_str()),
            reason: reason_of(flaky_runs.first()?),
        }),
        _ => None,
    });
    flaky.collect()
}

/// The most telling text that a failed try left.
fn reason_of(run: &TestRerun) -> String {
    let texts = [
        &run.system_err,
        &run.description,
        &run.message,
        &run.system_out,
    ];
    let mut texts = texts.into_iter().flatten().map(|text| text.trim());
    let Some(text) = texts.find(|text| !text.is_empty()) else {
        return "the test printed nothing".to_owned();
    };
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(LINES)..].join("\n")
}

#[cfg(test)]
mod tests {
    use quick_junit::Report;

    use super::{Flaky, found};

    #[test]
    fn a_test_that_passed_at_its_second_try_is_found_with_its_reason() {
        let report = r#"<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="nextest-run" tests="3" failures="1" errors="0">
    <testsuite name="ampoule-tests::all" tests="3" disabled="0" errors="0" failures="1">
        <testcase name="right" classname="ampoule-tests::all"></testcase>
        <testcase name="second" classname="ampoule-tests::all">
            <flakyFailure message="thread panicked" type="test failure">
                <system-out>running 1 test</system-out>
                <system-err>thread 'second' panicked at tests/all/serve.rs:1:1:
left: 1</system-err>
            </flakyFailure>
        </testcase>
        <testcase name="wrong" classname="ampoule-tests::all">
            <failure type="test failure">no</failure>
            <rerunFailure type="test failure">no</rerunFailure>
        </testcase>
    </testsuite>
</testsuites>"#;
        let flaky = Flaky {
            test: "ampoule-tests::all second".to_owned(),
            reason: "thread 'second' panicked at tests/all/serve.rs:1:1:\nleft: 1".to_owned(),
        };
        let report = Report::deserialize_from_str(report).unwrap();
        assert_eq!(found(&report), [flaky]);
    }
}
