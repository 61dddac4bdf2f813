//! What is passed on to an operator's systems, by a server that runs: the audit log, and questions.

use std::time::{Duration, Instant};

use ampoule_tests::command::{Served, Workplace};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ring::hmac;
use serde_json::{Value, json};

use crate::cli::governance::governed;
use crate::outbound::Server;
use crate::serving::{Serving, client, script, text};

const PATIENCE: Duration = Duration::from_secs(60);

/// A system that takes whatever it gets.
async fn system() -> Server {
    let taken = "HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
    Server::answering(move |_| taken.to_owned()).await
}

/// The first request to this path whose body says this: its head, and its body.
async fn got(system: &Server, path: &str, says: &str) -> (String, Value) {
    let began = Instant::now();
    loop {
        for request in &*system.got.lock().expect("what it got") {
            let (head, body) = request.split_once("\r\n\r\n").expect("a head and a body");
            if head.starts_with(&format!("POST {path} ")) && body.contains(says) {
                let body = serde_json::from_str(body).expect("JSON");
                return (head.to_owned(), body);
            }
        }
        assert!(began.elapsed() < PATIENCE, "nothing says {says}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

fn header<'h>(head: &'h str, name: &str) -> &'h str {
    let named = |line: &'h str| line.split_once(": ").filter(|(key, _)| *key == name);
    head.lines().find_map(named).expect(name).1
}

/// A client has products read.
async fn read_products(workplace: &Workplace) {
    let mut served = Served::greeted(workplace, &[]).await;
    let code = "return (await tools.demo.listProducts({})).items.length";
    let arguments = json!({ "code": code, "language": "typescript", "wait": 60 });
    let params = json!({ "name": "execute_code", "arguments": arguments });
    let request = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
    let answer = served.ask(request).await;
    assert_ne!(answer["result"]["isError"], true, "{answer}");
    // What is left is passed on before it ends.
    assert_eq!(served.close().await, Some(0));
}

#[tokio::test]
async fn the_audit_log_is_passed_on_to_a_collector_and_to_a_file() {
    let collector = system().await;
    let workplace = Workplace::default();
    let config = format!(
        "[[audit.export]]
to = 'otlp'
endpoint = '{}'
headers = {{ Authorization = 'Bearer collector-token' }}
[[audit.export]]
to = 'file'
path = '{}'
format = 'ocsf'",
        collector.origin,
        workplace.path().join("events.ocsf").display(),
    );
    governed(&workplace, &config);
    read_products(&workplace).await;

    let (head, body) = got(&collector, "/v1/logs", "list_products").await;
    assert_eq!(header(&head, "authorization"), "Bearer collector-token");
    let records = body["resourceLogs"][0]["scopeLogs"][0]["logRecords"].as_array();
    let mut records = records.expect("records").iter();
    let is_call = |record: &&Value| record["eventName"] == "ampoule.call-asked";
    let call = records.find(is_call).expect("a call");
    // The body is the log's line as it is, by which it can be held against the log.
    let line = call["body"]["stringValue"].as_str().expect("a line");
    let shown = ["audit", "ls", "--json", "--all", "--kind", "call-asked"];
    let shown = workplace.run(&shown).await;
    let line: Value = serde_json::from_str(line).expect("JSON");
    assert!(shown.stdout.contains(line["run"].as_str().expect("a run")));

    let file = std::fs::read_to_string(workplace.path().join("events.ocsf"));
    let file = file.expect("a file");
    let events = file.lines().map(serde_json::from_str::<Value>);
    let events: Result<Vec<Value>, _> = events.collect();
    let events = events.expect("JSON on each line");
    assert!(
        events.iter().all(|event| event["class_uid"].is_u64()),
        "{file}"
    );
    assert!(file.contains("list_products"), "{file}");

    // What was passed on is not passed on again by the next process, and what is new is.
    let before = collector.got.lock().expect("what it got").len();
    read_products(&workplace).await;
    let all = collector.got.lock().expect("what it got").clone();
    let later = all[before..].concat();
    assert!(!later.contains(line_of(&body)), "it was passed on twice");
    assert!(later.contains("ampoule.call-asked"), "{later}");
}

/// What tells the first record of a request from all others.
fn line_of(body: &Value) -> &str {
    let record = &body["resourceLogs"][0]["scopeLogs"][0]["logRecords"][0];
    let at = record["timeUnixNano"].as_str();
    at.expect("a time")
}

/// A signature as Standard Webhooks has it.
fn signed(secret: &str, id: &str, at: u64, body: &str) -> String {
    let secret = secret.strip_prefix("whsec_").expect("a secret");
    let key = hmac::Key::new(hmac::HMAC_SHA256, &STANDARD.decode(secret).expect("base64"));
    let tag = hmac::sign(&key, format!("{id}.{at}.{body}").as_bytes());
    format!("v1,{}", STANDARD.encode(tag))
}

#[tokio::test]
async fn a_system_of_the_operators_is_asked_and_answers() {
    const ASKS: &str = "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=";
    const ANSWERS: &str = "whsec_OTg3NjU0MzIxMDk4NzY1NDMyMTA5ODc2NTQzMjEwOTg=";
    let chat = system().await;
    let workplace = Workplace::default();
    let config = format!(
        "[approvals]
ask = 'destructive'
places = []
[approvals.webhook]
url = '{}/hooks/ampoule'
secret = '{ASKS}'
answer-secret = '{ANSWERS}'",
        chat.origin
    );
    governed(&workplace, &config);
    let serving = Serving::start(&workplace, &["serve", "--http", "0"]).await;
    let code = "return (await tools.demo.closeTicket({ ticketId: 'TIC-0002', resolution: 'done' })).status";
    let (web, at) = (client(), serving.at.clone());
    let run = tokio::spawn(async move { text(script(&web, &at, code)).await });

    let (head, body) = got(&chat, "/hooks/ampoule", "approval.asked").await;
    let raw = {
        let all = chat.got.lock().expect("what it got");
        let asked = all.iter().find(|one| one.contains("approval.asked"));
        let (_, raw) = asked.expect("it").split_once("\r\n\r\n").expect("a body");
        raw.to_owned()
    };
    let at: u64 = header(&head, "webhook-timestamp").parse().expect("a time");
    let id = header(&head, "webhook-id");
    assert_eq!(
        header(&head, "webhook-signature"),
        signed(ASKS, id, at, &raw)
    );
    assert_eq!(body["data"]["summary"], "demo.close_ticket");

    let answer = json!({ "type": "approval.answered", "data": {
        "question": body["data"]["question"], "seen": body["data"]["seen"],
        "by": "grace", "answer": "allow-once",
    }});
    let answer = answer.to_string();
    let answers = async |secret: &str| {
        let signature = signed(secret, "m-1", at, &answer);
        let to = format!("{}/approvals/answers", origin(&serving.at));
        let post = client().post(to).body(answer.clone());
        let post = post.header("webhook-id", "m-1");
        let post = post.header("webhook-timestamp", at.to_string());
        let post = post.header("webhook-signature", signature);
        post.send().await.expect("an answer").status().as_u16()
    };
    // The system that is asked does not know the secret for answers.
    assert!(answers(ASKS).await >= 400);
    assert!(!run.is_finished());
    assert_eq!(answers(ANSWERS).await, 204);
    let said = run.await.expect("it ends");
    assert!(said.contains("closed"), "{said}");
    let again = answers(ANSWERS).await;
    assert!(again >= 400, "{again}");
    let (code, log) = serving.stopped().await;
    assert_eq!(code, Some(0), "{log}");
}

/// Where the server is, without its path.
fn origin(at: &str) -> &str {
    let after = at.find("://").map_or(0, |scheme| scheme + 3);
    let path = at[after..].find('/');
    path.map_or(at, |path| &at[..after + path])
}

#[tokio::test]
async fn quotas_count_over_restarts() {
    let workplace = Workplace::default();
    governed(&workplace, "quotas.all.calls-per-day = 3");
    let code = "return (await tools.demo.listProducts({})).items.length";
    for _ in 0..3 {
        let ran = workplace.run(&["run", "-q", "-e", code]).await;
        assert_eq!(ran.code, Some(0), "{ran:?}");
    }
    // Each was a process of its own, and so is a server.
    let ran = workplace.run(&["run", "-q", "-e", code]).await;
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.stderr.contains("calls"), "{ran:?}");
    let left = "return (await tools.quotas.left({}))";
    let left = workplace.run(&["run", "-q", "-e", left]).await;
    assert!(
        left.code == Some(0) && left.stdout.contains('0'),
        "{left:?}"
    );
    let mut served = Served::greeted(&workplace, &[]).await;
    let arguments = json!({ "code": code, "language": "typescript", "wait": 60 });
    let params = json!({ "name": "execute_code", "arguments": arguments });
    let request = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
    let answer = served.ask(request).await;
    assert_eq!(answer["result"]["isError"], true, "{answer}");
    served.close().await;
}
