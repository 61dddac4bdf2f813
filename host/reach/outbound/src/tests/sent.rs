//! What is sent, and what scripts get of the response.

use axum::response::Response;
use bytes::Bytes;
use http::{Request, StatusCode};
use serde_json::json;

use super::server::{Server, path_of, with};
use super::*;

#[tokio::test]
async fn a_request_is_sent_as_it_was_asked_for_and_its_response_told() {
    let server = Server::new(|_| with(201, "x-answer", "grüße")).await;
    let asked = json!({
        "url": server.url("/a%20b?q=1#part"), "method": "post", "body": "{\"n\":1}",
        "headers": [["Content-Type", "application/json"], ["X-Twice", "1"], ["X-Twice", "2"], ["Accept-Encoding", "identity"]],
    });
    let answer = fetch(&to(&server.origin), asked).await.unwrap();
    let got = server.take_got();
    let [got] = &*got else { panic!("{got:?}") };
    assert!(got.starts_with("POST /a%20b?q=1\n"), "{got}");
    for line in [
        "content-type: application/json",
        "x-twice: 1",
        "x-twice: 2",
        "user-agent: ampoule/0.1.0",
    ] {
        assert!(
            got.to_lowercase().contains(&format!("\n{line}\n")),
            "{line} in {got}"
        );
    }
    // What the host decodes, and nothing that the script says.
    assert!(got.contains("gzip") && !got.contains("identity"), "{got}");
    assert!(got.ends_with("\n\n{\"n\":1}"), "{got}");
    assert_eq!(answer["status"], 201);
    assert_eq!(answer["statusText"], "Created");
    assert_eq!(answer["body"], "there");
    assert_eq!(answer["url"], server.url("/a%20b?q=1"));
    assert_eq!(answer["redirected"], false);
    let headers = answer["headers"].as_array().unwrap();
    assert!(
        headers.contains(&json!(["content-length", "5"])),
        "{headers:?}"
    );
    // Bytes, each a character.
    let told: String = "grüße".bytes().map(char::from).collect();
    assert!(headers.contains(&json!(["x-answer", told])), "{headers:?}");
}

#[tokio::test]
async fn bytes_go_both_ways_as_base64() {
    let server = Server::new(|_| Response::new(vec![0xff, 0x00, 0x41].into())).await;
    let asked = json!({ "url": server.url("/"), "method": "PUT", "base64": "/wBB" });
    let answer = fetch(&to(&server.origin), asked).await.unwrap();
    assert_eq!(answer["base64"], "/wBB");
    assert_eq!(answer.get("body"), None);
    assert!(server.take_got()[0].contains("content-length: 3\n"));
    // A text that JSON would write at length is told so, too.
    let server = Server::new(|_| Response::new("\u{1}\u{2}".into())).await;
    let answer = fetch(&to(&server.origin), json!({ "url": server.url("/") })).await;
    assert_eq!(answer.unwrap()["base64"], "AQI=");
}

#[tokio::test]
async fn a_failure_of_a_server_is_a_response() {
    let server = Server::new(|_| with(503, "retry-after", "1")).await;
    let answer = fetch(&to(&server.origin), json!({ "url": server.url("/") })).await;
    assert_eq!(answer.unwrap()["status"], 503);
}

#[tokio::test]
async fn a_function_of_the_embedder_answers_instead() {
    let function = |request: Request<Bytes>, context: CallContext| async move {
        if request.uri().path() == "/old" {
            let sent_on = http::Response::builder()
                .status(302)
                .header("location", "/new");
            return Ok(sent_on.body(Bytes::new()).unwrap());
        }
        let said = format!(
            "{} {} for {}",
            request.method(),
            request.uri(),
            context.call().tool
        );
        let response = http::Response::builder().status(StatusCode::ACCEPTED);
        Ok(response.body(Bytes::from(said)).unwrap())
    };
    let options = OutboundOptions {
        response_bytes: 60,
        ..OutboundOptions::default()
    };
    let binding = OutboundBinding::new(Outbound::function(function), options).unwrap();
    let answer = fetch(&binding, json!({ "url": "http://anything.internal/old" }))
        .await
        .unwrap();
    assert_eq!(answer["status"], 202);
    assert_eq!(
        answer["body"],
        "GET http://anything.internal/new for $fetch"
    );
    assert_eq!(answer["redirected"], true);
    let long = format!("http://anything.internal/{}", "x".repeat(60));
    let why = refused(fetch(&binding, json!({ "url": long })).await);
    assert!(why.contains("has more than 60 bytes"), "{why}");
}

#[tokio::test]
async fn it_is_offered_and_not_listed() {
    assert!(OutboundBinding::new(Outbound::None, OutboundOptions::default()).is_none());
    let binding = to("http://127.0.0.1:1");
    assert_eq!(binding.tools().await.unwrap().len(), 0);
    assert_eq!(binding.offered()[0].name, "$fetch");
    let said = binding.description().unwrap();
    assert!(
        said.ends_with("to: http://127.0.0.1:1 (any method)"),
        "{said}"
    );
    let context = CallContext::without_a_run(NAME, "$other", RESULT_BYTES);
    let other = binding.call("$other", Map::new(), context).await;
    assert!(matches!(other, Err(CallError::NotReached(_))), "{other:?}");
}

#[tokio::test]
async fn paths_reach_the_server_as_they_were_decided_on() {
    let server = Server::echo().await;
    let binding = to(&server.origin);
    for (asked, sent) in [
        ("/a/../b", "/b"),
        ("/a/%2e%2E/b", "/b"),
        ("/a\\b", "/a/b"),
        ("/%61", "/%61"),
        ("", "/"),
    ] {
        let seen = text(&binding, &server.url(asked)).await.unwrap();
        assert_eq!(path_of(&seen), sent, "{asked}");
    }
}
