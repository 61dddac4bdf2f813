//! Servers of an `ampoule.toml` in programs that embed Ampoule, through the packages for Node, Python
//! and C: secrets by reference, the host's sign-in to a GraphQL API, and tokens that nobody exchanges,
//! as no caller has brought one.

use ampoule_tests::command::{Ran, Workplace, ended};
use ampoule_tests::{prepared, repository};
use reqwest::StatusCode;
use serde_json::{Value, json};
use tokio::process::Command;

use super::Team;
use super::apis::signs_in_the_host;
use crate::bindings_c::C;

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

/// A package, and how a program of it is run.
enum Package {
    Node(std::path::PathBuf),
    Python(std::path::PathBuf),
    C(std::path::PathBuf),
}

impl Package {
    /// A program that makes a runtime of the file `ampoule.toml` of its folder, and prints what `TRIES`
    /// returns. In a line.
    fn command(&self, team: &Team) -> Command {
        let config = team.workplace.path().join("ampoule.toml");
        let (config, code) = (json!(config), json!(TRIES));
        let grant = json!(["filed", "printed", "jira", "shop", "people"]);
        let mut command = match self {
            Self::Node(folder) => {
                let program = format!(
                    "import {{ Runtime }} from 'ampoule'
                    const runtime = new Runtime({{ config: {config} }})
                    const outcome = await runtime.run({code}, {{ language: 'javascript', grant: {grant} }})
                    console.log(JSON.stringify(outcome))
                    await runtime.close()"
                );
                let arguments = ["--input-type=module", "-e", &program];
                let mut command = team.workplace.command("node", &arguments);
                command.current_dir(folder.join("ampoule/test"));
                command
            }
            Self::Python(folder) => {
                let program = format!(
                    "import json, pyampoule\n\
                    with pyampoule.Runtime(config={config}) as runtime:\n    \
                    outcome = runtime.run({code}, language='javascript', grant={grant})\n    \
                    print(json.dumps({{'value': outcome.result()}}))"
                );
                let python = folder.join("venv/bin/python");
                let mut command = team.workplace.command(python, &["-c", &program]);
                command.env("PYTHONPATH", folder.join("site"));
                command
            }
            Self::C(program) => {
                let runtime = json!({ "config": config }).to_string();
                let run =
                    json!({ "code": code, "language": "javascript", "grant": grant }).to_string();
                team.workplace.command(program, &[&runtime, &run])
            }
        };
        team.workplace.at_home(&mut command);
        command
    }

    async fn tries(&self, team: &Team) -> Value {
        let ran: Ran = ended(self.command(team)).await;
        assert_eq!(ran.code, Some(0), "{ran:?}");
        let mut outcome = ran.json();
        assert!(outcome["value"].is_object(), "{outcome}");
        outcome["value"].take()
    }
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

async fn has_all_servers(test: &str, package: Package) {
    let Some(team) = Team::configured(test, configured).await else {
        return;
    };
    let before = package.tries(&team).await;
    let said = before["shop"].as_str().unwrap_or_default();
    assert!(said.contains("ampoule auth login shop"), "{before}");
    let shown = signs_in_the_host(&team, "shop").await;
    assert_eq!(shown.status, StatusCode::OK, "{shown:?}");
    let tried = package.tries(&team).await;
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
    if let Some(folder) = prepared(test, "AMPOULE_TEST_BINDINGS_NODE") {
        has_all_servers(test, Package::Node(folder)).await;
    }
}

#[tokio::test]
async fn pythons_package_has_all_servers() {
    let test = "accounts::packages::pythons_package_has_all_servers";
    if let Some(folder) = prepared(test, "AMPOULE_TEST_BINDINGS_PYTHON") {
        has_all_servers(test, Package::Python(folder)).await;
    }
}

#[tokio::test]
async fn the_library_for_c_has_all_servers() {
    let test = "accounts::packages::the_library_for_c_has_all_servers";
    let Some(place) = C::of(test, "gcc") else {
        return;
    };
    let source = repository().join("host/bind/c/tests/configured.c");
    let program = place.compiled(&source, &["-std=c11"]).await;
    has_all_servers(test, Package::C(program)).await;
}
