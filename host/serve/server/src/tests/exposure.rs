//! How tools are shown to clients, and `call_tool`: one call without a script.

use ampoule_projection::names::ToolPattern;

use super::people::{People, allows, only, to};
use super::*;
use crate::Exposure;

fn patterns(patterns: &[&str]) -> Vec<ToolPattern> {
    patterns.iter().map(|it| it.parse().unwrap()).collect()
}

/// Every client has `call_tool`, and these tools.
pub(super) fn exposing(direct: &[&str]) -> Exposure {
    Exposure {
        direct: patterns(direct),
        call_tool: Some(true),
        ..Exposure::default()
    }
}

impl Client {
    pub(super) async fn tools(&mut self) -> Vec<Value> {
        let list = self.ask("tools/list", json!({})).await;
        list["result"]["tools"].as_array().expect("tools").clone()
    }

    pub(super) async fn names(&mut self) -> Vec<String> {
        let tools = self.tools().await.into_iter();
        tools
            .map(|tool| tool["name"].as_str().unwrap().to_owned())
            .collect()
    }

    pub(super) async fn calls(&mut self, tool: &str, arguments: Value) -> Value {
        let call = json!({ "name": tool, "arguments": arguments });
        self.ask("tools/call", call).await
    }

    /// The result of `call_tool`.
    pub(super) async fn makes(&mut self, server: &str, tool: &str, arguments: Value) -> Value {
        let call = json!({ "server": server, "tool": tool, "arguments": arguments });
        self.calls("call_tool", call).await["result"].clone()
    }
}

/// A server with tools that say what they got.
pub(super) fn server(exposure: Exposure) -> Server {
    let echo = async |arguments: Map<String, Value>, _| ToolResult::returned(&arguments);
    let image = json!([
        { "type": "text", "text": "a dot" },
        { "type": "image", "data": "AAAA", "mimeType": "image/png" },
    ]);
    let picture = move |_, _| {
        let content = serde_json::from_value(image.clone()).unwrap();
        std::future::ready(Ok(ToolResult {
            content,
            ..ToolResult::default()
        }))
    };
    let listed = json!({
        "name": "say",
        "description": "Says it",
        "inputSchema": {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "type": "object",
            "properties": { "n": { "$ref": "#/$defs/N" } },
            "$defs": { "N": { "type": "integer" } },
            "required": ["n"],
        },
        "annotations": { "readOnlyHint": true },
    });
    let tools = Functions::new("a b")
        .raw(serde_json::from_value(listed).unwrap(), echo)
        .raw(tool("x.y"), echo)
        .raw(tool("x_y"), echo)
        .raw(tool("picture"), picture)
        .raw(tool(&"long".repeat(16)), echo);
    let runtime = Runtime::builder().binding(tools).build().unwrap();
    let server = Server::new(runtime, Grant::all(), &ClientComponents::default()).unwrap();
    server.exposure(exposure)
}

