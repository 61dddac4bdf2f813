//! What clients are told unasked of servers' lists and resources.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use ampoule::Principal;
use ampoule_tools::{Binding, BindingError, ListVersions, Subscription};
use futures::future::{BoxFuture, try_join};
use tokio::sync::watch;

use super::*;
use crate::Exposure;
use crate::mcp::watching::shares::Shares;

/// A server with notes, which change. Clones are the same.
#[derive(Clone, Default)]
pub(crate) struct Notes(Arc<State>);

#[derive(Default)]
struct State {
    lists: watch::Sender<ListVersions>,
    updates: watch::Sender<u64>,
    heard: Arc<AtomicUsize>,
    has_more_tools: std::sync::atomic::AtomicBool,
}

impl Notes {
    fn change(&self, change: impl FnOnce(&mut ListVersions)) {
        self.0.lists.send_modify(change);
    }

    pub(crate) fn update(&self) {
        self.0.updates.send_modify(|updates| *updates += 1);
    }

    /// Waits until that many subscriptions are there.
    pub(crate) async fn heard_by(&self, wanted: usize) {
        let reached = async {
            while self.0.heard.load(Relaxed) != wanted {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        let in_time = tokio::time::timeout(PATIENCE, reached).await;
        let there = self.0.heard.load(Relaxed);
        assert!(in_time.is_ok(), "{there} subscriptions, not {wanted}");
    }

    async fn answer(
        &self,
        tool: &str,
        arguments: &Map<String, Value>,
        context: &CallContext,
    ) -> Result<Value, CallError> {
        Ok(match tool {
            "$prompts" => json!([{ "name": "asking" }, { "name": "plain" }]),
            "$prompt" if arguments["name"] == "asking" => {
                let (who, why) = try_join(ask(context, "Who?"), ask(context, "Why?")).await?;
                let text = format!("{} {}", said(&who), said(&why));
                json!({ "messages": [{ "role": "user", "content": { "type": "text", "text": text } }] })
            }
            "$prompt" => json!({ "messages": [] }),
            "$resources" => json!([{ "uri": "note://1", "name": "one" }]),
            "$templates" => json!([]),
            "$read" if arguments["uri"] == "note://secret" => {
                return Err(CallError::Denied("not for you".to_owned()));
            }
            "$read" if arguments["uri"] == "note://asking" => {
                let who = ask(context, "Who?").await?;
                json!([{ "uri": "note://asking", "text": said(&who) }])
            }
            "$read" => json!([{ "uri": arguments["uri"], "text": "a note" }]),
            other => panic!("{other}"),
        })
    }
}

async fn ask(context: &CallContext, message: &str) -> Result<Map<String, Value>, CallError> {
    let params = json!({ "message": message,
        "requestedSchema": { "type": "object", "properties": { "name": { "type": "string" } } } });
    let params = params.as_object().cloned().unwrap_or_default();
    let respondent = context.respondent();
    let respondent = respondent.ok_or_else(|| CallError::Refused("nobody to ask".to_owned()))?;
    let answer = respondent.answer(Ask::new("notes".into(), AskKind::Form, params));
    answer.await.map_err(CallError::Refused)
}

fn said(answer: &Map<String, Value>) -> String {
    answer["content"]["name"]
        .as_str()
        .unwrap_or_default()
        .to_owned()
}

impl Binding for Notes {
    fn name(&self) -> &str {
        "notes"
    }

    fn tools(&self) -> BoxFuture<'_, Result<Arc<[Tool]>, BindingError>> {
        Box::pin(async { Ok(self.known_tools().expect("tools")) })
    }

    fn known_tools(&self) -> Option<Arc<[Tool]>> {
        let names: &[&str] = match self.0.has_more_tools.load(Relaxed) {
            true => &["write", "erase"],
            false => &["write"],
        };
        Some(names.iter().map(|name| tool(name)).collect())
    }

    fn offered(&self) -> Arc<[Tool]> {
        let offered = ["$prompts", "$prompt", "$resources", "$templates", "$read"];
        offered.iter().map(|name| tool(name)).collect()
    }

    fn list_changes(&self, _: Option<&Principal>) -> Option<watch::Receiver<ListVersions>> {
        Some(self.0.lists.subscribe())
    }

    fn subscribe<'a>(
        &'a self,
        address: &'a str,
        _: Option<&'a Principal>,
    ) -> BoxFuture<'a, Result<Subscription, CallError>> {
        assert_ne!(address, "note://secret", "it may not be read");
        if address == "note://silent" {
            let why = "it does not change".to_owned();
            return Box::pin(async { Err(CallError::Refused(why)) });
        }
        let heard = Call::begin(&self.0.heard);
        let subscription = Subscription::new(self.0.updates.subscribe(), heard);
        Box::pin(async { Ok(subscription) })
    }

    fn call<'a>(
        &'a self,
        tool: &'a str,
        arguments: Map<String, Value>,
        context: CallContext,
    ) -> BoxFuture<'a, Result<ToolResult, CallError>> {
        Box::pin(async move {
            let answer = self.answer(tool, &arguments, &context).await?;
            ToolResult::returned(&answer)
        })
    }
}

