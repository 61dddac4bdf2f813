//! Prompts, resources and completion of npm's `server-everything`, as clients of `ampoule serve` get
//! them: over standard input and output, and over HTTP.

use ampoule_tests::command::{Served, Workplace};
use serde_json::{Value, json};

use super::asks::everything;
use super::exposure::Client;
use super::serving::{self, PATIENCE, Serving};

const GOVERNED: &str = r#"
[policies]
folder = "policies"
[audit]
folder = "log"
"#;

const POLICY: &str = r#"
@id("no-blobs")
@reason("no blobs")
forbid(principal, action == Action::"everything.$read", resource)
when { context.arguments.uri like "*blob*" };
"#;

/// The folder, where there is such a server.
fn workplace(test: &str) -> Option<Workplace> {
    let server = everything(test)?;
    let workplace = Workplace::default();
    let file = format!(
        "[servers.everything]\ncommand = \"node\"\nargs = [{server:?}, \"stdio\"]\n{GOVERNED}"
    );
    workplace.file("ampoule.toml", file);
    workplace.file("policies/blobs.cedar", POLICY);
    Some(workplace)
}

async fn are_offered(client: &mut Client, workplace: &Workplace) {
    let prompts = client.asks("prompts/list", json!({})).await;
    let all = prompts["prompts"].as_array().expect("prompts").iter();
    let names: Vec<&str> = all.filter_map(|prompt| prompt["name"].as_str()).collect();
    assert!(names.contains(&"everything__args-prompt"), "{prompts}");
    let asked = json!({ "name": "everything__args-prompt", "arguments": { "city": "Oslo" } });
    let prompt = client.asks("prompts/get", asked).await;
    let said = &prompt["messages"][0]["content"]["text"];
    assert_eq!(said, "What's weather in Oslo?", "{prompt}");
    // The server's own error.
    let asked = json!({ "name": "everything__args-prompt" });
    let refused = client.asks("prompts/get", asked).await;
    let said = refused["error"]["message"].as_str().unwrap_or_default();
    assert!(
        said.contains("everything") && said.contains("city"),
        "{refused}"
    );

    let resources = client.asks("resources/list", json!({})).await;
    let first = &resources["resources"][0]["uri"];
    let first = first.as_str().unwrap_or_default();
    assert!(
        first.starts_with("ampoule://servers/everything/demo://"),
        "{resources}"
    );
    let templates = client.asks("resources/templates/list", json!({})).await;
    let template = &templates["resourceTemplates"][0]["uriTemplate"];
    let template = template.as_str().unwrap_or_default();
    let text = template.replace("{resourceId}", "1");
    let read = client.asks("resources/read", json!({ "uri": text })).await;
    assert_eq!(read["contents"][0]["uri"], text, "{read}");
    let said = read["contents"][0]["text"].as_str().unwrap_or_default();
    assert!(said.starts_with("Resource 1"), "{read}");
    let blob = text.replace("/text/", "/blob/");
    let denied = client.asks("resources/read", json!({ "uri": blob })).await;
    let said = denied["error"]["message"].as_str().unwrap_or_default();
    assert!(said.contains("no blobs"), "{denied}");

    let named = json!({ "type": "ref/prompt", "name": "everything__completable-prompt" });
    let asked = json!({ "ref": named, "argument": { "name": "department", "value": "S" } });
    let completed = client.asks("completion/complete", asked).await;
    assert_eq!(
        completed["completion"]["values"],
        json!(["Sales", "Support"]),
        "{completed}"
    );

    let log = workplace.run(&["audit", "ls", "--json", "--all"]).await;
    for has in ["$prompts", "$prompt", "$read", "no blobs"] {
        assert!(log.stdout.contains(has), "{has}: {log:?}");
    }
}

fn declared(capabilities: &Value) {
    for has in ["prompts", "resources", "completions", "tools"] {
        assert!(capabilities[has].is_object(), "{has}: {capabilities}");
    }
}

#[tokio::test]
async fn what_servers_have_besides_tools_reaches_clients_over_stdio() {
    let test = "what_servers_have_besides_tools_reaches_clients_over_stdio";
    let Some(workplace) = workplace(test) else {
        return;
    };
    let served = Served::greeted(&workplace, &[]).await;
    let mut client = Client::Stdio(Box::new(served), 10);
    are_offered(&mut client, &workplace).await;
    if let Client::Stdio(served, _) = client {
        assert_eq!(served.close().await, Some(0));
    }
}

