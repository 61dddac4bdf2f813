//! The table of CPython's tests, and what docs/internals/cpython-tests.md says of it.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::PathBuf;

use ampoule_tests::repository;
use serde::{Deserialize, Serialize};

use super::run::Came;
use crate::reference::wrapped;

/// The page on them.
pub(super) const PAGE: &str = "docs/internals/cpython-tests.md";

/// What stands for a reason that nobody has told yet.
pub(super) const UNTOLD: &str = "?";

/// The page's title.
const TITLE: &str = "# CPython's own tests\n";

/// The table.
#[derive(Serialize, Deserialize)]
pub(super) struct Table {
    /// The version of the package that it was made from.
    pub(super) version: String,
    pub(super) suites: BTreeMap<String, Suite>,
}

/// Names of tests, by the reason that they share.
type Reasons = BTreeMap<String, Vec<String>>;

#[derive(Serialize, Deserialize)]
pub(super) struct Suite {
    /// What unittest loads.
    pub(super) modules: Vec<String>,
    /// Files and folders that they need.
    pub(super) files: Vec<String>,
    /// How many tests pass.
    pub(super) passed: u64,
    /// Why tests are left out, since they would end the run, and which. A class stands for all its
    /// tests.
    pub(super) left_out: Reasons,
    /// Why tests fail, and which.
    pub(super) failed: Reasons,
}

impl Table {
    pub(super) fn read() -> Self {
        let text = fs::read_to_string(file()).expect("the table is there");
        serde_json::from_str(&text).expect("a table")
    }

    /// Writes the table, and the page.
    pub(super) fn write(&self) {
        let text = serde_json::to_string_pretty(self).expect("a table is JSON");
        fs::write(file(), format!("{text}\n")).expect("the table is written");
        fs::write(repository().join(PAGE), self.page()).expect("the page is written");
    }

    /// The page.
    pub(super) fn page(&self) -> String {
        let passed: u64 = self.suites.values().map(|suite| suite.passed).sum();
        let names: Vec<String> = self.suites.keys().map(|name| format!("`{name}`")).collect();
        let head = format!(
            "Of CPython's own tests, as Debian's package {} has them, {passed} pass in scripts: {}. The tests below do \
             not pass; [the table](../../tests/all/cpython/suites.json) names each.",
            self.version,
            names.join(", "),
        );
        let mut text = format!("{TITLE}\n{}\n\n", wrapped(&head));
        let failed = self.reasons(|suite| &suite.failed);
        let left_out = self.reasons(|suite| &suite.left_out);
        for (reason, tests) in failed {
            let item = format!("- {reason}: {}.", tests.join(", "));
            let _ = writeln!(text, "{}", wrapped(&item));
        }
        for (reason, tests) in left_out {
            let item = format!("- Not run. {reason}: {}.", tests.join(", "));
            let _ = writeln!(text, "{}", wrapped(&item));
        }
        text
    }

    /// For each reason the suites, and of how many of their tests it is one.
    fn reasons(&self, of: impl Fn(&Suite) -> &Reasons) -> BTreeMap<&str, Vec<String>> {
        let mut reasons = BTreeMap::<&str, Vec<String>>::new();
        for (name, suite) in &self.suites {
            for (reason, tests) in of(suite) {
                let told = format!("{} of `{name}`", tests.len());
                reasons.entry(reason).or_default().push(told);
            }
        }
        reasons
    }
}

impl Suite {
    /// The suite as it came out, with the reasons that were told before.
    pub(super) fn after(mut self, came: &Came) -> Self {
        self.passed = came.passed;
        self.failed = told(&self.failed, came.failed.keys());
        for test in came.ended.keys() {
            let untold = self.left_out.entry(UNTOLD.into()).or_default();
            untold.push(test.clone());
        }
        self
    }
}

/// These tests, by the reasons that are known.
fn told<'a>(known: &Reasons, tests: impl Iterator<Item = &'a String>) -> Reasons {
    let mut reasons = Reasons::new();
    for test in tests {
        let reason = known.iter().find(|(_, tests)| tests.contains(test));
        let reason = reason.map_or(UNTOLD, |(reason, _)| reason);
        let told = reasons.entry(reason.to_owned()).or_default();
        told.push(test.clone());
    }
    reasons
}

fn file() -> PathBuf {
    repository().join("tests/all/cpython/suites.json")
}