pub(super) fn server(notes: &Notes) -> Server {
    let runtime = Runtime::builder().binding(notes.clone()).build().unwrap();
    Server::new(runtime, Grant::all(), &ClientComponents::default()).unwrap()
}

pub(crate) fn address(own: &str) -> String {
    format!("ampoule://servers/notes/{own}")
}

fn told(message: &Value) -> (&str, &str) {
    let method = message["method"].as_str().unwrap_or_default();
    let uri = message["params"]["uri"].as_str().unwrap_or_default();
    let method = method.strip_prefix("notifications/");
    (method.unwrap_or_else(|| panic!("{message}")), uri)
}

impl Client {
    async fn subscribe(&mut self, own: &str) -> Value {
        let params = json!({ "uri": address(own) });
        self.ask("resources/subscribe", params).await
    }
}

pub(super) fn message(answer: &Value) -> &str {
    answer["error"]["message"].as_str().unwrap_or_default()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_hears_of_resources_that_it_may_read() {
    let notes = Notes::default();
    let server = server(&notes);
    let mut client = Client::of(&server).with_session().await;
    let subscribed = client.subscribe("note://1").await;
    assert_eq!(subscribed["result"], json!({}), "{subscribed}");
    assert_eq!(client.subscribe("note://1").await["result"], json!({}));
    notes.heard_by(1).await;
    notes.update();
    let uri = address("note://1");
    assert_eq!(told(&client.message().await), ("resources/updated", &*uri));
    // Its own address does as well, and is the one that it hears of.
    let own = json!({ "uri": "note://1" });
    let subscribed = client.ask("resources/subscribe", own.clone()).await;
    assert_eq!(subscribed["result"], json!({}), "{subscribed}");
    client
        .ask("resources/unsubscribe", json!({ "uri": uri }))
        .await;
    notes.heard_by(1).await;
    notes.update();
    let heard = client.message().await;
    assert_eq!(told(&heard), ("resources/updated", "note://1"));
    for (own, why) in [
        ("note://secret", "not for you"),
        ("note://silent", "it does not change"),
        (&*"x".repeat(9000), "at most 8192 bytes"),
    ] {
        let refused = client.subscribe(own).await;
        assert!(message(&refused).contains(why), "{refused}");
    }
    let params = json!({ "uri": "ampoule://servers/other/note://1" });
    let refused = client.ask("resources/subscribe", params).await;
    assert!(message(&refused).contains("unknown resource"), "{refused}");
    // Another session's subscription is not its own.
    let mut other = Client::of(&server).with_session().await;
    other.ask("resources/unsubscribe", own).await;
    notes.heard_by(1).await;
    drop(client);
    notes.heard_by(0).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_flood_of_updates_is_told_now_and_then() {
    let notes = Notes::default();
    let server = server(&notes);
    let mut client = Client::of(&server).with_session().await;
    client.subscribe("note://1").await;
    for _ in 0..10_000 {
        notes.update();
    }
    client.message().await;
    let ping = client.send("ping", json!({})).await;
    let (_, before) = client.answer(ping).await;
    assert!(before.len() < 10, "{} updates", before.len());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_principal_hears_of_so_many_resources_and_no_more() {
    let notes = Notes::default();
    let mut server = server(&notes);
    server.subscriptions = Shares::new(2);
    let mut first = Client::of(&server).with_session().await;
    let mut second = Client::of(&server).with_session().await;
    assert!(first.subscribe("note://1").await["result"].is_object());
    assert!(second.subscribe("note://2").await["result"].is_object());
    // What is refused takes nothing.
    for _ in 0..3 {
        let refused = first.subscribe("note://3").await;
        assert!(
            message(&refused).contains("has 2 subscriptions to resources"),
            "{refused}"
        );
    }
    let params = json!({ "uri": address("note://2") });
    second.ask("resources/unsubscribe", params).await;
    assert!(first.subscribe("note://3").await["result"].is_object());
    assert!(!message(&second.subscribe("note://2").await).is_empty());
    drop(first);
    notes.heard_by(0).await;
    assert!(second.subscribe("note://2").await["result"].is_object());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_hears_that_lists_have_changed() {
    let notes = Notes::default();
    let exposure = Exposure {
        direct: vec!["notes".parse().unwrap()],
        ..Exposure::default()
    };
    let server = server(&notes).exposure(exposure);
    let mut client = Client::of(&server);
    client.has_session = true;
    let hello = json!({ "protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": { "name": "tester", "version": "1" } });
    let info = client.ask("initialize", hello).await;
    let capabilities = &info["result"]["capabilities"];
    let resources = json!({ "subscribe": true, "listChanged": true });
    assert_eq!(capabilities["resources"], resources, "{info}");
    assert_eq!(capabilities["prompts"]["listChanged"], true, "{info}");
    client.ask("tools/list", json!({})).await;
    notes.change(|lists| lists.prompts += 1);
    assert_eq!(told(&client.message().await).0, "prompts/list_changed");
    notes.change(|lists| lists.resources += 1);
    assert_eq!(told(&client.message().await).0, "resources/list_changed");
    // Only where they are others.
    notes.change(|lists| lists.tools += 1);
    notes.0.has_more_tools.store(true, Relaxed);
    notes.change(|lists| lists.tools += 1);
    assert_eq!(told(&client.message().await).0, "tools/list_changed");
    let ping = client.send("ping", json!({})).await;
    assert_eq!(client.answer(ping).await.1, [Value::Null; 0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_granted_or_switched_off_is_not_told() {
    let notes = Notes::default();
    let runtime = Runtime::builder().binding(notes.clone()).build().unwrap();
    let grant = "notes.write,notes.$resources".parse().unwrap();
    let server = Server::new(runtime, grant, &ClientComponents::default()).unwrap();
    let mut client = Client::of(&server).with_session().await;
    let refused = client.subscribe("note://1").await;
    assert!(message(&refused).contains("unknown resource"), "{refused}");
    notes.change(|lists| lists.prompts += 1);
    notes.change(|lists| lists.resources += 1);
    assert_eq!(told(&client.message().await).0, "resources/list_changed");
    let switched_off = Exposure {
        resources: false,
        ..Exposure::default()
    };
    let server = self::server(&notes).exposure(switched_off);
    let mut client = Client::of(&server).with_session().await;
    let refused = client.subscribe("note://1").await;
    assert_eq!(refused["error"]["code"], -32601, "{refused}");
}

#[tokio::test(flavor = "multi_thread")]
async fn since_2026_07_28_a_request_that_stays_open_hears_of_what_it_asks_for() {
    let notes = Notes::default();
    let mut server = server(&notes);
    server.streams = Shares::new(1);
    let mut client = Client::of(&server);
    let found = client.ask("server/discover", json!({})).await;
    let capabilities = &found["result"]["capabilities"];
    assert_eq!(capabilities["resources"]["subscribe"], true, "{found}");
    let wanted = ["note://1", "note://secret", "note://silent"].map(address);
    let filter = json!({ "notifications": { "resourceSubscriptions": wanted,
        "promptsListChanged": true, "toolsListChanged": true } });
    let listen = client.send("subscriptions/listen", filter.clone()).await;
    let acknowledged = client.message().await;
    assert_eq!(told(&acknowledged).0, "subscriptions/acknowledged");
    let accepted =
        json!({ "resourceSubscriptions": [address("note://1")], "promptsListChanged": true });
    assert_eq!(acknowledged["params"]["notifications"], accepted);
    notes.update();
    let updated = client.message().await;
    let uri = address("note://1");
    assert_eq!(told(&updated), ("resources/updated", &*uri));
    let id = &updated["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"];
    assert_eq!(*id, listen, "{updated}");
    // What it did not ask for is not told.
    notes.change(|lists| lists.resources += 1);
    notes.change(|lists| lists.prompts += 1);
    assert_eq!(told(&client.message().await).0, "prompts/list_changed");
    let more = client.ask("subscriptions/listen", filter.clone()).await;
    assert!(
        message(&more).contains("has 1 requests that listen"),
        "{more}"
    );
    let cancel = json!({ "jsonrpc": "2.0", "method": "notifications/cancelled",
        "params": { "requestId": listen } });
    client.say(&cancel).await;
    notes.heard_by(0).await;
    // There is room again, also for a client that has left without a word.
    for _ in 0..2 {
        let mut client = Client::of(&server);
        loop {
            client.send("subscriptions/listen", filter.clone()).await;
            let said = client.message().await;
            if said["method"] == "notifications/subscriptions/acknowledged" {
                break;
            }
            assert!(message(&said).contains("of this principal"), "{said}");
        }
        notes.heard_by(1).await;
        drop(client);
        notes.heard_by(0).await;
    }
    let mut client = Client::of(&server).with_session().await;
    let refused = client.ask("subscriptions/listen", filter).await;
    assert_eq!(refused["error"]["code"], -32601, "{refused}");
}
