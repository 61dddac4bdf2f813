//! A client's name, as the client gives it: it reaches roles, the audit log, the list of runs and
//! metrics, in both eras of the protocol and over both transports.

use std::time::Duration;

use ampoule_tests::binary;
use ampoule_tests::command::Workplace;
use reqwest::Client;
use serde_json::{Value, json};
use tokio::time::timeout;

use super::serving::{Serving, client};

/// What the server is configured with; its program stands for `PROGRAM`.
const CONFIG: &str = r#"
[servers.demo]
command = "PROGRAM"
args = ["demo-server"]

[roles.x]
clients = ["x"]
tools = ["demo.list_orders"]

[audit]
"#;

/// A script of a client that calls itself so, in a session as before 2026-07-28.
async fn in_a_session(http: &Client, at: &str, name: &str, code: &str) -> String {
    let post = |message: Value, session: Option<String>| {
        let mut post = http
            .post(at)
            .header("accept", "application/json, text/event-stream")
            .header("content-type", "application/json");
        if let Some(session) = session {
            post = post.header("mcp-session-id", session);
        }
        post.body(message.to_string()).send()
    };
    let hello = json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": { "name": name, "version": "1" },
    } });
    let begun = post(hello, None).await.expect("an answer");
    let session = begun.headers()["mcp-session-id"]
        .to_str()
        .expect("text")
        .to_owned();
    let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
        "name": "execute_code", "arguments": { "code": code, "language": "javascript" },
    } });
    let answer = post(call, Some(session)).await.expect("an answer");
    answer.text().await.expect("a body")
}

/// The same as since 2026-07-28, where each request says who asks.
async fn alone(http: &Client, at: &str, name: &str, code: &str) -> String {
    run_once(http, at, name, None, code).await
}

/// The same, of a client that has a token.
pub(crate) async fn run_once(
    http: &Client,
    at: &str,
    name: &str,
    token: Option<&str>,
    code: &str,
) -> String {
    let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
        "name": "execute_code",
        "arguments": { "code": code, "language": "javascript" },
        "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": { "name": name, "version": "1" },
            "io.modelcontextprotocol/clientCapabilities": {},
        },
    } });
    let mut post = http
        .post(at)
        .header("accept", "application/json, text/event-stream")
        .header("content-type", "application/json")
        .header("mcp-protocol-version", "2026-07-28")
        .header("mcp-method", "tools/call")
        .header("mcp-name", "execute_code");
    if let Some(token) = token {
        post = post.bearer_auth(token);
    }
    let answer = post.body(call.to_string()).send().await.expect("an answer");
    answer.text().await.expect("a body")
}

const CALL: &str = "return 'answered ' + (await tools.demo.listOrders({ limit: 1 })).items.length";

/// The clients of the runs that the audit log has, in their order.
async fn in_the_log(workplace: &Workplace) -> Vec<Value> {
    let shown = workplace
        .run_at_home(&["audit", "ls", "--json", "--all", "--kind", "run-started"])
        .await;
    assert_eq!(shown.code, Some(0), "{shown:?}");
    let lines = shown.stdout.lines().map(|line| {
        let line: Value = serde_json::from_str(line).expect("JSON");
        line["client"].clone()
    });
    lines.collect()
}

#[tokio::test]
async fn over_http_a_role_goes_by_the_name_that_a_client_gives() {
    let workplace = Workplace::default();
    workplace.file(
        "ampoule.toml",
        CONFIG.replace("PROGRAM", &binary().to_string_lossy()),
    );
    let server = Serving::start(&workplace, &["serve", "--http", "0"]).await;
    let (http, at) = (client(), server.at.clone());
    let long = "x".repeat(100_000);
    for (name, allowed) in [("x", true), ("y", false), ("rmcp", false), (&*long, false)] {
        let answers = [
            in_a_session(&http, &at, name, CALL).await,
            alone(&http, &at, name, CALL).await,
        ];
        for answer in answers {
            assert_eq!(
                answer.contains("answered 1"),
                allowed,
                "{}: {answer}",
                name.len()
            );
        }
    }

    let metrics = http.get(at.replace("/mcp", "/metrics")).send().await;
    let metrics = metrics.expect("an answer").text().await.expect("a body");
    for of_one in ["x", "y"] {
        let line = format!("ampoule_client_runs_total{{client=\"{of_one}\"}} 2");
        assert!(metrics.contains(&line), "{metrics}");
    }

    let waits = "await new Promise(() => setTimeout(() => {}, 3_600_000))";
    let (asked, at_once) = (http.clone(), at.clone());
    let waiting = tokio::spawn(async move { in_a_session(&asked, &at_once, "z", waits).await });
    let listed = timeout(Duration::from_secs(60), async {
        loop {
            let runs = workplace.run_at_home(&["runs", "--json"]).await.stdout;
            if runs.contains("running") {
                break runs;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    });
    let listed = listed.await.expect("a run");
    waiting.abort();
    let run: Value = serde_json::from_str(listed.lines().next().expect("a line")).expect("JSON");
    assert_eq!(run["client"], "z", "{listed}");

    server.stopped().await;
    let clients = in_the_log(&workplace).await;
    let short: Vec<_> = clients.iter().filter_map(Value::as_str).collect();
    let ends = short[6].ends_with('…') && short[6].len() < 300;
    assert!(ends, "{short:?}");
    assert_eq!(short[..6], ["x", "x", "y", "y", "rmcp", "rmcp"]);
    assert_eq!(short[8], "z");
}
