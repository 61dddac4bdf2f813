//! Scripts with a mistake that their text proves: `tests/checks`.

use ampoule::{Check, Ending, Language, Script};
use ampoule_tests::{repository, runtime_builder};
use serde::Deserialize;

use super::Servers;

/// How many there are at least, in both languages.
const LEAST: usize = 150;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    script: Vec<WrongScript>,
}

/// A script with a mistake.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrongScript {
    /// The tool that it is about.
    tool: String,
    /// What is wrong.
    mistake: String,
    /// A part of what a model reads.
    says: String,
    code: String,
}

fn read(file: &str) -> Vec<WrongScript> {
    let path = repository().join("tests/checks").join(file);
    let text = std::fs::read_to_string(&path).expect("a file");
    let file: File = toml::from_str(&text).unwrap_or_else(|error| panic!("{file}: {error}"));
    file.script
}

#[tokio::test(flavor = "multi_thread")]
async fn a_script_with_a_mistake_is_refused_before_any_call() {
    let runtime = runtime_builder().build().expect("a runtime");
    let servers = Servers::new().await;
    let languages = [
        ("typescript.toml", Language::TypeScript),
        ("python.toml", Language::Python),
    ];
    let (mut count, mut wrong) = (0, Vec::new());
    for (file, language) in languages {
        for script in read(file) {
            count += 1;
            let code = Script::new(language, &*script.code);
            let outcome = servers.outcome(&runtime, code, Check::First).await;
            let told = outcome.ending.to_string();
            let refused = matches!(outcome.ending, Ending::Threw(_));
            let calls = outcome.usage.calls.len();
            if !refused || calls > 0 || !told.contains(&script.says) {
                let WrongScript { tool, mistake, .. } = &script;
                wrong.push(format!(
                    "{file}: {tool}: {mistake}: {calls} calls, and {told}"
                ));
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {count}:\n{}",
        wrong.len(),
        wrong.join("\n\n")
    );
    assert_eq!(servers.calls(), 0);
    assert!(count >= LEAST, "{count} scripts");
}
