//! Servers that are broken, busy, or hostile.

use std::io::Write;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use ampoule_tools::{Binding, CallError};

use super::server::{Part, Reply, Request, event, serve, session, usual};
use super::{remote, text, upstream};
use crate::testing::{call, call_with, failure};
use crate::{RemoteServer, Upstream, UpstreamOptions};

/// What a call comes to where a server answers calls so.
async fn called(answer: impl Fn(&Request) -> Reply + Send + Sync + 'static) -> CallError {
    let server = session(move |request| (request.asks() == "tools/call").then(|| answer(request)));
    let server = server.await;
    let upstream = remote(&server.url);
    let error = call(&upstream, "x").await.unwrap().unwrap_err();
    upstream.stop().await;
    server.is_left().await;
    error
}

#[tokio::test]
async fn what_is_no_answer_ends_the_call_at_once() {
    for (body, expected) in [
        ("", "the server's answer is empty"),
        ("<html>garbage", "the server's answer is to another request"),
        (
            r#"{"jsonrpc":"2.0","id":99,"result":{}}"#,
            "the server's answer is to another request",
        ),
        (
            r#"{"jsonrpc":"2.0","method":"notifications/x"}"#,
            "the server's answer is to another request",
        ),
    ] {
        let error = called(move |_| Reply::new(200, "application/json", body)).await;
        assert!(matches!(error, CallError::Protocol(_)), "{error:?}");
        assert_eq!(error.to_string(), expected);
    }
    let nameless = r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no"}}"#;
    for status in [200, 400, 404] {
        let error = called(move |_| Reply::new(status, "application/json", nameless)).await;
        if status == 404 {
            // Nobody knows the session.
            assert!(matches!(error, CallError::NotReached(_)), "{error:?}");
        } else {
            assert_eq!(error.to_string(), "no (error -32600)");
        }
    }
}

#[tokio::test]
async fn answers_that_are_too_large_are_not_read_to_their_end() {
    let large = vec![b'x'; 64 * 1024];
    let endless = Part::Endless(large, Duration::ZERO);
    for kind in ["application/json", "text/event-stream"] {
        let endless = endless.clone();
        let error = called(move |request| {
            let begin = format!(
                "data: {{\"jsonrpc\":\"2.0\",\"id\":{},\"result\":\"",
                request.body["id"]
            );
            Reply::new(200, kind, begin).then(endless.clone())
        });
        // An event without an end is skipped for as long as it comes; a body is let go of.
        if kind == "application/json" {
            let error = error.await;
            assert!(
                matches!(error, CallError::ResultTooLarge { .. }),
                "{error:?}"
            );
        } else {
            let waited = tokio::time::timeout(Duration::from_secs(2), error).await;
            assert!(waited.is_err(), "{waited:?}");
        }
    }
    // One that ends, of 20 MB.
    let error = called(|request| Reply::events(event(request, &"x".repeat(20_000_000)))).await;
    assert!(
        matches!(
            error,
            CallError::ResultTooLarge {
                bytes: 20_000_000..
            }
        ),
        "{error:?}"
    );
}

#[tokio::test]
async fn what_is_compressed_is_measured_as_it_is_unpacked() {
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    let zeros = vec![b' '; 1 << 20];
    for _ in 0..24 {
        packed.write_all(&zeros).unwrap();
    }
    let packed = packed.finish().unwrap();
    assert!(packed.len() < 1 << 20);
    let server = session(move |request| {
        let packed = || Reply::new(200, "application/json", packed.clone());
        (request.asks() == "tools/call").then(|| packed().header("content-encoding", "gzip"))
    })
    .await;
    let upstream = remote(&server.url);
    // While the list of tools is asked for, an answer may be as large as that.
    upstream.tools().await.unwrap();
    let error = call(&upstream, "x").await.unwrap().unwrap_err();
    let CallError::ResultTooLarge { bytes } = error else {
        panic!("{error:?}");
    };
    assert!(bytes < 10 << 20, "{bytes}");
}

