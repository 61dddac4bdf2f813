//! Requests that are not sent as they were written.

use super::server::Server;
use super::*;

#[tokio::test]
async fn headers_that_would_make_it_another_request_are_refused() {
    let server = Server::echo().await;
    let binding = to(&server.origin);
    let asked = |name: &str, value: &str| json!({ "url": server.url("/"), "method": "POST", "body": "x", "headers": [[name, value]] });
    for name in [
        "Host",
        "Content-Length",
        "connection",
        "Keep-Alive",
        "Transfer-Encoding",
        "TE",
        "Trailer",
        "Upgrade",
        "Expect",
        "Proxy-Authorization",
        "Proxy-Connection",
        "Via",
        "HTTP2-Settings",
    ] {
        let why = denied(fetch(&binding, asked(name, "1")).await);
        assert!(
            why.starts_with(&format!(
                "the header `{name}` can't be set: the host sets it"
            )),
            "{why}"
        );
    }
    for name in [
        "X-HTTP-Method-Override",
        "X-Original-URL",
        "x-rewrite-url",
        "X-HTTP-Method",
        "X-Method-Override",
    ] {
        let why = denied(fetch(&binding, asked(name, "DELETE")).await);
        assert!(why.contains("change what the request means"), "{why}");
    }
    for (name, value) in [
        ("X", "a\r\nHost: evil.io"),
        ("X", "a\nb"),
        ("X", "a\rb"),
        ("X", "a\0b"),
        ("X", "日本"),
        ("X\r\nHost", "a"),
        ("X:", "a"),
        ("X ", "a"),
        ("", "a"),
        ("Ü", "a"),
    ] {
        let why = denied(fetch(&binding, asked(name, value)).await);
        assert!(
            why.contains("can't be sent") || why.contains("no header can have"),
            "{name:?}: {why}"
        );
        assert!(!why.contains('\n'), "{why}");
    }
    let many: Vec<_> = (0..101).map(|at| json!([format!("x-{at}"), ""])).collect();
    let why = denied(fetch(&binding, json!({ "url": server.url("/"), "headers": many })).await);
    assert!(why.contains("may have 100 headers"), "{why}");
    let why = denied(fetch(&binding, asked("x", &"a".repeat(33_000))).await);
    assert!(why.contains("32768 bytes"), "{why}");
    assert_eq!(server.take_got().len(), 0);
}

#[tokio::test]
async fn arguments_that_make_no_request_are_refused() {
    let server = Server::echo().await;
    let binding = to(&server.origin);
    for (asked, why) in [
        (
            json!({ "method": "GET /x HTTP/1.1\r\nHost: y\r\n\r\nGET" }),
            "is not a method",
        ),
        (json!({ "method": "TRACE" }), "is never sent"),
        (
            json!({ "method": "POST", "body": "a", "base64": "YQ==" }),
            "both `body` and `base64`",
        ),
        (
            json!({ "method": "POST", "base64": "a b" }),
            "is not base64",
        ),
        (json!({ "body": "a" }), "a GET request has no body"),
        (
            json!({ "method": "head", "body": "a" }),
            "a HEAD request has no body",
        ),
        (json!({ "headers": [["a"]] }), "invalid length"),
        (json!({ "colour": 1 }), "unknown field"),
    ] {
        let mut asked = asked;
        asked["url"] = server.url("/").into();
        let told = denied(fetch(&binding, asked.clone()).await);
        assert!(told.contains(why), "{asked}: {told}");
    }
    assert_eq!(server.take_got().len(), 0);
}
