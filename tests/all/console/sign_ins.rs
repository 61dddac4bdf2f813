//! Signing in to servers, and out again, on their pages: npm's `oidc-provider`, and an MCP server that
//! says whose token it got. Each person of a team signs in as themselves; on one's own machine, the
//! sign-in is the host's.

use std::net::TcpListener;
use std::process::Stdio;

use ampoule_tests::command::Workplace;
use ampoule_tests::{prepared, repository};
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout};

use super::deeds::presses;
use super::desk::{Desk, Programs, axe};
use super::pages::{runs, runs_at};
use super::tab::{LOOKS, Tab};
use crate::principals::Principal;
use crate::serving::Serving;

const SERVER: &str = "/console/servers/one?name=behind";
/// Says whose account a call used.
const WHO: &str = "console.log('asked by ' + await tools.behind.whoami())";

/// A server behind a sign-in.
struct Behind {
    url: String,
    _process: Child,
    input: ChildStdin,
    output: Lines<BufReader<ChildStdout>>,
}

impl Behind {
    async fn start(test: &str, workplace: &Workplace) -> Option<Self> {
        let node = prepared(test, "AMPOULE_TEST_NODE")?;
        let mut process = workplace
            .command("node", &[])
            .arg(repository().join("tests/servers/behind-sign-in.mjs"))
            .arg(node)
            .arg("3600")
            .stdin(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("node");
        let input = process.stdin.take().expect("a pipe");
        let output = process.stdout.take().expect("a pipe");
        let mut output = BufReader::new(output).lines();
        let first = output.next_line().await.expect("text").expect("a line");
        let first: Value = serde_json::from_str(&first).expect("JSON");
        Some(Self {
            url: first["url"].as_str().expect("an address").to_owned(),
            _process: process,
            input,
            output,
        })
    }

    /// What happened at the server.
    async fn told(&mut self) -> Value {
        self.input.write_all(b"works\n").await.expect("it reads");
        let told = self.output.next_line().await.expect("text");
        serde_json::from_str(&told.expect("a line")).expect("JSON")
    }
}

/// What axe finds in a page, in each way to look at it. A picture of each is kept.
async fn findings(tab: &Tab, name: &str, axe: &str) -> Vec<String> {
    let mut findings = Vec::new();
    tab.script(axe).await;
    for (look, how) in LOOKS {
        tab.look(how).await;
        tab.picture(&format!("{name}-{look}")).await;
        let found = tab.findings().await.into_iter();
        findings.extend(found.map(|what| format!("{name} {look}: {what}")));
    }
    findings
}

/// Opens the server's page in a browser whose person has to paste a token first.
async fn comes_in(tab: &Tab, at: &str, token: &str) {
    tab.open(&format!("{at}{SERVER}")).await;
    tab.shows("Sign in to Ampoule").await;
    tab.tab_to("Token").await;
    tab.press(&[token, "Enter"]).await;
    tab.shows("Your sign-in").await;
    assert_eq!(tab.address().await, format!("{at}{SERVER}"));
}

/// Goes from the server's page to the sign-in, and comes back to the page.
async fn signs_in(tab: &Tab, at: &str, person: &str, account: &str) {
    tab.sends("x-account", account).await;
    presses(tab, "Sign in").await;
    tab.shows("Go to the sign-in").await;
    presses(tab, "Go to the sign-in").await;
    let asked = tab.shows("Scripts of").await;
    assert!(asked.contains(person), "{asked}");
    presses(tab, &format!("I am {person}, sign in")).await;
    let done = tab.shows("Signed in").await;
    assert!(done.contains(account), "{done}");
    tab.open(&format!("{at}{SERVER}")).await;
    let shown = tab.shows("Sign in anew").await;
    assert!(shown.contains(account), "{shown}");
}

#[tokio::test]
async fn each_person_signs_in_to_a_server_as_themselves_and_out_again() {
    let test = "each_person_signs_in_to_a_server_as_themselves_and_out_again";
    let (Some(programs), Some(axe)) = (Programs::find(test), axe(test)) else {
        return;
    };
    let workplace = Workplace::default();
    let Some(mut behind) = Behind::start(test, &workplace).await else {
        return;
    };
    let config = format!(
        "[servers.behind]\nurl = '{}'\n[records]\nkeep = 'all'\n[audit]\n[serve.auth]\ntokens = 'tokens'\n[console]\noperators = ['olga']\n",
        behind.url
    );
    workplace.file("ampoule.toml", config);
    let ada = Principal::token(&workplace, "ada").await;
    let bob = Principal::token(&workplace, "bob").await;
    // Where browsers come back to is said to the authorization server before they do.
    let free = TcpListener::bind("127.0.0.1:0").and_then(|it| it.local_addr());
    let port = free.expect("a port").port().to_string();
    let _serving = Serving::start(&workplace, &["serve", "--http", &port]).await;
    let at = format!("http://127.0.0.1:{port}");
    let (hers, his) = (programs.tab().await, programs.tab().await);

    comes_in(&hers, &at, &ada).await;
    let mut found = findings(&hers, "server-signed-out", &axe).await;
    signs_in(&hers, &at, "ada", "ada-there").await;
    found.extend(findings(&hers, "server-signed-in", &axe).await);
    assert!(found.is_empty(), "{found:#?}");

    // Another person sees nothing of it, and uses an account of their own.
    comes_in(&his, &at, &bob).await;
    let shown = his.shows("Nobody is signed in").await;
    assert!(!shown.contains("ada-there"), "{shown}");
    signs_in(&his, &at, "bob", "bob-there").await;
    let playground = format!("{at}/console");
    for (tab, account) in [(&hers, "ada-there"), (&his, "bob-there")] {
        runs_at(tab, &playground, WHO, "").await;
        tab.shows(&format!("asked by {account}")).await;
    }

    // Signing out ends one of them, also at the server.
    hers.open(&format!("{at}{SERVER}")).await;
    hers.shows("Sign in anew").await;
    presses(&hers, "Sign out of the server").await;
    hers.shows("Nobody is signed in").await;
    runs_at(&hers, &playground, WHO, "").await;
    hers.shows("ada has to sign in to behind").await;
    runs_at(&his, &playground, WHO, "").await;
    his.shows("asked by bob-there").await;
    let told = behind.told().await;
    assert_eq!(told["given"], 2, "{told}");
    assert_eq!(told["revocations"], 1, "{told}");
}

#[tokio::test]
async fn the_user_of_a_machine_signs_its_host_in_to_a_server_and_out_again() {
    let test = "the_user_of_a_machine_signs_its_host_in_to_a_server_and_out_again";
    let Some(programs) = Programs::find(test) else {
        return;
    };
    let workplace = Workplace::default();
    let Some(mut behind) = Behind::start(test, &workplace).await else {
        return;
    };
    let config = format!(
        "[servers.behind]\nurl = '{}'\n[records]\nkeep = 'all'\n[audit]\n",
        behind.url
    );
    let desk = Desk::at(workplace, &config).await;
    let tab = programs.tab().await;
    tab.sends("x-account", "mine-there").await;
    tab.open(&desk.opening).await;
    tab.shows("Write a script").await;
    let server = desk.page(SERVER);
    tab.open(&server).await;
    tab.shows("The sign-in of this host").await;
    presses(&tab, "Sign in").await;
    tab.shows("Go to the sign-in").await;
    presses(&tab, "Go to the sign-in").await;
    tab.shows("You are signed in").await;
    // The console connects to the server again, and has its tools.
    tab.open(&server).await;
    let shown = tab.shows("behind.whoami").await;
    assert!(shown.contains("mine-there"), "{shown}");
    runs(&tab, &desk, WHO, "asked by mine-there").await;

    tab.open(&server).await;
    tab.shows("Sign in anew").await;
    presses(&tab, "Sign out of the server").await;
    tab.shows("Nobody is signed in").await;
    tab.open(&desk.page("/console/audit?kind=sign-in")).await;
    let log = tab.shows("signed in").await;
    assert!(log.contains("signed out"), "{log}");
    let told = behind.told().await;
    assert_eq!(told["revocations"], 1, "{told}");
    for secret in told["secrets"].as_array().expect("a list") {
        let secret = secret.as_str().expect("a text");
        assert!(!log.contains(secret) && !shown.contains(secret));
    }
}
