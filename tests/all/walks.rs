//! Strangers who follow a page from its first command to its last, in a folder where nothing is set
//! up: the user of a client, until tokens are saved; the operator of a team's server, until a second
//! user's call is in the audit log. Programs in Python, Node, Rust and C are followed with the
//! packages.

use ampoule_tests::command::{Served, Workplace};
use ampoule_tests::{binary, repository};
use serde_json::{Value, json};

use super::client_names::run_once;
use super::documents::{blocks_of, shell};
use super::serving::{Serving, client};

/// The lines of a page's blocks of this kind.
fn lines(page: &str, kind: &str) -> Vec<String> {
    let blocks = blocks_of(&repository().join(page)).into_iter();
    let blocks = blocks.filter(|block| block.language == kind);
    let lines: Vec<_> = blocks
        .flat_map(|block| block.text.lines().map(str::to_owned).collect::<Vec<_>>())
        .collect();
    assert!(!lines.is_empty(), "{page} has no block `{kind}`");
    lines
}

/// The file of a Claude Code that has the demo server.
fn with_a_client() -> Workplace {
    let workplace = Workplace::default();
    let server = json!({ "command": binary(), "args": ["demo-server"] });
    let file = json!({ "theme": "dark", "mcpServers": { "shop": server } });
    workplace.file(".claude.json", file.to_string());
    workplace
}

fn client_file(workplace: &Workplace) -> Value {
    let text = std::fs::read_to_string(workplace.path().join(".claude.json")).expect("the file");
    serde_json::from_str(&text).expect("JSON")
}

#[tokio::test]
async fn a_client_s_user_saves_tokens_and_can_go_back() {
    for page in ["README.md", "docs/start/mcp-client.md"] {
        let workplace = with_a_client();
        let before = client_file(&workplace);
        let mut measured = false;
        for line in lines(page, "sh client") {
            let ran = shell(&workplace, &line).await;
            assert_eq!(ran.code, Some(0), "{page}: {line}: {ran:?}");
            if line.ends_with("tools cost") {
                assert_eq!(client_file(&workplace), before, "measuring changes nothing");
                let cost = workplace.run_at_home(&["tools", "cost", "--json"]).await;
                let all = &cost.json()["all"];
                let [direct, through] = ["directly", "throughAmpoule"].map(|key| all[key].as_u64());
                assert!(through < direct && through.is_some(), "{page}: {all}");
                measured = true;
            }
        }
        assert!(measured, "{page} does not measure");
        // The model's view: two tools in place of the shop's, which scripts reach all the same.
        let after = client_file(&workplace);
        let servers = after["mcpServers"].as_object().expect("servers");
        let names: Vec<_> = servers.keys().collect();
        assert_eq!(names, ["ampoule"], "{page}");
        assert_eq!(after["theme"], "dark");
        let entry = &servers["ampoule"];
        let arguments = entry["args"].as_array().expect("arguments");
        let arguments: Vec<_> = arguments.iter().filter_map(Value::as_str).collect();
        let mut command =
            workplace.command(entry["command"].as_str().expect("a program"), &arguments);
        workplace.at_home(&mut command);
        let mut served = Served::of(command);
        served.greet().await;
        let listed = served
            .ask(json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/list" }))
            .await;
        let tools = listed["result"]["tools"].as_array().expect("tools");
        let names: Vec<_> = tools
            .iter()
            .filter_map(|tool| tool["name"].as_str())
            .collect();
        assert_eq!(names, ["execute_code", "search_tools"], "{page}");
        let code = "return (await tools.shop.listProducts()).total";
        let called = json!({ "jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {
            "name": "execute_code", "arguments": { "code": code, "language": "javascript" },
        } });
        let answer = served.ask(called).await;
        let text = answer["result"]["content"][0]["text"].as_str();
        assert!(
            text.is_some_and(|text| text.parse::<u32>().is_ok()),
            "{answer}"
        );
        assert_eq!(served.close().await, Some(0));
        let back = workplace
            .run_at_home(&["clients", "uninstall", "claude-code"])
            .await;
        assert_eq!(back.code, Some(0), "{back:?}");
        assert_eq!(client_file(&workplace), before, "{page}: all is as it was");
    }
}

