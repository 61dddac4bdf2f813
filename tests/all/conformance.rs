//! Programs in both languages with one expected end: what a script can do does not depend on the
//! language that it is written in.
//!
//! Each folder of `tests/conformance` is a suite. A case is three files of one name: the program in
//! TypeScript, the same in Python, and how both end.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use ampoule::{Ending, Grant, Limits, Outcome, Script};
use ampoule_tests::{repository, runtime, verdict};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// The suites, each with its test. A folder that is not among them fails the tests.
macro_rules! suites {
    ($($test:ident: $suite:literal),+ $(,)?) => {
        const SUITES: &[&str] = &[$($suite),+];

        $(
            #[tokio::test]
            async fn $test() {
                conforms($suite).await;
            }
        )+
    };
}

suites! {
    tools_conform: "tools",
    concurrency_conforms: "concurrency",
    errors_conform: "errors",
    limits_conform: "limits",
    discovery_conforms: "discovery",
}

/// What a case consists of, by the ends of its files' names.
const PARTS: [&str; 3] = ["json", "py", "ts"];

/// How a case runs, and how it ends in both languages.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Expected {
    /// As `verdict` has it; `threw` alone where each language has an error of its own for it.
    ends: String,
    /// The value that it returns.
    #[serde(default, deserialize_with = "present")]
    value: Option<Value>,
    /// The error's message.
    message: Option<String>,
    /// Parts of the error's message.
    #[serde(default)]
    says: Vec<String>,
    /// The line where it was thrown.
    line: Option<u32>,
    /// A part of each of its causes.
    causes: Option<Vec<String>>,
    /// What it prints.
    output: Option<String>,
    /// The tools that it called, in this order.
    calls: Option<Vec<String>>,
    /// What it may call; without it, everything.
    tools: Option<String>,
    /// Limits other than the default ones.
    #[serde(default)]
    limits: Allowed,
}

/// The limits that cases change.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Allowed {
    fuel: Option<u64>,
    wall_time_ms: Option<u64>,
    memory_bytes: Option<u64>,
    calls: Option<u64>,
    calls_at_once: Option<u64>,
    argument_bytes: Option<u64>,
    result_bytes: Option<u64>,
}

/// A value that is there is expected, be it null.
fn present<'de, D: Deserializer<'de>>(given: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(given).map(Some)
}

impl Allowed {
    fn limits(&self) -> Limits {
        let default = Limits::default();
        Limits {
            fuel: self.fuel.unwrap_or(default.fuel),
            wall_time: self
                .wall_time_ms
                .map_or(default.wall_time, Duration::from_millis),
            memory_bytes: self.memory_bytes.unwrap_or(default.memory_bytes),
            calls: self.calls.unwrap_or(default.calls),
            calls_at_once: self.calls_at_once.unwrap_or(default.calls_at_once),
            argument_bytes: self.argument_bytes.unwrap_or(default.argument_bytes),
            result_bytes: self.result_bytes.unwrap_or(default.result_bytes),
            ..default
        }
    }
}

impl Expected {
    /// What is not as expected, a line each.
    fn held_against(&self, outcome: &Outcome) -> Vec<String> {
        let mut wrong = Vec::new();
        let ended = verdict(outcome);
        let any_error = self.ends == "threw" && ended.starts_with("threw:");
        if ended != self.ends && !any_error {
            wrong.push(format!(
                "ends {ended}, not {}: {:.500}",
                self.ends,
                outcome.ending.to_string()
            ));
        }
        if let Some(expected) = &self.value
            && !outcome
                .value()
                .is_ok_and(|value: Value| is_same(&value, expected))
        {
            wrong.push(format!("gives {}, not {expected}", outcome.ending));
        }
        if let Some(expected) = &self.output
            && outcome.output.to_string() != *expected
        {
            wrong.push(format!(
                "prints {:?}, not {expected:?}",
                outcome.output.to_string()
            ));
        }
        if let Some(expected) = &self.calls {
            let calls = outcome.usage.calls.iter();
            let calls: Vec<_> = calls
                .map(|call| format!("{}.{}", call.server, call.tool))
                .collect();
            if calls != *expected {
                wrong.push(format!("calls {calls:?}, not {expected:?}"));
            }
        }
        wrong.extend(self.held_against_error(&outcome.ending));
        wrong
    }

