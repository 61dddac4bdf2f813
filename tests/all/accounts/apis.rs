//! An MCP server, an HTTP API and two GraphQL APIs behind one sign-in, each with tokens for itself alone:
//! for people of `ampoule serve --http`, and for the host.

use std::process::Stdio;

use ampoule_tests::binary;
use ampoule_tests::command::Workplace;
use reqwest::StatusCode;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, BufReader};

use super::super::principals::{Principal, text};
use super::super::serving::PATIENCE;
use super::browser::{Browser, Shown, url};
use super::{Team, says, wait_for};

/// Who each server says that it was asked by, and what was written there.
const STORY: &str = "const me = [await tools.behind.whoami(), (await tools.people.me()).name, (await tools.shop.me()).name, (await tools.coded.me()).name];
    const note = await tools.people.addNote({ body: { text: `of ${me[1]}` } });
    return [...me, note.text].join(' ')";

/// Servers of each kind. Where to sign in is said by the MCP server, the document of the API, the
/// first GraphQL API and the configuration of the second.
fn servers(at: &Value, workplace: &Workplace) -> String {
    let schema =
        |name: &str| json!({ "type": "object", "properties": { (name): { "type": "string" } } });
    let answer = |name: &str| {
        json!({ "200": {
        "description": "It.", "content": { "application/json": { "schema": schema(name) } } } })
    };
    let flow =
        json!({ "authorizationUrl": at["authorization"], "tokenUrl": at["token"], "scopes": {} });
    let document = json!({
        "openapi": "3.1.0",
        "info": { "title": "People", "version": "1" },
        "security": [{ "people": ["notes"] }],
        "paths": {
            "/me": { "get": { "operationId": "me", "responses": answer("name") } },
            "/notes": { "post": {
                "operationId": "add_note",
                "requestBody": { "required": true, "content": { "application/json": { "schema": schema("text") } } },
                "responses": answer("text"),
            } },
        },
        "components": { "securitySchemes": { "people": {
            "type": "oauth2", "flows": { "authorizationCode": flow } } } },
    });
    workplace.file("people.json", document.to_string());
    let by_hand = "client-id = 'by-hand'\nclient-secret = 'secret-by-hand'\nscopes = ['notes']";
    format!(
        "[servers.behind]\nurl = {}\n\
         [servers.people]\nopenapi = 'people.json'\nbase-url = {}\naccount = 'work'\n\
         [servers.people.accounts.work.auth]\n{by_hand}\n[servers.people.accounts.home.auth]\n{by_hand}\n\
         [servers.shop]\ngraphql = {}\nauth = {{}}\n\
         [servers.coded]\ngraphql = {}\n[servers.coded.auth]\n{by_hand}\n\
         endpoints = {{ authorization = {}, token = {} }}\n",
        at["url"], at["api"], at["graphql"], at["coded"], at["authorization"], at["token"],
    )
}

/// What a script comes to, whose person signs in as somebody whenever they are asked to, and what they
/// are told each time. The run is parked meanwhile.
async fn plays(principal: &Principal<'_>, account: &str, code: &str) -> (String, Vec<String>) {
    let arguments = json!({ "code": code, "language": "javascript" });
    let mut call = json!({ "name": "execute_code", "arguments": arguments });
    let (mut told, mut open) = (Vec::new(), None);
    loop {
        let answers = tokio::time::timeout(PATIENCE, principal.asks("tools/call", call.clone()));
        let signs_in = async {
            if let Some(address) = open.take() {
                wait_for(principal, "ampoule_runs_parked 1").await;
                let address: String = address;
                let shown = Browser::of(account).signs_in(&address).await;
                assert_eq!(shown.status, StatusCode::OK, "{shown:?}");
            }
        };
        let (answer, ()) = tokio::join!(answers, signs_in);
        let result = answer.expect("in time")["result"].clone();
        let Some(requests) = result["inputRequests"].as_object() else {
            return (text(&result).to_owned(), told);
        };
        let (name, request) = requests.iter().next().expect("a question");
        let params = &request["params"];
        assert_eq!(params["mode"], "url", "{request}");
        told.push(params["message"].as_str().expect("a text").to_owned());
        open = Some(params["url"].as_str().expect("an address").to_owned());
        call["requestState"] = result["requestState"].clone();
        call["inputResponses"] = json!({ name: { "action": "accept" } });
    }
}

/// Allows the call that a person is asked about, and says what they are asked.
async fn allows(team: &Team) -> Value {
    for _ in 0..1_200 {
        let listed = team.run(&["approvals", "--json"]).await;
        assert_eq!(listed.code, Some(0), "{listed:?}");
        let listed = listed.json();
        let Some(question) = listed.get(0) else {
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
            continue;
        };
        let id = question["question"]["id"].as_str().expect("an id");
        let shown = team.run(&["approvals", "show", id, "--json"]).await.json();
        let seen = shown["seen"].as_str().expect("a code");
        let allowed = team.run(&["approvals", "allow", id, "--seen", seen]).await;
        assert_eq!(allowed.code, Some(0), "{allowed:?}");
        return question.clone();
    }
    panic!("nobody is asked");
}

