//! Toolkits by address: what is there, and what is not there from another address.

use std::collections::BTreeMap;

use ampoule::ToolResult;

use super::watching::Events;
use super::*;
use crate::Toolkit;

/// A server with two toolkits, `support` and `post`.
async fn with_toolkits() -> (Served, Server) {
    let named = |server: &'static str, names: &[&str]| {
        names
            .iter()
            .fold(Functions::new(server), |functions, name| {
                let tool = json!({ "name": name, "inputSchema": { "type": "object" } });
                let answer = format!("{server}.{name}");
                functions.raw(serde_json::from_value(tool).unwrap(), move |_, _| {
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
    server
        .set_toolkits(toolkits(&[("support", "crm.get_*"), ("post", "mail")]))
        .unwrap();
    let served = listening(server.clone(), Options::default(), watch::channel(0).1).await;
    (served, server)
}

fn toolkits(named: &[(&str, &str)]) -> BTreeMap<String, Toolkit> {
    let toolkits = named.iter().map(|(name, tools)| {
        let toolkit = Toolkit {
            tools: vec![tools.parse().unwrap()],
            description: Some(format!("For {name}.")),
            ..Toolkit::default()
        };
        ((*name).to_owned(), toolkit)
    });
    toolkits.collect()
}

/// A request as it is sent to another path.
fn to(path: &str, written: &str) -> String {
    written.replacen("POST /mcp ", &format!("POST {path} "), 1)
}

/// A client at one address, of one era.
struct Place<'a> {
    served: &'a Served,
    path: &'a str,
    session: Option<String>,
}

impl<'a> Place<'a> {
    async fn both(served: &'a Served, path: &'a str) -> [Self; 2] {
        let begun = to(path, &post(&[], &initialize().to_string()));
        let begun = served.answers(begun).await;
        let session = begun
            .header("mcp-session-id")
            .expect("a session")
            .to_owned();
        [Some(session), None].map(|session| Self {
            served,
            path,
            session,
        })
    }

    async fn ask(&self, message: Value) -> Answer {
        let era = Era {
            served: self.served,
            session: self.session.clone(),
        };
        self.served
            .answers(to(self.path, &era.written(message)))
            .await
    }

    async fn runs(&self, arguments: Value) -> Value {
        let call = json!({ "name": "execute_code", "arguments": arguments });
        self.ask(request("tools/call", call)).await.message()["result"].take()
    }
}

fn said(result: &Value) -> &str {
    let text = result["content"][0]["text"].as_str();
    text.unwrap_or_else(|| panic!("no text: {result}"))
}

const FOUND: &str = "const all = await tools.$search('', { limit: 99 });
    return all.map((tool) => `${tool.server}.${tool.name}`).join()";

#[tokio::test(flavor = "multi_thread")]
async fn each_address_has_the_tools_of_its_toolkit() {
    let (served, _) = with_toolkits().await;
    for (path, has, lacks) in [
        ("/mcp", &["get", "delete", "send"][..], &[][..]),
        ("/mcp/support", &["get"], &["delete", "send"]),
        ("/mcp/post", &["send"], &["get", "delete"]),
    ] {
        for place in Place::both(&served, path).await {
            let found = place.runs(json!({ "code": FOUND })).await;
            let listed = place.ask(request("tools/list", json!({}))).await.message();
            let listed = listed["result"]["tools"][0]["description"].to_string();
            for text in [said(&found), &listed] {
                assert!(has.iter().all(|it| text.contains(it)), "{path}: {text}");
                assert!(!lacks.iter().any(|it| text.contains(it)), "{path}: {text}");
            }
            let first = path
                .strip_prefix("/mcp/")
                .map(|name| format!("\"For {name}."));
            assert!(listed.starts_with(&first.unwrap_or_default()), "{listed}");
        }
    }
    let begun = to("/mcp/support", &post(&[], &initialize().to_string()));
    let begun = served.answers(begun).await.message();
    let instructions = begun["result"]["instructions"].as_str().unwrap();
    assert!(instructions.starts_with("For support."), "{instructions}");
}

#[tokio::test(flavor = "multi_thread")]
async fn there_is_one_way_to_write_an_address() {
    let (served, _) = with_toolkits().await;
    let list = post(&[], &request("tools/list", json!({})).to_string());
    for path in [
        "/mcp/",
        "/mcp/nobody",
        "/mcp/Support",
        "/mcp/SUPPORT",
        "/mcp/support/",
        "/mcp/support/x",
        "/mcp/support/../post",
        "/mcp/post/../support",
        "/mcp/./support",
        "/mcp//support",
        "//mcp/support",
        "/mcp/..",
        "/mcp/../mcp",
        "/mcp/%73upport",
        "/mcp/support%2f",
        "/mcp/support%00",
        "/mcp/%2e%2e/mcp/support",
        "/mcp/support%20",
        "/mcp/support;x",
        "/mcp%2fsupport",
        "/MCP/support",
    ] {
        let answer = served.answers(to(path, &list)).await;
        assert_eq!(answer.status(), Some(404), "{path}: {answer:?}");
    }
    let nobody = served.answers(to("/mcp/nobody", &list)).await;
    assert!(
        format!("{nobody:?}").contains("unknown toolkit"),
        "{nobody:?}"
    );
    let get = "GET /mcp/support HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";
    assert_eq!(served.answers(get).await.status(), Some(405));
    let elsewhere = to("/mcp/support", &post(&[("host", "evil.example.com")], "{}"));
    assert_eq!(served.answers(elsewhere).await.status(), Some(403));
    // What follows a `?` is not a part of it.
    let [_, place] = Place::both(&served, "/mcp/support?x=../post").await;
    let found = place.runs(json!({ "code": FOUND })).await;
    assert!(
        said(&found).contains("get") && !said(&found).contains("send"),
        "{found}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_of_one_address_is_unknown_at_another() {
    let (served, _) = with_toolkits().await;
    let addresses = ["/mcp", "/mcp/support", "/mcp/post"];
    for own in addresses {
        let [place, _] = Place::both(&served, own).await;
        let session = place.session.clone().unwrap();
        for other in addresses.into_iter().filter(|other| *other != own) {
            let foreign = Place {
                path: other,
                session: Some(session.clone()),
                ..place
            };
            for message in [
                request("tools/list", json!({})),
                execute("return 1"),
                initialize(),
                json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 1 } }),
                json!({ "jsonrpc": "2.0", "id": "q", "result": {} }),
            ] {
                let answer = foreign.ask(message.clone()).await;
                assert_eq!(answer.status(), Some(404), "{own} at {other}: {message}");
            }
            let ends = post(&[("mcp-session-id", &session)], "");
            let ends = ends.replacen("POST /mcp ", &format!("DELETE {other} "), 1);
            assert_eq!(
                served.answers(ends).await.status(),
                Some(404),
                "{own} at {other}"
            );
        }
        let listed = place.ask(request("tools/list", json!({}))).await;
        assert_eq!(listed.status(), Some(200), "{own}");
        let ends = post(&[("mcp-session-id", &session)], "");
        let ends = ends.replacen("POST /mcp ", &format!("DELETE {own} "), 1);
        assert_eq!(served.answers(ends).await.status(), Some(204), "{own}");
        let over = place.ask(request("tools/list", json!({}))).await;
        assert_eq!(over.status(), Some(404), "{own}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_of_one_address_is_unknown_at_another() {
    let (served, _) = with_toolkits().await;
    let code = "await new Promise((done) => setTimeout(done, 3_600_000))";
    let long = json!({ "code": code, "wait": 0 });
    let [own, own_stateless] = Place::both(&served, "/mcp/support").await;
    let begun = own.runs(long).await;
    let id = said(&begun).split(' ').nth(1).expect("an id").to_owned();
    for path in ["/mcp", "/mcp/post"] {
        for place in Place::both(&served, path).await {
            for arguments in [json!({ "run": id }), json!({ "run": id, "cancel": true })] {
                let unknown = place.runs(arguments).await;
                assert!(
                    said(&unknown).starts_with("unknown run"),
                    "{path}: {unknown}"
                );
            }
        }
    }
    let over = own_stateless
        .runs(json!({ "run": id, "cancel": true }))
        .await;
    assert!(said(&over).contains("cancelled"), "{over}");
}

#[tokio::test(flavor = "multi_thread")]
async fn toolkits_come_change_and_go_while_clients_are_connected() {
    let (served, server) = with_toolkits().await;
    for place in Place::both(&served, "/mcp/support").await {
        let found = async || said(&place.runs(json!({ "code": FOUND })).await).to_owned();
        assert!(found().await.contains("get"));
        server
            .set_toolkits(toolkits(&[("support", "mail"), ("new", "crm")]))
            .unwrap();
        let now = found().await;
        assert!(now.contains("send") && !now.contains("get"), "{now}");
        let [new, _] = Place::both(&served, "/mcp/new").await;
        let new = new.runs(json!({ "code": FOUND })).await;
        assert!(said(&new).contains("delete"), "{new}");
        server.set_toolkits(BTreeMap::new()).unwrap();
        for path in ["/mcp/support", "/mcp/new", "/mcp/post"] {
            let gone = Place {
                path,
                ..place_of(&place)
            };
            let answer = gone.ask(request("tools/list", json!({}))).await;
            assert_eq!(answer.status(), Some(404), "{path}");
        }
        server
            .set_toolkits(toolkits(&[("support", "crm.get_*")]))
            .unwrap();
        assert!(found().await.contains("get"));
    }
}

fn place_of<'a>(place: &Place<'a>) -> Place<'a> {
    Place {
        served: place.served,
        path: place.path,
        session: place.session.clone(),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn clients_of_a_toolkit_that_has_changed_are_told_and_others_are_not() {
    let (served, server) = with_toolkits().await;
    let filter = json!({ "notifications": { "toolsListChanged": true } });
    let mut open = Vec::new();
    for path in ["/mcp/support", "/mcp/post"] {
        let [with_session, alone] = Place::both(&served, path).await;
        let begun = to(path, &post(&[], &initialize().to_string()));
        let begun = served.answers(begun).await.message();
        let capability = &begun["result"]["capabilities"]["tools"]["listChanged"];
        assert_eq!(capability, true, "{begun}");
        let session = with_session.session.expect("a session");
        let stream = Events::session_at(&served, path, &session).await;
        let listen = request("subscriptions/listen", filter.clone());
        let era = Era {
            served: &served,
            session: alone.session,
        };
        let mut listening = Events::of(&served, &to(path, &era.written(listen))).await;
        assert!(listening.until("subscriptions/acknowledged").await);
        open.push([stream, listening]);
    }
    let told = "notifications/tools/list_changed";
    // One changes, and the other one stays as it is.
    server
        .set_toolkits(toolkits(&[("support", "crm"), ("post", "mail")]))
        .unwrap();
    for stream in &mut open[0] {
        assert!(stream.until(told).await);
    }
    server
        .set_toolkits(toolkits(&[("support", "crm"), ("post", "crm")]))
        .unwrap();
    for stream in &mut open[1] {
        assert!(stream.until(told).await);
        assert_eq!(stream.text.matches(told).count(), 1, "{}", stream.text);
    }
    // One that is gone has no tools any more.
    for stream in &mut open[0] {
        assert_eq!(stream.text.matches(told).count(), 1, "{}", stream.text);
        stream.text.clear();
    }
    server.set_toolkits(toolkits(&[("post", "crm")])).unwrap();
    for stream in &mut open[0] {
        assert!(stream.until(told).await);
    }
}