    fn held_against_error(&self, ending: &Ending) -> Vec<String> {
        let mut wrong = Vec::new();
        let thrown = match ending {
            Ending::Threw(thrown) => Some(thrown),
            _ => None,
        };
        let message = thrown.map_or("", |thrown| thrown.message.as_str());
        if self
            .message
            .as_ref()
            .is_some_and(|expected| message != expected)
        {
            wrong.push(format!("says {message:?}, not {:?}", self.message));
        }
        for part in &self.says {
            if !message.contains(part) {
                wrong.push(format!("says {message:?}, without {part:?}"));
            }
        }
        let line = thrown.and_then(|thrown| thrown.location.as_ref().map(|place| place.line));
        if self.line.is_some() && line != self.line {
            wrong.push(format!("points to line {line:?}, not {:?}", self.line));
        }
        if let Some(expected) = &self.causes {
            let causes = thrown.map_or(&[][..], |thrown| &thrown.causes);
            let told = expected.len() == causes.len()
                && expected
                    .iter()
                    .zip(causes)
                    .all(|(part, cause)| cause.contains(part));
            if !told {
                wrong.push(format!("has the causes {causes:?}, not {expected:?}"));
            }
        }
        wrong
    }
}

/// The same as JSON has it, where 3 and 3.0 are one number.
fn is_same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => a == b || a.as_f64() == b.as_f64(),
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_same(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len()
                && a.iter()
                    .all(|(key, a)| b.get(key).is_some_and(|b| is_same(a, b)))
        }
        _ => a == b,
    }
}

fn folder() -> PathBuf {
    repository().join("tests/conformance")
}

/// What is in a folder, in order.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("a folder");
    let mut paths: Vec<_> = entries
        .map(|entry| entry.expect("an entry").path())
        .collect();
    paths.sort();
    paths
}

/// The cases of a suite, each with the parts that are there.
fn cases(suite: &str) -> BTreeMap<String, BTreeSet<String>> {
    let mut cases: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for path in entries(&folder().join(suite)) {
        let name = path.file_name().expect("a name").to_string_lossy();
        let (case, part) = name.rsplit_once('.').unwrap_or((&name, ""));
        let parts = cases.entry(case.to_owned()).or_default();
        parts.insert(part.to_owned());
    }
    cases
}

/// Runs each case of a suite in both languages.
async fn conforms(suite: &str) {
    let mut wrong = Vec::new();
    for case in cases(suite).into_keys() {
        let read = |part: &str| {
            let path = folder().join(suite).join(format!("{case}.{part}"));
            std::fs::read_to_string(&path)
                .unwrap_or_else(|error| panic!("{}: {error}", path.display()))
        };
        let expected: Expected = serde_json::from_str(&read("json"))
            .unwrap_or_else(|error| panic!("{suite}/{case}.json: {error}"));
        let grant = expected.tools.as_deref().map_or_else(Grant::all, |tools| {
            tools.parse().expect("patterns of tools")
        });
        let scripts = [
            ("ts", Script::typescript(read("ts"))),
            ("py", Script::python(read("py"))),
        ];
        for (language, script) in scripts {
            let isolate = runtime().isolate(script).grant(grant.clone());
            let limits = expected.limits.limits();
            let isolate = isolate.limits(limits).expect("limits below the ceilings");
            let outcome = isolate.run().await.expect("no host fault");
            let found = expected.held_against(&outcome);
            wrong.extend(
                found
                    .into_iter()
                    .map(|what| format!("{suite}/{case}.{language} {what}")),
            );
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Each file belongs to a case of a suite, and each case is there in both languages.
#[test]
fn every_file_is_claimed() {
    let whole = BTreeSet::from(PARTS.map(str::to_owned));
    let mut unclaimed = Vec::new();
    let found = entries(&folder());
    let suites: BTreeSet<_> = SUITES.iter().map(|suite| folder().join(suite)).collect();
    assert_eq!(BTreeSet::from_iter(found), suites);
    let mut count = 0;
    for suite in SUITES {
        for (case, parts) in cases(suite) {
            count += 1;
            if parts != whole {
                unclaimed.push(format!("{suite}/{case} has {parts:?}, not {PARTS:?}"));
            }
        }
    }
    assert!(unclaimed.is_empty(), "{}", unclaimed.join("\n"));
    assert!(count >= 40, "{count} cases");
}
