//! Prompts, resources and completion of servers, as clients get them.

use std::sync::Arc;

use ampoule_tools::{Binding, BindingError};
use futures::future::BoxFuture;

use super::*;
use crate::Exposure;

/// A server that has prompts and resources besides a tool.
struct Library {
    name: &'static str,
    prompts: &'static [&'static str],
    offers: &'static [&'static str],
}

const ALL: [&str; 6] = [
    "$prompts",
    "$prompt",
    "$resources",
    "$templates",
    "$read",
    "$complete",
];

const LIBRARY: Library = Library {
    name: "my library",
    prompts: &["summary"],
    offers: &ALL,
};

impl Library {
    fn answer(&self, tool: &str, arguments: &Map<String, Value>) -> Value {
        let name = self.name;
        match tool {
            "$prompts" => self
                .prompts
                .iter()
                .map(|prompt| {
                    json!({ "name": prompt, "description": format!("{prompt} of {name}"),
                        "arguments": [{ "name": "topic", "required": true }] })
                })
                .collect(),
            "$prompt" => json!({ "description": name, "messages": [
                { "role": "user", "content": { "type": "text", "text": Value::Object(arguments.clone()).to_string() } },
                { "role": "user", "content": { "type": "resource_link", "uri": "book://1", "name": "first" } },
            ] }),
            "$resources" => json!([{ "uri": "book://1", "name": "first", "mimeType": "text/plain",
                "_meta": { "own": 1 } }]),
            "$templates" => json!([{ "uriTemplate": "book://{id}", "name": "any" }]),
            "$read" if arguments["uri"] == "book://image" => {
                json!([{ "uri": "book://image", "mimeType": "image/png", "blob": "iVBORw0KGgo=" }])
            }
            "$read" => {
                json!([{ "uri": arguments["uri"], "text": format!("{} of {name}", arguments["uri"]) }])
            }
            "$complete" => {
                json!({ "values": [Value::Object(arguments.clone()).to_string()], "hasMore": false })
            }
            other => panic!("{other}"),
        }
    }
}

impl Binding for Library {
    fn name(&self) -> &str {
        self.name
    }

    fn tools(&self) -> BoxFuture<'_, Result<Arc<[Tool]>, BindingError>> {
        Box::pin(async { Ok(self.known_tools().expect("tools")) })
    }

    fn known_tools(&self) -> Option<Arc<[Tool]>> {
        Some(vec![tool("lend")].into())
    }

    fn offered(&self) -> Arc<[Tool]> {
        self.offers.iter().map(|name| tool(name)).collect()
    }

    fn call<'a>(
        &'a self,
        tool: &'a str,
        arguments: Map<String, Value>,
        _: CallContext,
    ) -> BoxFuture<'a, Result<ToolResult, CallError>> {
        Box::pin(async move { ToolResult::returned(&self.answer(tool, &arguments)) })
    }
}

fn server(libraries: Vec<Library>, grant: &str) -> Server {
    let builder = libraries
        .into_iter()
        .fold(Runtime::builder(), |builder, library| {
            builder.binding(library)
        });
    let grant: Grant = grant.parse().unwrap();
    Server::new(
        builder.build().unwrap(),
        grant,
        &ClientComponents::default(),
    )
    .unwrap()
}

fn message(answer: &Value) -> &str {
    answer["error"]["message"].as_str().unwrap_or_default()
}

#[tokio::test]
async fn what_servers_have_besides_tools_reaches_clients_under_the_servers_name() {
    let server = server(vec![LIBRARY], "*");
    let mut client = Client::of(&server).with_session().await;
    let prompts = client.ask("prompts/list", json!({})).await;
    let prompt = &prompts["result"]["prompts"][0];
    assert_eq!(prompt["name"], "my library__summary", "{prompts}");
    assert_eq!(prompt["arguments"][0]["required"], true);
    for name in ["my library__summary", "summary"] {
        let asked = json!({ "name": name, "arguments": { "topic": "glass" } });
        let got = client.ask("prompts/get", asked).await;
        let messages = &got["result"]["messages"];
        let said = messages[0]["content"]["text"].as_str().unwrap_or_default();
        assert_eq!(
            said, r#"{"name":"summary","arguments":{"topic":"glass"}}"#,
            "{got}"
        );
        assert_eq!(messages[1]["content"]["uri"], "book://1", "{got}");
    }
    let listed = client.ask("resources/list", json!({})).await;
    let resource = &listed["result"]["resources"][0];
    assert_eq!(
        resource["uri"], "ampoule://servers/my%20library/book://1",
        "{listed}"
    );
    assert_eq!(resource["_meta"]["own"], 1, "{listed}");
    let templates = client.ask("resources/templates/list", json!({})).await;
    let template = &templates["result"]["resourceTemplates"][0]["uriTemplate"];
    assert_eq!(template, "ampoule://servers/my%20library/book://{id}");
    let uri = resource["uri"].clone();
    let read = client.ask("resources/read", json!({ "uri": uri })).await;
    assert_eq!(read["result"]["contents"][0]["uri"], uri, "{read}");
    let text = &read["result"]["contents"][0]["text"];
    assert_eq!(text, "\"book://1\" of my library", "{read}");
    // A link in an answer has the server's own address.
    let link = client
        .ask("resources/read", json!({ "uri": "book://1" }))
        .await;
    assert_eq!(link["result"]["contents"][0]["uri"], "book://1", "{link}");
    let link = client
        .ask("resources/read", json!({ "uri": "book://2" }))
        .await;
    assert_eq!(link["result"]["contents"][0]["uri"], "book://2", "{link}");
    let image = json!({ "uri": "ampoule://servers/my%20library/book://image" });
    let image = client.ask("resources/read", image).await;
    assert_eq!(
        image["result"]["contents"][0]["blob"], "iVBORw0KGgo=",
        "{image}"
    );
    for (named, own) in [
        (
            json!({ "type": "ref/prompt", "name": "my library__summary" }),
            r#""name":"summary""#,
        ),
        (
            json!({ "type": "ref/resource", "uri": template }),
            r#""uri":"book://{id}""#,
        ),
    ] {
        let asked = json!({ "ref": named, "argument": { "name": "id", "value": "1" } });
        let completed = client.ask("completion/complete", asked).await;
        let value = completed["result"]["completion"]["values"][0].as_str();
        assert!(value.is_some_and(|it| it.contains(own)), "{completed}");
    }
}

