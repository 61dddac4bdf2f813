//! Secrets that `ampoule.toml` refers to: in files, and with programs that print them.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;

use ampoule_tests::binary;
use ampoule_tests::command::{Workplace, ended};
use serde_json::json;

use super::outbound::Server;

/// A server that leaves in `seen` what it was started with, and tells it where nobody should.
const STARTED: &str =
    "echo \"$TOKEN $1 $LATER\" > seen; echo \"started with $TOKEN\" >&2; exec \"$2\" demo-server";

const DOCUMENT: &str = r#"{
    "openapi": "3.1.0", "info": { "title": "t", "version": "1" },
    "paths": { "/me": { "get": { "operationId": "me", "security": [{ "key": [] }],
        "responses": { "200": { "description": "ok", "content": { "application/json": {} } } } } } },
    "components": { "securitySchemes": { "key": { "type": "http", "scheme": "bearer" } } }
}"#;

#[tokio::test]
async fn a_server_starts_with_what_references_lead_to() {
    let workplace = Workplace::default();
    workplace.file("config/ampoule/keys/token", "hunter2-token\n");
    workplace.file("start.sh", STARTED);
    let config = format!(
        "[servers.demo]\ncommand = 'sh'\nargs = ['start.sh', '--key=${{TOKEN}}', {:?}]\ncwd = {:?}\n\
         env = {{ TOKEN = '${{file:keys/token}}', LATER = 'a ${{command:sh ./later.sh}}' }}\n",
        binary(),
        workplace.path(),
    );
    workplace.file("config/ampoule/ampoule.toml", config);
    workplace.file("later.sh", "echo x >> asked; echo hunter2-later");
    // Who does not start the server does not ask for its secrets.
    let listed = workplace.run(&["runs", "ls"]).await;
    assert_eq!(listed.code, Some(0), "{listed:?}");
    assert!(!workplace.path().join("asked").exists());

    let script = "await tools.demo.getBusiness({}); return (await tools.demo.getBusiness({})).name";
    let ran = workplace.run(&["run", "-e", script]).await;
    assert_eq!(ran.stdout, "Birch & Bolt\n", "{ran:?}");
    let seen = std::fs::read_to_string(workplace.path().join("seen")).expect("it started");
    assert_eq!(seen, "hunter2-token --key=hunter2-token a hunter2-later\n");
    let asked = std::fs::read_to_string(workplace.path().join("asked")).expect("it was asked");
    assert_eq!(asked, "x\n");
    let shown = workplace.run(&["servers", "--json"]).await;
    assert!(!format!("{shown:?}").contains("hunter2"), "{shown:?}");
}

/// 1Password's program is asked as its manual says. Here, a script has its name.
#[tokio::test]
async fn secrets_of_1password_are_asked_of_its_program() {
    const OP: &str = "#!/bin/sh\ncase \"$*\" in\n'read --no-newline op://Work/GitHub/token') printf hunter2-op ;;\n*) echo \"unknown: $*\" >&2; exit 1 ;;\nesac\n";
    let workplace = Workplace::default();
    let op = workplace.file("bin/op", OP);
    std::fs::set_permissions(&op, Permissions::from_mode(0o755)).expect("it is ours");
    workplace.file("start.sh", STARTED);
    let config = format!(
        "[servers.demo]\ncommand = 'sh'\nargs = ['start.sh', 'x', {:?}]\n\
         env = {{ TOKEN = '${{op://Work/GitHub/token}}', LATER = 'later' }}\n",
        binary(),
    );
    workplace.file("ampoule.toml", config);
    let others = std::env::var("PATH").unwrap_or_default();
    let path = format!("{}:{others}", workplace.path().join("bin").display());
    let script = "return (await tools.demo.getBusiness({})).name";
    let mut command = workplace.command(binary(), &["run", "-e", script]);
    command.env("PATH", path);
    let ran = ended(command).await;
    assert_eq!(ran.stdout, "Birch & Bolt\n", "{ran:?}");
    assert!(!format!("{ran:?}").contains("hunter2"), "{ran:?}");
    let seen = std::fs::read_to_string(workplace.path().join("seen")).expect("it started");
    assert_eq!(seen, "hunter2-op x later\n");
}