#[tokio::test(flavor = "multi_thread")]
async fn call_tool_is_there_by_a_key_and_for_clients_that_ask() {
    const BOTH: [&str; 2] = ["execute_code", "search_tools"];
    const ALL: [&str; 3] = ["execute_code", "search_tools", "call_tool"];
    for (key, asks, sees) in [
        (None, false, &BOTH[..]),
        (None, true, &ALL[..]),
        (Some(true), false, &ALL[..]),
        (Some(false), true, &BOTH[..]),
    ] {
        let server = server(Exposure {
            call_tool: key,
            ..Exposure::default()
        });
        for with_session in [false, true] {
            let mut client = Client::of(&server);
            if asks {
                client.capabilities["experimental"] = json!({ "ampoule/call_tool": {} });
            }
            if with_session {
                client = client.with_session().await;
            }
            assert_eq!(client.names().await, sees, "{key:?} {asks}");
            let answer = client
                .calls("call_tool", json!({ "server": "a b", "tool": "x_y" }))
                .await;
            let is_made = answer["result"]["isError"] == false;
            assert_eq!(is_made, sees.len() == 3, "{answer}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn one_call_answers_as_a_script_that_returns_its_result() {
    let server = server(exposing(&[]));
    let mut client = Client::of(&server);
    // To the last digit.
    let arguments = json!({ "n": 9_007_199_254_740_993_i64 });
    let said = client.makes("a b", "say", arguments).await;
    assert_eq!(said["isError"], false);
    assert_eq!(text(&said), r#"{"n":9007199254740993}"#);
    // Names as scripts write them, and arguments as text.
    let said = client.makes("aB", "say", json!("{\"n\": 1}")).await;
    assert_eq!(text(&said), r#"{"n":1}"#);
    let picture = client.makes("a b", "picture", json!({})).await;
    let kinds: Vec<_> = picture["content"].as_array().unwrap().iter().collect();
    assert_eq!(
        (kinds[0]["text"].as_str(), &kinds[1]["type"]),
        (Some("a dot"), &json!("image"))
    );
    // What does not fit never leaves, and the error says what would.
    let wrong = client.makes("a b", "say", json!({ "m": 1 })).await;
    assert_eq!(wrong["isError"], true, "{wrong}");
    assert!(text(&wrong).starts_with("The call failed (run "), "{wrong}");
    assert!(text(&wrong).contains("`n`"), "{wrong}");
    let unknown = client.makes("a b", "sya", json!({})).await;
    assert!(text(&unknown).contains("`say`"), "{unknown}");
    assert_eq!(unknown["isError"], true);
    let nobody = client.makes("c", "say", json!({})).await;
    assert!(text(&nobody).contains("a b"), "{nobody}");
}

#[tokio::test(flavor = "multi_thread")]
async fn own_tools_stay_as_they_were_described() {
    let folder = tempfile::tempdir().unwrap();
    let all = server(exposing(&[]));
    let each = server(exposing(&[])).remember_tools(folder.path().join("used"));
    for server in [all, each] {
        let first = server.own_tools(None, Some("tester")).unwrap();
        let again = server.own_tools(None, Some("tester")).unwrap();
        assert_eq!(first, again);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn arguments_beside_those_of_call_tool_are_refused_with_what_to_write() {
    let server = server(exposing(&[]));
    let mut client = Client::of(&server);
    let right = r#"Call call_tool with {"server":"a b","tool":"say","arguments":{"n":1}}"#;
    for beside in [
        json!({ "server": "a b", "tool": "say", "n": 1 }),
        json!({ "server": "a b", "tool": "say", "arguments": {}, "n": 1 }),
        json!({ "server": "a b", "tool": "say", "arguments": null, "n": 1 }),
        json!({ "server": "a b", "tool": "say", "arguments": "{\"n\":1}", "n": 2 }),
    ] {
        let refused = client.calls("call_tool", beside).await["result"].clone();
        assert_eq!(refused["isError"], true, "{refused}");
        let said = text(&refused);
        for part in ["it has no argument `n`", "belong into `arguments`", right] {
            assert!(said.contains(part), "{said}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn unknown_tools_are_told_the_ways_that_there_are() {
    let server = server(exposing(&["a b.say"]));
    let mut client = Client::of(&server);
    let mut said = async |tool: &str| {
        let answer = client.calls(tool, json!({ "n": 1 })).await;
        answer["error"]["message"].as_str().unwrap().to_owned()
    };
    let direct = said("a b.say").await;
    assert_eq!(
        direct,
        "`a b.say` is a tool of its own: call `a_b__say` with {\"n\":1}"
    );
    let one = said("a b.picture").await;
    let by = r#"or call call_tool with {"server":"a b","tool":"picture","arguments":{"n":1}}"#;
    assert!(
        one.contains("call execute_code with") && one.contains(by),
        "{one}"
    );
    let nothing = said("frobnicate").await;
    for part in ["call_tool call all others", "`server__tool`"] {
        assert!(nothing.contains(part), "{nothing}");
    }
    let server = self::server(Exposure::default());
    let mut client = Client::of(&server);
    let nothing = client.calls("frobnicate", json!({})).await.to_string();
    assert!(!nothing.contains("call_tool"), "{nothing}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_needs_a_person_asks_in_both_eras_and_is_made_once() {
    let mut people = People::new(Vec::new());
    people.server = people.server.exposure(exposing(&["mail.send"]));
    let call = json!({ "server": "mail", "tool": "send", "arguments": to("ada") });

    let mut client = Client::of(&people.server).with_session().await;
    for (tool, arguments) in [("call_tool", call.clone()), ("mail__send", to("ada"))] {
        let params = json!({ "name": tool, "arguments": arguments });
        let request = client.send("tools/call", params).await;
        let asked = client.is_asked().await;
        let message = asked["params"]["message"].as_str().unwrap();
        assert!(
            message.contains("mail.send") && message.contains("ada"),
            "{message}"
        );
        client.says(&asked, allows("allow-once")).await;
        let (answer, _) = client.answer(request).await;
        assert_eq!(answer["result"]["isError"], false, "{answer}");
    }
    assert_eq!(people.sent(), [to("ada"), to("ada")]);

    let mut client = Client::of(&people.server);
    for (tool, arguments, answer) in [
        ("call_tool", call, "deny"),
        ("mail__send", to("bob"), "allow-once"),
    ] {
        let asks = client.calls(tool, arguments).await["result"].clone();
        let (name, _) = only(&asks["inputRequests"]);
        let params = json!({
            "name": tool,
            "requestState": asks["requestState"],
            "inputResponses": { name: allows(answer) },
        });
        let answered = client.ask("tools/call", params).await["result"].clone();
        assert_eq!(answered["isError"], answer == "deny", "{answered}");
        if answer == "deny" {
            let said = "mail.send: a person did not allow this call";
            assert!(text(&answered).contains(said), "{answered}");
        }
    }
    assert_eq!(people.sent(), [to("ada"), to("ada"), to("bob")]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_large_answer_is_cut_and_the_next_script_can_read_the_rest() {
    let mut people = People::new(Vec::new());
    people.server = people.server.exposure(exposing(&[]));
    let mut client = Client::of(&people.server);
    let read = client.makes("mail", "read", json!({})).await;
    assert_eq!(read["isError"], false);
    assert!(text(&read).len() < 40_000, "{}", text(&read).len());
    let rest = read["content"][1]["text"].as_str().unwrap();
    assert!(
        rest.contains("tools.ampoule.returned({ run: 1 })"),
        "{rest}"
    );
    let code = "return (await tools.ampoule.returned({ run: 1 })).length";
    let all = client
        .execute(json!({ "code": code, "language": "javascript" }))
        .await;
    assert_eq!(text(&all), "100000");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_later_session_lists_what_earlier_runs_used() {
    let folder = tempfile::tempdir().unwrap();
    let begun = || {
        let echo = async |arguments: Map<String, Value>, _| ToolResult::returned(&arguments);
        let tools = (0..100).fold(Functions::new("many"), |tools, number| {
            tools.raw(tool(&format!("a_rather_long_name_{number}")), echo)
        });
        let runtime = Runtime::builder().binding(tools).build().unwrap();
        let server = Server::new(runtime, Grant::all(), &ClientComponents::default()).unwrap();
        let server = server.remember_tools(folder.path().join("used"));
        server.exposure(exposing(&[]))
    };
    let listed = async |client: &mut Client| {
        let tools = client.tools().await;
        let text = tools[0]["description"].as_str().unwrap().to_owned();
        (text.contains("many.aRatherLongName77("), text)
    };
    let first = begun();
    let mut client = Client::of(&first);
    let (is_listed, text) = listed(&mut client).await;
    assert!(!is_listed, "{text}");
    let used = client
        .makes("many", "a_rather_long_name_77", json!({}))
        .await;
    assert_eq!(used["isError"], false, "{used}");
    // In the same session, the text stays.
    assert_eq!(listed(&mut client).await.1, text);
    let in_time = async {
        loop {
            let mut client = Client::of(&begun());
            let (is_listed, text) = listed(&mut client).await;
            if is_listed {
                return text;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    let text = tokio::time::timeout(PATIENCE, in_time).await.unwrap();
    assert!(text.contains(" more"), "{text}");
}
