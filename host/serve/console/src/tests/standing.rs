//! Sign-ins that end, and those that stay: live streams, revoked tokens, an issuer that is down.

use ampoule_access::IssuerOptions;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use futures::StreamExt;

use super::browsers::{OWN, browser, signed_in};
use super::*;
use crate::access::{CSRF_FIELD, CSRF_HEADER};

/// Reads a stream to its end.
async fn ended(response: Response) {
    let read = tokio::time::timeout(PATIENCE, to_bytes(response.into_body(), MOST));
    read.await.expect("the stream ends").unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn live_streams_end_with_the_sign_in() {
    let fixture = Fixture::local();
    let (cookie, csrf) = signed_in(&fixture).await;
    let headers = [("cookie", &*cookie)];
    let open = async |path: &str| {
        let response = fixture
            .response(browser(Method::GET, path, &headers, ""))
            .await;
        assert_eq!(response.status(), StatusCode::OK, "{path}");
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        response
    };
    let json = [
        headers[0],
        OWN[0],
        OWN[1],
        (CSRF_HEADER, &*csrf),
        ("content-type", "application/json"),
    ];
    let waits = r#"{ "code": "await tools.demo.wait({})", "language": "javascript" }"#;
    let started = browser(Method::POST, "/api/v1/runs", &json, waits);
    let run = fixture.send(started).await.json()["run"]
        .as_str()
        .unwrap()
        .to_owned();
    let mut lists = open("/console/events").await.into_body().into_data_stream();
    let of_run = open(&format!("/api/v1/runs/{run}/events")).await;
    // As long as somebody is signed in, streams stay open.
    let early = tokio::time::timeout(RECHECKED * 5, async {
        while let Some(part) = lists.next().await {
            part.unwrap();
        }
    });
    assert!(early.await.is_err(), "the stream ended early");
    let form = [
        headers[0],
        OWN[0],
        OWN[1],
        ("content-type", "application/x-www-form-urlencoded"),
    ];
    let out = format!("{CSRF_FIELD}={csrf}");
    let out = fixture
        .send(browser(Method::POST, "/console/sign-out", &form, &out))
        .await;
    assert_eq!(out.status, StatusCode::SEE_OTHER, "{out:?}");
    ended(of_run).await;
    let rest = async { while lists.next().await.is_some() {} };
    tokio::time::timeout(PATIENCE, rest)
        .await
        .expect("the stream ends");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_live_stream_of_a_program_ends_when_its_token_is_revoked() {
    let fixture = Fixture::principals().await;
    let run = fixture
        .start(&fixture.ada, "await tools.demo.wait({})")
        .await;
    let path = format!("/api/v1/runs/{run}/events");
    let stream = fixture
        .response(bearer(&fixture.ada, Method::GET, &path, None))
        .await;
    let tokens = fixture.folder.path().join("tokens");
    let list = std::fs::read_to_string(&tokens).unwrap();
    let (rest, _) = edit::without(&list, "ada", None).unwrap();
    std::fs::write(&tokens, rest).unwrap();
    ended(stream).await;
    let refused = fixture.get(&fixture.ada, "/api/v1/me").await;
    assert_eq!(refused.status, StatusCode::UNAUTHORIZED, "{refused:?}");
}

/// A token of the company's issuer, as far as anybody can say who does not reach the issuer.
fn unchecked_token(issuer: &str) -> String {
    let part = |json: Value| URL_SAFE_NO_PAD.encode(json.to_string());
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let now = now.unwrap().as_secs();
    let head = part(json!({ "alg": "ES256", "typ": "at+jwt", "kid": "one" }));
    let claims = part(json!({
        "iss": issuer,
        "aud": "ampoule",
        "sub": "ada",
        "client_id": "console",
        "jti": "1",
        "iat": now,
        "exp": now + 600,
    }));
    format!("{head}.{claims}.{}", URL_SAFE_NO_PAD.encode([7; 64]))
}

#[tokio::test(flavor = "multi_thread")]
async fn an_issuer_that_is_down_signs_nobody_out() {
    let folder = tempfile::tempdir().unwrap();
    let (issuer, let_go) = ("http://127.0.0.1:9/team", Arc::<Notify>::default());
    let options = AccessOptions {
        issuer: Some(IssuerOptions {
            issuer: issuer.to_owned(),
            audience: vec!["ampoule".to_owned()],
            resource: Some("http://127.0.0.1/mcp".to_owned()),
            scopes: Vec::new(),
            principal_claim: None,
            groups_claim: None,
        }),
        ..AccessOptions::default()
    };
    let admission = Admission::Principals {
        access: Access::new(options, reqwest::Client::builder())
            .await
            .unwrap(),
        operators: Vec::new(),
        operator_groups: Vec::new(),
    };
    let parts = FixtureParts {
        runtime: runtime(&folder, &let_go, Withholding::Nothing),
        folder,
        let_go,
        browsers: Browsers::new(admission, false),
        answerers: EVERYBODY,
    };
    let fixture = parts.fixture(Default::default());
    let open = |token: &str| {
        let cookie = fixture.console.browsers().with_token(token);
        format!("ampoule-console-4000={cookie}")
    };
    let look = async |cookie: &str, path: &str| {
        let headers = [("cookie", cookie)];
        fixture.send(browser(Method::GET, path, &headers, "")).await
    };
    let (unchecked, foreign) = (open(&unchecked_token(issuer)), open("amp_unknown"));
    // Nothing can be said of the token, and the browser stays signed in.
    for path in [
        "/api/v1/me",
        "/console/runs",
        "/api/v1/me",
        "/console/events",
    ] {
        let down = look(&unchecked, path).await;
        assert_eq!(
            down.status,
            StatusCode::SERVICE_UNAVAILABLE,
            "{path}: {down:?}"
        );
    }
    // One that is refused ends the sign-in.
    let refused = look(&foreign, "/api/v1/me").await;
    assert_eq!(refused.status, StatusCode::UNAUTHORIZED, "{refused:?}");
    let page = look(&foreign, "/console/runs").await;
    assert_eq!(
        (page.status, page.header("location")),
        (
            StatusCode::SEE_OTHER,
            "/console/sign-in?to=%2Fconsole%2Fruns"
        )
    );
}
