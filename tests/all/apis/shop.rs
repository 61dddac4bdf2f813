//! A document with all that there is: what is sent, and what comes back.

use std::fs;

use ampoule_tests::command::{Served, Workplace};
use serde_json::{Value, json};

use crate::outbound::Server;

const SHOP: &str = include_str!("shop.yaml");

/// A shop that says what it got, and knows no pet `0`.
pub(super) async fn shop() -> Server {
    Server::answering(|request| {
        let line = request.lines().next().unwrap_or_default();
        match line.split(' ').nth(1).unwrap_or_default() {
            "/v1/pets/0?api_key=hunter2-key" => super::json(
                "404 Not Found",
                &json!({ "error": { "message": "no pet 0, hunter2-key" } }),
            ),
            "/v1/login" => super::response("200 OK", "text/plain", "[welcome]"),
            path if path.starts_with("/v1/photos") => {
                super::response("200 OK", "image/png", "\u{1}P")
            }
            _ if line.starts_with("DELETE") => {
                "HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n".to_owned()
            }
            _ => super::json("200 OK", &json!({ "got": request })),
        }
    })
    .await
}

pub(super) fn configured(server: &Server, more: &str) -> Workplace {
    let workplace = Workplace::default();
    workplace.file("shop.yaml", SHOP);
    let origin = &server.origin;
    let entry = format!(
        "{more}\n[servers.pets]\nopenapi = \"shop.yaml\"\nbase-url = \"{origin}/v1\"\nheaders = {{ X-Team = \"birch\" }}\n[servers.pets.credentials]\nkey = \"hunter2-key\"\ntoken = \"hunter2-token\"\nbasic = \"ada:hunter2-password\"\n"
    );
    workplace.file("ampoule.toml", entry);
    workplace
}

pub(super) async fn value(workplace: &Workplace, script: &str) -> Value {
    let ran = workplace.run(&["run", "-q", "-e", script]).await;
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(!format!("{ran:?}").contains("hunter2"), "{ran:?}");
    ran.json()
}

#[tokio::test]
async fn each_argument_is_sent_where_the_document_says() {
    let server = shop().await;
    let workplace = configured(&server, "");
    let script = "return await pets.listPets({ tags: ['a b', 'c&d'], ids: [1, 2], spaced: ['x', 'y'], piped: ['x', 'y'], filter: { color: 'red', size: { min: 1 } }, 'X-Trace': 't1', session: 's 1' })";
    let got = value(&workplace, script).await;
    let got = got["got"].as_str().unwrap();
    let line = "GET /v1/pets?tags=a%20b&tags=c%26d&ids=1,2&spaced=x%20y&piped=x%7Cy&filter[color]=red&filter[size][min]=1&api_key=[redacted] HTTP/1.1\r\n";
    assert!(got.starts_with(line), "{got}");
    for header in [
        "x-trace: t1\r\n",
        "cookie: session=s%201\r\n",
        "x-team: birch\r\n",
        "accept: application/json, */*;q=0.1\r\n",
    ] {
        assert!(got.contains(header), "{got}");
    }
    let sent = server.got.lock().unwrap().join("\n");
    assert!(sent.contains("&api_key=hunter2-key HTTP/1.1"), "{sent}");
}

