//! What servers ask while calls are under way.

use std::sync::Arc;
use std::time::Duration;

use ampoule_tools::{
    Abilities, Ask, AskKind, Binding, Call, CallContext, CallError, Deadline, Notice, Respondent,
    RunId, ToolResult,
};
use futures::FutureExt;
use futures::future::BoxFuture;
use parking_lot::Mutex;
use serde_json::{Map, Value, json};
use tokio::task::JoinHandle;

use crate::testing::{self, Fake, Fakes, SECRET, connected, upstream, with_apps};
use crate::{Upstream, UpstreamOptions};

/// Answers after a while, and remembers what it was asked and told.
#[derive(Debug, Default)]
pub(super) struct Person {
    pub(super) takes: Duration,
    pub(super) has_roots: bool,
    pub(super) asked: Mutex<Vec<Ask>>,
    pub(super) told: Mutex<Vec<Notice>>,
}

/// Forms, roots if the person has some, and everyone's progress.
#[derive(Debug, Clone)]
struct Forms(Arc<Person>);

impl Respondent for Forms {
    fn abilities(&self) -> Abilities {
        let mut abilities = Abilities::default();
        abilities.form = true;
        abilities.roots = self.0.has_roots;
        abilities
    }

    fn answer(&self, ask: Ask) -> BoxFuture<'_, Result<Map<String, Value>, String>> {
        let answer = match (ask.kind, ask.params.get("message").and_then(Value::as_str)) {
            (AskKind::Roots, _) => Ok(json!({ "roots": [{ "uri": "file:///home/ada" }] })),
            (_, Some("no")) => Err("not now".to_owned()),
            _ => Ok(json!({ "action": "accept", "content": { "n": 1 } })),
        };
        self.0.asked.lock().push(ask);
        async move {
            tokio::time::sleep(self.0.takes).await;
            answer.map(|answer| answer.as_object().cloned().unwrap_or_default())
        }
        .boxed()
    }

    fn follows_progress(&self) -> bool {
        true
    }

    fn hear(&self, notice: Notice) -> bool {
        self.0.told.lock().push(notice);
        true
    }
}

pub(super) type Calling = JoinHandle<Result<ToolResult, CallError>>;

/// A call of a run for which somebody answers, and which may take that long.
pub(super) fn call(
    upstream: &Arc<Upstream>,
    run: RunId,
    person: &Arc<Person>,
    wall_time: Duration,
) -> Calling {
    let (server, tool) = (Arc::from("fake"), Arc::from("write"));
    let deadline = Deadline::after(wall_time);
    let call = Call::new(run, 0, &server, &tool, None, deadline.time());
    let respondent: Arc<dyn Respondent> = Arc::new(Forms(Arc::clone(person)));
    upstream.can_be_answered(respondent.abilities());
    let context = CallContext::new(call, 1 << 20, deadline.clone(), Some(respondent));
    let upstream = Arc::clone(upstream);
    tokio::spawn(async move {
        tokio::select! {
            answer = upstream.call("write", Map::new(), context) => answer,
            () = deadline.passed() => Err(CallError::TimedOut("the run is over".to_owned())),
        }
    })
}

/// A call that is under way on a server of the older protocol: its hello, and the request.
async fn under_way(person: &Arc<Person>) -> (Arc<Upstream>, Fakes, Fake, Calling, Value) {
    let (upstream, mut fakes) = upstream(UpstreamOptions::default());
    let calling = call(&upstream, RunId::new(), person, Duration::from_secs(30));
    let mut fake = fakes.session().await;
    let request = fake.request("tools/call").await;
    (upstream, fakes, fake, calling, request)
}

pub(super) fn form(id: i64, message: &str) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "method": "elicitation/create",
            "params": { "message": message, "requestedSchema": { "type": "object" } } })
}

/// The next message that is not a request for the list of tools.
async fn answer(fake: &mut Fake) -> Value {
    loop {
        let message = fake.recv().await;
        if message["method"] != "tools/list" {
            return message;
        }
        fake.answer(&message, json!({ "tools": [] })).await;
    }
}

