//! A table of tests that others wrote, such as CPython's own, and the page that says what of them
//! passes.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;

use ampoule_tests::repository;
use serde::{Deserialize, Serialize};

use super::run::Came;
use crate::reference::wrapped;

/// What stands for a reason that nobody has told yet.
pub(crate) const UNTOLD: &str = "?";

/// Where a table and its page are, and whose tests they are about.
pub(crate) struct Place {
    pub(crate) table: &'static str,
    pub(crate) page: &'static str,
    /// The page's title.
    pub(crate) title: &'static str,
    /// What the page's first sentence begins with, before the version.
    pub(crate) whose: &'static str,
    /// What follows the version.
    pub(crate) has: &'static str,
}

/// The table.
#[derive(Serialize, Deserialize)]
pub(crate) struct Table {
    /// The version of the package that it was made from.
    pub(crate) version: String,
    pub(crate) suites: BTreeMap<String, Suite>,
}

/// Names of tests, by the reason that they share.
type Reasons = BTreeMap<String, Vec<String>>;

#[derive(Serialize, Deserialize)]
pub(crate) struct Suite {
    /// The modules with the tests.
    pub(crate) modules: Vec<String>,
    /// Files and folders that they need.
    pub(crate) files: Vec<String>,
    /// How many tests pass.
    pub(crate) passed: u64,
    /// Why tests are left out, since they would end the run, and which. A class stands for all its
    /// tests.
    pub(crate) left_out: Reasons,
    /// Why tests fail, and which.
    pub(crate) failed: Reasons,
}

impl Table {
    pub(crate) fn read(place: &Place) -> Self {
        let text = fs::read_to_string(repository().join(place.table)).expect("the table is there");
        serde_json::from_str(&text).expect("a table")
    }

    /// Writes the table, and the page.
    pub(crate) fn write(&self, place: &Place) {
        let text = serde_json::to_string_pretty(self).expect("a table is JSON");
        let file = repository().join(place.table);
        fs::write(file, format!("{text}\n")).expect("the table is written");
        fs::write(repository().join(place.page), self.page(place)).expect("the page is written");
    }

    /// Holds that each test that does not pass has a reason.
    pub(crate) fn tells_reasons(place: &Place) {
        for (name, suite) in Self::read(place).suites {
            for (reason, tests) in suite.failed.iter().chain(&suite.left_out) {
                assert!(
                    reason != UNTOLD && !tests.is_empty(),
                    "{name}: a reason is missing for {tests:?}"
                );
            }
        }
    }

    /// Holds that the page says what the table does. `BLESS=1` writes it.
    pub(crate) fn has_its_page(place: &Place) {
        let path = repository().join(place.page);
        let wanted = Self::read(place).page(place);
        if std::env::var_os("BLESS").is_some() {
            fs::write(&path, &wanted).expect("the page is written");
        }
        let page = fs::read_to_string(path).unwrap_or_default();
        assert_eq!(page, wanted, "BLESS=1 writes it");
    }

    /// The page.
    fn page(&self, place: &Place) -> String {
        let passed: u64 = self.suites.values().map(|suite| suite.passed).sum();
        let names: Vec<String> = self.suites.keys().map(|name| format!("`{name}`")).collect();
        let head = format!(
            "{} {} {}, {passed} pass in scripts: {}. The tests below do not pass; [the \
             table](../../{}) names each.",
            place.whose,
            self.version,
            place.has,
            names.join(", "),
            place.table,
        );
        let mut text = format!("# {}\n\n{}\n\n", place.title, wrapped(&head));
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
    pub(crate) fn after(mut self, came: &Came) -> Self {
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
