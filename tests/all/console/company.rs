//! The console of a team, whose people sign in at their company's issuer: npm's `oidc-provider`. Each of
//! them has a browser of their own.

use std::net::TcpListener;
use std::process::Stdio;
use std::time::Duration;

use ampoule_tests::command::Workplace;
use ampoule_tests::{binary, prepared, repository};
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout};

use super::desk::{Programs, axe};
use super::story::{fails, is_fixed};
use super::tab::{LOOKS, Tab};
use crate::serving::Serving;

/// A server and the issuer of its people.
struct Team {
    /// The console's address, at another host than the issuer's.
    at: String,
    issuer: String,
    _workplace: Workplace,
    _serving: Serving,
    _issuer: Child,
    input: ChildStdin,
    output: Lines<BufReader<ChildStdout>>,
}

impl Team {
    async fn start(test: &str) -> Option<Self> {
        let node = prepared(test, "AMPOULE_TEST_NODE")?;
        let workplace = Workplace::default();
        // The issuer has to know the port beforehand.
        let free = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = free.local_addr().expect("an address").port().to_string();
        drop(free);
        let at = format!("http://localhost:{port}");
        let mut process = workplace
            .command("node", &[])
            .arg(repository().join("tests/servers/issuer.mjs"))
            .arg(node)
            .arg(format!("{at}/mcp"))
            .arg("127.0.0.1")
            .arg(format!("{at}/console/sign-in/callback"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("node");
        let input = process.stdin.take().expect("a pipe");
        let output = BufReader::new(process.stdout.take().expect("a pipe"));
        let mut output = output.lines();
        let issuer = output.next_line().await.expect("text").expect("a line");
        let issuer: String = serde_json::from_str(&issuer).expect("a text");
        workplace.file("secret.txt", "a secret of the console\n");
        let config = format!(
            "[servers.demo]\ncommand = {:?}\nargs = ['demo-server']\n\
             [records]\nkeep = 'all'\n[audit]\n[approvals]\nask = 'destructive'\n\
             [serve]\naddress = '{at}'\n\
             [serve.auth]\nissuer = '{issuer}'\naudience = '{at}/mcp'\nscopes = ['mcp']\n\
             [console]\noperators = ['olga']\nclient-id = 'console'\nclient-secret = '${{file:secret.txt}}'\nscopes = ['offline_access']\n",
            binary()
        );
        workplace.file("ampoule.toml", config);
        let serving = Serving::start(&workplace, &["serve", "--http", &port]).await;
        Some(Self {
            at,
            issuer,
            _workplace: workplace,
            _serving: serving,
            _issuer: process,
            input,
            output,
        })
    }

    /// Who signs in at the issuer next, with tokens that live for so many seconds.
    async fn is_at_the_issuer(&mut self, person: &str, life: u32) {
        let line = format!("person {person} {life}\n");
        let written = self.input.write_all(line.as_bytes()).await;
        written.expect("it reads");
        let said = self.output.next_line().await.expect("text");
        assert_eq!(said.expect("a line"), format!("{person:?}"));
    }

    /// A page that a browser comes for, and is led to once its person has signed in.
    async fn signs_in(&mut self, tab: &Tab, person: &str, page: &str) {
        self.is_at_the_issuer(person, 3600).await;
        tab.open(&format!("{}{page}", self.at)).await;
        tab.shows("Sign in to Ampoule").await;
        tab.tab_to("Sign in with your company’s account").await;
        tab.press(&["Enter"]).await;
        tab.until(&format!("location.href === '{}{page}'", self.at))
            .await;
        tab.shows(person).await;
    }
}

/// The cookie of a browser whose name begins so.
async fn cookie(tab: &Tab, name: &str) -> Option<Value> {
    let all = tab.cookies().await.into_iter();
    let mut found = all.filter(|it| it["name"].as_str().is_some_and(|it| it.starts_with(name)));
    found.next()
}

#[tokio::test]
async fn people_sign_in_at_their_company_and_out_again() {
    let test = "people_sign_in_at_their_company_and_out_again";
    let (Some(programs), Some(axe)) = (Programs::find(test), axe(test)) else {
        return;
    };
    let Some(mut team) = Team::start(test).await else {
        return;
    };
    let tab = programs.tab().await;
    tab.open(&format!("{}/console/sign-in", team.at)).await;
    tab.shows("Sign in with your company’s account").await;
    tab.script(&axe).await;
    for (look, how) in LOOKS {
        tab.look(how).await;
        tab.picture(&format!("sign-in-{look}")).await;
        let found = tab.findings().await;
        assert!(found.is_empty(), "{look}: {found:#?}");
    }
    team.signs_in(&tab, "ada", "/console/runs?search=a%20b")
        .await;
    tab.shows("No run matches").await;
    let session = cookie(&tab, "ampoule-console-").await.expect("a cookie");
    assert_eq!(session["sameSite"], "Strict", "{session}");
    assert_eq!(session["httpOnly"], true, "{session}");
    assert!(cookie(&tab, "ampoule-away-").await.is_none());

    // A link of another site, which comes without the cookie, still leads to the page.
    tab.open(&format!("{}/.well-known/openid-configuration", team.issuer))
        .await;
    tab.script(&format!("location.assign('{}/console/tools')", team.at))
        .await;
    tab.shows("demo.closeTicket").await;
    assert_eq!(tab.address().await, format!("{}/console/tools", team.at));

    tab.tab_to_from_top("Menu").await;
    tab.press(&["Enter"]).await;
    tab.tab_to("Sign out").await;
    tab.press(&["Enter"]).await;
    tab.shows("Sign in to Ampoule").await;
    assert!(cookie(&tab, "ampoule-console-").await.is_none());
    tab.open(&format!("{}/console/runs", team.at)).await;
    tab.shows("Sign in to Ampoule").await;
    // A token that is not one, with the keyboard.
    tab.tab_to("Token").await;
    tab.press(&["amp_nothing", "Enter"]).await;
    tab.shows("the token is unknown").await;
    // Tokens that end soon are renewed, and nobody notices.
    team.is_at_the_issuer("ada", 1).await;
    tab.tab_to_from_top("Sign in with your company’s account")
        .await;
    tab.press(&["Enter"]).await;
    tab.until("location.pathname === '/console/runs'").await;
    for _ in 0..3 {
        // Longer than a token lives, so that each page needs another one.
        tokio::time::sleep(Duration::from_millis(1_200)).await;
        tab.open(&format!("{}/console/runs", team.at)).await;
        tab.shows("No runs yet").await;
    }
}

#[tokio::test]
async fn one_person_fixes_a_run_and_asks_and_another_allows_in_their_browser() {
    let test = "one_person_fixes_a_run_and_asks_and_another_allows_in_their_browser";
    let Some(programs) = Programs::find(test) else {
        return;
    };
    let Some(mut team) = Team::start(test).await else {
        return;
    };
    let (hers, his) = (programs.tab().await, programs.tab().await);
    team.signs_in(&hers, "ada", "/console").await;
    fails(&hers).await;
    is_fixed(&hers).await;
    let run = hers.address().await;

    // Somebody else sees nothing of it, and an operator sees who asks, and decides.
    team.signs_in(&his, "bob", "/console/approvals").await;
    his.shows("Nothing waits").await;
    drop(his);
    let operators = programs.tab().await;
    team.signs_in(&operators, "olga", "/console/approvals")
        .await;
    operators.shows("demo.close_ticket").await;
    let link = "return document.querySelector('#approvals a').innerText.trim()";
    let link = operators.script(link).await;
    operators.tab_to(link.as_str().expect("a text")).await;
    operators.press(&["Enter"]).await;
    let shown = operators.shows("Allow this call?").await;
    for part in ["ada", "demo.close_ticket", "TIC-", "Answered"] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    operators.tab_to("Allow once").await;
    operators.press(&["Enter"]).await;
    operators.shows("allowed once").await;
    // Her page shows by itself that the run went on.
    hers.shows("closed").await;
    assert_eq!(hers.address().await, run);
}