#[tokio::test]
async fn what_servers_have_besides_tools_reaches_clients_over_http() {
    let test = "what_servers_have_besides_tools_reaches_clients_over_http";
    let Some(workplace) = workplace(test) else {
        return;
    };
    let serving = Serving::start(&workplace, &["serve", "--http", "0"]).await;
    let mut client = Client::Http(serving.at.clone());
    declared(&client.asks("server/discover", json!({})).await["capabilities"]);
    are_offered(&mut client, &workplace).await;
    assert_eq!(serving.stopped().await.0, Some(0));
}

/// Has the server tell of changes, which it makes up.
const CHANGES: &str = "return await tools.everything.toggleSubscriberUpdates({})";

fn watched() -> String {
    "ampoule://servers/everything/demo://resource/dynamic/text/1".to_owned()
}

fn in_session(id: u64, method: &str, params: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })
}

fn of_script(code: &str) -> Value {
    json!({ "name": "execute_code", "arguments": { "code": code, "language": "javascript" } })
}

#[tokio::test]
async fn a_client_over_stdio_hears_of_a_resource_that_it_may_read() {
    let test = "a_client_over_stdio_hears_of_a_resource_that_it_may_read";
    let Some(workplace) = workplace(test) else {
        return;
    };
    let mut served = Served::greeted(&workplace, &[]).await;
    let uri = json!({ "uri": watched() });
    let subscribed = served.ask(in_session(1, "resources/subscribe", &uri)).await;
    assert_eq!(subscribed["result"], json!({}), "{subscribed}");
    let blob = json!({ "uri": watched().replace("/text/", "/blob/") });
    let denied = served
        .ask(in_session(2, "resources/subscribe", &blob))
        .await;
    let said = denied["error"]["message"].as_str().unwrap_or_default();
    assert!(said.contains("no blobs"), "{denied}");
    served
        .send(in_session(3, "tools/call", &of_script(CHANGES)))
        .await;
    loop {
        let message = served.next().await.expect("a message");
        if message["method"] == "notifications/resources/updated" {
            assert_eq!(message["params"]["uri"], watched(), "{message}");
            break;
        }
    }
    assert_eq!(served.close().await, Some(0));
}

/// Reads a stream until this has come.
async fn read_until(mut stream: reqwest::Response, wanted: &str) {
    let mut text = String::new();
    while !text.contains(wanted) {
        let chunk = tokio::time::timeout(PATIENCE, stream.chunk()).await;
        let chunk = chunk.expect("in time").expect("a stream");
        let chunk = chunk.unwrap_or_else(|| panic!("it ended: {text}"));
        text += &String::from_utf8_lossy(&chunk);
    }
}

#[tokio::test]
async fn clients_over_http_hear_of_a_resource_in_a_session_and_by_a_request_that_stays_open() {
    let test = "clients_over_http_hear_of_a_resource_in_a_session_and_by_a_request_that_stays_open";
    let Some(workplace) = workplace(test) else {
        return;
    };
    let server = Serving::start(&workplace, &["serve", "--http", "0"]).await;
    let client = serving::client();
    let post = |message: &Value| {
        client
            .post(&server.at)
            .header("accept", "application/json, text/event-stream")
            .header("content-type", "application/json")
            .body(message.to_string())
    };
    let hello = json!({ "protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": { "name": "test", "version": "1" } });
    let begun = post(&in_session(0, "initialize", &hello)).send().await;
    let begun = begun.expect("a session");
    let session = begun.headers()["mcp-session-id"].clone();
    let subscribe = in_session(1, "resources/subscribe", &json!({ "uri": watched() }));
    let subscribed = post(&subscribe).header("mcp-session-id", &session).send();
    let subscribed = subscribed.await.expect("an answer").text().await;
    let subscribed = subscribed.expect("a body");
    assert!(subscribed.contains("\"result\":{}"), "{subscribed}");
    let stream = client
        .get(&server.at)
        .header("accept", "text/event-stream")
        .header("mcp-session-id", &session);
    let stream = stream.send().await.expect("a stream");
    assert_eq!(stream.status(), 200);
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let filter = json!({ "resourceSubscriptions": [watched()] });
    let listen = json!({ "notifications": filter, "_meta": meta });
    let listening = post(&in_session(2, "subscriptions/listen", &listen))
        .header("mcp-protocol-version", "2026-07-28")
        .header("mcp-method", "subscriptions/listen");
    let listening = listening.send().await.expect("a stream");
    serving::text(serving::script(&client, &server.at, CHANGES)).await;
    let updated = "notifications/resources/updated";
    read_until(stream, updated).await;
    read_until(listening, updated).await;
    assert_eq!(server.stopped().await.0, Some(0));
}
