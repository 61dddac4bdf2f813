//! Principals whose own tokens are exchanged, so that nobody signs in: a company's issuer, an MCP server
//! with an authorization server of its own, and an HTTP API and a GraphQL API that take the issuer's
//! tokens.

use std::process::Stdio;

use ampoule_tests::command::Workplace;
use ampoule_tests::{prepared, repository};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout};

use super::super::principals::Principal;
use super::super::serving::Serving;
use super::says;

/// Whom the tokens of people are for.
const AUDIENCE: &str = "https://ampoule.example.com/mcp";

const WHO: &str = "return await tools.notes.whoami()";
const ME: &str = "return (await tools.people.me()).name";
const MINE: &str = "return (await tools.shop.me()).name";

struct Company {
    workplace: Workplace,
    serving: Serving,
    /// A token that the operator gave out.
    given: String,
    _servers: Child,
    input: ChildStdin,
    output: Lines<BufReader<ChildStdout>>,
}

impl Company {
    async fn new(test: &str) -> Option<Self> {
        let node = prepared(test, "AMPOULE_TEST_NODE")?;
        let workplace = Workplace::default();
        let mut command = workplace.command("node", &[]);
        command.arg(repository().join("tests/servers/company.mjs"));
        let mut servers = command
            .arg(node)
            .arg(AUDIENCE)
            .stdin(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("node");
        let input = servers.stdin.take().expect("a pipe");
        let output = servers.stdout.take().expect("a pipe");
        let mut output = BufReader::new(output).lines();
        let first = output.next_line().await.expect("text").expect("a line");
        let at: Value = serde_json::from_str(&first).expect("JSON");
        let (issuer, url, api, graphql) = (&at["issuer"], &at["url"], &at["api"], &at["graphql"]);
        let document = json!({
            "openapi": "3.1.0",
            "info": { "title": "People", "version": "1" },
            "paths": { "/me": { "get": { "operationId": "me", "responses": { "200": {
                "description": "Who asks.",
                "content": { "application/json": { "schema": { "type": "object", "properties": {
                    "name": { "type": "string" } } } } }
            } } } } },
        });
        workplace.file("people.json", document.to_string());
        let schema = "type Query { me: Me! } type Me { name: String! }";
        workplace.file("schema.graphql", schema);
        let exchange = format!(
            "grant = 'token-exchange'\nexchange = {{ issuer = {issuer}, client-id = 'ampoule', client-secret = 'secret-of-ampoule' }}"
        );
        let config = format!(
            "[servers.notes]\nurl = {url}\n[servers.notes.auth]\nclient-id = 'ampoule-at-notes'\nclient-secret = 'secret-at-notes'\n{exchange}\n\
             [servers.people]\nopenapi = 'people.json'\nbase-url = {api}\n[servers.people.auth]\n{exchange}\n\
             [servers.shop]\ngraphql = 'schema.graphql'\nbase-url = {graphql}\n[servers.shop.auth]\n{exchange}\n\
             [serve.auth]\ntokens = 'tokens'\nissuer = {issuer}\naudience = '{AUDIENCE}'\n[audit]\nfolder = 'audit'\n"
        );
        workplace.file("ampoule.toml", config);
        let given = Principal::token(&workplace, "robot").await;
        let serving = Serving::start(&workplace, &["serve", "--http", "0"]).await;
        Some(Self {
            workplace,
            serving,
            given,
            _servers: servers,
            input,
            output,
        })
    }

    /// What the company answers to a line.
    async fn told(&mut self, line: &str) -> Value {
        let line = format!("{line}\n");
        self.input
            .write_all(line.as_bytes())
            .await
            .expect("it reads");
        let told = self.output.next_line().await.expect("text");
        serde_json::from_str(&told.expect("a line")).expect("JSON")
    }

    async fn token(&mut self, name: &str) -> String {
        let token = self.told(&format!("token {name}")).await;
        token.as_str().expect("a token").to_owned()
    }

    fn principal(&self, token: &str) -> Principal<'_> {
        Principal::new(&self.serving.at, token.to_owned(), json!({}))
    }
}