#[tokio::test]
async fn an_answer_that_is_compressed_is_read() {
    let server = session(|request| {
        (request.asks() == "tools/call").then(|| {
            let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
            packed
                .write_all(event(request, "unpacked").as_bytes())
                .unwrap();
            Reply::events(packed.finish().unwrap()).header("content-encoding", "gzip")
        })
    })
    .await;
    let result = call(&remote(&server.url), "x").await.unwrap().unwrap();
    assert_eq!(text(&result), "unpacked");
    let accepted = server.asked("tools/call")[0]
        .header("accept-encoding")
        .unwrap()
        .to_owned();
    for coding in ["gzip", "br", "zstd", "deflate"] {
        assert!(accepted.contains(coding), "{accepted}");
    }
}

/// An upstream whose calls take half a second at most.
fn hasty(url: &str) -> std::sync::Arc<Upstream> {
    let options = UpstreamOptions {
        call_timeout: Duration::from_millis(500),
        start_timeout: Duration::from_secs(1),
        ..UpstreamOptions::default()
    };
    Upstream::remote("far", RemoteServer::new(url).unwrap(), options).into()
}

#[tokio::test]
async fn what_hangs_drips_or_never_ends_is_over_with_the_call() {
    let bodies = [
        Reply::new(200, "application/json", "").then(Part::Hang),
        Reply::new(200, "application/json", "")
            .then(Part::Endless(b" ".into(), Duration::from_millis(20))),
        Reply::events("").then(Part::Endless(b": hi\n\n".into(), Duration::ZERO)),
        Reply::events("").then(Part::Endless(
            b"data: {\"method\":\"x\"}\n\n".into(),
            Duration::ZERO,
        )),
        Reply::events("").then(Part::Endless(b"data:".into(), Duration::from_millis(20))),
    ];
    for body in bodies {
        let server =
            session(move |request| (request.asks() == "tools/call").then(|| body.clone())).await;
        let upstream = hasty(&server.url);
        upstream.tools().await.unwrap();
        let error = call(&upstream, "x").await.unwrap().unwrap_err();
        assert!(matches!(error, CallError::TimedOut(_)), "{error:?}");
        upstream.stop().await;
        server.is_left().await;
    }
}

#[tokio::test]
async fn a_start_that_hangs_is_given_up() {
    for reply in [
        Reply::events("").then(Part::Hang),
        Reply::new(200, "application/json", "{").then(Part::Hang),
    ] {
        let server = serve(move |_| reply.clone()).await;
        let message = failure(call(&hasty(&server.url), "x").await.unwrap());
        assert!(
            message.starts_with("MCP server `far` did not answer within "),
            "{message}"
        );
        server.is_left().await;
    }
}

#[tokio::test]
async fn a_server_that_breaks_off_where_it_does_not_know_a_request_is_greeted_the_older_way() {
    let server = session(|request| {
        let unknown = request.asks() == "server/discover";
        unknown.then(|| Reply::status(200).then(Part::Break))
    })
    .await;
    let result = call(&remote(&server.url), "x").await.unwrap().unwrap();
    assert_eq!(text(&result), "done");
}

#[tokio::test]
async fn a_server_that_is_busy_is_asked_again_when_it_says() {
    let asked = AtomicU32::new(0);
    let server = session(move |request| {
        if request.asks() != "tools/call" {
            return None;
        }
        match asked.fetch_add(1, Ordering::Relaxed) {
            0 => Some(Reply::status(429).header("Retry-After", "1")),
            1 => Some(Reply::status(503).header("Retry-After", "0")),
            _ => None,
        }
    })
    .await;
    let began = Instant::now();
    let result = call(&remote(&server.url), "x").await.unwrap().unwrap();
    assert_eq!(text(&result), "done");
    assert!(
        began.elapsed() >= Duration::from_secs(1),
        "{:?}",
        began.elapsed()
    );
    assert_eq!(server.asked("tools/call").len(), 3);
}

