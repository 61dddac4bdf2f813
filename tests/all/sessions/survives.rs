//! Programs whose state is there in the next run, in `tests/sessions`: in the session, in a copy of
//! it, and after it was rewound.

use std::collections::BTreeMap;
use std::fs;

use ampoule::{Grant, Language, Module, Outcome, Script};
use ampoule_tests::repository;
use serde::Deserialize;
use serde_json::Value;

use super::{Kept, session};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Cases {
    case: Vec<Case>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    name: String,
    runs: Vec<String>,
    value: String,
    #[serde(default)]
    modules: BTreeMap<String, String>,
}

fn cases(file: &str) -> Vec<Case> {
    let file = repository().join("tests/sessions").join(file);
    let cases: Cases = toml::from_str(&fs::read_to_string(file).unwrap()).unwrap();
    cases.case
}

/// The programs of each case, with its place.
pub(crate) fn programs() -> Vec<(String, Vec<Script>)> {
    let mut programs = Vec::new();
    for (language, file) in [
        (Language::TypeScript, "typescript.toml"),
        (Language::Python, "python.toml"),
    ] {
        for case in cases(file) {
            let sources = case.runs.iter();
            let scripts = sources.map(|source| case.script(language, source));
            programs.push((format!("{file}: {}", case.name), scripts.collect()));
        }
    }
    programs
}

impl Case {
    fn script(&self, language: Language, source: &str) -> Script {
        let script = Script::new(language, source);
        let modules = self.modules.iter();
        modules.fold(script, |script, (name, module)| {
            script.module(name, Module::Source(module.clone()))
        })
    }

    async fn run(&self, kept: &Kept, name: &str, language: Language, source: &str) -> Outcome {
        let script = self.script(language, source);
        let isolate = kept.runtime.isolate(script).grant(Grant::all());
        let outcome = isolate.session(name).run().await.expect("no host fault");
        let title = &self.name;
        let end = session(&outcome);
        assert!(
            end.kept,
            "{title}: {source}\n{}\n{}\n{end:?}",
            outcome.ending, outcome.output
        );
        outcome
    }
}

#[tokio::test]
async fn typescript_goes_on_where_it_left_off() {
    all(Language::TypeScript, "typescript.toml").await;
}

#[tokio::test]
async fn python_goes_on_where_it_left_off() {
    all(Language::Python, "python.toml").await;
}

async fn all(language: Language, file: &str) {
    let cases = cases(file);
    assert!(cases.len() >= 40);
    let kept = Kept::new();
    for (number, case) in cases.iter().enumerate() {
        let (original, copy) = (format!("case-{number}"), format!("copy-{number}"));
        let (last, before) = case.runs.split_last().unwrap();
        for source in before {
            case.run(&kept, &original, language, source).await;
        }
        let sessions = kept.runtime.sessions(None).unwrap();
        sessions.take(&original).unwrap().fork(&copy).unwrap();
        let expected: Value = serde_json::from_str(&case.value).unwrap();
        for name in [&original, &copy, &original] {
            let outcome = case.run(&kept, name, language, last).await;
            let value: Value = outcome.value().unwrap();
            assert_eq!(value, expected, "{}, {name}", case.name);
            sessions.take(name).unwrap().rewind(1).unwrap();
        }
    }
}
