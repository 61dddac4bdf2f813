//! Where the time of a run of tests went. Each line is a place to look at when the run takes longer
//! than it may.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::time::Duration;

use quick_junit::Report;

use crate::say;

/// How many groups, and how many tests, are printed.
const PRINTED: usize = 15;

/// Prints the groups of tests that took longest, and the tests that did.
pub(super) fn tell(report: &Report) {
    let Times { groups, tests } = Times::of(report);
    let places = groups.len().min(PRINTED);
    say(&format!("the {places} groups of tests that took longest:"));
    for Group { name, tests, time } in &groups[..places] {
        say(&format!("  {:>4} s  {name} ({tests})", time.as_secs()));
    }
    let places = tests.len().min(PRINTED);
    say(&format!("the {places} tests that took longest:"));
    for Test { name, time } in &tests[..places] {
        say(&format!("  {:>4} s  {name}", time.as_secs()));
    }
}

/// The tests of a program; of `tests/all`, those of one module.
#[derive(Debug, PartialEq, Eq)]
struct Group {
    name: String,
    tests: usize,
    time: Duration,
}

#[derive(Debug, PartialEq, Eq)]
struct Test {
    name: String,
    time: Duration,
}

/// What took how long, the longest first.
struct Times {
    groups: Vec<Group>,
    tests: Vec<Test>,
}

impl Times {
    fn of(report: &Report) -> Self {
        let mut groups: BTreeMap<String, (usize, Duration)> = BTreeMap::new();
        let mut tests = Vec::new();
        for suite in &report.test_suites {
            let program = suite.name.as_str();
            for case in &suite.test_cases {
                let (name, time) = (case.name.as_str(), case.time.unwrap_or_default());
                let module = name.split("::").next().unwrap_or(name);
                let group = match program.ends_with("::all") {
                    true => format!("{program} {module}"),
                    false => program.to_owned(),
                };
                let (tests_of_group, time_of_group) = groups.entry(group).or_default();
                *tests_of_group += 1;
                *time_of_group += time;
                tests.push(Test {
                    name: format!("{program} {name}"),
                    time,
                });
            }
        }
        let groups = groups.into_iter();
        let mut groups: Vec<Group> = groups
            .map(|(name, (tests, time))| Group { name, tests, time })
            .collect();
        groups.sort_by_key(|group| Reverse(group.time));
        tests.sort_by_key(|test| Reverse(test.time));
        Self { groups, tests }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use quick_junit::Report;

    use super::{Group, Times};

    #[test]
    fn times_are_summed_by_program_and_by_module_of_all() {
        let report = r#"<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="nextest-run" tests="4" failures="0" errors="0">
    <testsuite name="ampoule-tests::all" tests="3" disabled="0" errors="0" failures="0">
        <testcase name="serve::a" classname="ampoule-tests::all" time="1.500"></testcase>
        <testcase name="web::a" classname="ampoule-tests::all" time="4.000"></testcase>
        <testcase name="serve::b" classname="ampoule-tests::all" time="1.500"></testcase>
    </testsuite>
    <testsuite name="ampoule-mcp" tests="1" disabled="0" errors="0" failures="0">
        <testcase name="lines::tests::a" classname="ampoule-mcp" time="0.500"></testcase>
    </testsuite>
</testsuites>"#;
        let times = Times::of(&Report::deserialize_from_str(report).unwrap());
        let group = |name: &str, tests, milliseconds| Group {
            name: name.to_owned(),
            tests,
            time: Duration::from_millis(milliseconds),
        };
        let groups = [
            group("ampoule-tests::all web", 1, 4_000),
            group("ampoule-tests::all serve", 2, 3_000),
            group("ampoule-mcp", 1, 500),
        ];
        assert_eq!(times.groups, groups);
        assert_eq!(times.tests[0].name, "ampoule-tests::all web::a");
    }
}
