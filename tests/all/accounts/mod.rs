//! Principals of `ampoule serve --http` who sign in to a server as themselves: npm's `oidc-provider`,
//! and an MCP server that says whose token it got.
//!
//! - `browser`: people's browsers; `exchange`: principals whose own tokens are exchanged
//! - `apis`: HTTP APIs and GraphQL APIs behind the same sign-in; `roles`: sign-ins where roles are in
//!   force; `killed`: Ampoule is killed while somebody signs in; `packages`: programs that embed Ampoule;
//!   `several`: accounts of one server

mod apis;
mod browser;
mod exchange;
mod killed;
mod packages;
mod roles;
mod several;

use std::net::TcpListener;
use std::process::Stdio;
use std::time::Duration;

use ampoule_tests::command::{Ran, Workplace};
use ampoule_tests::{prepared, repository};
use reqwest::StatusCode;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout};

use self::browser::Browser;
use super::principals::{Principal, text};
use super::serving::{PATIENCE, Serving};

const WHO: &str = "return await tools.behind.whoami()";

/// A server behind a sign-in, and Ampoule for two principals.
struct Team {
    workplace: Workplace,
    serving: Serving,
    tokens: [String; 2],
    /// The port of Ampoule.
    port: String,
    _servers: Child,
    input: ChildStdin,
    output: Lines<BufReader<ChildStdout>>,
}

impl Team {
    /// `more` is added to the configuration of the server, `beside` to the rest.
    async fn new(test: &str, more: &str, beside: &str) -> Option<Self> {
        let configured = |at: &Value, _: &Workplace| {
            format!("[servers.behind]\nurl = {}\n{more}\n{beside}", at["url"])
        };
        Self::configured(test, configured).await
    }

