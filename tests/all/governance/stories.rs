//! The same story where the person is asked in the client's own dialogue, of both eras, and on the
//! page, in a real browser: the host is killed while they are.

use std::net::TcpListener;

use ampoule_tests::command::Served;
use ampoule_tests::installed;
use serde_json::{Value, json};

use super::story::{SCRIPT, Story};
use crate::asking_people::browser::Browser;
use crate::serving::{Serving, call, client, text};

const CUSTOMERS: [&str; 3] = ["ada.birch", "grace.elm", "mary.oak"];

/// What the person is shown: whom mail really goes to.
fn is_shown(shown: &str) {
    for customer in CUSTOMERS {
        assert!(
            shown.contains(&format!("{customer}@customers.example")),
            "{shown}"
        );
    }
}

fn in_dialogues() -> Story {
    Story::new("approvals = { ask = 'outgoing', places = ['dialogue'] }")
}

/// A client with a session whose person can be asked.
async fn greeted(story: &Story) -> Served {
    let mut served = Served::start(&story.workplace, &[]);
    let hello = json!({
        "protocolVersion": "2025-11-25",
        "capabilities": { "elicitation": {} },
        "clientInfo": { "name": "test", "version": "1" },
    });
    served
        .ask(json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello }))
        .await;
    served
        .send(json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))
        .await;
    served
}

/// What the client is asked next: not for its model to read.
async fn is_asked(served: &mut Served) -> Value {
    loop {
        let message = served.next().await.expect("a message");
        if message["method"] == "elicitation/create" {
            return message;
        }
        let is_over = message["result"]["isError"] == true;
        assert!(!is_over, "{message}");
    }
}

fn execute(id: u64, arguments: Value) -> Value {
    let params = json!({ "name": "execute_code", "arguments": arguments });
    json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params })
}

#[tokio::test]
async fn a_client_with_a_session_asks_before_and_after_the_host_was_killed() {
    let mut story = in_dialogues();
    let mut served = greeted(&story).await;
    let code = json!({ "code": SCRIPT, "language": "typescript", "wait": 0 });
    let begun = served.ask(execute(1, code)).await;
    let said = begun["result"]["content"][0]["text"].as_str();
    let id = said
        .and_then(|said| said.split(' ').nth(1))
        .expect("an id")
        .to_owned();
    story.read.push(begun);
    let asked = is_asked(&mut served).await;
    is_shown(asked["params"]["message"].as_str().expect("a text"));
    story.is_parked().await;
    // It is killed while its person looks.
    served.kill().await;
    assert_eq!(story.sent(), [Value::Null; 0]);

    let mut served = greeted(&story).await;
    served
        .send(execute(2, json!({ "run": id, "wait": 60 })))
        .await;
    let asked = is_asked(&mut served).await;
    is_shown(asked["params"]["message"].as_str().expect("a text"));
    let yes = json!({ "action": "accept", "content": { "answer": "allow-once" } });
    served
        .send(json!({ "jsonrpc": "2.0", "id": asked["id"], "result": yes }))
        .await;
    let answer = loop {
        let message = served.next().await.expect("a message");
        if message["id"] == 2 {
            break message;
        }
    };
    let last = answer["result"]["content"][0]["text"]
        .as_str()
        .expect("a text")
        .to_owned();
    story.read.push(answer);
    served.close().await;
    story.is_told(&last).await;
}

/// A request of 2026-07-28, whose client can ask its person.
fn modern(id: u64, mut params: Value) -> Value {
    params["name"] = json!("execute_code");
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": { "elicitation": { "form": {} } },
    });
    json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params })
}

#[tokio::test]
async fn a_client_of_2026_goes_on_with_its_state_after_the_host_was_killed() {
    let mut story = in_dialogues();
    let mut served = Served::start(&story.workplace, &[]);
    let code = json!({ "arguments": { "code": SCRIPT, "language": "typescript" } });
    let asks = served.ask(modern(1, code)).await["result"].clone();
    assert_eq!(asks["resultType"], "input_required", "{asks}");
    let requests = asks["inputRequests"].as_object().expect("requests");
    let (name, request) = requests.iter().next().expect("a request");
    is_shown(request["params"]["message"].as_str().expect("a text"));
    story.is_parked().await;
    served.kill().await;
    assert_eq!(story.sent(), [Value::Null; 0]);

    let mut served = Served::start(&story.workplace, &[]);
    let yes = json!({ "action": "accept", "content": { "answer": "allow-once" } });
    let goes_on = json!({
        "requestState": asks["requestState"],
        "inputResponses": { (name.clone()): yes },
    });
    let answer = served.ask(modern(2, goes_on.clone())).await;
    let last = answer["result"]["content"][0]["text"]
        .as_str()
        .expect("a text")
        .to_owned();
    // Nothing more comes of the same answer.
    let again = served.ask(modern(3, goes_on)).await;
    assert_eq!(again["error"]["code"], -32602, "{again}");
    assert_ne!(answer["result"]["isError"], true, "{answer}");
    story.read.extend([answer, again]);
    served.close().await;
    story.is_told(&last).await;
}

#[tokio::test]
async fn a_person_answers_on_the_page_after_the_host_was_killed() {
    let test = "a_person_answers_on_the_page_after_the_host_was_killed";
    let (Some(chromium), Some(driver)) =
        (installed(test, "chromium"), installed(test, "chromedriver"))
    else {
        return;
    };
    let port = TcpListener::bind("127.0.0.1:0").and_then(|free| free.local_addr());
    let port = port.expect("a port").port().to_string();
    let mut story = Story::new("approvals = { ask = 'outgoing', places = ['page'], page = true }");
    let mut serving = Serving::start(&story.workplace, &["serve", "--http", &port]).await;
    // Its client is not asked, and need not wait.
    let said = client_asks(&serving.at, &json!({ "code": SCRIPT, "wait": 0 })).await;
    let id = said.split(' ').nth(1).expect("an id").to_owned();
    story.read.push(said.into());
    let asked = serving.page().await;
    story.is_parked().await;
    serving.process.kill().await.expect("it is killed");

    // The address holds in the next process.
    let serving = Serving::start(&story.workplace, &["serve", "--http", &port]).await;
    let browser = Browser::start(&driver, &chromium).await;
    browser.open(&asked).await;
    browser.click("button").await;
    is_shown(&browser.shows("Allow these calls?").await);
    browser.click("input[value=allow-once]").await;
    browser.click("button").await;
    browser.shows("allowed once").await;
    let last = client_asks(&serving.at, &json!({ "run": id, "wait": 60 })).await;
    story.read.push(last.clone().into());
    let (code, log) = serving.stopped().await;
    assert_eq!(code, Some(0), "{log}");
    story.is_told(&last).await;
}

/// What the model reads, over HTTP.
async fn client_asks(at: &str, arguments: &Value) -> String {
    text(call(&client(), at, arguments)).await
}
