//! Streams that break.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, Instant};

use ampoule_tools::{Binding, CallError, RunId};
use parking_lot::Mutex;

use super::server::{Part, Reply, Request, event, serve, session, stateless};
use super::{remote, text};
use crate::testing::{call, failure};
use crate::tests::asks::{self, Person, form};

#[tokio::test]
async fn an_answer_that_broke_off_is_taken_up_where_it_ended() {
    let (gets, called) = (AtomicU32::new(0), Mutex::new(None));
    let server = session(move |request| {
        if request.asks() == "tools/call" {
            *called.lock() = Some(request.clone());
            return Some(Reply::events("id: e-1\nretry: 60\ndata:\n\n").then(Part::Break));
        }
        if request.header("last-event-id") != Some("e-1") {
            return None;
        }
        Some(match gets.fetch_add(1, Ordering::Relaxed) {
            // Nothing yet; then too busy.
            0 => Reply::events(": wait\n\n"),
            1 => Reply::status(503),
            _ => Reply::events(event(called.lock().as_ref()?, "the rest")),
        })
    })
    .await;
    let upstream = remote(&server.url);
    let began = Instant::now();
    let result = call(&upstream, "x").await.unwrap().unwrap();
    assert_eq!(text(&result), "the rest");
    assert!(
        began.elapsed() >= Duration::from_millis(180),
        "the server's pause is heeded"
    );
    assert_eq!(server.asked("tools/call").len(), 1);
}

#[tokio::test]
async fn an_answer_that_can_not_be_taken_up_is_unknown() {
    let cases = [
        (
            "id: e-1\n\n",
            "broke off its answer; asked for the rest, it says HTTP status 405 Method Not Allowed",
        ),
        ("data: {}\n\n", "broke off its answer"),
    ];
    for (said, expected) in cases {
        let server =
            session(move |request| (request.asks() == "tools/call").then(|| Reply::events(said)))
                .await;
        let error = call(&remote(&server.url), "x").await.unwrap().unwrap_err();
        assert!(matches!(error, CallError::Lost(_)), "{error:?}");
        assert_eq!(error.to_string(), format!("MCP server `far` {expected}"));
    }
    // Since 2026-07-28 streams are not taken up, whatever ids they have.
    let server = serve(|request| match request.asks() {
        "tools/call" => Reply::events("id: e-1\ndata: {}\n\n").then(Part::Break),
        _ => stateless(request),
    })
    .await;
    let message = failure(call(&remote(&server.url), "x").await.unwrap());
    assert!(
        message.starts_with("MCP server `far` broke off its answer: "),
        "{message}"
    );
    assert!(server.asked("GET").is_empty());
}

#[tokio::test]
async fn the_stream_of_what_is_sent_unasked_is_opened_again() {
    let server = session(|request| {
        (request.method == "GET").then(|| match request.header("last-event-id") {
            None => Reply::events("id: 7\nretry: 60\ndata: {}\n\n"),
            Some(_) => Reply::events("").then(Part::Hang),
        })
    })
    .await;
    let upstream = remote(&server.url);
    upstream.tools().await.unwrap();
    let gets = server.asked_for("GET", 2).await;
    assert_eq!(gets[1].header("last-event-id"), Some("7"));
    assert_eq!(gets[1].header("mcp-session-id"), Some("s-1"));
    upstream.stop().await;
    server.is_left().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_call_waits_a_moment_for_the_stream_of_what_is_sent_unasked() {
    for (takes, opened) in [(300, "open"), (3_000, "not open")] {
        let open = AtomicBool::new(false);
        let server = session(move |request| match (&*request.method, request.asks()) {
            ("GET", _) => {
                std::thread::sleep(Duration::from_millis(takes));
                open.store(true, Ordering::Relaxed);
                Some(Reply::events("").then(Part::Hang))
            }
            (_, "tools/call") if open.load(Ordering::Relaxed) => Some(Reply::said(request, "open")),
            (_, "tools/call") => Some(Reply::said(request, "not open")),
            _ => None,
        })
        .await;
        let result = call(&remote(&server.url), "x").await.unwrap().unwrap();
        assert_eq!(text(&result), opened);
    }
}

#[tokio::test]
async fn what_is_asked_on_the_stream_of_a_call_is_for_the_run_of_that_call() {
    let streams: [Arc<Mutex<Vec<u8>>>; 2] = Default::default();
    let (calls, live) = (AtomicU32::new(0), streams.clone());
    let server = session(move |request| {
        let call = || calls.fetch_add(1, Ordering::Relaxed) as usize;
        let stream = (request.asks() == "tools/call").then(|| Arc::clone(&live[call()]));
        stream.map(|stream| Reply::events("").then(Part::Live(stream)))
    })
    .await;
    let upstream = remote(&server.url);
    let people: [Arc<Person>; 2] = Default::default();
    let mut calling = Vec::new();
    for person in &people {
        let run = RunId::new();
        calling.push(asks::call(&upstream, run, person, Duration::from_secs(60)));
        server.asked_for("tools/call", calling.len()).await;
    }
    let say = |stream: &Mutex<Vec<u8>>, text: String| stream.lock().extend(text.into_bytes());
    say(&streams[1], format!("data: {}\n\n", form(700, "Who?")));
    let is_answer = |request: &Request| request.body["id"] == 700;
    while !server.seen().iter().any(is_answer) {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let answer = server.seen().into_iter().find(is_answer).unwrap();
    assert_eq!(answer.body["result"]["action"], "accept", "{answer:?}");
    for (stream, request) in streams.iter().zip(server.asked("tools/call")) {
        say(stream, event(&request, "done"));
    }
    for calling in calling {
        calling.await.unwrap().unwrap();
    }
    let asked = people.each_ref().map(|person| person.asked.lock().len());
    assert_eq!(asked, [0, 1]);
}
