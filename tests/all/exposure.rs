//! Calls without a script, of a served configuration with policies, quotas, approvals, an audit log
//! and records: over standard input and output, and over HTTP.

use ampoule_tests::binary;
use ampoule_tests::command::{Served, Workplace};
use serde_json::{Value, json};

use super::serving::{Serving, client};

/// All of it, around the demo server.
const GOVERNED: &str = r#"
[exposure]
direct = ["demo.get_order", "demo.close_ticket"]
call-tool = true
[records]
keep = "all"
[roles.all]
tools = ["demo.get_*", "demo.list_*", "demo.close_ticket"]
[policies]
folder = "policies"
[quotas.few]
calls-per-day = 3
[approvals]
ask = "destructive"
places = ["dialogue"]
[audit]
folder = "log"
"#;

const POLICY: &str = r#"
@id("not-this-one")
@reason("orders of others")
forbid(principal, action == Action::"demo.get_order", resource)
when { context.arguments.orderId == "ORD-10002" };
"#;

fn workplace() -> Workplace {
    let workplace = Workplace::default();
    let binary = binary();
    let demo = format!("[servers.demo]\ncommand = {binary:?}\nargs = [\"demo-server\"]\n");
    workplace.file("ampoule.toml", format!("{demo}{GOVERNED}"));
    workplace.file("policies/orders.cedar", POLICY);
    workplace
}

/// A client of either transport.
pub(crate) enum Client {
    Stdio(Box<Served>, u64),
    Http(String),
    /// One over HTTP that can do this.
    Apps(String, Value),
}

impl Client {
    /// The result of a request; of one that is refused, `{ "error": … }`.
    pub(crate) async fn asks(&mut self, method: &str, params: Value) -> Value {
        let mut answer = self.answer(method, params).await;
        match answer.get_mut("result") {
            Some(result) => result.take(),
            None => json!({ "error": answer["error"] }),
        }
    }

    async fn answer(&mut self, method: &str, mut params: Value) -> Value {
        match self {
            Self::Stdio(served, last) => {
                *last += 1;
                let request =
                    json!({ "jsonrpc": "2.0", "id": *last, "method": method, "params": params });
                served.ask(request).await
            }
            Self::Http(_) | Self::Apps(..) => {
                let (at, capabilities) = match self {
                    Self::Apps(at, capabilities) => (&*at, capabilities.clone()),
                    Self::Http(at) => (&*at, json!({})),
                    Self::Stdio(..) => unreachable!("it is matched above"),
                };
                params["_meta"] = json!({
                    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                    "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
                    "io.modelcontextprotocol/clientCapabilities": capabilities,
                });
                let request =
                    json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
                let mut post = client()
                    .post(at)
                    .header("accept", "application/json, text/event-stream")
                    .header("content-type", "application/json")
                    .header("mcp-protocol-version", "2026-07-28")
                    .header("mcp-method", method);
                if let Some(name) = params["name"].as_str().or(params["uri"].as_str()) {
                    post = post.header("mcp-name", name);
                }
                let body = post
                    .body(request.to_string())
                    .send()
                    .await
                    .expect("an answer");
                let body = body.text().await.expect("a body");
                let mut data = body.lines().filter_map(|line| line.strip_prefix("data:"));
                let message = data.next_back().unwrap_or(&body);
                serde_json::from_str(message).expect("JSON")
            }
        }
    }

    /// The result of `call_tool`, its first text and whether it is an error.
    async fn makes(&mut self, tool: &str, arguments: Value) -> (String, bool) {
        let call = json!({ "server": "demo", "tool": tool, "arguments": arguments });
        let params = json!({ "name": "call_tool", "arguments": call });
        let result = self.asks("tools/call", params).await;
        read(&result)
    }
}

fn read(result: &Value) -> (String, bool) {
    let text = result["content"][0]["text"].as_str();
    let text = text.unwrap_or_else(|| panic!("no text: {result}"));
    (text.to_owned(), result["isError"] == true)
}

