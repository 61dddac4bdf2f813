//! What other sites can and can't do: addresses that lead to strangers, and sign-ins that they begin.

use super::*;

#[tokio::test(flavor = "multi_thread")]
async fn no_sign_in_leads_to_a_stranger() {
    let desk = Desk::new().await;
    for stranger in [
        "https://evil.example/console",
        "//evil.example/console",
        "/\\evil.example",
        "/console//evil.example",
        "/console/../../evil.example",
        "/console;url=https://evil.example",
        "/console@evil.example",
        "javascript:alert(1)",
        "/console/\" onload=\"alert(1)",
        "/mcp",
    ] {
        let to: String = url::form_urlencoded::byte_serialize(stranger.as_bytes()).collect();
        let page = desk.get(&format!("/console/sign-in?to={to}"), &[]).await;
        assert!(!page.text.contains("evil"), "{stranger}: {page:?}");
        assert!(!page.text.contains("alert"), "{stranger}: {page:?}");
        let (_, back) = desk.signs_in("ada", &format!("?to={to}")).await;
        let first = "<meta http-equiv=\"refresh\" content=\"0; url=/console\">";
        assert!(back.text.contains(first), "{stranger}: {back:?}");
    }
    // The address that the issuer is sent is the one that is configured, whatever the request says.
    for headers in [
        [
            ("x-forwarded-host", "evil.example"),
            ("x-forwarded-proto", "http"),
        ],
        [
            ("forwarded", "host=evil.example"),
            ("origin", "https://evil.example"),
        ],
    ] {
        let own = [("sec-fetch-site", "same-origin")];
        let headers: Vec<_> = headers.into_iter().chain(own).collect();
        let sent = desk.get("/console/sign-in/issuer", &headers).await;
        assert!(!sent.header("location").contains("evil"), "{sent:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_other_site_begins_a_sign_in() {
    let desk = Desk::new().await;
    for headers in [
        [
            ("sec-fetch-site", "cross-site"),
            ("sec-fetch-mode", "navigate"),
        ],
        [
            ("sec-fetch-site", "same-site"),
            ("sec-fetch-mode", "navigate"),
        ],
        [
            ("sec-fetch-site", "cross-site"),
            ("sec-fetch-dest", "image"),
        ],
    ] {
        let asked = desk.get("/console/sign-in/issuer", &headers).await;
        assert_eq!(
            (asked.status, asked.header("location")),
            (StatusCode::SEE_OTHER, "/console/sign-in")
        );
        assert_eq!(asked.header("set-cookie"), "", "{headers:?}");
    }
    let ahead = desk
        .get("/console/sign-in/issuer", &[("sec-purpose", "prefetch")])
        .await;
    assert_eq!(ahead.status, StatusCode::NO_CONTENT);
    // By another name of the host, the browser would come back without its cookie.
    let elsewhere = [
        ("host", "127.0.0.1:4000"),
        ("sec-fetch-site", "same-origin"),
    ];
    let request = browser(Method::GET, "/console/sign-in/issuer", &elsewhere, "");
    let asked = desk.fixture.send(request).await;
    assert_eq!(asked.header("location"), "/console/sign-in", "{asked:?}");
    // A link of another site comes without the cookie, and asks once more.
    let (cookie, _) = desk.signs_in("ada", "").await;
    let from_chat = [
        ("sec-fetch-site", "cross-site"),
        ("sec-fetch-mode", "navigate"),
    ];
    let shared = desk.get("/console/runs", &from_chat).await;
    assert_eq!(shared.status, StatusCode::OK, "{shared:?}");
    assert!(shared.text.contains("0; url=/console/runs"), "{shared:?}");
    assert!(!shared.text.contains("No runs yet"), "{shared:?}");
    let own = [("sec-fetch-site", "same-origin"), ("cookie", &*cookie)];
    let shown = desk.get("/console/runs", &own).await;
    assert!(shown.text.contains("No runs yet"), "{shown:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_pages_of_the_sign_in_have_the_same_headers_as_all_others() {
    let desk = Desk::new().await;
    let away = desk.leaves("").await;
    let answer = desk.company.signs_in("ada", &away.address);
    for answered in [
        desk.get("/console/sign-in", &[]).await,
        desk.get("/console/sign-in/issuer", &[]).await,
        desk.comes_back("code=1&state=2", None).await,
        desk.comes_back(&answer, Some(&away.cookie)).await,
    ] {
        let policy = answered.header("content-security-policy");
        assert!(
            policy.starts_with("default-src 'none'; script-src 'self'"),
            "{policy}"
        );
        assert!(
            policy.contains("form-action 'self'; frame-ancestors 'none'"),
            "{policy}"
        );
        assert!(!policy.contains("unsafe"), "{policy}");
        assert_eq!(answered.header("cache-control"), "no-store");
        assert_eq!(answered.header("referrer-policy"), "same-origin");
        assert!(!answered.text.contains("<script"), "{answered:?}");
    }
}
