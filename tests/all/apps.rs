//! The apps of npm's `server-system-monitor`, as clients of `ampoule serve` get them: over standard
//! input and output, and over HTTP.

use ampoule_tests::command::{Served, Workplace};
use ampoule_tests::prepared;
use serde_json::{Value, json};

use super::exposure::Client;
use super::serving::Serving;

const GOVERNED: &str = r#"
[policies]
folder = "policies"
[audit]
folder = "log"
[records]
keep = "all"
"#;

/// Pages of other apps may not be read.
const POLICY: &str = r#"
@id("no-others")
@reason("no others")
forbid(principal, action == Action::"monitor.$read", resource)
when { context.arguments.uri like "*other*" };
"#;

/// The folder, where there is such a server.
fn workplace(test: &str) -> Option<Workplace> {
    let folder = prepared(test, "AMPOULE_TEST_NODE")?;
    let file = "node_modules/@modelcontextprotocol/server-system-monitor/dist/index.js";
    let server = folder.join(file).to_str().expect("UTF-8").to_owned();
    let workplace = Workplace::default();
    let config = format!(
        "[servers.monitor]\ncommand = \"node\"\nargs = [{server:?}, \"--stdio\"]\n{GOVERNED}"
    );
    workplace.file("ampoule.toml", config);
    workplace.file("policies/others.cedar", POLICY);
    Some(workplace)
}

fn capabilities() -> Value {
    let mime_types = json!(["text/html;profile=mcp-app"]);
    json!({ "extensions": { "io.modelcontextprotocol/ui": { "mimeTypes": mime_types } } })
}

async fn calls(client: &mut Client, name: &str, arguments: Value) -> Value {
    let call = json!({ "name": name, "arguments": arguments });
    client.asks("tools/call", call).await
}

async fn are_passed_on(client: &mut Client, workplace: &Workplace) {
    let list = client.asks("tools/list", json!({})).await;
    let tools = list["tools"].as_array().expect("tools");
    let named = |name: &str| {
        let found = tools.iter().find(|tool| tool["name"] == name);
        found.unwrap_or_else(|| panic!("{name}: {list}"))
    };
    let shown = &named("monitor__get-system-info")["_meta"]["ui"]["resourceUri"];
    let page = "ui://ampoule/monitor/system-monitor/mcp-app.html";
    assert_eq!(shown, page, "{list}");
    let polled = &named("monitor__poll-system-stats")["_meta"]["ui"];
    assert_eq!(polled["visibility"], json!(["app"]), "{list}");

    let read = client.asks("resources/read", json!({ "uri": page })).await;
    let html = &read["contents"][0];
    assert_eq!(html["mimeType"], "text/html;profile=mcp-app", "{read}");
    assert!(
        html["text"]
            .as_str()
            .is_some_and(|text| text.contains("<html"))
    );

    let info = calls(client, "monitor__get-system-info", json!({})).await;
    assert!(info["structuredContent"]["hostname"].is_string(), "{info}");
    assert_eq!(info["_meta"]["ui"]["resourceUri"], page, "{info}");
    // The app calls by its server's name, under the same policies.
    let stats = calls(client, "poll-system-stats", json!({})).await;
    let text = stats["content"][0]["text"].as_str().unwrap_or_default();
    assert!(text.contains("uptime"), "{stats}");
    let other = json!({ "uri": page.replace("system-monitor", "other") });
    let denied = client.asks("resources/read", other).await;
    assert!(denied.to_string().contains("no others"), "{denied}");
    // A script shows the app, and can't poll.
    let code = "emit(await whole(tools.monitor.getSystemInfo)); return 1";
    let emitted = calls(client, "execute_code", json!({ "code": code })).await;
    let blocks = emitted["content"].as_array().expect("content");
    let link = blocks.iter().find(|block| block["uri"] == page);
    let link = link.unwrap_or_else(|| panic!("{emitted}"));
    let result = &link["_meta"]["ampoule/result"]["structuredContent"];
    assert!(result["hostname"].is_string(), "{emitted}");
    let code = "return await tools.monitor.pollSystemStats({})";
    let refused = calls(client, "execute_code", json!({ "code": code })).await;
    assert_eq!(refused["isError"], true, "{refused}");

    let log = workplace.run(&["audit", "ls", "--json", "--all"]).await;
    for has in ["poll-system-stats", "no others", "$read"] {
        assert!(log.stdout.contains(has), "{has}: {log:?}");
    }
}

#[tokio::test]
async fn apps_of_servers_reach_clients_over_stdio() {
    let Some(workplace) = workplace("apps_of_servers_reach_clients_over_stdio") else {
        return;
    };
    let mut served = Served::start(&workplace, &[]);
    served.greet_with(capabilities()).await;
    let mut client = Client::Stdio(Box::new(served), 10);
    are_passed_on(&mut client, &workplace).await;
    if let Client::Stdio(served, _) = client {
        assert_eq!(served.close().await, Some(0));
    }
}

#[tokio::test]
async fn apps_of_servers_reach_clients_over_http() {
    let Some(workplace) = workplace("apps_of_servers_reach_clients_over_http") else {
        return;
    };
    let serving = Serving::start(&workplace, &["serve", "--http", "0"]).await;
    let mut client = Client::Apps(serving.at.clone(), capabilities());
    are_passed_on(&mut client, &workplace).await;
    assert_eq!(serving.stopped().await.0, Some(0));
}
