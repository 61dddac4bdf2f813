//! Servers of an `ampoule.toml` in programs that embed Ampoule, through the packages for Node, Python
//! and C: secrets by reference, the host's sign-in to a GraphQL API, and tokens that nobody exchanges,
//! as no caller has brought one.

use ampoule_tests::command::Workplace;
use ampoule_tests::repository;
use reqwest::StatusCode;
use serde_json::{Value, json};

use super::Team;
use super::apis::signs_in_the_host;
use crate::embedders::Embedder;

/// What a program tries at each server, and what comes of it.
const TRIES: &str = "const told = async (call) => { try { return await call() } catch (error) { return error.message } };
    const account = async (server) => (await server.getIssue()).account;
    return {
        file: await account(tools.filed),
        command: await account(tools.printed),
        work: await account(tools.jira),
        home: await account(tools.jira.as('home')),
        shop: await told(async () => (await tools.shop.me()).name),
        notes: await told(() => tools.people.me()),
    }";

async fn tries(embedder: &Embedder, team: &Team) -> Value {
    let options = json!({
        "language": "javascript",
        "grant": ["filed", "printed", "jira", "shop", "people"],
    });
    embedder.returned(&team.workplace, TRIES, &options).await
}

/// Servers of each kind, of which the secrets are elsewhere.
fn configured(at: &Value, workplace: &Workplace) -> String {
    workplace.file("filed.txt", "of-a-file\n");
    let document = json!({
        "openapi": "3.1.0",
        "info": { "title": "People", "version": "1" },
        "paths": { "/me": { "get": { "operationId": "me", "responses": { "200": {
            "description": "Who asks.", "content": { "application/json": {} } } } } } },
    });
    workplace.file("people.json", document.to_string());
    let program = repository().join("tests/servers/account.py");
    let server = format!("command = 'python3'\nargs = [{program:?}]\n");
    let account = |text: &str| format!("env = {{ ACCOUNT = '{text}' }}\n");
    format!(
        "[servers.filed]\n{server}{}[servers.printed]\n{server}{}\
         [servers.jira]\n{server}account = 'work'\n\
         [servers.jira.accounts.work]\n{}[servers.jira.accounts.home]\n{}\
         [servers.shop]\ngraphql = {}\nauth = {{ per-principal = false }}\n\
         [servers.people]\nopenapi = 'people.json'\nbase-url = {}\n\
         [servers.people.auth]\ngrant = 'token-exchange'\n\
         exchange = {{ issuer = {}, client-id = 'ampoule', client-secret = '${{file:filed.txt}}' }}\n",
        account("${file:filed.txt}"),
        account("${command:printf of-a-program}"),
        account("${file:filed.txt} at work"),
        account("${command:printf at-home}"),
        at["graphql"],
        at["api"],
        at["issuer"],
    )
}

async fn has_all_servers(test: &str, embedder: Embedder) {
    let Some(team) = Team::configured(test, configured).await else {
        return;
    };
    let before = tries(&embedder, &team).await;
    let said = before["shop"].as_str().unwrap_or_default();
    assert!(said.contains("ampoule auth login shop"), "{before}");
    let shown = signs_in_the_host(&team, "shop").await;
    assert_eq!(shown.status, StatusCode::OK, "{shown:?}");
    let tried = tries(&embedder, &team).await;
    for (server, account) in [
        ("file", "of-a-file"),
        ("command", "of-a-program"),
        ("work", "of-a-file at work"),
        ("home", "at-home"),
        ("shop", "host-there"),
    ] {
        assert_eq!(tried[server], account, "{tried}");
    }
    let said = tried["notes"].as_str().unwrap_or_default();
    assert!(said.contains("this run has no caller"), "{tried}");
    team.serving.stopped().await;
}

#[tokio::test]
async fn nodes_package_has_all_servers() {
    let test = "accounts::packages::nodes_package_has_all_servers";
    if let Some(embedder) = Embedder::node(test) {
        has_all_servers(test, embedder).await;
    }
}

#[tokio::test]
async fn pythons_package_has_all_servers() {
    let test = "accounts::packages::pythons_package_has_all_servers";
    if let Some(embedder) = Embedder::python(test) {
        has_all_servers(test, embedder).await;
    }
}

#[tokio::test]
async fn the_library_for_c_has_all_servers() {
    let test = "accounts::packages::the_library_for_c_has_all_servers";
    if let Some(embedder) = Embedder::c(test).await {
        has_all_servers(test, embedder).await;
    }
}
