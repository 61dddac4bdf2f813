//! Clients before 2026-07-28, and since.

use super::*;

fn text(answer: &Answer) -> String {
    let content = &answer.message()["result"]["content"];
    content[0]["text"].as_str().unwrap_or_default().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn both_list_call_and_are_told_what_is_wrong() {
    let served = served(Options::default()).await;
    for era in Era::both(&served).await {
        let listed = era.ask(request("tools/list", json!({}))).await.message();
        let tools = listed["result"]["tools"].as_array().expect("tools");
        let names: Vec<_> = tools.iter().map(|tool| &tool["name"]).collect();
        assert_eq!(names, ["execute_code", "search_tools"]);

        let returned = era
            .ask(execute("console.log('printed'); return [1 + 1]"))
            .await;
        assert_eq!(returned.status(), Some(200));
        assert_eq!(text(&returned), "printed\n\n[2]");
        assert_eq!(returned.message()["result"]["isError"], false);

        let threw = era.ask(execute("throw new TypeError('not today')")).await;
        assert!(text(&threw).contains("TypeError: not today"), "{threw:?}");
        assert_eq!(threw.message()["result"]["isError"], true);

        let unknown = era
            .ask(request(
                "tools/call",
                json!({"name": "nothing", "arguments": {}}),
            ))
            .await;
        assert_eq!(unknown.message()["error"]["code"], -32602);
        for method in ["nothing/here", "prompts/list", "resources/list"] {
            let answer = era.ask(request(method, json!({}))).await;
            assert_eq!(answer.message()["error"]["code"], -32601, "{method}");
        }
        let misused = era
            .ask(request(
                "tools/call",
                json!({"name": "execute_code", "arguments": []}),
            ))
            .await;
        assert_eq!(misused.status(), Some(400));
        let said = misused.message()["error"]["message"].to_string();
        assert!(said.contains("`tools/call` takes `name`"), "{said}");
    }
    let discovered = stateless(request("server/discover", json!({})));
    let headers: Vec<_> = discovered
        .0
        .iter()
        .map(|(name, value)| (*name, &**value))
        .collect();
    let found = served.post(&headers, &discovered.1).await.message();
    let server = &found["result"]["_meta"]["io.modelcontextprotocol/serverInfo"];
    assert_eq!(server["name"], "ampoule", "{found}");
}

#[tokio::test(flavor = "multi_thread")]
async fn both_have_call_tool_if_they_ask_for_it() {
    let served = served(Options::default()).await;
    for capabilities in [
        json!({ "experimental": { "ampoule/call_tool": {} } }),
        json!({ "extensions": { "ampoule/call_tool": {} } }),
    ] {
        let hello = initialize_with(capabilities.clone());
        let begun = served.post(&[], &hello).await;
        let session = begun.header("mcp-session-id").expect("a session");
        let names = |answer: &Answer| {
            let listed = answer.message()["result"]["tools"].take();
            let listed = listed.as_array().cloned().expect("tools").into_iter();
            let names = listed.map(|tool| tool["name"].as_str().unwrap().to_owned());
            names.collect::<Vec<_>>()
        };
        let call = json!({ "server": "test", "tool": "log", "arguments": { "level": "info" } });
        let call = request(
            "tools/call",
            json!({ "name": "call_tool", "arguments": call }),
        );
        for message in [request("tools/list", json!({})), call] {
            let session = [("mcp-session-id", session)];
            let in_session = served.post(&session, &message).await;
            let (headers, alone) = stateless_with(message.clone(), capabilities.clone());
            let headers: Vec<_> = headers
                .iter()
                .map(|(name, value)| (*name, &**value))
                .collect();
            let alone = served.post(&headers, &alone).await;
            for answer in [in_session, alone] {
                match message["method"] == "tools/list" {
                    true => assert_eq!(
                        names(&answer),
                        ["execute_code", "search_tools", "call_tool"]
                    ),
                    false => assert_eq!(answer.message()["result"]["isError"], false),
                }
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_is_told_unasked_in_an_answer() {
    let exposure = Exposure {
        direct: vec!["test".parse().unwrap()],
        ..Exposure::default()
    };
    let served = exposing(ampoule::Runtime::builder(), Options::default(), exposure).await;
    let begun = served.post(&[], &initialize()).await.message();
    let tools = &begun["result"]["capabilities"]["tools"];
    assert_eq!(tools["listChanged"], true, "{begun}");
    for era in Era::both(&served).await {
        let listed = era.ask(request("tools/list", json!({}))).await;
        assert_eq!(listed.messages().len(), 1, "{listed:?}");
        assert!(listed.0.contains("test__hang"), "{listed:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_sessions_have_is_not_there_since_2026_07_28() {
    let served = served(Options::default()).await;
    let alone = Era {
        served: &served,
        session: None,
    };
    for of_sessions in [
        "initialize",
        "ping",
        "logging/setLevel",
        "resources/subscribe",
        "resources/unsubscribe",
    ] {
        let refused = alone.ask(request(of_sessions, json!({}))).await;
        assert_eq!(refused.status(), Some(404), "{of_sessions}");
        let message = refused.message();
        assert_eq!(
            (&message["id"], &message["error"]["code"]),
            (&json!(1), &json!(-32601)),
            "{of_sessions}"
        );
        let said = message["error"]["message"].as_str().expect("text");
        let removed = format!("`{of_sessions}` was removed in 2026-07-28: ");
        assert!(said.starts_with(&removed), "{said}");
        assert_eq!(refused.header("mcp-session-id"), None);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn both_are_told_of_progress() {
    let served = served(Options::default()).await;
    for era in Era::both(&served).await {
        let mut long = execute("await tools.test.hang({})");
        long["params"]["_meta"] = json!({"progressToken": "p"});
        long["params"]["arguments"]["timeout_seconds"] = json!(1.5);
        let told = era.ask(long).await.messages();
        assert_eq!(told[0]["method"], "notifications/progress");
        assert_eq!(told[0]["params"]["progressToken"], "p");
        assert_eq!(told.last().unwrap()["id"], 1);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn both_hear_what_servers_log() {
    let served = served(Options::default()).await;
    let logs = execute(
        "await tools.test.log({ level: 'debug', data: 1 }); await tools.test.log({ level: 'error', data: 2 })",
    );
    for era in Era::both(&served).await {
        let (mut logs, mut plain) = (logs.clone(), None);
        match era.session {
            Some(_) => {
                let set = request("logging/setLevel", json!({"level": "debug"}));
                let set = era.ask(set).await.message();
                assert_eq!(set["result"], json!({}), "{set}");
            }
            None => {
                plain = Some(logs.clone());
                logs["params"]["_meta"] = json!({"io.modelcontextprotocol/logLevel": "debug"});
            }
        }
        let told = era.ask(logs).await.messages();
        let lines: Vec<_> = told.iter().map(|line| &line["params"]["data"]).collect();
        assert_eq!(lines, [&json!(1), &json!(2), &Value::Null], "{told:?}");
        assert_eq!(told[0]["method"], "notifications/message");
        assert_eq!(told[0]["params"]["logger"], "test");
        assert_eq!(told.last().unwrap()["id"], 1);
        if let Some(plain) = plain {
            assert_eq!(era.ask(plain).await.messages().len(), 1);
        }
    }
    // Another session has its own level.
    let [other, _] = Era::both(&served).await;
    assert_eq!(other.ask(logs).await.messages().len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn fifty_requests_at_once_are_each_answered() {
    let served = served(Options::default()).await;
    for era in Era::both(&served).await {
        let asked = (0..50).map(|number| {
            let mut message = execute(&format!("return {number} + 0"));
            message["id"] = json!(number);
            era.ask(message)
        });
        for (number, answer) in futures::future::join_all(asked).await.iter().enumerate() {
            assert_eq!(answer.message()["id"], number);
            assert_eq!(text(answer), number.to_string());
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_at_other_addresses() {
    let served = served(Options::default()).await;
    let get = async |path: &str, host: &str| {
        let asked = format!("GET {path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n");
        served.answers(asked).await
    };
    assert_eq!(get("/healthz", "10.0.0.1").await.status(), Some(200));
    assert_eq!(get("/metrics", "localhost").await.status(), Some(200));
    assert_eq!(get("/metrics", "evil.example").await.status(), Some(403));
    assert_eq!(get("/", "localhost").await.status(), Some(404));
    assert_eq!(get("/mcp", "localhost").await.status(), Some(405));
    assert_eq!(
        get("/.well-known/oauth-protected-resource", "localhost")
            .await
            .status(),
        Some(404)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_may_use_it_is_let_in_by_the_browser() {
    let served = served(Options {
        origins: vec!["https://chat.example.com".to_owned()],
        ..Options::default()
    })
    .await;
    let asked = "OPTIONS /mcp HTTP/1.1\r\nhost: localhost\r\norigin: https://chat.example.com\r\naccess-control-request-headers: mcp-session-id\r\nconnection: close\r\n\r\n";
    let allowed = served.answers(asked).await;
    assert_eq!(allowed.status(), Some(204));
    assert_eq!(
        allowed.header("access-control-allow-headers"),
        Some("mcp-session-id")
    );
    let origin = [("origin", "https://chat.example.com")];
    let begun = served.post(&origin, &initialize()).await;
    assert_eq!(
        begun.header("access-control-allow-origin"),
        Some("https://chat.example.com")
    );
    let elsewhere = served
        .post(&[("origin", "https://evil.example")], &initialize())
        .await;
    assert_eq!(elsewhere.status(), Some(403));
    assert_eq!(elsewhere.header("access-control-allow-origin"), None);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_of_2025_11_25_has_tasks() {
    let served = served(Options::default()).await;
    let begun = served.post(&[], &initialize()).await;
    let tasks = &begun.message()["result"]["capabilities"]["tasks"];
    assert!(tasks["requests"]["tools"]["call"].is_object(), "{begun:?}");
    let [era, stateless] = Era::both(&served).await;
    let mut call = execute("return 6 * 7");
    call["params"]["task"] = json!({});
    let begun = era.ask(call.clone()).await.message();
    let asked = json!({"taskId": begun["result"]["task"]["taskId"]});
    let given = era.ask(request("tasks/result", asked.clone())).await;
    assert_eq!(text(&given), "42");
    let seen = era.ask(request("tasks/get", asked.clone())).await.message();
    assert_eq!(seen["result"]["status"], "completed");
    let list = era.ask(request("tasks/list", json!({}))).await.message();
    assert_eq!(list["result"]["tasks"][0]["taskId"], asked["taskId"]);
    // Since 2026-07-28, no call says so.
    assert_eq!(text(&stateless.ask(call).await), "42");
    let unknown = stateless.ask(request("tasks/list", json!({}))).await;
    assert_eq!(unknown.message()["error"]["code"], -32601);
}

#[tokio::test(flavor = "multi_thread")]
async fn each_gets_an_answer_in_a_form_that_it_takes() {
    let served = served(Options::default()).await;
    let json = "application/json";
    let events = "text/event-stream";
    for (accept, forms) in [
        ("*/*", &[json, events][..]),
        ("", &[json, events]),
        (json, &[json]),
        (events, &[events]),
        ("application/*, text/*", &[json, events]),
        (
            "text/event-stream;q=0.5, application/json;q=0.9, */*;q=0.1",
            &[json, events],
        ),
    ] {
        let accepts = |mut headers: Vec<(String, String)>| {
            headers.retain(|(name, _)| name != "accept");
            headers.push(("accept".to_owned(), accept.to_owned()));
            headers
        };
        let owned = |headers: &[(&str, &str)]| -> Vec<(String, String)> {
            let owned = headers
                .iter()
                .map(|(name, value)| (name.to_string(), value.to_string()));
            owned.collect()
        };
        let asked = async |headers: Vec<(String, String)>, message: &Value| {
            let headers: Vec<_> = headers
                .iter()
                .map(|(name, value)| (&**name, &**value))
                .collect();
            served.post(&headers, message).await
        };
        let begun = asked(accepts(Vec::new()), &initialize()).await;
        assert_eq!(
            begun.message()["result"]["serverInfo"]["name"],
            "ampoule",
            "{accept}"
        );
        let session = begun.header("mcp-session-id").expect("a session");
        let in_session = accepts(owned(&[("mcp-session-id", session)]));
        let (head, alone) = stateless(execute("return [1 + 1]"));
        let head = head
            .iter()
            .map(|(name, value)| (name.to_string(), value.to_string()));
        let answers = [
            asked(in_session, &execute("return [1 + 1]")).await,
            asked(accepts(head.collect()), &alone).await,
        ];
        for answer in [begun].iter().chain(&answers) {
            assert_eq!(answer.status(), Some(200), "{accept}: {answer:?}");
            let form = answer.header("content-type").expect("a form");
            assert!(forms.contains(&form), "{accept}: {answer:?}");
        }
        for answer in &answers {
            assert_eq!(text(answer), "[2]", "{accept}: {answer:?}");
        }
    }
    let refused = served.post(&[("accept", "text/html")], &initialize()).await;
    assert_eq!(refused.status(), Some(406));
    assert!(
        refused.0.contains("name at least one of them in `Accept`"),
        "{refused:?}"
    );
}
