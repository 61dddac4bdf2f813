//! Clients that lose their connection, and come back for the answer.

use std::sync::Arc;

use ampoule_tools::ToolResult;
use tokio::sync::Notify;

use super::*;

/// A server with a tool that waits until it is let go.
async fn with_gate(options: Options) -> (Served, Arc<Notify>) {
    let let_go = Arc::<Notify>::default();
    let held = Arc::clone(&let_go);
    let wait = move |_, _| {
        let held = Arc::clone(&held);
        async move {
            held.notified().await;
            Ok(ToolResult::default())
        }
    };
    let tool = json!({ "name": "wait", "inputSchema": { "type": "object" } });
    let gate = Functions::new("gate").raw(serde_json::from_value(tool).unwrap(), wait);
    let served = serving(Runtime::builder().binding(gate), options).await;
    (served, let_go)
}

/// The id of the last event in what was sent.
fn last_id(text: &str) -> Option<&str> {
    let ids = text.lines().filter_map(|line| line.strip_prefix("id:"));
    ids.map(str::trim).next_back()
}

/// Sends a request, and reads until there is the id of an event.
async fn begun(served: &Served, session: &str, message: &Value) -> (TcpStream, String) {
    let mut stream = served.connect().await;
    let headers = [("mcp-session-id", session)];
    let asked = post(&headers, &message.to_string());
    stream.write_all(asked.as_bytes()).await.unwrap();
    let mut text = String::new();
    while !text.contains("id:") || !text.ends_with('\n') {
        let mut piece = [0; 512];
        let read = timeout(PATIENCE, stream.read(&mut piece)).await;
        let read = read.expect("an event in time").unwrap();
        assert!(read > 0, "{text}");
        text += std::str::from_utf8(&piece[..read]).unwrap();
    }
    (stream, text)
}

async fn resumed(served: &Served, session: &str, event: &str) -> Answer {
    served
        .answers(format!(
            "GET /mcp HTTP/1.1\r\nhost: localhost\r\naccept: text/event-stream\r\nconnection: close\r\nmcp-session-id: {session}\r\nlast-event-id: {event}\r\n\r\n"
        ))
        .await
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_goes_on_on_another_connection() {
    let (served, let_go) = with_gate(Options::default()).await;
    let session = served.session().await;
    let code = "await tools.gate.wait({}); return 42";
    let (stream, text) = begun(&served, &session, &execute(code)).await;
    assert!(text.contains("retry:"), "{text}");
    let event = last_id(&text).expect("an id").to_owned();
    drop(stream);
    // Nobody else has it.
    let other = served.session().await;
    assert_eq!(
        resumed(&served, &other, &event).await.messages(),
        Vec::<Value>::new()
    );
    let_go.notify_one();
    let answer = resumed(&served, &session, &event).await;
    let message = answer.message();
    assert_eq!(message["id"], 1, "{message}");
    assert_eq!(message["result"]["content"][0]["text"], "42", "{message}");
    // It is over.
    let again = resumed(&served, &session, &event).await;
    assert_eq!(again.messages(), Vec::<Value>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_connection_takes_the_answer_over() {
    let (served, let_go) = with_gate(Options::default()).await;
    let session = served.session().await;
    let code = "await tools.gate.wait({}); return 42";
    let (first, text) = begun(&served, &session, &execute(code)).await;
    let event = last_id(&text).expect("an id").to_owned();
    let second = resumed(&served, &session, &event);
    let first = async {
        // It ends, as the second one has the answer.
        let rest = Answer::read(first).await;
        let_go.notify_one();
        rest
    };
    let (first, second) = tokio::join!(first, second);
    assert_eq!(first.messages(), Vec::<Value>::new());
    assert_eq!(second.message()["result"]["content"][0]["text"], "42");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_whose_client_does_not_come_back_is_cancelled() {
    let mut served = served(Options {
        resume_within: Duration::from_millis(50),
        ..Options::default()
    })
    .await;
    let session = served.session().await;
    let hangs = execute("await tools.test.hang({})");
    let (stream, text) = begun(&served, &session, &hangs).await;
    served.hang(1).await;
    drop(stream);
    served.hang(0).await;
    let event = last_id(&text).expect("an id");
    let late = resumed(&served, &session, event).await;
    assert_eq!(late.messages(), Vec::<Value>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn clients_that_could_not_read_it_get_no_first_event() {
    let served = served(Options::default()).await;
    let session = served.session().await;
    let headers = [
        ("mcp-session-id", &*session),
        ("accept", "application/json"),
    ];
    let plain = served.post(&headers, &execute("return 1")).await;
    assert_eq!(plain.message()["result"]["content"][0]["text"], "1");
    let mut begins = initialize();
    begins["params"]["protocolVersion"] = json!("2025-06-18");
    let begun = served.post(&[], &begins).await;
    let old = begun
        .header("mcp-session-id")
        .expect("a session")
        .to_owned();
    let answer = served
        .post(&[("mcp-session-id", &old)], &execute("return 1"))
        .await;
    assert!(!answer.0.contains("id:"), "{answer:?}");
    assert_eq!(answer.message()["result"]["content"][0]["text"], "1");
}