#[tokio::test]
async fn the_doctor_names_patterns_that_mean_no_tool() {
    let workplace = Workplace::default();
    let binary = binary();
    let demo = format!("[servers.demo]\ncommand = {binary:?}\nargs = [\"demo-server\"]\n");
    let exposure = "[exposure]\ndirect = [\"demo.gte_order\"]\nlisted = [\"demo.list_*\"]\nsearched = [\"dmeo\"]\n";
    workplace.file("ampoule.toml", format!("{demo}{exposure}"));
    let looked = workplace.run(&["doctor", "--json"]).await;
    let warnings = looked.json()["warnings"].take();
    let warnings = warnings.as_array().expect("warnings");
    let said = [
        "exposure.direct: `demo.gte_order` matches no known tool; did you mean `get_order`",
        "exposure.searched: the server `dmeo` is unknown; did you mean `demo`",
    ];
    assert_eq!(warnings.len(), said.len(), "{warnings:?}");
    for (warning, said) in warnings.iter().zip(said) {
        assert!(warning.as_str().unwrap().starts_with(said), "{warnings:?}");
    }
}

/// What is governed of scripts' calls is governed of these.
async fn is_governed(client: &mut Client, workplace: &Workplace) {
    let listed = client.asks("tools/list", json!({})).await;
    let listed = listed["tools"].as_array().expect("tools").iter();
    let names: Vec<&str> = listed.filter_map(|tool| tool["name"].as_str()).collect();
    assert_eq!(
        names,
        [
            "execute_code",
            "search_tools",
            "call_tool",
            "demo__close_ticket",
            "demo__get_order"
        ]
    );
    let (order, is_error) = client
        .makes("get_order", json!({ "orderId": "ORD-10001" }))
        .await;
    assert!(!is_error && order.contains("ORD-10001"), "{order}");
    // A policy over arguments.
    let (denied, is_error) = client
        .makes("get_order", json!({ "orderId": "ORD-10002" }))
        .await;
    assert!(is_error && denied.contains("orders of others"), "{denied}");
    let direct = json!({ "name": "demo__get_order", "arguments": { "orderId": "ORD-10002" } });
    let (denied, is_error) = read(&client.asks("tools/call", direct).await);
    assert!(is_error && denied.contains("orders of others"), "{denied}");
    // What the role does not have is not there.
    let (unknown, is_error) = client.makes("update_ticket", json!({})).await;
    assert!(is_error && unknown.contains("update_ticket"), "{unknown}");
    // Nobody can be asked here.
    let close = json!({ "ticketId": "TIC-0002", "resolution": "done" });
    let (asked, is_error) = client.makes("close_ticket", close).await;
    assert!(is_error && asked.contains("person"), "{asked}");
    // A quota counts them.
    let mut said = String::new();
    for _ in 0..3 {
        said = client.makes("list_orders", json!({})).await.0;
    }
    assert!(said.contains("few"), "{said}");

    let log = workplace
        .run(&["audit", "ls", "--json", "--all"])
        .await
        .stdout;
    for has in ["demo", "get_order", "orders of others", "\"call\""] {
        assert!(log.contains(has), "{has}: {log}");
    }
    let rows = workplace.run(&["runs", "--json"]).await.stdout;
    let rows = rows
        .lines()
        .map(|row| serde_json::from_str::<Value>(row).unwrap());
    let recorded: Vec<Value> = rows.filter(|row| row["state"] == "recorded").collect();
    let calls = recorded.iter().filter(|row| row["language"] == "call");
    let mut replayed = 0;
    for row in calls {
        let id = row["run"].as_str().unwrap();
        let again = workplace.run(&["runs", "replay", id, "--json"]).await;
        assert_eq!(again.code, Some(0), "{again:?}");
        assert_eq!(again.json()["outcome"]["ending"], row["ending"]);
        replayed += 1;
    }
    assert!(replayed >= 6, "{recorded:?}");
}

#[tokio::test]
async fn calls_without_a_script_are_governed_over_stdio() {
    let workplace = workplace();
    let served = Served::greeted(&workplace, &[]).await;
    let mut client = Client::Stdio(Box::new(served), 10);
    is_governed(&mut client, &workplace).await;
    if let Client::Stdio(served, _) = client {
        assert_eq!(served.close().await, Some(0));
    }
}

#[tokio::test]
async fn calls_without_a_script_are_governed_over_http() {
    let workplace = workplace();
    let serving = Serving::start(&workplace, &["serve", "--http", "0"]).await;
    let mut client = Client::Http(serving.at.clone());
    is_governed(&mut client, &workplace).await;
    assert_eq!(serving.stopped().await.0, Some(0));
}
