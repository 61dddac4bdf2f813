//! What a program serves beside MCP: behind the same checks of names, and within limits.

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::routing::{get, post};

use http::header::HOST;
use http::{HeaderMap, Request};
use tower::ServiceExt;

use super::*;
use crate::http::side_service::alone_behind;

fn options() -> Options {
    let echo = async |body: String| body;
    let routes = Router::new()
        .route("/console", get(async || "the console\n"))
        .route("/console/echo", post(echo));
    Options {
        hosts: vec!["ampoule.example".to_owned()],
        beside: routes,
        ..Options::default()
    }
}

async fn ask(served: &Served, first: &str, headers: &[(&str, &str)], body: &str) -> Answer {
    let mut request = format!("{first} HTTP/1.1\r\nconnection: close\r\n");
    for (name, value) in headers {
        request += &format!("{name}: {value}\r\n");
    }
    request += &format!("content-length: {}\r\n\r\n{body}", body.len());
    served.answers(request).await
}

#[tokio::test(flavor = "multi_thread")]
async fn foreign_hosts_and_origins_do_not_get_there() {
    let served = served(options()).await;
    for (headers, status) in [
        (&[("host", "localhost")][..], 200),
        (&[("host", "ampoule.example")], 200),
        (
            &[
                ("host", "ampoule.example"),
                ("origin", "https://ampoule.example"),
            ],
            200,
        ),
        (&[("host", "evil.example")], 403),
        (
            &[("host", "localhost"), ("origin", "https://evil.example")],
            403,
        ),
        (
            &[("host", "localhost:1"), ("origin", "http://localhost:2")],
            403,
        ),
    ] {
        let answer = ask(&served, "GET /console", headers, "").await;
        assert_eq!(answer.status(), Some(status), "{headers:?}: {answer:?}");
        assert_eq!(
            answer.0.contains("the console"),
            status == 200,
            "{answer:?}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn bodies_are_limited_and_other_addresses_stay_as_they_are() {
    let served = served(options()).await;
    let host = [("host", "localhost")];
    let small = ask(&served, "POST /console/echo", &host, "small").await;
    assert!(small.0.ends_with("small"), "{small:?}");
    let large = "x".repeat((1 << 20) + 1);
    let refused = ask(&served, "POST /console/echo", &host, &large).await;
    assert_eq!(refused.status(), Some(413), "{refused:?}");
    let unknown = ask(&served, "GET /elsewhere", &host, "").await;
    assert_eq!(unknown.status(), Some(404), "{unknown:?}");
    assert!(unknown.0.contains("MCP is at /mcp"), "{unknown:?}");
    let health = ask(&served, "GET /healthz", &host, "").await;
    assert_eq!(health.status(), Some(200), "{health:?}");
}

#[tokio::test]
async fn routes_see_the_host_that_http2_names_in_the_address() {
    let host = async |headers: HeaderMap| {
        let named: Vec<_> = headers
            .get_all(HOST)
            .iter()
            .map(|it| it.to_str().unwrap().to_owned())
            .collect();
        named.join(" ")
    };
    let routes = alone_behind(Router::new().route("/console", get(host)));
    let address = "https://ampoule.example:8443/console";
    let request = || Request::get(address);
    for request in [
        request().body(Body::empty()),
        request()
            .header(HOST, "ampoule.example:8443")
            .body(Body::empty()),
    ] {
        let answer = routes.clone().oneshot(request.unwrap()).await.unwrap();
        let body = to_bytes(answer.into_body(), 1 << 10).await.unwrap();
        assert_eq!(body, "ampoule.example:8443");
    }
}

#[tokio::test]
async fn room_is_taken_until_the_answer_has_been_read() {
    let routes = alone_behind(Router::new().route("/console", get(async || "the console\n")));
    let ask = async || {
        let request = Request::get("/console").header(HOST, "localhost");
        let request = request.body(Body::empty()).unwrap();
        routes.clone().oneshot(request).await.unwrap()
    };
    let mut open = Vec::new();
    let full = loop {
        let answer = ask().await;
        if answer.status() != 200 {
            break answer;
        }
        open.push(answer);
        assert!(open.len() < 2_000, "answers that nobody reads take no room");
    };
    assert_eq!((full.status().as_u16(), open.len()), (503, 1024));
    drop(open);
    assert_eq!(ask().await.status(), 200);
}
