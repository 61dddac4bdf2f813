//! Lines for the log, and addresses that people are to open.

use std::sync::Arc;
use std::time::Duration;

use ampoule_tools::{
    Abilities, Ask, AskKind, Binding, Call, CallContext, Deadline, LogLevel, Notice, Principal,
    Respondent, RunId,
};
use futures::FutureExt;
use futures::future::BoxFuture;
use parking_lot::Mutex;
use serde_json::{Map, Value, json};
use tokio::time::{Instant, timeout};

use super::asks::Calling;
use crate::testing::{Fake, Fakes, SECRET, failure, upstream};
use crate::{Upstream, UpstreamOptions};

/// Answers everything in the same way, and remembers what it was asked and told.
#[derive(Debug, Default)]
struct Listening {
    abilities: Abilities,
    level: Mutex<Option<LogLevel>>,
    action: &'static str,
    asked: Mutex<Vec<Ask>>,
    told: Mutex<Vec<Notice>>,
}

#[derive(Debug, Clone)]
struct Listener(Arc<Listening>);

impl Listener {
    fn from(level: LogLevel) -> Self {
        Self(Arc::new(Listening {
            level: Mutex::new(Some(level)),
            ..Listening::default()
        }))
    }

    /// One who can be shown addresses.
    fn shown(action: &'static str) -> Self {
        let mut abilities = Abilities::default();
        abilities.url = true;
        Self(Arc::new(Listening {
            abilities,
            action,
            ..Listening::default()
        }))
    }

    /// The lines that came, and what was said to be done.
    fn heard(&self) -> Vec<String> {
        let told = self.0.told.lock();
        let said = told.iter().map(|notice| match notice {
            Notice::Log { params, .. } => params["data"].as_str().unwrap().to_owned(),
            Notice::Done { elicitation, .. } => format!("{elicitation} is done"),
            other => panic!("{other:?}"),
        });
        said.collect()
    }
}

impl Respondent for Listener {
    fn abilities(&self) -> Abilities {
        self.0.abilities
    }

    fn answer(&self, ask: Ask) -> BoxFuture<'_, Result<Map<String, Value>, String>> {
        self.0.asked.lock().push(ask);
        let answer = Map::from_iter([("action".to_owned(), self.0.action.into())]);
        std::future::ready(Ok(answer)).boxed()
    }

    fn log_level(&self) -> Option<LogLevel> {
        *self.0.level.lock()
    }

    fn hear(&self, notice: Notice) -> bool {
        self.0.told.lock().push(notice);
        true
    }
}

/// A call of a run of its own, which may take a minute.
fn call(upstream: &Arc<Upstream>, whose: Option<&'static str>, listener: &Listener) -> Calling {
    let deadline = Deadline::after(Duration::from_secs(60));
    let (server, tool) = (Arc::from("fake"), Arc::from("write"));
    let principal = whose.map(Principal::new);
    let mut call = Call::new(RunId::new(), 0, &server, &tool, None, deadline.time());
    call.principal = principal;
    upstream.can_be_answered(listener.abilities());
    let respondent: Arc<dyn Respondent> = Arc::new(listener.clone());
    let context = CallContext::new(call, 1 << 20, deadline.clone(), Some(respondent));
    let upstream = Arc::clone(upstream);
    let arguments = Map::from_iter([("row".to_owned(), 5.into())]);
    tokio::spawn(async move {
        tokio::select! {
            answer = upstream.call("write", arguments, context) => answer,
            () = deadline.passed() => panic!("the run's time is over"),
        }
    })
}

/// The next connection, greeted as a server of the older protocol that logs.
async fn logging(fakes: &mut Fakes) -> Fake {
    let mut fake = fakes.next().await;
    let discover = fake.recv().await;
    fake.refuse(&discover, -32601).await;
    let hello = fake.recv().await;
    let greeting = json!({ "protocolVersion": "2025-11-25", "capabilities": { "logging": {} } });
    fake.answer(&hello, greeting).await;
    assert_eq!(fake.recv().await["method"], "notifications/initialized");
    fake
}

async fn tell(fake: &mut Fake, method: &str, params: Value) {
    let method = format!("notifications/{method}");
    fake.send(json!({ "jsonrpc": "2.0", "method": method, "params": params }))
        .await;
}

