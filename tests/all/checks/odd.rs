//! Scripts in which nothing is proved to be wrong, however odd they are: `tests/checks/right.toml`.

use ampoule::{Check, Ending, Script};
use ampoule_tests::{repository, runtime_builder};
use serde::Deserialize;

use super::Servers;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    script: Vec<OddScript>,
}

/// A script that is not refused.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OddScript {
    /// What is odd.
    what: String,
    code: String,
}

#[tokio::test(flavor = "multi_thread")]
async fn no_odd_script_is_refused() {
    let runtime = runtime_builder().build().expect("a runtime");
    let servers = Servers::new().await;
    let path = repository().join("tests/checks/right.toml");
    let text = std::fs::read_to_string(path).expect("a file");
    let file: File = toml::from_str(&text).expect("scripts");
    let mut refused = Vec::new();
    for OddScript { what, code } in &file.script {
        let script = Script::typescript(&**code);
        let outcome = servers.outcome(&runtime, script, Check::Alone).await;
        if !matches!(outcome.ending, Ending::Returned(None)) {
            refused.push(format!("{what}: {}", outcome.ending));
        }
    }
    let count = refused.len();
    assert!(refused.is_empty(), "{count}:\n{}", refused.join("\n\n"));
    assert_eq!(servers.calls(), 0);
}