#[tokio::test]
async fn nobody_signs_in_where_callers_tokens_are_exchanged() {
    let test = "nobody_signs_in_where_callers_tokens_are_exchanged";
    let Some(mut company) = Company::new(test).await else {
        return;
    };
    let (hers, his) = (company.token("ada").await, company.token("bob").await);
    let (ada, bob) = (company.principal(&hers), company.principal(&his));
    for _ in 0..3 {
        let (one, other) = tokio::join!(says(&ada, WHO), says(&bob, WHO));
        assert_eq!((&*one, &*other), ("ada", "bob"));
        for code in [ME, MINE] {
            let (one, other) = tokio::join!(says(&ada, code), says(&bob, code));
            assert_eq!((&*one, &*other), ("ada", "bob"));
        }
    }
    // A token that the operator gave out is no identity of the issuer's, and goes nowhere.
    let robot = company.principal(&company.given.clone());
    for code in [WHO, ME, MINE] {
        let said = says(&robot, code).await;
        assert!(said.contains("no token of the caller"), "{said}");
        assert!(!said.contains("/auth/start/"), "{said}");
    }
    drop((ada, bob, robot));

    let told = company.told("works").await;
    assert_eq!(told["exchanges"], 6, "one for each principal and server");
    let bearers = told["bearers"].as_array().expect("a list");
    assert_eq!(bearers.len(), 6, "{bearers:?}");
    let seen = Value::from(bearers.clone()).to_string();
    for token in [&hers, &his, &company.given] {
        assert!(
            !seen.contains(token.as_str()),
            "a caller's token was passed on"
        );
    }
    let log = company
        .workplace
        .run_at_home(&["audit", "ls", "--json"])
        .await;
    for name in ["ada", "bob"] {
        assert!(
            log.stdout.contains(&format!(r#""principal":"{name}""#)),
            "{log:?}"
        );
    }
    assert!(log.stdout.contains(r#""account":"principal""#), "{log:?}");
    let (code, written) = company.serving.stopped().await;
    assert_eq!(code, Some(0), "{written}");
    // What was exchanged is in memory alone, and the files of a run have no token either.
    for secret in told["secrets"].as_array().into_iter().flatten() {
        let secret = secret.as_str().expect("a text");
        assert!(!log.stdout.contains(secret) && !written.contains(secret));
        assert!(!is_within(company.workplace.path(), secret));
    }
}

#[tokio::test]
async fn an_issuer_that_gives_something_else_is_refused() {
    let test = "an_issuer_that_gives_something_else_is_refused";
    let Some(mut company) = Company::new(test).await else {
        return;
    };
    let cases = [
        (
            "another-server",
            WHO,
            "gave an assertion for another authorization server",
        ),
        (
            "another-audience",
            WHO,
            "gave an assertion for another server",
        ),
        ("ended", WHO, "gave an assertion that has ended"),
        (
            "another-kind",
            WHO,
            "gave another kind of token than it was asked for",
        ),
        ("back", ME, "gave the caller's own token back"),
        ("back", MINE, "gave the caller's own token back"),
    ];
    for (number, (word, code, why)) in cases.into_iter().enumerate() {
        // Somebody else each time: nothing is tried again at once for the same token.
        let token = company.token(&format!("somebody-{number}")).await;
        company.told(word).await;
        let somebody = company.principal(&token);
        let said = says(&somebody, code).await;
        assert!(said.contains(why), "{word}: {said}");
        assert!(!said.contains(&token), "{word}");
    }
    let told = company.told("works").await;
    assert_eq!(
        told["assertions"], 0,
        "nothing of that went to the server's side"
    );
    assert_eq!(told["bearers"], json!([]));
    company.serving.stopped().await;
}

/// Whether a file of a folder has a text.
fn is_within(folder: &std::path::Path, text: &str) -> bool {
    let entries = std::fs::read_dir(folder).expect("a folder");
    let mut paths = entries.map(|entry| entry.expect("an entry").path());
    paths.any(|path| match path.is_dir() {
        true => is_within(&path, text),
        false => {
            let content = std::fs::read(&path).unwrap_or_default();
            content.windows(text.len()).any(|it| it == text.as_bytes())
        }
    })
}
