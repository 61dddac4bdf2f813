//! Prompts, resources and completion of npm's `server-everything`, as clients of `ampoule serve` get
//! them: over standard input and output, and over HTTP.

use ampoule_tests::command::{Served, Workplace};
use serde_json::{Value, json};

use super::asks::everything;
use super::exposure::Client;
use super::serving::Serving;

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