#[tokio::test]
async fn names_that_mean_nothing_or_several_things_get_an_error_that_says_what_to_do() {
    let other = |name, prompts| Library {
        name,
        prompts,
        ..LIBRARY
    };
    let server = server(
        vec![other("a", &["b__c", "d"]), other("a__b", &["c", "d"])],
        "*",
    );
    let mut client = Client::of(&server).with_session().await;
    for (name, said) in [
        // Each could be parted so, and both have it.
        (
            "a__b__c",
            "may be a prompt of each of the servers `a`, `a__b`",
        ),
        ("d", "may be a prompt of each of the servers `a`, `a__b`"),
        ("nothing", "unknown prompt `nothing`"),
        ("a__b__x", "unknown prompt"),
    ] {
        let got = client.ask("prompts/get", json!({ "name": name })).await;
        assert!(message(&got).contains(said), "{name}: {got}");
    }
    let got = client
        .ask("prompts/get", json!({ "name": "a__b__d" }))
        .await;
    assert_eq!(got["result"]["description"], "a__b", "{got}");
    for (uri, said) in [
        (
            "book://1",
            "several servers have this resource: `a`, `a__b`",
        ),
        (
            "book://2",
            "several servers have this resource: `a`, `a__b`",
        ),
        ("book:2", "unknown resource `book:2`"),
        ("ampoule://servers/c/book://1", "unknown resource"),
        ("ampoule://workspace/a", "unknown resource"),
    ] {
        let read = client.ask("resources/read", json!({ "uri": uri })).await;
        assert!(message(&read).contains(said), "{uri}: {read}");
    }
    for (method, params) in [
        ("prompts/get", json!({})),
        ("prompts/get", json!({ "name": 1 })),
        ("completion/complete", json!({ "argument": 1 })),
        ("resources/read", json!({})),
    ] {
        let wrong = client.ask(method, params).await;
        assert!(
            message(&wrong).contains(&format!("`{method}` takes")),
            "{wrong}"
        );
    }
    let cursor = client.ask("prompts/list", json!({ "cursor": "x" })).await;
    assert_eq!(cursor["error"]["code"], -32602, "{cursor}");
}

#[tokio::test]
async fn what_is_not_granted_not_there_or_switched_off_is_not_offered() {
    let silent = Library {
        offers: &[],
        ..LIBRARY
    };
    let switched_off = Exposure {
        prompts: false,
        resources: false,
        ..Exposure::default()
    };
    for server in [
        server(vec![silent], "*"),
        server(vec![LIBRARY], "my library.lend"),
        server(vec![LIBRARY], "*").exposure(switched_off),
    ] {
        let mut client = Client::of(&server).with_session().await;
        for (method, params) in [
            ("prompts/list", json!({})),
            ("prompts/get", json!({ "name": "my library__summary" })),
            ("resources/list", json!({})),
            ("resources/templates/list", json!({})),
            ("resources/read", json!({ "uri": "book://1" })),
            (
                "completion/complete",
                json!({ "ref": { "type": "ref/prompt", "name": "summary" },
                    "argument": { "name": "a", "value": "" } }),
            ),
        ] {
            let refused = client.ask(method, params).await;
            assert_eq!(refused["error"]["code"], -32601, "{method}: {refused}");
        }
    }
    let some = server(vec![LIBRARY], "my library.$prompts,my library.$prompt");
    let mut client = Client::of(&some).with_session().await;
    let listed = client.ask("prompts/list", json!({})).await;
    assert_eq!(
        listed["result"]["prompts"].as_array().map(Vec::len),
        Some(1)
    );
    let read = client
        .ask("resources/read", json!({ "uri": "book://1" }))
        .await;
    assert_eq!(read["error"]["code"], -32601, "{read}");
}
