//! The apps of tools, as clients get them.

use std::sync::Arc;

use ampoule_tools::{Binding, BindingError};
use futures::future::BoxFuture;

use super::*;
use crate::Exposure;

/// A server whose tool has an app.
struct Weather(&'static str);

/// What its tools answer: all that a result may have.
pub(super) fn answer() -> Value {
    json!({
        "content": [
            { "type": "text", "text": "sunny", "annotations": { "audience": ["assistant"], "priority": 0.5 } },
            { "type": "image", "data": "iVBORw0KGgo=", "mimeType": "image/png", "_meta": { "a": 1 } },
            { "type": "audio", "data": "AAAA", "mimeType": "audio/wav", "annotations": { "audience": ["user"] } },
            { "type": "resource_link", "uri": "file:///a.txt", "name": "a", "title": "A", "description": "d",
              "mimeType": "text/plain", "size": 3, "annotations": { "lastModified": "2026-01-01T00:00:00Z" } },
            { "type": "resource", "resource": { "uri": "file:///b", "mimeType": "text/plain", "text": "b", "_meta": { "c": 2 } },
              "annotations": { "audience": ["user", "assistant"] }, "_meta": { "b": true } },
        ],
        "structuredContent": { "degrees": 21 },
        "_meta": { "own": { "x": 1 } },
    })
}

impl Binding for Weather {
    fn name(&self) -> &str {
        self.0
    }

    fn tools(&self) -> BoxFuture<'_, Result<Arc<[Tool]>, BindingError>> {
        Box::pin(async { Ok(self.known_tools().expect("tools")) })
    }

    fn known_tools(&self) -> Option<Arc<[Tool]>> {
        let tool = |name: &str, ui: Value| -> Tool {
            let tool = json!({ "name": name, "inputSchema": { "type": "object" }, "ui": ui });
            serde_json::from_value(tool).unwrap()
        };
        let tools = [
            tool("show", json!({ "resourceUri": "ui://weather/now" })),
            tool("poll", json!({ "visibility": ["app"] })),
            tool("think", json!({ "visibility": ["model"] })),
            tool("plain", Value::Null),
        ];
        Some(tools.into())
    }

    fn offered(&self) -> Arc<[Tool]> {
        [tool("$resources"), tool("$read")].into()
    }

    fn call<'a>(
        &'a self,
        tool: &'a str,
        arguments: Map<String, Value>,
        _: CallContext,
    ) -> BoxFuture<'a, Result<ToolResult, CallError>> {
        Box::pin(async move {
            if tool == "$resources" {
                return ToolResult::returned(&json!([]));
            }
            if tool != "$read" {
                let mut result: ToolResult = serde_json::from_value(answer()).unwrap();
                result.is_error = arguments.contains_key("fail");
                return Ok(result);
            }
            let page = json!([{ "uri": arguments["uri"], "mimeType": "text/html;profile=mcp-app",
                "text": "<html>", "_meta": { "ui": { "csp": { "connectDomains": ["https://a.example"] } } } }]);
            ToolResult::returned(&page)
        })
    }
}