#[tokio::test]
async fn a_secret_that_can_not_be_read_says_which_and_is_not_shown() {
    let workplace = Workplace::default();
    let server = |token: &str| {
        let config = format!(
            "[servers.demo]\ncommand = {:?}\nargs = ['demo-server']\nenv = {{ TOKEN = '{token}' }}\n",
            binary()
        );
        workplace.file("ampoule.toml", config);
    };
    let fails = async |why: &str| {
        let script = "return await tools.demo.getBusiness({})";
        let ran = workplace.run(&["run", "-e", script]).await;
        assert_eq!(ran.code, Some(1), "{ran:?}");
        assert!(ran.stderr.contains(why), "{why}: {ran:?}");
        assert!(!format!("{ran:?}").contains("hunter2"), "{ran:?}");
    };
    server("${file:nowhere}");
    fails("nowhere` can't be read: No such file or directory").await;
    workplace.file(
        "fails.sh",
        "echo hunter2-token; echo 'the vault is locked' >&2; exit 7",
    );
    server("${command:sh fails.sh --key=hunter2}");
    let locked = "the secret `command:sh …` can't be read: the command failed (exit status: 7): the vault is locked";
    fails(locked).await;
    server("${keyring:github}");
    fails("a secret of the keyring is referred to as `${keyring:SERVICE/ACCOUNT}`").await;
    server("${vault:secret/github}");
    fails("references to secrets begin with `keyring:`, `file:`, `command:`, `op://`").await;
}

#[tokio::test]
async fn what_an_api_refuses_is_read_again() {
    let workplace = Workplace::default();
    let server = Server::answering(|request| {
        let is_new = request.contains("authorization: Bearer hunter2-second");
        match is_new && request.contains("x-team: hunter2-birch") {
            true => "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 36\r\nconnection: close\r\n\r\n{\"me\":\"ada\",\"key\":\"hunter2-second\"}\n".to_owned(),
            false => "HTTP/1.1 401 Unauthorized\r\ncontent-length: 0\r\nconnection: close\r\n\r\n".to_owned(),
        }
    })
    .await;
    workplace.file("me.json", DOCUMENT);
    let token =
        "if [ -e asked ]; then echo hunter2-second; else touch asked; echo hunter2-first; fi";
    workplace.file("token.sh", token);
    workplace.file("team", "hunter2-birch");
    let config = format!(
        "[servers.who]\nopenapi = 'me.json'\nbase-url = '{}'\nheaders = {{ X-Team = '${{file:team}}' }}\n\
         credentials = {{ key = '${{command:sh token.sh}}' }}\n",
        server.origin
    );
    workplace.file("ampoule.toml", config);
    let script = "try { await tools.who.me({}) } catch (error) { console.error(error.message) }
        return await tools.who.me({})";
    let ran = workplace.run(&["run", "-e", script]).await;
    assert_eq!(
        ran.json(),
        json!({ "me": "ada", "key": "[redacted]" }),
        "{ran:?}"
    );
    assert!(ran.stderr.contains("me: HTTP 401"), "{ran:?}");
    let got = server.got.lock().unwrap().join("\n");
    assert!(got.contains("authorization: Bearer hunter2-first"), "{got}");
}

#[tokio::test]
async fn files_of_other_clients_refer_to_nothing() {
    let workplace = Workplace::default();
    let mcp = json!({ "mcpServers": { "demo": {
        "command": binary(), "args": ["demo-server"], "env": { "X": "${command:sh -c 'touch ran'}" },
    } } });
    workplace.file("mcp.json", mcp.to_string());
    workplace.file("ampoule.toml", "import = ['mcp.json']\n");
    let ran = workplace
        .run(&["run", "-e", "return (await tools.$servers()).length"])
        .await;
    assert!(!workplace.path().join("ran").exists(), "{ran:?}");
}
