//! Browsers: one-time addresses, cookies, and requests that others forge.

use super::*;
use crate::access::{CSRF_FIELD, CSRF_HEADER};

/// A request of a browser that looks at the console at this port.
pub(super) fn browser(
    method: Method,
    path: &str,
    headers: &[(&str, &str)],
    body: &str,
) -> Request<Body> {
    let mut request = Request::builder().method(method).uri(path);
    let has_host = headers.iter().any(|(name, _)| *name == "host");
    if !has_host {
        request = request.header("host", "127.0.0.1:4000");
    }
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    request.body(Body::from(body.to_owned())).unwrap()
}

/// What a browser says of requests of the console's own pages.
pub(super) const OWN: [(&str, &str); 2] = [
    ("origin", "http://127.0.0.1:4000"),
    ("sec-fetch-site", "same-origin"),
];

/// A browser that is signed in: its cookie, and the token for its forms.
pub(super) async fn signed_in(fixture: &Fixture) -> (String, String) {
    let path = fixture.console.browsers().one_time_path().unwrap();
    let opened = fixture.send(browser(Method::GET, &path, &[], "")).await;
    assert_eq!(opened.status, StatusCode::OK, "{opened:?}");
    let cookie = opened.header("set-cookie").to_owned();
    for part in [
        "ampoule-console-4000=",
        "; Path=/;",
        "HttpOnly",
        "SameSite=Strict",
    ] {
        assert!(cookie.contains(part), "{cookie}");
    }
    assert!(!cookie.contains("Secure"), "without TLS: {cookie}");
    let cookie = cookie.split(';').next().unwrap().to_owned();
    let value = cookie.split_once('=').unwrap().1;
    let visitor = fixture.console.browsers().visitor(value).await.unwrap();
    (cookie, visitor.unwrap().csrf)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_one_time_address_signs_in_one_browser_once() {
    let fixture = Fixture::local();
    let path = fixture.console.browsers().one_time_path().unwrap();
    let ahead = [("sec-purpose", "prefetch")];
    let looked = fixture.send(browser(Method::GET, &path, &ahead, "")).await;
    assert_eq!(looked.status, StatusCode::NO_CONTENT);
    let first = fixture.send(browser(Method::GET, &path, &[], "")).await;
    assert_eq!(first.status, StatusCode::OK, "{first:?}");
    let second = fixture.send(browser(Method::GET, &path, &[], "")).await;
    assert_eq!(second.status, StatusCode::FORBIDDEN, "{second:?}");
    assert_eq!(second.header("set-cookie"), "");
    for path in [
        "/console/open?code=",
        "/console/open?code=x",
        "/console/open",
    ] {
        let guessed = fixture.send(browser(Method::GET, path, &[], "")).await;
        assert!(guessed.status.is_client_error(), "{path}: {guessed:?}");
        assert_eq!(guessed.header("set-cookie"), "");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_gets_in_without_a_cookie() {
    let fixture = Fixture::local();
    let page = fixture
        .send(browser(Method::GET, "/console/runs", &[], ""))
        .await;
    assert_eq!(
        (page.status, page.header("location")),
        (
            StatusCode::SEE_OTHER,
            "/console/sign-in?to=%2Fconsole%2Fruns"
        )
    );
    let api = fixture
        .send(browser(Method::GET, "/api/v1/runs", &[], ""))
        .await;
    assert_eq!(api.status, StatusCode::UNAUTHORIZED, "{api:?}");
    assert_eq!(api.header("content-type"), "application/problem+json");
    let token = [("authorization", "Bearer amp_x")];
    let api = fixture
        .send(browser(Method::GET, "/api/v1/runs", &token, ""))
        .await;
    assert_eq!(api.status, StatusCode::UNAUTHORIZED, "{api:?}");
    let (cookie, _) = signed_in(&fixture).await;
    let me = fixture
        .send(browser(
            Method::GET,
            "/api/v1/me",
            &[("cookie", &cookie)],
            "",
        ))
        .await;
    assert_eq!(me.json()["principal"], "local", "{me:?}");
    assert_eq!(me.json()["operator"], true);
    // The cookie of one port is not that of another.
    let other = [("cookie", &*cookie), ("host", "127.0.0.1:4001")];
    let refused = fixture
        .send(browser(Method::GET, "/api/v1/me", &other, ""))
        .await;
    assert_eq!(refused.status, StatusCode::UNAUTHORIZED, "{refused:?}");
    let twice = format!("{cookie}; {cookie}");
    let refused = fixture
        .send(browser(
            Method::GET,
            "/api/v1/me",
            &[("cookie", &twice)],
            "",
        ))
        .await;
    assert_eq!(refused.status, StatusCode::UNAUTHORIZED, "{refused:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn forged_requests_are_refused() {
    let fixture = Fixture::local();
    let (cookie, csrf) = signed_in(&fixture).await;
    let json = ("content-type", "application/json");
    let body = r#"{ "code": "return 1", "language": "javascript" }"#;
    let send = async |headers: &[(&str, &str)]| {
        let mut all = vec![("cookie", &*cookie), json];
        all.extend_from_slice(headers);
        fixture
            .send(browser(Method::POST, "/api/v1/runs", &all, body))
            .await
    };
    let token = (CSRF_HEADER, &*csrf);
    let [origin, site] = OWN;
    for headers in [
        &[][..],
        &[token],
        &[origin, site],
        &[origin, site, (CSRF_HEADER, "guess")],
        &[("origin", "https://evil.example"), token],
        &[("origin", "http://127.0.0.1:4001"), token],
        &[("origin", "https://127.0.0.1:4001"), site, token],
        &[("origin", "null"), token],
        &[origin, ("sec-fetch-site", "cross-site"), token],
        &[origin, ("sec-fetch-site", "same-site"), token],
        &[origin, ("origin", "https://evil.example"), site, token],
    ] {
        let refused = send(headers).await;
        assert_eq!(
            refused.status,
            StatusCode::FORBIDDEN,
            "{headers:?}: {refused:?}"
        );
    }
    // A page of another port may not read, either.
    let same_site = [("cookie", &*cookie), ("sec-fetch-site", "same-site")];
    let read = fixture
        .send(browser(Method::GET, "/api/v1/runs", &same_site, ""))
        .await;
    assert_eq!(read.status, StatusCode::FORBIDDEN, "{read:?}");
    // Programs with a cookie learn the token where they learn who they are.
    let me = browser(Method::GET, "/api/v1/me", &[("cookie", &cookie)], "");
    assert_eq!(fixture.send(me).await.header(CSRF_HEADER), csrf);
    let own = send(&[origin, site, token]).await;
    assert_eq!(own.status, StatusCode::ACCEPTED, "{own:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn forms_of_pages_need_the_token_of_the_page() {
    let fixture = Fixture::local();
    let (cookie, csrf) = signed_in(&fixture).await;
    let form = ("content-type", "application/x-www-form-urlencoded");
    let send = async |body: &str| {
        let headers = [("cookie", &*cookie), form, OWN[0], OWN[1]];
        fixture
            .send(browser(Method::POST, "/console/sign-out", &headers, body))
            .await
    };
    for body in ["", "csrf=guess", "other=1"] {
        let refused = send(body).await;
        assert_eq!(refused.status, StatusCode::FORBIDDEN, "{body}: {refused:?}");
    }
    let out = send(&format!("{CSRF_FIELD}={csrf}")).await;
    assert_eq!(out.status, StatusCode::SEE_OTHER, "{out:?}");
    assert!(out.header("set-cookie").contains("Max-Age=0"), "{out:?}");
    let gone = fixture
        .send(browser(
            Method::GET,
            "/api/v1/me",
            &[("cookie", &cookie)],
            "",
        ))
        .await;
    assert_eq!(gone.status, StatusCode::UNAUTHORIZED, "{gone:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_signs_in_with_a_token() {
    let fixture = Fixture::principals().await;
    assert!(fixture.console.browsers().one_time_path().is_err());
    let host = ("host", "ampoule.example");
    let own = [
        host,
        ("origin", "https://ampoule.example"),
        ("sec-fetch-site", "same-origin"),
        ("content-type", "application/x-www-form-urlencoded"),
    ];
    let sign_in = async |headers: &[(&str, &str)], token: &str| {
        let body = format!("token={token}");
        fixture
            .send(browser(Method::POST, "/console/sign-in", headers, &body))
            .await
    };
    let page = fixture
        .send(browser(Method::GET, "/console/sign-in", &[host], ""))
        .await;
    assert!(page.text.contains("type=\"password\""), "{page:?}");
    let wrong = sign_in(&own, "amp_wrong").await;
    assert!(wrong.status.is_client_error(), "{wrong:?}");
    assert_eq!(wrong.header("set-cookie"), "");
    // Another page can't sign a person in as somebody else.
    let mut forged = own;
    forged[1] = ("origin", "https://evil.example");
    let refused = sign_in(&forged, &fixture.bob).await;
    assert_eq!(refused.status, StatusCode::FORBIDDEN, "{refused:?}");
    let right = sign_in(&own, &fixture.ada).await;
    assert_eq!(right.status, StatusCode::SEE_OTHER, "{right:?}");
    let cookie = right.header("set-cookie");
    assert!(
        cookie.starts_with("__Host-ampoule-console-443="),
        "{cookie}"
    );
    assert!(cookie.contains("; Secure"), "{cookie}");
    assert!(
        !cookie.contains(&fixture.ada),
        "the token stays in the host"
    );
    let cookie = cookie.split(';').next().unwrap().to_owned();
    let headers = [host, ("cookie", &*cookie)];
    let me = fixture
        .send(browser(Method::GET, "/api/v1/me", &headers, ""))
        .await;
    assert_eq!(me.json()["principal"], "ada", "{me:?}");
    assert_eq!(me.json()["operator"], false);
}

#[tokio::test(flavor = "multi_thread")]
async fn each_answer_has_the_headers_that_keep_pages_apart() {
    let fixture = Fixture::local();
    let (cookie, _) = signed_in(&fixture).await;
    let with = [("cookie", &*cookie)];
    for (path, headers) in [
        ("/console/sign-in", &[][..]),
        ("/console/open?code=x", &[]),
        ("/console", &[]),
        ("/api/v1/me", &[]),
        ("/api/v1/me", &with),
        ("/api/v1/openapi.json", &with),
        ("/api/v1/nothing", &with),
    ] {
        let answer = fixture.send(browser(Method::GET, path, headers, "")).await;
        let policy = answer.header("content-security-policy");
        assert!(
            policy.starts_with("default-src 'none'; script-src 'self'"),
            "{path}: {policy}"
        );
        assert!(!policy.contains("unsafe"), "{policy}");
        for (name, value) in [
            ("x-content-type-options", "nosniff"),
            ("x-frame-options", "DENY"),
            ("referrer-policy", "same-origin"),
            ("cross-origin-opener-policy", "same-origin"),
            ("cross-origin-resource-policy", "same-origin"),
            ("cache-control", "no-store"),
        ] {
            assert_eq!(answer.header(name), value, "{path}: {name}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn browsers_are_limited() {
    let fixture = Fixture::local();
    let (first, _) = signed_in(&fixture).await;
    // Sixteen may be signed in: the one that was used least recently is the first to go.
    let mut last = String::new();
    for _ in 0..16 {
        last = signed_in(&fixture).await.0;
    }
    for (cookie, status) in [(&first, StatusCode::UNAUTHORIZED), (&last, StatusCode::OK)] {
        let me = fixture
            .send(browser(
                Method::GET,
                "/api/v1/me",
                &[("cookie", cookie)],
                "",
            ))
            .await;
        assert_eq!(me.status, status, "{me:?}");
    }
}
