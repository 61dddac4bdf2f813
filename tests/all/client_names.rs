//! A client's name, as the client gives it: it reaches roles, policies, quotas, approvals, the audit
//! log, the list of runs and metrics, in both eras of the protocol, over HTTP and over standard input
//! and output.

use std::time::Duration;

use ampoule_tests::binary;
use ampoule_tests::command::{Served, Workplace};
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

/// What governs by names: a role, a policy, a quota, and whom a person sees that asks.
const GOVERNED: &str = r#"
[servers.demo]
command = "PROGRAM"
args = ["demo-server"]

[roles.some]
clients = ["x", "z"]
tools = ["demo"]

[policies]
folder = "policies"

[quotas.none-for-z]
client = "z"
tool = "demo.get_business"
calls-per-day = 0

[approvals]
ask = "destructive"
places = ["command-line"]

[audit]
"#;

const POLICY: &str = r#"
@id("orders-of-x")
@reason("orders are for x alone")
forbid(principal, action == Action::"demo.list_orders", resource)
when { context.arguments has limit && context.arguments.limit < 10 }
unless { context.client == "x" };
"#;

/// A script that says which of its calls were made, and closes a ticket if they were.
const CALLS: &str = r#"
const said = []
for (const call of [() => tools.demo.listOrders({ limit: 1 }), () => tools.demo.getBusiness({})]) {
  try { await call(); said.push("made") } catch (error) { said.push(error.message) }
}
if (said.join() === "made,made") {
  said.push((await tools.demo.closeTicket({ ticketId: "TICKET", resolution: "x" })).status)
}
return said.join("; ")
"#;

/// How a client reaches the server, and in which era of the protocol.
#[derive(Debug, Clone, Copy)]
enum Way {
    HttpSession,
    HttpAlone,
    StdioSession,
    StdioAlone,
}

/// A server over HTTP, and the folder in which others are started over standard input and output.
struct Servers<'a> {
    workplace: &'a Workplace,
    http: Client,
    at: &'a str,
}

impl Servers<'_> {
    /// What a client that calls itself so is answered to a script.
    async fn answer(&self, way: Way, name: &str, code: &str) -> String {
        match way {
            Way::HttpSession => in_a_session(&self.http, self.at, name, code).await,
            Way::HttpAlone => alone(&self.http, self.at, name, code).await,
            Way::StdioSession | Way::StdioAlone => self.over_stdio(way, name, code).await,
        }
    }

    async fn over_stdio(&self, way: Way, name: &str, code: &str) -> String {
        let mut served = Served::start(self.workplace, &[]);
        let client = json!({ "name": name, "version": "1" });
        let mut params = json!({
            "name": "execute_code",
            "arguments": { "code": code, "language": "javascript" },
        });
        if let Way::StdioSession = way {
            let hello = json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
                "protocolVersion": "2025-11-25",
                "capabilities": {},
                "clientInfo": client,
            } });
            served.ask(hello).await;
            let initialized = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
            served.send(initialized).await;
        } else {
            params["_meta"] = json!({
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientInfo": client,
                "io.modelcontextprotocol/clientCapabilities": {},
            });
        }
        let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
        let answer = served.ask(call).await;
        assert_eq!(served.close().await, Some(0));
        answer.to_string()
    }
}

/// Allows what a person is asked next; who asks, by the client's name.
async fn allow(workplace: &Workplace) -> Value {
    let asked = timeout(Duration::from_secs(60), async {
        loop {
            let listed = workplace.run_at_home(&["approvals", "--json"]).await;
            if let Some(asked) = listed.json().get(0) {
                break asked.clone();
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    });
    let asked = asked.await.expect("a question");
    let id = asked["question"]["id"].as_str().expect("an id");
    let shown = workplace
        .run_at_home(&["approvals", "show", id, "--json"])
        .await
        .json();
    let seen = shown["seen"].as_str().expect("a code");
    let allowed = workplace
        .run_at_home(&["approvals", "allow", id, "--seen", seen])
        .await;
    assert_eq!(allowed.code, Some(0), "{allowed:?}");
    asked["question"]["caller"]["client"].clone()
}

#[tokio::test]
async fn policies_quotas_and_approvals_go_by_the_name_in_each_era_and_transport() {
    let workplace = Workplace::default();
    let config = GOVERNED.replace("PROGRAM", &binary().to_string_lossy());
    workplace.file("ampoule.toml", config);
    workplace.file("policies/orders.cedar", POLICY);
    let server = Serving::start(&workplace, &["serve", "--http", "0"]).await;
    let servers = Servers {
        workplace: &workplace,
        http: client(),
        at: &server.at,
    };
    let ways = [
        (Way::HttpSession, "TIC-0002"),
        (Way::HttpAlone, "TIC-0012"),
        (Way::StdioSession, "TIC-0002"),
        (Way::StdioAlone, "TIC-0002"),
    ];
    for (way, ticket) in ways {
        let script = CALLS.replace("TICKET", ticket);
        let (answer, asked) = tokio::join!(servers.answer(way, "x", &script), allow(&workplace));
        assert!(answer.contains("made; made; closed"), "{way:?}: {answer}");
        assert_eq!(asked, "x", "{way:?}");
        let answer = servers.answer(way, "z", &script).await;
        let told = ["orders are for x alone", "the quota `none-for-z`"];
        assert!(
            told.iter().all(|told| answer.contains(told)) && !answer.contains("made"),
            "{way:?}: {answer}"
        );
        // Nobody's role: the tools don't exist.
        let answer = servers.answer(way, "y", &script).await;
        assert!(
            !answer.contains("made") && !answer.contains("for x alone"),
            "{way:?}: {answer}"
        );
    }
    server.stopped().await;
    let mut clients = in_the_log(&workplace).await;
    clients.sort_by_key(Value::to_string);
    let seen = |name: &str| clients.iter().filter(|client| *client == name).count();
    assert_eq!((seen("x"), seen("z")), (4, 4), "{clients:?}");
}