pub(super) async fn done(fake: &mut Fake, request: &Value, calling: Calling) {
    fake.answer(request, json!({ "content": [] })).await;
    calling.await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_person_is_asked_and_the_time_that_takes_is_neither_the_run_s_nor_the_call_s() {
    let takes = Duration::from_secs(400);
    let person = Arc::new(Person {
        takes,
        ..Person::default()
    });
    let (_upstream, _fakes, mut fake, calling, request) = under_way(&person).await;
    fake.send(form(7, &format!("Who? {SECRET}"))).await;
    let reply = answer(&mut fake).await;
    assert_eq!(reply["id"], 7);
    assert_eq!(reply["result"]["content"]["n"], 1, "{reply}");
    let asked = person.asked.lock().pop().unwrap();
    assert_eq!(&*asked.server, "fake");
    assert_eq!(asked.params["message"], "Who? [redacted]");
    fake.send(form(8, "no")).await;
    assert_eq!(answer(&mut fake).await["error"]["message"], "not now");
    done(&mut fake, &request, calling).await;
}

#[tokio::test(start_paused = true)]
async fn servers_are_told_of_what_can_be_answered_and_refused_the_rest() {
    let options = UpstreamOptions {
        roots: vec!["/srv/a b".to_owned(), "git://x".to_owned()],
        ..UpstreamOptions::default()
    };
    let (upstream, mut fakes) = upstream(options);
    let person = Arc::default();
    let calling = call(&upstream, RunId::new(), &person, Duration::from_secs(30));
    let mut fake = fakes.next().await;
    let hello = fake.recv().await;
    assert_eq!(
        hello["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"],
        with_apps(json!({ "elicitation": { "form": {} }, "roots": {} }))
    );
    fake.refuse(&hello, -32601).await;
    let hello = fake.recv().await;
    assert_eq!(
        hello["params"]["capabilities"],
        with_apps(json!({ "elicitation": { "form": {} }, "roots": {} }))
    );
    let greeting = json!({ "protocolVersion": "2025-11-25", "capabilities": {} });
    fake.answer(&hello, greeting).await;
    let request = fake.request_after_greeting("tools/call").await;
    let asked = |method: &str, params: Value| json!({ "jsonrpc": "2.0", "id": "a", "method": method, "params": params });
    let refusals = [
        (
            "sampling/createMessage",
            json!({}),
            "it has no model to sample from",
        ),
        (
            "elicitation/create",
            json!({ "mode": "url", "url": "https://x" }),
            "it has no user who could open an address",
        ),
        (
            "elicitation/create",
            json!({ "mode": "dance" }),
            "does not know that kind",
        ),
        (
            "elicitation/create",
            json!([]),
            "the parameters are not an object",
        ),
        (
            "elicitation/create",
            json!({ "message": vec![0; 200_000] }),
            "too large",
        ),
        ("dance/create", json!({}), "it does not know dance/create"),
    ];
    for (method, params, why) in refusals {
        fake.send(asked(method, params)).await;
        let reply = answer(&mut fake).await;
        let said = reply["error"]["message"].as_str().unwrap_or_default();
        assert!(said.contains(why), "{reply}");
    }
    fake.send(asked("roots/list", json!({}))).await;
    assert_eq!(
        answer(&mut fake).await["result"]["roots"],
        json!([{ "uri": "file:///srv/a%20b", "name": "a b" }, { "uri": "git://x", "name": "x" }])
    );
    assert!(person.asked.lock().is_empty());
    done(&mut fake, &request, calling).await;
}

/// Servers of the older protocol hear what can be answered when they are greeted.
#[tokio::test(start_paused = true)]
async fn a_server_is_greeted_again_for_a_caller_who_can_answer_more() {
    let (upstream, mut fakes, mut fake) = connected().await;
    // Its list is known: to ask for it in the background is a use of the connection, too.
    let listing = Arc::clone(&upstream);
    let listing = tokio::spawn(async move { listing.tools().await.map(|_| ()) });
    let request = fake.request("tools/list").await;
    fake.answer(&request, json!({ "tools": [] })).await;
    listing.await.unwrap().unwrap();
    let person = Arc::default();
    let calls = || call(&upstream, RunId::new(), &person, Duration::from_secs(30));
    // Not while somebody else uses it.
    let slow = testing::call(&upstream, "slow");
    let under_way = fake.request("tools/call").await;
    let calling = calls();
    let request = fake.request("tools/call").await;
    done(&mut fake, &request, calling).await;
    done(&mut fake, &under_way, slow).await;
    assert!(fakes.is_empty());

    let calling = calls();
    let mut fake = fakes.next().await;
    let hello = fake.recv().await;
    assert_eq!(hello["method"], "initialize");
    assert_eq!(
        hello["params"]["capabilities"],
        with_apps(json!({ "elicitation": { "form": {} } }))
    );
    let greeting = json!({ "protocolVersion": "2025-11-25", "capabilities": {} });
    fake.answer(&hello, greeting).await;
    let request = fake.request_after_greeting("tools/call").await;
    fake.send(form(7, "Who?")).await;
    assert_eq!(answer(&mut fake).await["result"]["content"]["n"], 1);
    done(&mut fake, &request, calling).await;
    // Now it knows, and a caller who can answer less changes nothing.
    let calling = calls();
    let request = fake.request("tools/call").await;
    done(&mut fake, &request, calling).await;
    let calling = testing::call(&upstream, "write");
    let request = fake.request("tools/call").await;
    done(&mut fake, &request, calling).await;
    assert!(fakes.is_empty());
}

#[tokio::test(start_paused = true)]
async fn what_can_not_be_told_whose_it_is_or_is_too_much_is_refused() {
    let person = Arc::new(Person {
        takes: Duration::from_secs(1),
        ..Person::default()
    });
    let (upstream, _fakes, mut fake, calling, request) = under_way(&person).await;
    for id in 0..40 {
        fake.send(form(id, "Who?")).await;
        if id % 8 == 7 {
            for _ in 0..8 {
                answer(&mut fake).await;
            }
        }
    }
    assert_eq!(person.asked.lock().len(), 32);
    let other = call(&upstream, RunId::new(), &person, Duration::from_secs(30));
    let second = fake.request("tools/call").await;
    fake.send(form(50, "Who?")).await;
    let reply = answer(&mut fake).await;
    let said = reply["error"]["message"].as_str().unwrap();
    assert!(said.contains("several runs"), "{said}");
    done(&mut fake, &request, calling).await;
    for id in 60..69 {
        fake.send(form(id, "Who?")).await;
    }
    let reply = answer(&mut fake).await;
    assert_eq!(
        reply["id"], 68,
        "the ninth at once is refused before the others are answered"
    );
    assert_eq!(reply["error"]["message"], "too much is asked at once");
    // Nobody waits for what was asked once the call is over.
    done(&mut fake, &second, other).await;
    let reply = answer(&mut fake).await;
    assert_eq!(
        reply["error"]["message"],
        "the call that it was for is over"
    );
}

#[tokio::test(start_paused = true)]
async fn a_server_may_take_back_what_it_asked() {
    let person = Arc::new(Person {
        takes: Duration::from_secs(1),
        ..Person::default()
    });
    let (_upstream, _fakes, mut fake, calling, request) = under_way(&person).await;
    fake.send(form(1, "Who?")).await;
    fake.send(json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 1 } }))
        .await;
    fake.send(form(2, "Who?")).await;
    assert_eq!(answer(&mut fake).await["id"], 2);
    done(&mut fake, &request, calling).await;
}