#[tokio::test]
async fn two_people_use_their_own_accounts_at_servers_of_each_kind() {
    let test = "two_people_use_their_own_accounts_at_servers_of_each_kind";
    let beside = "[runs]\npark-after = '50ms'\n[audit]\nfolder = 'audit'\n\
        [approvals]\nask = 'people@work.add_note'\nplaces = ['command-line']\n\
        [roles.everybody]\ntools = ['behind', 'people', 'shop', 'coded']\n";
    let configured = |at: &Value, workplace: &Workplace| servers(at, workplace) + beside;
    let Some(mut team) = Team::configured(test, configured).await else {
        return;
    };
    let principals = team.principals(&json!({ "elicitation": { "url": {} } }));
    for (principal, name) in principals.iter().zip(["ada", "bob"]) {
        let account = format!("{name}-there");
        let (played, asked) = tokio::join!(plays(principal, &account, STORY), allows(&team));
        let (value, told) = played;
        let expected = format!("{account} {account} {account} {account} of {account}");
        assert_eq!(value, expected);
        let told = told.join("\n");
        for server in ["behind", "people@work", "shop", "coded"] {
            let line = format!("{name} has to sign in to {server},");
            assert!(told.contains(&line), "{told}");
        }
        let asked = asked.to_string();
        for part in ["people@work", "add_note", name] {
            assert!(asked.contains(part), "{part}: {asked}");
        }
    }
    drop(principals);
    let told = team.told().await;
    let note = |who: &str| json!({ "name": who, "text": format!("of {who}") });
    assert_eq!(
        told["written"],
        json!([note("ada-there"), note("bob-there")])
    );
    let bearers = told["bearers"].to_string();
    for token in &team.tokens {
        assert!(
            !bearers.contains(token.as_str()),
            "a caller's token was passed on"
        );
    }
    let log = team.run(&["audit", "ls", "--json", "--all"]).await.stdout;
    for name in ["ada", "bob"] {
        for (server, account) in [
            ("behind", "principal"),
            ("people@work", "work/principal"),
            ("shop", "principal"),
            ("coded", "principal"),
        ] {
            let is_it = |line: &&str| {
                [
                    ("principal", name),
                    ("server", server),
                    ("account", account),
                ]
                .iter()
                .all(|(key, value)| line.contains(&format!("\"{key}\":\"{value}\"")))
            };
            assert!(
                log.lines().any(|line| is_it(&line)),
                "{name}, {server}: {log}"
            );
        }
    }
    let (code, written) = team.serving.stopped().await;
    assert_eq!(code, Some(0), "{written}");
    for secret in told["secrets"].as_array().into_iter().flatten() {
        let secret = secret.as_str().expect("a text");
        assert!(!log.contains(secret) && !written.contains(secret));
    }
}

/// Signs the host in to a server, as `host-there`: what the browser shows in the end.
pub(super) async fn signs_in_the_host(team: &Team, server: &str) -> Shown {
    let arguments = ["auth", "login", server, "--no-browser"];
    let mut command = team.workplace.command(binary(), &arguments);
    team.workplace.at_home(&mut command);
    let mut login = command.stdin(Stdio::piped()).spawn().expect("a process");
    let mut lines = BufReader::new(login.stderr.take().expect("a pipe")).lines();
    let address = loop {
        let line = lines.next_line().await.expect("text").expect("an address");
        if line.starts_with("http://") {
            break line;
        }
    };
    let shown = Browser::of("host-there")
        .open(url(&address), None, "")
        .await;
    assert_eq!(login.wait().await.expect("it ends").code(), Some(0));
    shown
}

#[tokio::test]
async fn all_share_the_hosts_account_at_an_api_where_the_configuration_says_so() {
    let test = "all_share_the_hosts_account_at_an_api_where_the_configuration_says_so";
    let configured = |at: &Value, _: &Workplace| {
        let graphql = &at["graphql"];
        format!("[servers.shop]\ngraphql = {graphql}\nauth = {{ per-principal = false }}\n")
    };
    let Some(team) = Team::configured(test, configured).await else {
        return;
    };
    let me = "return (await tools.shop.me()).name";
    let [ada, bob] = team.principals(&json!({}));
    for principal in [&ada, &bob] {
        let said = says(principal, me).await;
        assert!(said.contains("ampoule auth login shop"), "{said}");
    }
    let shown = signs_in_the_host(&team, "shop").await;
    assert_eq!(shown.status, StatusCode::OK, "{shown:?}");
    for principal in [&ada, &bob] {
        assert_eq!(says(principal, me).await, "host-there");
    }
    let listed = team.run(&["servers"]).await;
    assert!(
        listed.stdout.contains("signed in as host-there"),
        "{listed:?}"
    );
    let ran = team.run(&["run", "-e", me]).await;
    assert_eq!(
        (ran.code, &*ran.stdout),
        (Some(0), "host-there\n"),
        "{ran:?}"
    );
    let ended = team.run(&["auth", "logout", "shop"]).await;
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let said = says(&ada, me).await;
    assert!(said.contains("ampoule auth login shop"), "{said}");
    team.serving.stopped().await;
}