pub(super) fn server(names: &[&'static str]) -> Server {
    let names = names.iter();
    let builder = names.fold(Runtime::builder(), |builder, name| {
        builder.binding(Weather(name))
    });
    let runtime = builder.build().unwrap();
    let server = Server::new(runtime, Grant::all(), &ClientComponents::default()).unwrap();
    server.exposure(Exposure {
        call_tool: Some(true),
        direct: vec!["weather.plain".parse().unwrap()],
        ..Exposure::default()
    })
}

/// A client that shows apps.
fn app_client(server: &Server) -> Client {
    let mut client = Client::of(server);
    client.capabilities = json!({ "extensions": { "io.modelcontextprotocol/ui": {
        "mimeTypes": ["text/html;profile=mcp-app"]
    } } });
    client
}

pub(super) async fn call(client: &mut Client, name: &str, arguments: Value) -> Value {
    let call = json!({ "name": name, "arguments": arguments });
    client.ask("tools/call", call).await
}

fn names(list: &Value) -> Vec<&str> {
    let tools = list["result"]["tools"].as_array().expect("tools");
    tools.iter().filter_map(|it| it["name"].as_str()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn tools_with_apps_are_tools_of_clients_that_show_apps() {
    let server = server(&["weather"]);
    let list = Client::of(&server).ask("tools/list", json!({})).await;
    assert_eq!(names(&list)[3..], ["weather__plain"], "{list}");
    let mut client = app_client(&server);
    let list = client.ask("tools/list", json!({})).await;
    assert_eq!(
        names(&list)[3..],
        ["weather__plain", "weather__show", "weather__poll"]
    );
    assert_eq!(list["result"]["cacheScope"], "private", "{list}");
    let ui = |at: usize| &list["result"]["tools"][at]["_meta"]["ui"];
    assert_eq!(
        *ui(4),
        json!({ "resourceUri": "ui://ampoule/weather/weather/now" })
    );
    assert_eq!(*ui(5), json!({ "visibility": ["app"] }));

    // The client gets what the app needs.
    let result =
        call(&mut client, "weather__show", json!({ "city": "Oslo" })).await["result"].take();
    assert_eq!(
        result["structuredContent"],
        json!({ "degrees": 21 }),
        "{result}"
    );
    let meta = &result["_meta"];
    assert_eq!(
        meta["ui"]["resourceUri"],
        "ui://ampoule/weather/weather/now"
    );
    assert_eq!(meta["own"], json!({ "x": 1 }));
    assert_eq!(meta["ampoule/call"]["arguments"], json!({ "city": "Oslo" }));

    // The page, by Ampoule's address and by the server's own.
    for address in ["ui://ampoule/weather/weather/now", "ui://weather/now"] {
        let read = client
            .ask("resources/read", json!({ "uri": address }))
            .await;
        let page = &read["result"]["contents"][0];
        assert_eq!(page["uri"], address, "{read}");
        assert_eq!(page["mimeType"], "text/html;profile=mcp-app");
        assert!(
            page["_meta"]["ui"]["csp"]["connectDomains"].is_array(),
            "{read}"
        );
    }

    // Calls of the app, by the names that its server gave.
    for name in ["poll", "weather__poll", "show", "plain"] {
        let called = call(&mut client, name, json!({})).await;
        assert!(called["result"]["content"].is_array(), "{name}: {called}");
    }
    for name in ["think", "unknown"] {
        let refused = call(&mut client, name, json!({})).await;
        assert!(refused["error"].is_object(), "{name}: {refused}");
    }
    // Those of a client that shows none.
    let refused = call(&mut Client::of(&server), "poll", json!({})).await;
    assert!(refused["error"].is_object(), "{refused}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tool_for_apps_alone_is_none_for_models() {
    let server = server(&["weather"]);
    let mut client = app_client(&server);
    for code in [
        "return await tools.weather.poll({})",
        "return await whole('weather.poll')",
    ] {
        let result = client
            .execute(json!({ "code": code, "language": "typescript" }))
            .await;
        assert_eq!(result["isError"], true, "{result}");
        assert!(text(&result).contains("poll"), "{result}");
    }
    let single = json!({ "server": "weather", "tool": "poll" });
    let result = call(&mut client, "call_tool", single).await["result"].take();
    assert_eq!(result["isError"], true, "{result}");
    let found = call(&mut client, "search_tools", json!({})).await["result"].take();
    assert!(text(&found).contains("function think"), "{found}");
    assert!(!text(&found).contains("poll"), "{found}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_script_shows_an_app() {
    let server = server(&["weather"]);
    let mut client = app_client(&server);
    let address = "ui://ampoule/weather/weather/now";
    let link = |result: &Value| {
        let blocks = result["content"].as_array().unwrap().iter();
        let mut links = blocks.filter(|it| it["type"] == "resource_link" && it["uri"] == address);
        links.next().cloned().unwrap_or_else(|| panic!("{result}"))
    };
    let code = "return await whole(tools.weather.show, { city: 'Oslo' })";
    let result = client.execute(json!({ "code": code })).await;
    assert_eq!(result["_meta"]["ui"]["resourceUri"], address, "{result}");
    assert_eq!(result["structuredContent"], json!({ "degrees": 21 }));
    assert!(link(&result)["_meta"].get("ampoule/result").is_none());

    let code = "emit(await whole(tools.weather.show, { city: 'Oslo' })); return 1";
    let result = client.execute(json!({ "code": code })).await;
    assert!(result.get("structuredContent").is_none(), "{result}");
    let link = link(&result);
    assert_eq!(link["mimeType"], "text/html;profile=mcp-app");
    assert_eq!(link["annotations"]["audience"], json!(["user"]));
    let meta = &link["_meta"];
    assert_eq!(meta["ampoule/call"]["tool"], "show");
    assert_eq!(meta["ampoule/call"]["arguments"], json!({ "city": "Oslo" }));
    assert_eq!(
        meta["ampoule/result"]["structuredContent"],
        json!({ "degrees": 21 })
    );
    assert_eq!(
        meta["ampoule/result"]["_meta"],
        json!({ "own": { "x": 1 } })
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_name_that_several_servers_with_apps_have_is_told() {
    let server = server(&["weather", "sky"]);
    let mut client = app_client(&server);
    let refused = call(&mut client, "poll", json!({})).await["result"].take();
    assert_eq!(refused["isError"], true, "{refused}");
    let said = text(&refused);
    assert!(said.contains("`weather__poll`, `sky__poll`"), "{said}");
    let read = client
        .ask("resources/read", json!({ "uri": "ui://weather/now" }))
        .await;
    assert!(read["error"].is_object(), "{read}");
    // An operator who wants none of it.
    let server = server.exposure(Exposure {
        apps: false,
        ..Exposure::default()
    });
    let list = app_client(&server).ask("tools/list", json!({})).await;
    assert_eq!(names(&list), ["execute_code", "search_tools"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_an_app_calls_at_a_toolkit_is_of_the_toolkit() {
    let server = server(&["weather"]);
    let toolkit = |tools: &[&str]| crate::Toolkit {
        tools: tools.iter().map(|tool| tool.parse().unwrap()).collect(),
        ..crate::Toolkit::default()
    };
    let toolkits = [
        ("shows".to_owned(), toolkit(&["weather.show"])),
        (
            "polls".to_owned(),
            toolkit(&["weather.show", "weather.poll", "weather.$read"]),
        ),
    ];
    server.set_toolkits(toolkits.into()).unwrap();
    let call = |name: &str| json!({ "name": name, "arguments": {} });
    let read = json!({ "uri": "ui://weather/now" });
    for (name, may_poll) in [("shows", false), ("polls", true)] {
        let mut client = app_client(&server.toolkit(name).unwrap());
        let listed = client.ask("tools/list", json!({})).await.to_string();
        assert!(listed.contains("weather__show"), "{listed}");
        assert_eq!(listed.contains("weather__poll"), may_poll, "{listed}");
        for polls in ["poll", "weather__poll"] {
            let polled = client.ask("tools/call", call(polls)).await;
            assert_eq!(
                polled["error"].is_null(),
                may_poll,
                "{name} {polls}: {polled}"
            );
        }
        for never in ["plain", "weather__plain", "think"] {
            let refused = client.ask("tools/call", call(never)).await;
            assert!(!refused["error"].is_null(), "{name} {never}: {refused}");
        }
        let page = client.ask("resources/read", read.clone()).await;
        assert_eq!(page["error"].is_null(), may_poll, "{page}");
    }
}