#[tokio::test]
async fn bodies_are_sent_and_read_by_their_media_types() {
    let server = shop().await;
    let workplace = configured(&server, "");
    let script = "return [await pets.createPet({ body: { name: 'Ada', parent: { name: 'Eve' } } }), await pets.logIn({ body: { name: 'a b', roles: ['x', 'y'] } }), await pets.addPhoto({ body: { pet: 7, photo: { base64: 'aGk=', filename: 'ada.png', type: 'image/png' } } }), await pets.deletePet({ id: 'a/b' })]";
    let value = value(&workplace, script).await;
    assert!(
        value[0]["got"]
            .as_str()
            .unwrap()
            .ends_with(r#"{"name":"Ada","parent":{"name":"Eve"}}"#),
        "{value}"
    );
    let expected = json!(["[welcome]", { "base64": "AVA=", "type": "image/png" }, null]);
    assert_eq!(json!(value.as_array().unwrap()[1..]), expected);
    let got = server.got.lock().unwrap().clone();
    assert!(
        got[1].contains("authorization: Basic YWRhOmh1bnRlcjItcGFzc3dvcmQ=\r\n")
            && got[1].ends_with("\r\n\r\nname=a%20b&roles=x&roles=y"),
        "{}",
        got[1]
    );
    assert!(
        got[2].contains("name=\"pet\"\r\n\r\n7\r\n")
            && got[2].contains(
                "name=\"photo\"; filename=\"ada.png\"\r\nContent-Type: image/png\r\n\r\nhi\r\n"
            ),
        "{}",
        got[2]
    );
    assert!(
        got[3].starts_with("DELETE /v1/pets/a%2Fb HTTP/1.1\r\n")
            && got[3].contains("authorization: Bearer hunter2-token\r\n"),
        "{}",
        got[3]
    );
}

/// What the document asks for and nobody gave is told, and nothing is sent without it.
#[tokio::test]
async fn a_credential_that_is_not_configured_is_told() {
    let server = shop().await;
    let workplace = Workplace::default();
    workplace.file("shop.yaml", SHOP);
    let origin = &server.origin;
    let entry = format!(
        "[servers.pets]\nopenapi = \"shop.yaml\"\nbase-url = \"{origin}/v1\"\ncredentials = {{ key = \"${{NO_SUCH_KEY:-}}\" }}\n"
    );
    workplace.file("ampoule.toml", entry);
    for (call, credential) in [
        ("listPets({})", "credentials.key"),
        ("deletePet({ id: '1' })", "credentials.token"),
    ] {
        let script = format!(
            "try {{ await tools.pets.{call} }} catch (error) {{ return [error.kind, error.message] }}"
        );
        let ran = workplace.run(&["run", "-q", "-e", &script]).await;
        let name = call.split('(').next().unwrap();
        let why = format!(
            "`{name}` needs a credential that is not configured; the operator can give `{credential}`, in the entry of server `pets`"
        );
        assert_eq!(ran.json(), json!(["needs-sign-in", why]), "{ran:?}");
    }
    assert!(server.got.lock().unwrap().is_empty());
}

#[tokio::test]
async fn what_fails_is_an_error_in_both_languages() {
    let server = shop().await;
    let workplace = configured(&server, "");
    let expected = json!([
        "failed",
        "getPet: HTTP 404 Not Found: no pet 0, [redacted]",
        404,
        "no pet 0, [redacted]"
    ]);
    let script = "try { await pets.getPet({ id: '0' }) } catch (error) { return [error.kind, error.message, error.data.status, error.data.body.error.message] }";
    assert_eq!(value(&workplace, script).await, expected);
    let script = "try:\n    await pets.get_pet(id='0')\nexcept ToolError as error:\n    result = [error.kind, str(error), error.data['status'], error.data['body']['error']['message']]\nresult";
    workplace.file("pet.py", script);
    let ran = workplace.run(&["run", "-q", "pet.py"]).await;
    assert_eq!((ran.code, ran.json()), (Some(0), expected), "{ran:?}");
    // What does not fit, or leads elsewhere, is not sent.
    let before = server.got.lock().unwrap().len();
    for (call, why) in [
        ("getPet({ id: '..' })", "which would lead to another path"),
        (
            "getPet({ id: '' })",
            "is empty, and would lead to another path",
        ),
        ("createPet({ body: { nme: 'x' } })", "name"),
        ("listPets({ tag: [] })", "tag"),
    ] {
        let ran = workplace
            .run(&[
                "run",
                "-q",
                "--no-check",
                "-e",
                &format!("await tools.pets.{call}"),
            ])
            .await;
        assert_eq!(ran.code, Some(1), "{ran:?}");
        assert!(ran.stderr.contains(why), "{why}: {ran:?}");
    }
    assert_eq!(server.got.lock().unwrap().len(), before);
}

#[tokio::test]
async fn operations_are_listed_found_and_shown() {
    let workplace = configured(&shop().await, "");
    let listed = workplace.run(&["tools"]).await;
    assert_eq!(listed.stdout.lines().count(), 6, "{listed:?}");
    assert!(listed.stdout.contains("pets.listPets"), "{listed:?}");
    let found = workplace
        .run(&["tools", "search", "--limit", "1", "remove", "a", "pet"])
        .await;
    assert!(found.stdout.starts_with("pets.deletePet"), "{found:?}");
    let shown = workplace.run(&["tools", "show", "pets.createPet"]).await;
    for part in [
        "function createPet(args: {",
        "body: Pet",
        "type Pet = {",
        "parent?: Pet",
    ] {
        assert!(shown.stdout.contains(part), "{part}: {}", shown.stdout);
    }
    let doctor = workplace.run(&["doctor", "pets"]).await;
    assert_eq!(doctor.code, Some(0), "{doctor:?}");
    assert!(
        doctor.stdout.contains("pets: ready") && doctor.stdout.contains("openapi, 6 tools"),
        "{doctor:?}"
    );
    let servers = workplace.run(&["servers"]).await;
    assert!(
        servers
            .stdout
            .contains("pets: an HTTP API, ready to connect"),
        "{servers:?}"
    );
}

/// An API is added in one command, which says what is still to be written.
#[tokio::test]
async fn an_api_is_added_with_what_it_asks_for() {
    let server = shop().await;
    let workplace = Workplace::default();
    workplace.file("shop.yaml", SHOP);
    workplace.file("ampoule.toml", "");
    let written = || fs::read_to_string(workplace.path().join("ampoule.toml")).unwrap();
    let base = format!("{}/v1", server.origin);
    let add = ["servers", "add", "pets", "--openapi", "shop.yaml"];
    let added = workplace
        .run(&[&add[..], &["--base-url", &base]].concat())
        .await;
    assert_eq!(added.code, Some(0), "{added:?}");
    let (head, lines) = added.stdout.split_once("\n\n").expect("lines to add");
    assert!(
        head.contains("pets: 6 operations\nThe document asks for credentials."),
        "{head}"
    );
    let expected = "[servers.pets.credentials]
basic = \"${PETS_BASIC}\" # `user:password`
key = \"${PETS_KEY}\" # a key, sent in the address as `api_key`
token = \"${PETS_TOKEN}\" # a token
";
    assert_eq!(lines, expected);
    // The lines can be added as they are.
    let file = written();
    let filled = lines.replace("${PETS_TOKEN}", "hunter2-token");
    let filled = filled.replace("${PETS_KEY}", "hunter2-key");
    let filled = filled.replace("${PETS_BASIC}", "ada:hunter2-password");
    workplace.file("ampoule.toml", format!("{file}\n{filled}"));
    let script = "return await tools.pets.deletePet({ id: '1' })";
    assert_eq!(value(&workplace, script).await, json!(null));
    let again = workplace.run(&add).await;
    assert!(
        again.stderr.contains("there is a server `pets` already"),
        "{again:?}"
    );
    // One that can't be read is told at once, and is there.
    let missing = workplace
        .run(&["servers", "add", "other", "--openapi", "no.yaml"])
        .await;
    assert!(
        missing.stderr.contains("`other` can't be used yet: "),
        "{missing:?}"
    );
    assert!(written().contains("openapi = \"no.yaml\""));
}

#[tokio::test]
async fn clients_run_scripts_that_call_operations() {
    let workplace = configured(&shop().await, "");
    let mut served = Served::greeted(&workplace, &[]).await;
    let code = "return (await pets.logIn({ body: {} }))";
    let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": { "name": "execute_code", "arguments": { "code": code } } });
    let answer = served.ask(call).await;
    assert!(answer.to_string().contains("[welcome]"), "{answer}");
}

#[tokio::test]
async fn what_can_not_be_used_is_told() {
    let server = shop().await;
    for (document, more, why) in [
        (
            "openapi: 3.1.0\nservers: [{url: 'http://127.0.0.1:1'}]\npaths: {/a: {get: {}}}\n",
            "",
            "it names the server http://127.0.0.1:1, which is in a private network; if that is right, set `base-url`",
        ),
        (
            "openapi: 3.1.0\npaths: {/a: {get: {}}}\n",
            "",
            "the document doesn't say at which address the server is; set `base-url`",
        ),
        (
            SHOP,
            "credentials = { kee = \"x\" }",
            "`credentials.kee` is for a security scheme that the document doesn't have; it has: basic, key, token",
        ),
        (
            "a: 1",
            "",
            "it is not an OpenAPI document: it has neither `openapi` nor `swagger`",
        ),
    ] {
        let workplace = Workplace::default();
        workplace.file("api.yaml", document);
        workplace.file(
            "ampoule.toml",
            format!("[servers.pets]\nopenapi = \"api.yaml\"\n{more}\n"),
        );
        let doctor = workplace.run(&["doctor", "pets"]).await;
        assert_eq!(doctor.code, Some(1), "{doctor:?}");
        let told = doctor
            .stdout
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ");
        assert!(told.contains(why), "{why}: {told}");
    }
    // A document at an address does not say where credentials go.
    let document = SHOP.replace("https://pets.example.com", "https://elsewhere.example.com");
    let far =
        Server::answering(move |_| super::response("200 OK", "application/yaml", &document)).await;
    let workplace = Workplace::default();
    let entry = |more: &str| {
        format!(
            "[servers.pets]\nopenapi = \"{}/api.yaml\"\ncredentials = {{ key = \"hunter2-key\", basic = \"ada:hunter2-password\" }}\n{more}\n",
            far.origin
        )
    };
    workplace.file("ampoule.toml", entry(""));
    let doctor = workplace.run(&["doctor", "pets"]).await;
    let told = doctor
        .stdout
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    assert!(
        told.contains("credentials are sent only to where you say, so set `base-url`"),
        "{doctor:?}"
    );
    workplace.file(
        "ampoule.toml",
        entry(&format!("base-url = \"{}/v1\"", server.origin)),
    );
    assert_eq!(
        value(&workplace, "return [await pets.logIn({})]").await,
        json!(["[welcome]"])
    );
}

/// A machine gets a token where the document says, and nobody sees it.
#[tokio::test]
async fn machines_sign_in_where_the_document_says() {
    let server = Server::answering(|request| match request {
        request if request.starts_with("POST /token ") => {
            super::json("200 OK", &json!({ "access_token": "hunter2-access", "token_type": "bearer", "expires_in": 3600 }))
        }
        request if request.contains("authorization: Bearer hunter2-access\r\n") => {
            super::json("200 OK", &json!({ "got": "hunter2-access, of course" }))
        }
        _ => super::json("401 Unauthorized", &json!({})),
    })
    .await;
    let document = "openapi: 3.0.3\npaths: {/a: {get: {operationId: get, security: [{o: []}], responses: {'200': {description: x}}}}}\ncomponents: {securitySchemes: {o: {type: oauth2, flows: {clientCredentials: {tokenUrl: /token, scopes: {}}}}}}\n";
    let workplace = Workplace::default();
    workplace.file("api.yaml", document);
    let origin = &server.origin;
    let entry = format!(
        "[servers.pets]\nopenapi = \"api.yaml\"\nbase-url = \"{origin}/v1\"\nauth = {{ grant = \"client-credentials\", client-id = \"robot\", client-secret = \"hunter2-secret\" }}\n"
    );
    workplace.file("ampoule.toml", entry);
    let script = "return [(await pets.get({})).got]";
    assert_eq!(
        value(&workplace, script).await,
        json!(["[redacted], of course"])
    );
    let got = server.got.lock().unwrap().clone();
    assert!(got[0].contains("grant_type=client_credentials"), "{got:?}");
    assert!(got[1].starts_with("GET /v1/a "), "{got:?}");
    // A person's sign-in needs another flow.
    let login = workplace
        .run(&["auth", "login", "pets", "--no-browser"])
        .await;
    assert!(
        login
            .stderr
            .contains("signs in with its client's own credentials"),
        "{login:?}"
    );
}
