//! Headers that the host adds: who gets them, and who does not.

use super::server::{Server, with};
use super::*;
use crate::Secret;

#[tokio::test]
async fn the_host_adds_them_where_they_belong_and_scripts_see_none() {
    let server = Server::echo().await;
    let rules = rules(json!({ "allow": [
        { "hosts": [server.origin], "paths": ["/v1/*"], "private": true, "headers": { "Authorization": "Bearer hunter2-token", "X-Odd": "a\"b/c d+hunter2" } },
        { "hosts": [server.origin], "private": true },
    ] }));
    assert!(!format!("{rules:?}").contains("hunter2"), "{rules:?}");
    let binding = by(rules, OutboundOptions::default());
    // The script's own gives way.
    let asked =
        json!({ "url": server.url("/v1/x"), "headers": [["authorization", "Bearer mine"]] });
    let answer = fetch(&binding, asked).await.unwrap();
    let got = server.take_got();
    assert!(
        got[0].contains("authorization: Bearer hunter2-token\n"),
        "{}",
        got[0]
    );
    assert!(!got[0].contains("mine"), "{}", got[0]);
    let said = answer.to_string();
    assert!(!said.contains("hunter2"), "{said}");
    assert!(said.contains("authorization: [redacted]\\n"), "{said}");
    // What is not for all paths is not sent to all.
    let seen = text(&binding, &server.url("/v2")).await.unwrap();
    assert!(!seen.contains("authorization"), "{seen}");
    assert!(
        binding
            .secrets()
            .contains(&"Bearer hunter2-token".to_owned())
    );
}

#[tokio::test]
async fn what_a_server_repeats_in_other_forms_is_blotted_out() {
    use base64::Engine as _;
    let basic = base64::engine::general_purpose::STANDARD.encode("ada:hunter2 word");
    let said = format!(
        "{{\"headers\":\"Basic {basic}\",\"user\":\"ada:hunter2 word\",\"pw\":\"hunter2 word\",\"url\":\"hunter2%20word\",\"plain\":\"stays\"}}"
    );
    let server = Server::new(move |_| with(200, "x-seen", &said)).await;
    let value = format!("Basic {basic}");
    let rule = Rule::to([&server.origin]).unwrap().private();
    let rule = rule.header("Authorization", Secret::new(value)).unwrap();
    let binding = by(Rules::default().and(rule), OutboundOptions::default());
    let answer = fetch(&binding, json!({ "url": server.url("/") }))
        .await
        .unwrap()
        .to_string();
    assert!(
        !answer.contains("hunter2") && !answer.contains(&basic),
        "{answer}"
    );
    assert!(answer.contains("stays"), "{answer}");
}

#[tokio::test]
async fn neither_addresses_nor_errors_repeat_them() {
    let server = Server::new(|seen| match seen.contains("GET /end") {
        true => with(200, "x", "y"),
        false => with(302, "location", "/end?token=hunter2-token"),
    })
    .await;
    let rule = |paths: &[&str]| {
        let rule = Rule::to([&server.origin])
            .unwrap()
            .private()
            .paths(paths)
            .unwrap();
        rule.header("X-Token", Secret::new("hunter2-token"))
            .unwrap()
    };
    let binding = by(
        Rules::default().and(rule(&["*"])),
        OutboundOptions::default(),
    );
    let answer = fetch(&binding, json!({ "url": server.url("/") }))
        .await
        .unwrap();
    assert_eq!(answer["url"], server.url("/end?token=[redacted]"));
    let asked = json!({ "url": server.url("/"), "redirect": "error" });
    let why = refused(fetch(&binding, asked).await);
    assert!(why.contains("/end?token=[redacted]"), "{why}");
}

#[tokio::test]
async fn they_are_sent_to_no_host_that_a_request_was_sent_on_to() {
    let thief = Server::echo().await;
    let to = thief.url("/steal");
    let server = Server::new(move |_| with(302, "location", &to)).await;
    let rules = rules(json!({ "allow": [
        { "hosts": [server.origin], "private": true, "headers": { "Authorization": "Bearer hunter2-token" } },
        { "hosts": ["http://127.0.0.1:*"], "private": true },
    ] }));
    text(&by(rules, OutboundOptions::default()), &server.url("/"))
        .await
        .unwrap();
    assert!(server.take_got()[0].contains("hunter2"));
    assert!(!thief.take_got()[0].contains("hunter2"));
}