    /// The configuration is made of where the servers are.
    async fn configured(
        test: &str,
        configured: impl Fn(&Value, &Workplace) -> String,
    ) -> Option<Self> {
        let node = prepared(test, "AMPOULE_TEST_NODE")?;
        let workplace = Workplace::default();
        let mut command = workplace.command("node", &[]);
        command.arg(repository().join("tests/servers/behind-sign-in.mjs"));
        let mut servers = command
            .arg(node)
            .arg("3600")
            .stdin(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("node");
        let input = servers.stdin.take().expect("a pipe");
        let output = servers.stdout.take().expect("a pipe");
        let mut output = BufReader::new(output).lines();
        let first = output.next_line().await.expect("text").expect("a line");
        let first: Value = serde_json::from_str(&first).expect("JSON");
        let config = configured(&first, &workplace);
        let config = format!("{config}\n[serve.auth]\ntokens = 'tokens'\n");
        workplace.file("ampoule.toml", config);
        let tokens = [
            Principal::token(&workplace, "ada").await,
            Principal::token(&workplace, "bob").await,
        ];
        // Where browsers come back to is said to the authorization server before they do.
        let port = TcpListener::bind("127.0.0.1:0").and_then(|it| it.local_addr());
        let port = port.expect("a port").port().to_string();
        let serving = Serving::start(&workplace, &["serve", "--http", &port]).await;
        Some(Self {
            workplace,
            serving,
            tokens,
            port,
            _servers: servers,
            input,
            output,
        })
    }

    /// Both, with clients that can do this.
    fn principals(&self, capabilities: &Value) -> [Principal<'_>; 2] {
        let tokens = self.tokens.clone();
        tokens.map(|token| Principal::new(&self.serving.at, token, capabilities.clone()))
    }

    /// What happened at the servers.
    async fn told(&mut self) -> Value {
        self.told_that("works").await
    }

    /// The same; and how the servers go on.
    async fn told_that(&mut self, words: &str) -> Value {
        let line = format!("{words}\n");
        self.input
            .write_all(line.as_bytes())
            .await
            .expect("it reads");
        let told = self.output.next_line().await.expect("text");
        serde_json::from_str(&told.expect("a line")).expect("JSON")
    }

    async fn run(&self, arguments: &[&str]) -> Ran {
        self.workplace.run_at_home(arguments).await
    }
}

/// What a script returns, or throws.
async fn says(principal: &Principal<'_>, code: &str) -> String {
    let arguments = json!({ "code": code, "language": "javascript" });
    let result = principal.executes(arguments).await;
    text(&result).to_owned()
}

/// The address in what a script throws.
fn address(said: &str) -> String {
    let mut words = said.split_whitespace();
    let found = words.find(|word| word.contains("/auth/start/"));
    found.unwrap_or_else(|| panic!("{said}")).to_owned()
}

#[tokio::test]
async fn each_principal_uses_their_own_account() {
    let test = "each_principal_uses_their_own_account";
    let Some(mut team) = Team::new(test, "", "[audit]\nfolder = 'audit'").await else {
        return;
    };
    let [ada, bob] = team.principals(&json!({}));
    // Nobody has signed in, so that not even the tools are known: search says what to do.
    let search = json!({ "name": "search_tools", "arguments": { "query": "who am I" } });
    let found = ada.asks("tools/call", search).await.to_string();
    assert!(found.contains("wants each principal to sign in"), "{found}");
    let said = says(&ada, WHO).await;
    assert!(said.contains("ada has to sign in to behind"), "{said}");
    assert!(!said.contains("auth login"), "{said}");
    let of_ada = address(&said);
    let done = Browser::of("ada-there").signs_in(&of_ada).await;
    assert_eq!(done.status, StatusCode::OK, "{done:?}");
    assert!(
        done.text.contains("ada-there") && done.text.contains("behind"),
        "{done:?}"
    );
    assert_eq!(says(&ada, WHO).await, "ada-there");

    // Bob sees the tools, and nothing of Ada's account.
    let said = says(&bob, WHO).await;
    assert!(said.contains("bob has to sign in to behind"), "{said}");
    let of_bob = address(&said);
    assert_ne!(of_ada, of_bob);
    let used = Browser::of("bob-there")
        .open(browser::url(&of_ada), None, "")
        .await;
    assert_eq!(used.status, StatusCode::NOT_FOUND, "{used:?}");
    Browser::of("bob-there").signs_in(&of_bob).await;
    let both = || async { tokio::join!(says(&ada, WHO), says(&bob, WHO)) };
    for _ in 0..3 {
        let (hers, his) = both().await;
        assert_eq!((&*hers, &*his), ("ada-there", "bob-there"));
    }

    // The host lists them, and ends one.
    let listed = team.run(&["auth", "ls"]).await;
    for line in [
        "behind, principal ada: signed in as ada-there, at http://127.0.0.1:",
        "behind, principal bob: signed in as bob-there, at http://127.0.0.1:",
    ] {
        assert!(listed.stdout.contains(line), "{listed:?}");
    }
    let ended = team
        .run(&["auth", "logout", "behind", "--principal", "ada"])
        .await;
    assert_eq!(
        ended.stdout,
        "signed out of behind as principal ada; its tokens are revoked\n"
    );
    let (hers, his) = both().await;
    assert!(hers.contains("ada has to sign in to behind"), "{hers}");
    assert_eq!(his, "bob-there");
    // As somebody else: nothing is left of the account of before.
    Browser::of("ada-elsewhere").signs_in(&address(&hers)).await;
    let (hers, his) = both().await;
    assert_eq!((&*hers, &*his), ("ada-elsewhere", "bob-there"));

    let told = team.told().await;
    assert_eq!(told["clients"], 1, "all sign in by one client");
    // What proves who is a client of Ampoule is nothing that servers see.
    let bearers = told["bearers"].to_string();
    for token in &team.tokens {
        assert!(!bearers.contains(token.as_str()));
    }
    let log = team.run(&["audit", "ls", "--json"]).await;
    for event in [
        r#""account":"principal""#,
        r#""principal":"ada","server":"behind","outcome":"signed-in""#,
        r#""principal":"ada","server":"behind","outcome":"signed-out""#,
    ] {
        assert!(log.stdout.contains(event), "{event}: {log:?}");
    }
    let (code, written) = team.serving.stopped().await;
    assert_eq!(code, Some(0), "{written}");
    for secret in told["secrets"].as_array().into_iter().flatten() {
        let secret = secret.as_str().expect("a text");
        assert!(!log.stdout.contains(secret) && !written.contains(secret));
    }
}

#[tokio::test]
async fn all_share_one_account_only_where_the_configuration_says_so() {
    let test = "all_share_one_account_only_where_the_configuration_says_so";
    let shared = "auth = { per-principal = false }";
    let Some(team) = Team::new(test, shared, "").await else {
        return;
    };
    let [ada, bob] = team.principals(&json!({}));
    for principal in [&ada, &bob] {
        let said = says(principal, WHO).await;
        assert!(said.contains("ampoule auth login behind"), "{said}");
        assert!(!said.contains("/auth/start/"), "{said}");
    }
    let listed = team.run(&["auth", "ls"]).await;
    assert_eq!(listed.stdout, "nobody is signed in to any server\n");
    team.serving.stopped().await;
}

#[tokio::test]
async fn a_run_waits_without_an_isolate_until_its_principal_has_signed_in() {
    let test = "a_run_waits_without_an_isolate_until_its_principal_has_signed_in";
    // What roles say of the tool is known once the server can be asked for it.
    let beside = "[runs]\npark-after = '50ms'\n[roles.everybody]\ntools = ['behind.who*']";
    let Some(team) = Team::new(test, "", beside).await else {
        return;
    };
    let [ada, bob] = team.principals(&json!({ "elicitation": { "url": {} } }));
    let arguments = json!({ "code": format!("const a = await tools.behind.whoami(); return [a, 'on']"), "language": "javascript" });
    let call = || json!({ "name": "execute_code", "arguments": arguments });
    let asked = ada.asks("tools/call", call()).await["result"].clone();
    assert_eq!(asked["resultType"], "input_required", "{asked}");
    let requests = asked["inputRequests"].as_object().expect("a question");
    let (name, request) = requests.iter().next().expect("a question");
    let params = &request["params"];
    assert_eq!(params["mode"], "url", "{request}");
    let message = params["message"].as_str().expect("a text");
    assert!(
        message.contains("ada has to sign in to behind"),
        "{message}"
    );
    let url = params["url"].as_str().expect("an address").to_owned();

    let mut answer = call();
    answer["requestState"] = asked["requestState"].clone();
    answer["inputResponses"] = json!({ name: { "action": "accept" } });
    let waits = ada.asks("tools/call", answer);
    let signs_in = async {
        wait_for(&ada, "ampoule_runs_parked 1").await;
        // Another principal's sign-in does not wake it.
        let declined = asked_of(&bob).await;
        assert!(
            declined.contains("the address was not opened"),
            "{declined}"
        );
        Browser::of("bob-there").signs_in(&address(&declined)).await;
        tokio::time::sleep(Duration::from_secs(1)).await;
        wait_for(&ada, "ampoule_runs_parked 1").await;
        Browser::of("ada-there").signs_in(&url).await
    };
    let (answered, shown) = tokio::join!(tokio::time::timeout(PATIENCE, waits), signs_in);
    assert_eq!(shown.status, StatusCode::OK, "{shown:?}");
    let answered = answered.expect("in time")["result"].clone();
    assert!(text(&answered).contains("ada-there"), "{answered}");
    assert!(text(&answered).contains("on"), "{answered}");
    team.serving.stopped().await;
}

/// What is said where somebody's person does not open the address.
async fn asked_of(principal: &Principal<'_>) -> String {
    let call =
        json!({ "name": "execute_code", "arguments": { "code": WHO, "language": "javascript" } });
    let asked = principal.asks("tools/call", call.clone()).await["result"].clone();
    let requests = asked["inputRequests"].as_object().expect("a question");
    let (name, _) = requests.iter().next().expect("a question");
    let mut answer = call;
    answer["requestState"] = asked["requestState"].clone();
    answer["inputResponses"] = json!({ name: { "action": "decline" } });
    let answered = principal.asks("tools/call", answer).await;
    text(&answered["result"]).to_owned()
}

/// Waits until the metrics have a line.
async fn wait_for(principal: &Principal<'_>, line: &str) {
    let looked = async {
        loop {
            let metrics = principal.metrics().await;
            if metrics.lines().any(|it| it == line) {
                return;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    let looked = tokio::time::timeout(PATIENCE, looked).await;
    looked.unwrap_or_else(|_| panic!("no {line}"));
}
