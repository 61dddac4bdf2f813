//! Redirects: what is sent on, and what is not.

use axum::response::Response;

use super::server::{Server, path_of, with};
use super::*;

/// A server that answers `/302/x` with a redirect of that status to `/x`.
async fn sending_on() -> Server {
    Server::new(|seen| {
        let path = path_of(seen).to_owned();
        let status = path.get(1..4).and_then(|status| status.parse().ok());
        match status {
            Some(status) => with(status, "location", &path[4..]),
            None => Response::new(seen.to_owned().into()),
        }
    })
    .await
}

#[tokio::test]
async fn methods_and_bodies_are_sent_on_as_browsers_do() {
    let server = sending_on().await;
    let binding = to(&server.origin);
    for (method, status, then, body) in [
        ("POST", 301, "GET", ""),
        ("POST", 302, "GET", ""),
        ("POST", 303, "GET", ""),
        ("POST", 307, "POST", "text"),
        ("POST", 308, "POST", "text"),
        ("PUT", 302, "PUT", "text"),
        ("PUT", 303, "GET", ""),
        ("DELETE", 303, "GET", ""),
    ] {
        let url = server.url(&format!("/{status}/end"));
        let asked = json!({ "url": url, "method": method, "body": "text", "headers": [["content-type", "text/plain"], ["authorization", "Bearer mine"]] });
        let answer = fetch(&binding, asked).await.unwrap();
        let seen = answer["body"].as_str().unwrap();
        assert!(
            seen.starts_with(&format!("{then} /end\n")),
            "{method} {status}: {seen}"
        );
        assert!(
            seen.ends_with(&format!("\n\n{body}")),
            "{method} {status}: {seen}"
        );
        assert_eq!(
            seen.contains("content-type"),
            !body.is_empty(),
            "{method} {status}: {seen}"
        );
        assert!(seen.contains("authorization: Bearer mine"), "{seen}");
        assert_eq!(answer["url"], server.url("/end"));
        assert_eq!(answer["redirected"], true);
    }
}

#[tokio::test]
async fn other_origins_get_no_credentials() {
    let (other, server) = (Server::echo().await, sending_on().await);
    let rules = rules(json!({ "allow": [
        { "hosts": [server.origin], "private": true, "headers": { "X-Key": "hunter2-key" } },
        { "hosts": [other.origin], "private": true },
    ] }));
    let binding = by(rules, OutboundOptions::default());
    let asked = json!({
        "url": server.url(&format!("/302{}", other.url("/x").replacen("http:/", "/http:", 1))),
        "headers": [["authorization", "Bearer mine"], ["cookie", "a=b"], ["x-other", "stays"]],
    });
    // A path that is not a URL of another origin stays here.
    let answer = fetch(&binding, asked.clone()).await.unwrap();
    assert!(answer["url"].as_str().unwrap().starts_with(&server.origin));
    let sender = {
        let to = other.url("/x");
        Server::new(move |_| with(307, "location", &to)).await
    };
    let rules = self::rules(json!({ "allow": [
        { "hosts": [sender.origin], "private": true, "headers": { "X-Key": "hunter2-key" } },
        { "hosts": [other.origin], "private": true },
    ] }));
    let binding = by(rules, OutboundOptions::default());
    let asked = json!({ "url": sender.url("/"), "headers": asked["headers"] });
    let answer = fetch(&binding, asked).await.unwrap();
    let seen = answer["body"].as_str().unwrap();
    assert!(seen.contains("x-other: stays"), "{seen}");
    for gone in ["authorization", "cookie", "x-key"] {
        assert!(!seen.contains(gone), "{seen}");
    }
    let first = &sender.take_got()[0];
    for sent in [
        "authorization: Bearer mine",
        "cookie: a=b",
        "x-key: hunter2-key",
    ] {
        assert!(first.contains(sent), "{first}");
    }
}

#[tokio::test]
async fn each_redirect_is_decided_on() {
    let server = sending_on().await;
    let rules = rules(json!({ "allow": [
        { "hosts": [server.origin], "paths": ["/30*", "/open"], "private": true },
    ] }));
    let binding = by(rules, OutboundOptions::default());
    assert!(text(&binding, &server.url("/302/open")).await.is_ok());
    let why = refused(text(&binding, &server.url("/302/closed")).await);
    assert!(why.starts_with("after a redirect: GET "), "{why}");
    assert!(why.contains("/closed is not allowed"), "{why}");
    for (to, why) in [
        ("file:///etc/passwd", "begins with file:"),
        ("http://a@127.0.0.1/", "has a user name or password"),
        ("http://[::1", "can't be requested: "),
    ] {
        let server = Server::new(move |_| with(302, "location", to)).await;
        let told = refused(text(&self::to(&server.origin), &server.url("/")).await);
        assert!(told.contains(why), "{to}: {told}");
    }
}

#[tokio::test]
async fn a_script_says_what_becomes_of_redirects() {
    let server = sending_on().await;
    let binding = to(&server.origin);
    let asked = |redirect: &str| json!({ "url": server.url("/302/end"), "redirect": redirect });
    let manual = fetch(&binding, asked("manual")).await.unwrap();
    assert_eq!(
        (&manual["status"], &manual["body"]),
        (&json!(302), &json!("there"))
    );
    let headers = manual["headers"].as_array().unwrap();
    assert!(
        headers.contains(&json!(["location", "/end"])),
        "{headers:?}"
    );
    let why = refused(fetch(&binding, asked("error")).await);
    assert!(why.contains("redirects to /end"), "{why}");
    denied(fetch(&binding, asked("other")).await);
}

#[tokio::test]
async fn redirects_come_to_an_end() {
    let server = Server::new(|_| with(302, "location", "/again")).await;
    let why = refused(text(&to(&server.origin), &server.url("/")).await);
    assert!(why.ends_with("redirects more than 10 times"), "{why}");
    assert_eq!(server.take_got().len(), 11);
}
