//! An issuer that others wrote: npm's `oidc-provider`.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

use super::company::AUDIENCE;
use super::issuer::{open, passed, sent};
use crate::IssuerOptions;

const NODE: &str = "AMPOULE_TEST_NODE";

/// The folder with npm's packages that `cargo xtask test` prepares. Where it is missing, the test
/// can't run, is counted as skipped, and fails in CI.
fn prepared(test: &str) -> Option<PathBuf> {
    let folder = std::env::var_os(NODE).map(PathBuf::from);
    let folder = folder.filter(|folder| folder.exists());
    if folder.is_none() {
        let reason = format!("{NODE} names no folder; `cargo xtask test` prepares it");
        assert!(
            std::env::var_os("CI").is_none(),
            "{test} can't run: {reason}"
        );
        if let Some(skipped) = std::env::var_os("AMPOULE_SKIPPED") {
            let note = Path::new(&skipped).join(test);
            std::fs::write(note, reason).expect("a note of what was skipped");
        }
    }
    folder
}

struct Provider {
    _process: Child,
    input: ChildStdin,
    output: Lines<BufReader<ChildStdout>>,
}

impl Provider {
    /// It, and its address.
    async fn start(node: &Path) -> (Self, String) {
        let script =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/servers/issuer.mjs");
        let mut process = Command::new("node")
            .arg(script)
            .arg(node)
            .arg(AUDIENCE)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .expect("node");
        let input = process.stdin.take().expect("a pipe");
        let output = process.stdout.take().expect("a pipe");
        let mut provider = Self {
            _process: process,
            input,
            output: BufReader::new(output).lines(),
        };
        let issuer = provider.said().await;
        (provider, issuer)
    }

    async fn said(&mut self) -> String {
        let line = self.output.next_line().await.expect("text");
        serde_json::from_str(&line.expect("a line")).expect("a text")
    }

    async fn asked(&mut self, what: &str) -> String {
        let line = format!("{what}\n");
        self.input
            .write_all(line.as_bytes())
            .await
            .expect("it reads");
        self.said().await
    }
}

#[tokio::test]
async fn tokens_of_an_issuer_that_others_wrote_are_taken() {
    let Some(node) = prepared("tokens_of_an_issuer_that_others_wrote_are_taken") else {
        return;
    };
    let (mut provider, issuer) = Provider::start(&node).await;
    let mut options = IssuerOptions {
        issuer,
        audience: vec![AUDIENCE.to_owned()],
        resource: None,
        scopes: vec!["mcp".to_owned()],
        principal_claim: None,
        groups_claim: None,
    };
    let access = open(options.clone()).await.expect("options");
    for algorithm in ["RS256", "PS256", "ES256", "EdDSA"] {
        let token = provider.asked(&format!("token {algorithm} 600")).await;
        let admitted = access.admit(&sent(&token)).await;
        let principal = admitted.expect(algorithm).expect("somebody");
        assert_eq!(principal.name().as_ref(), "agent", "{algorithm}");
    }
    let before = provider.asked("token RS256 600").await;
    provider.asked("rotate").await;
    passed(Duration::from_secs(10)).await;
    let after = provider.asked("token RS256 600").await;
    assert!(access.admit(&sent(&after)).await.is_ok());
    let refused = access
        .admit(&sent(&before))
        .await
        .expect_err("its key is gone");
    assert!(
        refused.message().contains("not signed by a key"),
        "{refused}"
    );
    options.audience = vec!["https://other.example.com/mcp".to_owned()];
    let other = open(options).await.expect("options");
    let refused = other.admit(&sent(&after)).await.expect_err("for another");
    assert!(
        refused.message().contains("for another audience"),
        "{refused}"
    );
}
