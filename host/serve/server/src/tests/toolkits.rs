//! Toolkits, over standard input and output, in both eras of the protocol.

use std::collections::BTreeMap;

use super::*;
use crate::{Exposure, Toolkit};

/// Two servers, with tools that say which they are.
fn server() -> Server {
    let named = |server: &'static str, names: &[&str]| {
        names
            .iter()
            .fold(Functions::new(server), |functions, name| {
                let answer = format!("{server}.{name}");
                functions.raw(tool(name), move |_, _| {
                    std::future::ready(ToolResult::returned(&answer))
                })
            })
    };
    let runtime = Runtime::builder()
        .binding(named("crm", &["get_order", "delete_order"]))
        .binding(named("mail", &["send"]))
        .build()
        .unwrap();
    let server = Server::new(runtime, Grant::all(), &ClientComponents::default()).unwrap();
    let server = server.exposure(Exposure {
        call_tool: Some(true),
        ..Exposure::default()
    });
    server
        .set_toolkits(toolkits(&[("support", "crm.get_*"), ("post", "mail")]))
        .unwrap();
    server
}

fn toolkits(named: &[(&str, &str)]) -> BTreeMap<String, Toolkit> {
    let toolkits = named.iter().map(|(name, tools)| {
        let toolkit = Toolkit {
            tools: vec![tools.parse().unwrap()],
            description: Some(format!("For {name}.")),
            exposure: Exposure {
                direct: vec![tools.parse().unwrap()],
                call_tool: Some(true),
                ..Exposure::default()
            },
            lists_used: true,
        };
        ((*name).to_owned(), toolkit)
    });
    toolkits.collect()
}

/// Clients of both eras.
async fn both(server: &Server) -> [Client; 2] {
    [Client::of(server), Client::of(server).with_session().await]
}

const FOUND: &str = "const all = await tools.$search('', { limit: 99 });
    return all.map((tool) => `${tool.server}.${tool.name}`).join()";

#[tokio::test(flavor = "multi_thread")]
async fn a_client_of_a_toolkit_has_its_tools_by_whichever_way() {
    let server = server();
    let support = server.toolkit("support").unwrap();
    for mut client in both(&support).await {
        let listed = client.ask("tools/list", json!({})).await;
        let tools = listed["result"]["tools"].as_array().unwrap();
        let names: Vec<_> = tools
            .iter()
            .filter_map(|tool| tool["name"].as_str())
            .collect();
        assert_eq!(
            names,
            [
                "execute_code",
                "search_tools",
                "call_tool",
                "crm__get_order"
            ]
        );
        let first = tools[0]["description"].as_str().unwrap();
        assert!(first.starts_with("For support.\n"), "{first}");
        let text_of = listed.to_string();
        assert!(
            !text_of.contains("delete") && !text_of.contains("mail"),
            "{text_of}"
        );
        let found = client.execute(json!({ "code": FOUND })).await;
        let found = text(&found);
        assert!(found.contains("get") && !found.contains("mail"), "{found}");
        assert!(!found.contains("delete"), "{found}");
        let called = client.execute(json!({ "code": "return await tools.crm.get_order({})" }));
        assert!(text(&called.await).contains("crm.get_order"));
        for code in [
            "return await tools.crm.delete_order({})",
            "return await tools.mail.send({})",
        ] {
            let refused = client.execute(json!({ "code": code })).await;
            assert_eq!(refused["isError"], true, "{refused}");
            assert!(!text(&refused).contains("crm.delete_order\""), "{refused}");
        }
        for (server, tool) in [("crm", "delete_order"), ("mail", "send")] {
            let call = json!({ "server": server, "tool": tool, "arguments": {} });
            let call = json!({ "name": "call_tool", "arguments": call });
            let refused = client.ask("tools/call", call).await;
            assert_eq!(refused["result"]["isError"], true, "{refused}");
            let call = json!({ "name": format!("{server}__{tool}"), "arguments": {} });
            let unknown = client.ask("tools/call", call).await;
            assert_eq!(unknown["error"]["code"], -32602, "{unknown}");
        }
    }
    let mut whole = Client::of(&server);
    let found = whole.execute(json!({ "code": FOUND })).await;
    assert!(text(&found).contains("mail"), "{found}");
    assert!(server.toolkit("Support").is_none() && server.toolkit("").is_none());
}

#[tokio::test(flavor = "multi_thread")]
async fn runs_and_tasks_of_a_toolkit_are_unknown_elsewhere() {
    let server = server();
    let [support, post] = ["support", "post"].map(|name| server.toolkit(name).unwrap());
    let mut own = Client::of(&support);
    let code = "await new Promise((done) => setTimeout(done, 3_600_000))";
    let started = own.execute(json!({ "code": code, "wait": 0 })).await;
    let id = id_in(&started);
    for elsewhere in [&server, &post] {
        for mut client in both(elsewhere).await {
            for arguments in [json!({ "run": id }), json!({ "run": id, "cancel": true })] {
                let unknown = client.execute(arguments).await;
                assert!(text(&unknown).starts_with("unknown run"), "{unknown}");
            }
            let task = client.ask("tasks/get", json!({ "taskId": id })).await;
            assert!(task["error"].is_object(), "{task}");
            let task = client.ask("tasks/cancel", json!({ "taskId": id })).await;
            assert!(task["error"].is_object(), "{task}");
        }
    }
    let rows = server.runs.shared.registry.all();
    assert_eq!(rows[0].row()["toolkit"], "support");
    assert_eq!(rows[0].row()["state"], "running");
    let mut again = Client::of(&support);
    let over = again.execute(json!({ "run": id, "cancel": true })).await;
    assert!(text(&over).contains("cancelled"), "{over}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_toolkit_that_changes_has_other_tools_and_one_that_is_gone_has_none() {
    let server = server();
    let support = server.toolkit("support").unwrap();
    for mut client in both(&support).await {
        server
            .set_toolkits(toolkits(&[("support", "crm.get_*"), ("post", "mail")]))
            .unwrap();
        let found = client.execute(json!({ "code": FOUND })).await;
        assert!(text(&found).contains("get"), "{found}");
        server
            .set_toolkits(toolkits(&[("support", "mail"), ("other", "crm")]))
            .unwrap();
        let found = client.execute(json!({ "code": FOUND })).await;
        assert!(
            text(&found).contains("send") && !text(&found).contains("get"),
            "{found}"
        );
        let listed = client.ask("tools/list", json!({})).await.to_string();
        assert!(
            listed.contains("mail__send") && !listed.contains("crm__"),
            "{listed}"
        );
        assert!(server.toolkit("post").is_none() && server.toolkit("other").is_some());
        server.set_toolkits(BTreeMap::new()).unwrap();
        let found = client.execute(json!({ "code": FOUND })).await;
        assert_eq!(text(&found), "\"\"", "{found}");
        let refused = client.execute(json!({ "code": "return await tools.mail.send({})" }));
        assert_eq!(refused.await["isError"], true);
        assert!(server.toolkit("support").is_none());
    }
}