#[tokio::test]
async fn statuses_say_what_is_known_of_the_call() {
    let of = |status, text: &'static str| {
        called(move |_| Reply::new(status, "text/plain", text).header("Retry-After", "3600"))
    };
    let error = of(429, "slow\u{1b}[2J down\nmore").await;
    assert!(matches!(error, CallError::NotReached(_)), "{error:?}");
    assert_eq!(
        error.to_string(),
        "MCP server `far` is busy, and asks clients to wait for 1h: HTTP status 429 Too Many Requests: slow\\u{1b}[2J down"
    );
    for status in [500, 502, 504] {
        let error = of(status, "oops").await;
        assert!(matches!(error, CallError::Lost(_)), "{error:?}");
        assert!(error.to_string().ends_with(": oops"), "{error}");
    }
    let error = of(422, "").await;
    assert!(matches!(error, CallError::Refused(_)), "{error:?}");
    assert_eq!(error.to_string(), "HTTP status 422 Unprocessable Entity");
    let error = called(|_| Reply::new(200, "application/json", "{").then(Part::Break)).await;
    assert!(matches!(error, CallError::Lost(_)), "{error:?}");
}

#[tokio::test]
async fn what_only_asks_is_sent_again_where_a_gateway_got_no_answer() {
    let listed = AtomicU32::new(0);
    let server = session(move |request| {
        let first = request.asks() == "tools/list" && listed.fetch_add(1, Ordering::Relaxed) == 0;
        first.then(|| Reply::status(504).header("Retry-After", "0"))
    })
    .await;
    assert!(remote(&server.url).tools().await.unwrap().is_empty());
    assert_eq!(server.asked("tools/list").len(), 2);
}

#[tokio::test]
async fn what_can_not_be_reached_says_why() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let closed = format!("http://{}/", listener.local_addr().unwrap());
    drop(listener);
    for (url, why) in [
        (
            "http://nobody.invalid/mcp",
            "its host name can't be resolved",
        ),
        (&closed, "nothing listens at its address"),
    ] {
        let upstream = remote(url);
        let error = call(&upstream, "x").await.unwrap().unwrap_err();
        assert!(matches!(error, CallError::NotReached(_)), "{error:?}");
        assert_eq!(
            error.to_string(),
            format!("MCP server `far` can't be reached: {why}")
        );
    }
}

#[tokio::test]
async fn secrets_are_blotted_out_of_what_servers_say() {
    let server = session(|request| {
        (request.asks() == "tools/call").then(|| {
            let said = request.header("x-key").unwrap_or_default();
            Reply::new(500, "text/plain", format!("bad key {said}"))
        })
    })
    .await;
    let server = RemoteServer::new(&server.url)
        .unwrap()
        .header("X-Key", "hunter2-hunter2");
    let message = failure(call(&upstream(server), "x").await.unwrap());
    assert!(message.ends_with(": bad key [redacted]"), "{message}");
}

#[tokio::test]
async fn nothing_is_left_of_connections() {
    let server = serve(|request| match request.method.as_str() {
        "GET" => Reply::events(": hi\n\n").then(Part::Hang),
        _ if request.asks() == "tools/call" => Reply::events("").then(Part::Hang),
        _ => usual(request),
    })
    .await;
    let files = || std::fs::read_dir("/proc/self/fd").unwrap().count();
    let tasks = || {
        tokio::runtime::Handle::current()
            .metrics()
            .num_alive_tasks()
    };
    let mut before = None;
    for _ in 0..4 {
        let upstream = remote(&server.url);
        let calls: Vec<_> = (0..20)
            .map(|_| call_with(&upstream, "x", 1 << 20))
            .collect();
        server.asked_for("tools/call", 20).await;
        server.asked_for("GET", 1).await;
        for call in &calls[..10] {
            call.abort();
        }
        upstream.stop().await;
        for call in calls {
            assert!(!matches!(call.await, Ok(Ok(_))));
        }
        drop(upstream);
        server.is_left().await;
        // The last tasks see that they are over.
        let settled = |before: Option<(usize, usize)>| {
            before.is_none_or(|(f, t)| files() <= f && tasks() <= t)
        };
        let deadline = Instant::now() + Duration::from_secs(20);
        while !settled(before) && Instant::now() < deadline {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        assert!(
            settled(before),
            "{before:?}, and now {:?}",
            (files(), tasks())
        );
        // What the process itself keeps is there after the first time.
        tokio::time::sleep(Duration::from_millis(300)).await;
        before.get_or_insert((files(), tasks()));
        server.forget();
    }
}
