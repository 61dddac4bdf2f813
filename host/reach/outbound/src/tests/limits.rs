//! What requests may take.

use std::io::Write as _;
use std::time::Duration;

use axum::response::Response;
use futures::future::join_all;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use super::server::Server;
use super::*;

fn limited(origin: &str, options: OutboundOptions) -> OutboundBinding {
    let rule = Rule::to([origin]).unwrap().private();
    let rule = rule.methods(crate::Methods::all());
    by(Rules::default().and(rule), options)
}

/// A server of raw bytes: what it answers each connection with, and what it does then.
async fn raw<F>(answer: impl Fn(tokio::net::TcpStream) -> F + Send + 'static) -> String
where
    F: Future<Output = ()> + Send + 'static,
{
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let origin = format!("http://127.0.0.1:{}", listener.local_addr().unwrap().port());
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut read = [0; 4096];
            let _ = stream.read(&mut read).await;
            tokio::spawn(answer(stream));
        }
    });
    origin
}

#[tokio::test]
async fn a_request_has_a_size() {
    let server = Server::echo().await;
    let options = OutboundOptions {
        request_bytes: 10,
        ..OutboundOptions::default()
    };
    let binding = limited(&server.origin, options);
    let asked = |body: &str| json!({ "url": server.url("/"), "method": "POST", "body": body });
    assert!(fetch(&binding, asked("0123456789")).await.is_ok());
    let why = denied(fetch(&binding, asked("0123456789x")).await);
    assert_eq!(why, "the request's body has 11 bytes, and may have 10");
}

#[tokio::test]
async fn a_response_has_a_size() {
    let server = Server::new(|_| Response::new("x".repeat(1000).into())).await;
    let options = |response_bytes| OutboundOptions {
        response_bytes,
        ..OutboundOptions::default()
    };
    let whole = text(&limited(&server.origin, options(1000)), &server.url("/")).await;
    assert_eq!(whole.unwrap().len(), 1000);
    let why = refused(text(&limited(&server.origin, options(999)), &server.url("/")).await);
    assert!(
        why.ends_with("has more than 999 bytes, which is as much as is read"),
        "{why}"
    );
    // What the run may be told is another limit.
    let context = CallContext::without_a_run(NAME, "$fetch", 500);
    let arguments = serde_json::from_value(json!({ "url": server.url("/") })).unwrap();
    let answer = limited(&server.origin, options(1000))
        .call("$fetch", arguments, context)
        .await;
    assert!(
        matches!(answer, Err(CallError::ResultTooLarge { .. })),
        "{answer:?}"
    );
}

#[tokio::test]
async fn what_is_small_and_grows_is_not_read_to_its_end() {
    // 64 MiB, in a thousandth of that.
    let mut bomb = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    for _ in 0..64 {
        bomb.write_all(&[0; 1024 * 1024]).unwrap();
    }
    let bomb = bomb.finish().unwrap();
    assert!(bomb.len() < 128 * 1024);
    let server = Server::new(move |_| {
        let response = Response::builder().header("content-encoding", "gzip");
        response.body(bomb.clone().into()).unwrap()
    })
    .await;
    let began = std::time::Instant::now();
    let why = refused(text(&to(&server.origin), &server.url("/")).await);
    assert!(why.contains("has more than 8388608 bytes"), "{why}");
    assert!(began.elapsed() < Duration::from_secs(10));
}

#[tokio::test]
async fn a_compressed_response_is_told_as_what_it_is() {
    let mut small = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    small.write_all(b"hello").unwrap();
    let small = small.finish().unwrap();
    let server = Server::new(move |_| {
        let response = Response::builder().header("content-encoding", "gzip");
        response.body(small.clone().into()).unwrap()
    })
    .await;
    let answer = fetch(&to(&server.origin), json!({ "url": server.url("/") }))
        .await
        .unwrap();
    assert_eq!(answer["body"], "hello");
    assert!(!answer["headers"].to_string().contains("gzip"));
}

#[tokio::test]
async fn a_server_that_takes_its_time_has_no_more_than_there_is() {
    let slow = |head: &'static str| {
        raw(move |mut stream| async move {
            for byte in head.bytes().chain(std::iter::repeat(b'x')) {
                if stream.write_all(&[byte]).await.is_err() {
                    return;
                }
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        })
    };
    let options = OutboundOptions {
        timeout: Duration::from_millis(300),
        ..OutboundOptions::default()
    };
    let heads = [
        "HTTP/1.1 200 OK\r\nx-endless: ",
        "HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n",
    ];
    for head in heads {
        let origin = slow(head).await;
        let answer = text(&limited(&origin, options.clone()), &origin).await;
        let Err(CallError::TimedOut(why)) = answer else {
            panic!("{answer:?}")
        };
        assert!(
            why.ends_with("there was no whole response within 300ms"),
            "{why}"
        );
    }
}

#[tokio::test]
async fn a_response_that_is_none_is_told() {
    for (said, kept_open) in [
        (&b"garbage\r\n\r\n"[..], false),
        (b"", false),
        (b"HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc", false),
        (
            b"HTTP/1.1 200 OK\r\ncontent-length: 3\r\ncontent-length: 4\r\n\r\nabcd",
            true,
        ),
        (
            b"HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 3\r\n\r\nabc",
            true,
        ),
    ] {
        let origin = raw(move |mut stream| async move {
            let _ = stream.write_all(said).await;
            if kept_open {
                tokio::time::sleep(Duration::from_secs(5)).await;
            }
        })
        .await;
        let answer = text(&to(&origin), &origin).await;
        assert!(
            matches!(answer, Err(CallError::Lost(_))),
            "{said:?}: {answer:?}"
        );
    }
    // Nobody is there.
    let answer = text(&to("http://127.0.0.1:1"), "http://127.0.0.1:1/").await;
    let Err(CallError::NotReached(why)) = answer else {
        panic!("{answer:?}")
    };
    assert_eq!(why, "http://127.0.0.1:1/: nothing listens at its address");
}

#[tokio::test]
async fn headers_of_a_response_have_a_size() {
    let origin = raw(|mut stream| async move {
        let header = format!("x: {}\r\n", "y".repeat(40_000));
        let said = format!("HTTP/1.1 200 OK\r\n{header}{header}content-length: 0\r\n\r\n");
        let _ = stream.write_all(said.as_bytes()).await;
        tokio::time::sleep(Duration::from_secs(5)).await;
    })
    .await;
    let answer = text(&to(&origin), &origin).await;
    assert!(
        matches!(answer, Err(CallError::Refused(_) | CallError::Lost(_))),
        "{answer:?}"
    );
}

#[tokio::test]
async fn only_so_many_are_under_way_at_once() {
    let at_once = std::sync::Arc::new(parking_lot::Mutex::new((0, 0)));
    let seen = std::sync::Arc::clone(&at_once);
    let origin = raw(move |mut stream| {
        let seen = std::sync::Arc::clone(&seen);
        async move {
            {
                let mut seen = seen.lock();
                seen.0 += 1;
                seen.1 = seen.1.max(seen.0);
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
            seen.lock().0 -= 1;
            let _ = stream
                .write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 1\r\nconnection: close\r\n\r\nx")
                .await;
        }
    })
    .await;
    let options = OutboundOptions {
        concurrency: 3,
        ..OutboundOptions::default()
    };
    let binding = limited(&origin, options);
    let all = join_all((0..12).map(|_| text(&binding, &origin))).await;
    assert!(all.iter().all(Result::is_ok), "{all:?}");
    assert_eq!(at_once.lock().1, 3);
}
