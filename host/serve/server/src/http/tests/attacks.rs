//! Attacks, each with its verdict.

use std::fmt::Write;
use std::iter::repeat_n;

use tokio::time::{Instant, sleep};

use super::super::Patience;
use super::*;

fn impatient() -> Options {
    Options {
        patience: Patience {
            first: Duration::from_millis(500),
            pause: Duration::from_millis(300),
            ..Patience::default()
        },
        ..Options::default()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn other_names_and_other_pages_are_refused() {
    let served = served(Options::default()).await;
    for (header, value) in [
        ("host", "evil.example"),
        ("host", "localhost.evil.example"),
        ("host", "10.0.0.1"),
        ("host", "localhost, evil.example"),
        ("host", "user@localhost"),
        ("origin", "https://evil.example"),
        ("origin", "null"),
        ("origin", "http://localhost.evil.example"),
        ("origin", "http://127.0.0.1.evil.example"),
    ] {
        let answer = served.post(&[(header, value)], &initialize()).await;
        assert_eq!(answer.status(), Some(403), "{header}: {value}");
        assert_eq!(answer.header("mcp-session-id"), None);
    }
    // Names that a proxy heard are not believed.
    let forwarded = [
        ("host", "evil.example"),
        ("x-forwarded-host", "localhost"),
        ("forwarded", "host=localhost"),
    ];
    assert_eq!(
        served.post(&forwarded, &initialize()).await.status(),
        Some(403)
    );
    let nameless = "POST /mcp HTTP/1.0\r\ncontent-length: 0\r\n\r\n";
    assert_eq!(served.answers(nameless).await.status(), Some(403));
    let elsewhere = "POST http://evil.example/mcp HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-length: 0\r\n\r\n";
    assert_eq!(served.answers(elsewhere).await.status(), Some(403));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_has_one_length_or_is_none() {
    let served = served(impatient()).await;
    // What a proxy might take for the next request, or for a part of this one.
    let hidden = "GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n";
    let start = "POST /mcp HTTP/1.1\r\nhost: localhost\r\n";
    for shape in [
        "content-length: 0\r\ncontent-length: 44\r\n",
        "content-length: 0, 44\r\n",
        "content-length: +0\r\n",
        "content-length: -1\r\n",
        "content-length: 0x0\r\n",
        "content-length: 99999999999999999999\r\n",
        "content-length : 0\r\n",
        "x: a\r\n content-length: 0\r\n",
        "transfer-encoding: xchunked\r\n",
        "transfer-encoding: chunked, identity\r\n",
        "transfer-encoding : chunked\r\n",
        "transfer-encoding:\r\n chunked\r\n",
        "transfer-encoding: chunked\r\ntransfer-encoding: x\r\n",
    ] {
        let answer = served.answers(format!("{start}{shape}\r\n{hidden}")).await;
        assert_eq!(answer.count(), 1, "{shape:?}: {answer:?}");
        assert_eq!(answer.status(), Some(400), "{shape:?}: {answer:?}");
    }
    for chunk in [
        "0x0\r\n\r\n",
        "-1\r\n",
        "fffffffffffffffff\r\n",
        "z\r\n",
        "1\r\nab\r\n0\r\n\r\n",
    ] {
        let answer = served
            .answers(format!(
                "{start}transfer-encoding: chunked\r\n\r\n{chunk}{hidden}"
            ))
            .await;
        assert_eq!(
            (answer.count(), answer.status()),
            (1, Some(400)),
            "{chunk:?}: {answer:?}"
        );
    }
    // Of both, the length that is sent in pieces counts, and the other is as if it were not there.
    let both =
        "content-length: 44\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n0\r\n\r\n";
    let answer = served.answers(format!("{start}{both}{hidden}")).await;
    assert_eq!(answer.count(), 1, "{answer:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn who_is_slow_is_not_waited_for() {
    let served = served(impatient()).await;
    for begun in [
        "",
        "POST /mcp HT",
        "POST /mcp HTTP/1.1\r\nhost: localhost\r\nx: a",
    ] {
        let began = Instant::now();
        let answer = served.answers(begun).await;
        assert_eq!(answer.count(), 0, "{answer:?}");
        assert!(began.elapsed() >= Duration::from_millis(450), "{begun:?}");
    }
    // A byte of its headers now and then does not help.
    let mut stream = served.connect().await;
    let dripping = async {
        for byte in head(&[]).into_bytes() {
            if stream.write_all(&[byte]).await.is_err() {
                break;
            }
            sleep(Duration::from_millis(50)).await;
        }
        Answer::read(stream).await
    };
    assert_eq!(dripping.await.count(), 0);
    let answer = served
        .answers(format!("{}content-length: 100\r\n\r\n{{\"", head(&[])))
        .await;
    assert_eq!(answer.status(), Some(408));
    let answer = served
        .answers(format!(
            "{}transfer-encoding: chunked\r\n\r\n2\r\n{{\"\r\n",
            head(&[])
        ))
        .await;
    assert_eq!(answer.status(), Some(408));
}

#[tokio::test(flavor = "multi_thread")]
async fn thousands_of_half_open_connections_hold_what_they_may_and_go() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let Rlimit { maximum, .. } = getrlimit(Resource::Nofile);
    let current = maximum;
    setrlimit(Resource::Nofile, Rlimit { current, maximum }).unwrap();
    let served = served(Options {
        connections: 1000,
        patience: Patience {
            first: Duration::from_secs(5),
            ..Patience::default()
        },
        ..Options::default()
    })
    .await;
    let mut streams = Vec::new();
    for _ in 0..3000 {
        let mut stream = served.connect().await;
        let _ = stream.write_all(b"POST /mcp HTTP/1.1\r\n").await;
        streams.push(stream);
    }
    let ended = futures::future::join_all(streams.into_iter().map(Answer::read)).await;
    assert!(ended.iter().all(|answer| answer.count() == 0));
    assert_eq!(served.post(&[], &initialize()).await.status(), Some(200));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_too_large_is_refused_before_it_is_held() {
    let served = served(impatient()).await;
    let long = "x".repeat(100 << 10);
    let answer = served.post(&[("x-long", &long)], &initialize()).await;
    assert_eq!(answer.status(), Some(431));
    let mut many = head(&[]);
    for number in 0..200 {
        write!(many, "x-{number}: y\r\n").unwrap();
    }
    let answer = served
        .answers(format!("{many}content-length: 0\r\n\r\n"))
        .await;
    assert_eq!(answer.status(), Some(431));
    let target = format!("POST /{long} HTTP/1.1\r\nhost: localhost\r\n\r\n");
    let status = served.answers(target).await.status();
    assert!(matches!(status, Some(414 | 431)), "{status:?}");
    let announced = format!("{}content-length: 999999999999\r\n\r\n", head(&[]));
    assert_eq!(served.answers(announced).await.status(), Some(413));

    let mut stream = served.connect().await;
    stream
        .write_all(format!("{}transfer-encoding: chunked\r\n\r\n", head(&[])).as_bytes())
        .await
        .unwrap();
    let chunk = format!("100000\r\n{}\r\n", " ".repeat(0x10_0000));
    let endless = async { while stream.write_all(chunk.as_bytes()).await.is_ok() {} };
    timeout(PATIENCE, endless).await.expect("an end");
}

#[tokio::test(flavor = "multi_thread")]
async fn json_is_bounded_before_it_is_parsed() {
    let served = served(Options::default()).await;
    let session = served.session().await;
    let nested = |depth: usize| {
        let (open, close): (String, String) = (
            repeat_n('[', depth).collect(),
            repeat_n(']', depth).collect(),
        );
        let list = format!("{open}{close}");
        format!(
            r#"{{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{{"name":"execute_code","arguments":{{"code":{list}}}}}}}"#
        )
    };
    let many = format!(
        r#"{{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{{"name":"a","arguments":{{"code":[{}0]}}}}}}"#,
        "{},".repeat(9 << 20)
    );
    let long_id = format!(
        r#"{{"jsonrpc":"2.0","id":"{}","method":"ping"}}"#,
        "x".repeat(1 << 20)
    );
    for (body, code) in [
        (nested(200), -32602),
        (nested(5 << 20), -32602),
        (many, -32600),
        (long_id, -32600),
        ("[]".to_owned(), -32600),
        (format!("[{}]", initialize()), -32600),
        ("{".to_owned(), -32700),
        (String::new(), -32700),
        ("\u{feff}".to_owned(), -32700),
        ("nonsense".to_owned(), -32700),
        ("42".to_owned(), -32600),
        (
            r#"{"jsonrpc":"1.0","id":7,"method":"ping"}"#.to_owned(),
            -32600,
        ),
        (
            r#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#.to_owned(),
            -32600,
        ),
    ] {
        for headers in [vec![], vec![("mcp-session-id", &*session)]] {
            let answer = served.answers(post(&headers, &body)).await;
            let shown = &body[..body.len().min(100)];
            assert_eq!(answer.status(), Some(400), "{shown}: {answer:?}");
            assert_eq!(answer.message()["error"]["code"], code, "{shown}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn sessions_can_not_be_guessed() {
    let served = served(Options::default()).await;
    let (first, second) = (served.session().await, served.session().await);
    assert!(first.len() >= 32 && first != second);
    let same = first
        .chars()
        .zip(second.chars())
        .filter(|(a, b)| a == b)
        .count();
    assert!(same < first.len() / 2, "{first} {second}");
    let list = request("tools/list", json!({}));
    let upper = first.to_uppercase();
    let begun = &first[..first.len() - 1];
    let both = format!("{first}, {second}");
    for guess in [
        "",
        "0",
        "null",
        "..",
        begun,
        &upper,
        &both,
        "00000000-0000-4000-8000-000000000000",
    ] {
        for message in [&list, &initialize()] {
            let answer = served.post(&[("mcp-session-id", guess)], message).await;
            assert_eq!(answer.status(), Some(404), "{guess}");
        }
    }
    let twice = [("mcp-session-id", &*first), ("mcp-session-id", &*second)];
    assert_eq!(served.post(&twice, &list).await.status(), Some(404));
    // An answer to a question that nobody asked.
    let answer = json!({"jsonrpc": "2.0", "id": "ampoule-1", "result": {}});
    assert_eq!(
        served
            .post(&[("mcp-session-id", &first)], &answer)
            .await
            .status(),
        Some(202)
    );
    assert_eq!(served.post(&[], &answer).await.status(), Some(404));
}

#[tokio::test(flavor = "multi_thread")]
async fn one_principal_has_so_many_requests_at_once() {
    let mut served = served(Options {
        requests_each: 2,
        ..Options::default()
    })
    .await;
    let session = served.session().await;
    let headers = [("mcp-session-id", &*session)];
    let asked = post(&headers, &execute("await tools.test.hang({})").to_string());
    let mut streams = Vec::new();
    for number in 1..=2 {
        let mut stream = served.connect().await;
        stream.write_all(asked.as_bytes()).await.unwrap();
        served.hang(number).await;
        streams.push(stream);
    }
    let refused = served.answers(&asked).await;
    assert_eq!(refused.status(), Some(429));
    assert_eq!(refused.header("retry-after"), Some("1"));
    drop(streams);
    served.hang(0).await;
    let list = request("tools/list", json!({}));
    timeout(PATIENCE, async {
        while served.post(&headers, &list).await.status() != Some(200) {}
    })
    .await
    .expect("room for another");
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_that_is_malformed_is_waited_for_or_kills() {
    let served = served(impatient()).await;
    for bytes in [
        &b"\0\0\0\0"[..],
        b"\r\n\r\n\r\n\r\n",
        b"GET\r\n\r\n",
        b"GET /mcp\r\n\r\n",
        b"GET /mcp HTTP/9.9\r\n\r\n",
        b"GET /mcp HTTP/1.1\n\n",
        b"G\xff /mcp HTTP/1.1\r\nhost: localhost\r\n\r\n",
        b"POST /mcp HTTP/1.1\r\nhost: localhost\r\nx\0y: z\r\n\r\n",
        b"POST /mcp HTTP/1.1\r\nhost: localhost\r\n: z\r\n\r\n",
        b"POST /mcp HTTP/1.1\r\nhost: localhost\r\nx: a\rb\r\n\r\n",
        b"POST /mcp HTTP/1.1\r\nhost: localhost\r\nexpect: nonsense\r\nconnection: close\r\ncontent-length: 1\r\n\r\n",
        b"CONNECT localhost:80 HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n",
        b"OPTIONS * HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n",
        b"TRACE /mcp HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    ] {
        let answer = served.answers(bytes).await;
        let status = answer.status();
        assert!(status.is_none_or(|status| (400..500).contains(&status)), "{bytes:?}: {answer:?}");
        assert!(answer.count() <= 1, "{bytes:?}: {answer:?}");
    }
    assert_eq!(served.post(&[], &initialize()).await.status(), Some(200));
}