#[tokio::test(start_paused = true)]
async fn progress_and_log_lines_of_calls_are_passed_on() {
    let person = Arc::default();
    let (_upstream, _fakes, mut fake, calling, request) = under_way(&person).await;
    let token = &request["params"]["_meta"]["progressToken"];
    assert_eq!(*token, request["id"]);
    for (method, params) in [
        (
            "progress",
            json!({ "progressToken": token, "progress": 1, "total": 3, "message": "\u{1b}[2J" }),
        ),
        ("progress", json!({ "progressToken": 99, "progress": 1 })),
        ("progress", json!({ "progressToken": token })),
        ("message", json!({ "level": "info", "data": SECRET })),
    ] {
        let method = format!("notifications/{method}");
        fake.send(json!({ "jsonrpc": "2.0", "method": method, "params": params }))
            .await;
    }
    done(&mut fake, &request, calling).await;
    let told = person.told.lock();
    let [
        Notice::Progress {
            progress,
            total,
            message,
            tool,
            ..
        },
        Notice::Log { params, .. },
    ] = &told[..]
    else {
        panic!("{told:?}");
    };
    assert_eq!((*progress, *total, &**tool), (1.0, Some(3.0), "write"));
    assert_eq!(message.as_deref(), Some("\\u{1b}[2J"));
    assert_eq!(params["data"], "[redacted]");
}