async fn line(fake: &mut Fake, data: &str) {
    tell(fake, "message", json!({ "level": "info", "data": data })).await;
}

async fn done(fake: &mut Fake, request: &Value, calling: Calling) {
    fake.answer(request, json!({ "content": [] })).await;
    calling.await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_server_is_told_before_the_call_from_which_level_on_lines_are_wanted() {
    let (upstream, mut fakes) = upstream(UpstreamOptions::default());
    let listener = Listener::from(LogLevel::Warning);
    let first = call(&upstream, None, &listener);
    let mut fake = logging(&mut fakes).await;
    let told = fake.request("logging/setLevel").await;
    assert_eq!(told["params"], json!({ "level": "warning" }));
    // One that answers nothing gets the call all the same.
    let request = fake.request("tools/call").await;
    done(&mut fake, &request, first).await;
    // It is not told twice.
    let second = call(&upstream, None, &listener);
    let request = fake.request("tools/call").await;
    done(&mut fake, &request, second).await;
    *listener.0.level.lock() = Some(LogLevel::Debug);
    let third = call(&upstream, None, &listener);
    let told = fake.request("logging/setLevel").await;
    assert_eq!(told["params"]["level"], "debug");
    fake.answer(&told, json!({})).await;
    let request = fake.request("tools/call").await;
    done(&mut fake, &request, third).await;
}

#[tokio::test(start_paused = true)]
async fn since_2026_07_28_each_call_says_which_lines_are_wanted() {
    for (listener, level) in [
        (Listener::from(LogLevel::Debug), json!("debug")),
        (Listener::shown("accept"), Value::Null),
    ] {
        let (upstream, mut fakes) = upstream(UpstreamOptions::default());
        let calling = call(&upstream, None, &listener);
        let mut fake = fakes.next().await;
        let discover = fake.recv().await;
        let greeting = json!({ "resultType": "complete", "supportedVersions": ["2026-07-28"], "capabilities": { "logging": {}, "tools": {} } });
        fake.answer(&discover, greeting).await;
        let request = fake.request("tools/call").await;
        assert_eq!(
            request["params"]["_meta"]["io.modelcontextprotocol/logLevel"],
            level
        );
        done(&mut fake, &request, calling).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_line_reaches_whoever_it_can_be_for_and_nobody_else() {
    let (upstream, mut fakes) = upstream(UpstreamOptions::default());
    let (ada, again, bob) = (
        Listener::from(LogLevel::Info),
        Listener::from(LogLevel::Info),
        Listener::from(LogLevel::Info),
    );
    let one = call(&upstream, Some("ada"), &ada);
    let mut fake = fakes.session().await;
    let first = fake.request("tools/call").await;
    line(&mut fake, &format!("one {SECRET}")).await;
    let two = call(&upstream, Some("ada"), &again);
    let second = fake.request("tools/call").await;
    line(&mut fake, "two").await;
    let three = call(&upstream, Some("bob"), &bob);
    let third = fake.request("tools/call").await;
    line(&mut fake, "whose?").await;
    tell(&mut fake, "message", json!([1])).await;
    done(&mut fake, &first, one).await;
    done(&mut fake, &second, two).await;
    line(&mut fake, "bob's").await;
    done(&mut fake, &third, three).await;
    assert_eq!(ada.heard(), ["one [redacted]"]);
    assert_eq!(again.heard(), ["two"]);
    assert_eq!(bob.heard(), ["bob's"]);
}

fn address(id: &str) -> Value {
    json!({ "mode": "url", "elicitationId": id, "url": "https://x.example/connect?a=1", "message": "Connect" })
}

/// A call that is refused as a person has to open this first.
async fn refused(listener: &Listener, data: Value) -> (Arc<Upstream>, Fakes, Fake, Calling) {
    let (upstream, mut fakes) = upstream(UpstreamOptions::default());
    let calling = call(&upstream, None, listener);
    let mut fake = fakes.session().await;
    let request = fake.request("tools/call").await;
    let error = json!({ "code": -32042, "message": "Connect first", "data": data });
    fake.send(json!({ "jsonrpc": "2.0", "id": request["id"], "error": error }))
        .await;
    (upstream, fakes, fake, calling)
}

#[tokio::test(start_paused = true)]
async fn a_call_that_needs_an_address_opened_is_made_again_once_that_is_done() {
    let listener = Listener::shown("accept");
    let wanted = json!({ "elicitations": [address("a"), address("b")] });
    let (_upstream, _fakes, mut fake, calling) = refused(&listener, wanted).await;
    // Longer than the call and its run may take by themselves.
    for id in ["b", "never asked", "a"] {
        let early = timeout(Duration::from_secs(30), fake.request("tools/call")).await;
        assert!(
            early.is_err(),
            "the call is made again before that: {early:?}"
        );
        tell(
            &mut fake,
            "elicitation/complete",
            json!({ "elicitationId": id }),
        )
        .await;
    }
    let again = fake.request("tools/call").await;
    assert_eq!(again["params"]["arguments"], json!({ "row": 5 }));
    done(&mut fake, &again, calling).await;
    let asked = listener.0.asked.lock();
    let asked: Vec<_> = asked.iter().map(|ask| (ask.kind, &ask.params)).collect();
    let [(AskKind::Url, first), (AskKind::Url, _)] = asked[..] else {
        panic!("{asked:?}");
    };
    assert_eq!(Value::from(first.clone()), address("a"));
    assert_eq!(listener.heard(), ["b is done", "a is done"]);
}

#[tokio::test(start_paused = true)]
async fn a_call_whose_address_nobody_opens_says_what_to_do() {
    let nobody = Listener::from(LogLevel::Info);
    let said = [
        (&nobody, "have it opened in a browser, and call again"),
        (
            &Listener::shown("decline"),
            "its user was asked, and declined",
        ),
        (&Listener::shown("accept"), "call again once that is done"),
    ];
    for (listener, what) in said {
        let wanted = json!({ "elicitations": [address("a")] });
        let (_upstream, _fakes, _fake, calling) = refused(listener, wanted).await;
        let began = Instant::now();
        let said = failure(calling.await.unwrap());
        let shows = "the tool wants https://x.example/connect?a=1 opened first";
        assert!(said.starts_with(shows) && said.contains(what), "{said}");
        assert!(began.elapsed() < Duration::from_secs(121), "{said}");
    }
    assert!(nobody.0.asked.lock().is_empty());
    // What names no address is an error like others.
    let listener = Listener::shown("accept");
    for data in [
        Value::Null,
        json!({ "elicitations": [{ "url": 5 }] }),
        json!({ "elicitations": [address("a"), { "mode": "form" }] }),
        json!({ "elicitations": vec![address("a"); 9] }),
    ] {
        let (_upstream, _fakes, _fake, calling) = refused(&listener, data).await;
        let said = failure(calling.await.unwrap());
        assert!(said.starts_with("Connect first (error -32042)"), "{said}");
    }
    assert!(listener.0.asked.lock().is_empty());
}

#[tokio::test(start_paused = true)]
async fn what_a_server_says_is_done_is_heard_once_though_the_call_is_over() {
    let (upstream, mut fakes) = upstream(UpstreamOptions::default());
    let listener = Listener::shown("accept");
    let calling = call(&upstream, None, &listener);
    let mut fake = fakes.session().await;
    let mut request = fake.request("tools/call").await;
    let (mut calling, mut asked) = (calling, 0);
    // A call may ask for 32 things; of all, the last 64 are remembered.
    for _ in 0..3 {
        for _ in 0..30 {
            let id = format!("e{asked}");
            fake.send(json!({ "jsonrpc": "2.0", "id": asked, "method": "elicitation/create", "params": address(&id) }))
                .await;
            let answer = fake.answer_to_ours().await;
            assert_eq!(answer["result"]["action"], "accept", "{answer}");
            asked += 1;
        }
        done(&mut fake, &request, calling).await;
        calling = call(&upstream, None, &listener);
        request = fake.request("tools/call").await;
    }
    for id in ["e89", "e26", "e89", "e25", "other"] {
        tell(
            &mut fake,
            "elicitation/complete",
            json!({ "elicitationId": id }),
        )
        .await;
    }
    tell(&mut fake, "elicitation/complete", json!(["e30"])).await;
    done(&mut fake, &request, calling).await;
    assert_eq!(listener.heard(), ["e89 is done", "e26 is done"]);
}