#[tokio::test]
async fn an_operator_finds_a_second_user_in_the_audit_log() {
    let page = "docs/start/team.md";
    let workplace = Workplace::default();
    let blocks = blocks_of(&repository().join(page));
    let config = blocks.iter().find(|block| block.language == "toml");
    let config = config.expect("a configuration").text.replace(
        "command = \"ampoule\"",
        &format!("command = \"{}\"", binary().display()),
    );
    workplace.file("ampoule.toml", config);
    let (mut tokens, mut serve) = (Vec::new(), None);
    for line in lines(page, "sh team") {
        if line.starts_with("ampoule serve") {
            serve = Some(line.replace(" 8080", " 0"));
        } else {
            let ran = shell(&workplace, &line).await;
            assert_eq!(ran.code, Some(0), "{line}: {ran:?}");
            tokens.push(ran.stdout.trim().to_owned());
        }
    }
    assert_eq!(tokens.len(), 2);
    assert!(workplace.path().join("tokens").is_file());
    let serve = serve.expect("the page starts a server");
    let words: Vec<_> = serve.split(' ').skip(1).collect();
    let server = Serving::start(&workplace, &words).await;
    let (http, at) = (client(), server.at.clone());
    // Bob's first call, without any other client.
    let client_file = blocks
        .iter()
        .filter(|block| block.language == "toml")
        .nth(1);
    let client_file = client_file
        .expect("a client")
        .text
        .replace("TOKEN", &tokens[1]);
    let client_file = client_file.replace("http://127.0.0.1:8080/mcp", &at);
    workplace.file("bob.toml", client_file);
    for line in lines(page, "sh bob") {
        let ran = shell(&workplace, &line).await;
        assert_eq!(
            (ran.code, &*ran.stdout),
            (Some(0), "40\n"),
            "{line}: {ran:?}"
        );
    }
    let denied = "await tools.demo.closeTicket({ ticketId: 'TIC-0002', resolution: 'x' })";
    let answer = run_once(&http, &at, "walker", Some(&tokens[1]), denied).await;
    assert!(answer.contains("isError\":true"), "only Ada may: {answer}");
    let (code, said) = server.stopped().await;
    assert_eq!(code, Some(0), "{said}");
    let log = workplace
        .run_at_home(&["audit", "ls", "--json", "--all"])
        .await;
    assert_eq!(log.code, Some(0), "{log:?}");
    let of_bob = |line: &&str| {
        let event: Value = serde_json::from_str(line).expect("JSON");
        event["principal"] == "bob"
            && event["tool"]
                .as_str()
                .is_some_and(|tool| tool.contains("list_products"))
    };
    assert!(
        log.stdout.lines().any(|line| of_bob(&line)),
        "{}",
        log.stdout
    );
    let verified = workplace.run_at_home(&["audit", "verify"]).await;
    assert_eq!(verified.code, Some(0), "{verified:?}");
}

/// The page's commands for the service's user, as this user, with the page's configuration.
#[tokio::test]
async fn an_operator_makes_tokens_and_reads_the_log_as_the_service_does() {
    let page = "docs/operate/sign-in.md";
    let blocks = blocks_of(&repository().join(page));
    let mut config = blocks.iter().filter(|block| block.language == "toml");
    let config = config.find(|block| block.text.contains("/var/lib/ampoule"));
    let config = &config.expect("a configuration").text;
    let workplace = Workplace::default();
    let data = workplace.path().display().to_string();
    workplace.file("ampoule.toml", config.replace("/var/lib/ampoule", &data));
    let text = blocks.iter().filter(|block| block.language == "text");
    let commands: Vec<_> = text
        .flat_map(|block| block.text.lines())
        .filter_map(|line| line.strip_prefix("sudo -u ampoule -H "))
        .collect();
    let [add, list] = *commands else {
        panic!("{page}: {commands:?}")
    };
    let here = |line: &str| line.replace("/etc/ampoule/ampoule.toml", "ampoule.toml");
    let token = shell(&workplace, &here(add)).await;
    assert_eq!(token.code, Some(0), "{token:?}");
    assert!(workplace.path().join("tokens").is_file());
    let server = ["serve", "--http", "0", "--config", "ampoule.toml"];
    let server = Serving::start(&workplace, &server).await;
    let answer = run_once(
        &client(),
        &server.at,
        "ci",
        Some(token.stdout.trim()),
        "return 1",
    )
    .await;
    assert!(answer.contains("\"text\":\"1\""), "{answer}");
    let (code, said) = server.stopped().await;
    assert_eq!(code, Some(0), "{said}");
    let log = shell(&workplace, &here(list)).await;
    assert_eq!(log.code, Some(0), "{log:?}");
    assert!(
        log.stdout.contains("run-started") && log.stdout.contains("principal=ada"),
        "{log:?}"
    );
}
