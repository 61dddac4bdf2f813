//! Signing in at the company's issuer: the whole way, and whoever tries to get in or to get others in
//! by it.

use ampoule_access::IssuerOptions;
use ampoule_sign_in::Secret;
use ampoule_sign_in::issuer::{IssuerClient, IssuerClientOptions};
use http::header::SET_COOKIE;

use super::browsers::browser;
use super::company::{AUDIENCE, CLIENT, Company, CompanyState, SECRET, now};
use super::*;
use crate::access::{CALLBACK, CSRF_FIELD, IssuerSignIn};

/// The console, as browsers reach it.
const HOST: (&str, &str) = ("host", "ampoule.example");

/// A console whose people sign in at a company's issuer.
struct Desk {
    fixture: Fixture,
    company: Company,
}

/// A browser that was sent to the issuer.
struct Away {
    /// Where it was sent.
    address: String,
    /// Its cookie, as it sends it.
    cookie: String,
}

impl Desk {
    async fn new() -> Self {
        let company = Company::start().await;
        let folder = tempfile::tempdir().unwrap();
        let let_go = Arc::<Notify>::default();
        let options = AccessOptions {
            issuer: Some(IssuerOptions {
                issuer: company.base.clone(),
                audience: vec![AUDIENCE.to_owned()],
                resource: None,
                scopes: Vec::new(),
                principal_claim: None,
                groups_claim: None,
            }),
            ..AccessOptions::default()
        };
        let http = || reqwest::Client::builder().no_proxy();
        let admission = Admission::Principals {
            access: Access::new(options, http()).await.unwrap(),
            operators: vec!["olga".to_owned()],
            operator_groups: Vec::new(),
        };
        let client = IssuerClientOptions {
            issuer: company.base.clone(),
            client_id: CLIENT.to_owned(),
            client_secret: Some(Secret::new(SECRET)),
            scopes: vec!["openid".to_owned(), "mcp".to_owned()],
            resource: AUDIENCE.to_owned(),
            redirect: format!("https://{}{CALLBACK}", HOST.1).parse().unwrap(),
        };
        let issuer = IssuerSignIn::new(IssuerClient::new(client, http()).unwrap()).unwrap();
        let parts = FixtureParts {
            runtime: runtime(&folder, &let_go, Withholding::Nothing),
            folder,
            let_go,
            browsers: Browsers::new(admission, false).by_issuer(issuer),
            answerers: EVERYBODY,
        };
        Self {
            fixture: parts.fixture(Default::default()),
            company,
        }
    }

    async fn get(&self, path: &str, headers: &[(&str, &str)]) -> Answer {
        let headers: Vec<_> = [HOST].iter().chain(headers).copied().collect();
        let request = browser(Method::GET, path, &headers, "");
        self.fixture.send(request).await
    }

    /// A browser goes to the issuer, from a page that leads there.
    async fn leaves(&self, query: &str) -> Away {
        let path = format!("/console/sign-in/issuer{query}");
        let sent = self.get(&path, &[("sec-fetch-site", "same-origin")]).await;
        assert_eq!(sent.status, StatusCode::SEE_OTHER, "{sent:?}");
        let cookie = sent.header("set-cookie");
        for part in [
            "__Host-ampoule-away-443=",
            "; Path=/;",
            "; HttpOnly",
            "; SameSite=Lax",
            "; Max-Age=600",
            "; Secure",
        ] {
            assert!(cookie.contains(part), "{part}: {cookie}");
        }
        Away {
            address: sent.header("location").to_owned(),
            cookie: cookie.split(';').next().unwrap().to_owned(),
        }
    }

    /// The browser comes back, as another site leads it: without other cookies than this.
    async fn comes_back(&self, query: &str, cookie: Option<&str>) -> Answer {
        let mut headers = vec![
            ("sec-fetch-site", "cross-site"),
            ("sec-fetch-mode", "navigate"),
        ];
        headers.extend(cookie.map(|cookie| ("cookie", cookie)));
        self.get(&format!("{CALLBACK}?{query}"), &headers).await
    }

    /// Somebody signs in: the browser's cookie, as it sends it, and the page that it is led to.
    async fn signs_in(&self, person: &str, query: &str) -> (String, Answer) {
        let away = self.leaves(query).await;
        let answer = self.company.signs_in(person, &away.address);
        let back = self.comes_back(&answer, Some(&away.cookie)).await;
        assert_eq!(back.status, StatusCode::OK, "{back:?}");
        let cookie = session_of(&back).expect("a cookie");
        (cookie, back)
    }

    /// Ada comes back with an answer that was changed so, which signs nobody in: what she is shown.
    async fn refuses(&self, what: &str, change: impl Fn(&str) -> String) -> String {
        let away = self.leaves("").await;
        let answer = self.company.signs_in("ada", &away.address);
        let back = self.comes_back(&change(&answer), Some(&away.cookie)).await;
        signs_nobody_in(&back, what);
        back.text
    }

    async fn me(&self, cookie: &str) -> Answer {
        self.get("/api/v1/me", &[("cookie", cookie)]).await
    }

    fn asked(&self) -> usize {
        self.company.told.lock().forms.len()
    }
}

/// The cookie of a browser that an answer signs in, as the browser sends it.
fn session_of(answer: &Answer) -> Option<String> {
    let all = answer.headers.get_all(SET_COOKIE).iter();
    let mut all = all.map(|it| it.to_str().unwrap());
    let cookie = all.find(|it| it.starts_with("__Host-ampoule-console-443="))?;
    for part in ["; Path=/;", "; HttpOnly", "; SameSite=Strict", "; Secure"] {
        assert!(cookie.contains(part), "{part}: {cookie}");
    }
    Some(cookie.split(';').next().unwrap().to_owned())
}

/// Nobody was signed in by this.
fn signs_nobody_in(answer: &Answer, what: &str) {
    assert!(!answer.status.is_success(), "{what}: {answer:?}");
    assert_eq!(session_of(answer), None, "{what}");
    assert!(!answer.text.contains("http-equiv"), "{what}: {answer:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_signs_in_at_the_company_and_comes_to_the_page_that_was_shared() {
    let desk = Desk::new().await;
    let shared = "/console/runs?search=a%20b";
    let page = desk.get(shared, &[]).await;
    assert_eq!(page.status, StatusCode::SEE_OTHER, "{page:?}");
    let page = desk.get(page.header("location"), &[]).await;
    let link = "href=\"https://ampoule.example/console/sign-in/issuer?to=%2Fconsole%2Fruns%3Fsearch%3Da%2520b\"";
    assert!(page.text.contains(link), "{page:?}");
    let (cookie, back) = desk
        .signs_in("ada", "?to=%2Fconsole%2Fruns%3Fsearch%3Da%2520b")
        .await;
    // A page, and not a redirect, which would come without the cookie.
    let led = format!("<meta http-equiv=\"refresh\" content=\"0; url={shared}\">");
    assert!(back.text.contains(&led), "{back:?}");
    let gone = back.headers.get_all(SET_COOKIE).iter();
    let gone = gone
        .filter(|it| it.to_str().unwrap().contains("Max-Age=0"))
        .count();
    assert_eq!(gone, 1, "the cookie of the way to the issuer is gone");
    let me = desk.me(&cookie).await;
    assert_eq!(me.json()["principal"], "ada", "{me:?}");
    assert_eq!(me.json()["operator"], false);
    let (olga, _) = desk.signs_in("olga", "").await;
    assert_eq!(desk.me(&olga).await.json()["operator"], true);
    // What the token endpoint was sent: the code with its proof, and who the client is.
    let form = desk.company.told.lock().forms[0].clone();
    assert_eq!(
        form["redirect_uri"],
        format!("https://ampoule.example{CALLBACK}")
    );
    assert_eq!(form["resource"], AUDIENCE);
    assert_eq!(form["code_verifier"].len(), 43);
    assert!(!form.contains_key("client_secret"), "{form:?}");
    assert!(!back.text.contains("refresh-"), "tokens stay in the host");
    let log = desk
        .get("/api/v1/audit?kind=sign-in", &[("cookie", &*cookie)])
        .await;
    let log = log.json();
    assert_eq!(log["items"][0]["principal"], "ada", "{log}");
    assert_eq!(log["items"][0]["outcome"], "signed-in", "{log}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_signs_in_one_browser_once() {
    let desk = Desk::new().await;
    let (ada, bob) = (desk.leaves("").await, desk.leaves("").await);
    let answer = desk.company.signs_in("ada", &ada.address);
    // Another browser, and one that began nothing, with a good answer.
    for (what, cookie) in [
        ("another browser", Some(bob.cookie.clone())),
        ("no cookie", None),
        (
            "two cookies",
            Some(format!("{}; {}", ada.cookie, ada.cookie)),
        ),
        ("a cookie that is longer", Some(format!("{}x", ada.cookie))),
        (
            "the cookie of another port",
            Some(ada.cookie.replace("-443=", "-444=")),
        ),
    ] {
        let refused = desk.comes_back(&answer, cookie.as_deref()).await;
        signs_nobody_in(&refused, what);
    }
    // A state that was changed, repeated, or guessed.
    let state = answer.split("state=").nth(1).unwrap();
    let state = state.split('&').next().unwrap();
    for query in [
        answer.replace(state, &format!("{state}x")),
        answer.replace(state, "0.AAAA.AAAA"),
        answer.replace(state, ""),
        format!("{answer}&state={state}"),
        "code=1".to_owned(),
        String::new(),
    ] {
        let refused = desk.comes_back(&query, Some(&ada.cookie)).await;
        signs_nobody_in(&refused, &query);
    }
    assert_eq!(desk.asked(), 0, "the issuer was not asked for any of these");
    // It is good, and it is good once.
    let first = desk.comes_back(&answer, Some(&ada.cookie)).await;
    assert!(session_of(&first).is_some(), "{first:?}");
    let again = desk.comes_back(&answer, Some(&ada.cookie)).await;
    signs_nobody_in(&again, "the same answer again");
    assert_eq!(desk.asked(), 1);
}

/// Names an issuer, as an answer does.
fn names(issuer: &str) -> String {
    let encoded: String = url::form_urlencoded::byte_serialize(issuer.as_bytes()).collect();
    format!("iss={encoded}")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_code_of_another_sign_in_or_issuer_is_not_taken() {
    let desk = Desk::new().await;
    let other = Company::start().await;
    let (own, evil) = (names(&desk.company.base), names(&other.base));
    let replaced = |answer: &str| answer.replace(&own, &evil);
    let text = desk.refuses("another issuer", replaced).await;
    assert!(text.contains("of another issuer"), "{text}");
    let without = |answer: &str| answer.replace(&format!("&{own}"), "");
    let text = desk.refuses("no issuer", without).await;
    assert!(text.contains("which issuer it is from"), "{text}");
    let twice = |answer: &str| format!("{answer}&{evil}");
    let text = desk.refuses("two issuers", twice).await;
    assert!(text.contains("twice"), "{text}");
    // What another issuer says of an error is not shown.
    let error = |answer: &str| format!("error=see-evil.example&{}", replaced(answer));
    let text = desk.refuses("an error of another", error).await;
    assert!(!text.contains("evil"), "{text}");
    assert_eq!(desk.asked(), 0, "no code has gone anywhere");
    // The attacker's own code, which their browser got, in the victim's answer: PKCE tells them apart.
    let attacker = desk.leaves("").await;
    let theirs = desk.company.signs_in("mallory", &attacker.address);
    let code = |answer: &str| answer.split('&').next().unwrap().to_owned();
    let injected = |answer: &str| answer.replace(&code(answer), &code(&theirs));
    let text = desk.refuses("the code of another", injected).await;
    assert!(text.contains("invalid_grant"), "{text}");
    let declined = |answer: &str| format!("error=access_denied&{answer}");
    let text = desk.refuses("a person who declines", declined).await;
    assert!(text.contains("the sign-in was declined"), "{text}");
}

/// How the company goes wrong.
type Change = fn(&mut CompanyState);

const WRONG: [(&str, Change); 15] = [
    ("a token for another audience", |told| {
        told.access = json!({ "aud": "https://other.example/mcp" });
    }),
    ("a token of another issuer", |told| {
        told.access = json!({ "iss": "https://evil.example" });
    }),
    ("a token that has ended", |told| {
        told.access = json!({ "exp": 1 });
    }),
    ("a token of nobody", |told| {
        told.access = json!({ "sub": null });
    }),
    ("a token of this machine's user", |told| {
        told.access = json!({ "sub": "local" });
    }),
    ("a token that is not one", |told| {
        told.answer = json!({ "access_token": "opaque" });
    }),
    ("a token of another kind", |told| {
        told.answer = json!({ "token_type": "DPoP" });
    }),
    ("no token that says who signed in", |told| {
        told.answer = json!({ "id_token": null });
    }),
    ("one for another client", |told| {
        told.identity = json!({ "aud": "another-client" });
    }),
    ("one for clients of this server", |told| {
        told.identity = json!({ "aud": AUDIENCE });
    }),
    ("one of another sign-in", |told| {
        told.identity = json!({ "nonce": "of another" });
    }),
    ("one that was asked for by another", |told| {
        told.identity = json!({ "azp": "another-client" });
    }),
    ("one of another issuer", |told| {
        told.identity = json!({ "iss": "https://evil.example" });
    }),
    ("one that came with another token", |told| {
        told.identity = json!({ "at_hash": "AAAA" });
    }),
    ("tokens that another key has signed", |told| {
        told.signs_otherwise = true;
    }),
];

#[tokio::test(flavor = "multi_thread")]
async fn what_the_issuer_gives_is_looked_at_as_a_clients_token_is() {
    let desk = Desk::new().await;
    for (what, change) in WRONG {
        change(&mut desk.company.told.lock());
        desk.refuses(what, str::to_owned).await;
        let mut told = desk.company.told.lock();
        told.access = Value::Null;
        told.identity = Value::Null;
        told.answer = Value::Null;
        told.signs_otherwise = false;
    }
    let (cookie, _) = desk.signs_in("ada", "").await;
    assert_eq!(desk.me(&cookie).await.json()["principal"], "ada");
}

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
async fn a_sign_in_is_renewed_as_long_as_the_issuer_agrees() {
    let desk = Desk::new().await;
    // Each token is over, by less than what clocks may be apart.
    let over = json!({ "exp": now() - 5 });
    {
        let mut told = desk.company.told.lock();
        told.access = over.clone();
        told.answer = json!({ "expires_in": null });
    }
    let (cookie, _) = desk.signs_in("ada", "").await;
    let renewals = || desk.asked() - 1;
    for number in 1..4 {
        assert_eq!(desk.me(&cookie).await.json()["principal"], "ada");
        assert_eq!(renewals(), number, "each token is over at once");
    }
    // An issuer that can't be reached ends no sign-in.
    desk.company.told.lock().is_down = true;
    let down = desk.me(&cookie).await;
    assert_eq!(down.status, StatusCode::SERVICE_UNAVAILABLE, "{down:?}");
    assert!(down.text.contains("issuer can't be reached"), "{down:?}");
    let page = desk.get("/console/runs", &[("cookie", &cookie)]).await;
    assert_eq!(page.status, StatusCode::SERVICE_UNAVAILABLE, "{page:?}");
    desk.company.told.lock().is_down = false;

    // One who renews for somebody else ends it.
    let (cookie, _) = desk.signs_in("ada", "").await;
    desk.company.told.lock().access = json!({ "sub": "olga" });
    let other = desk.me(&cookie).await;
    assert_eq!(other.status, StatusCode::UNAUTHORIZED, "{other:?}");
    desk.company.told.lock().access = over;
    assert_eq!(desk.me(&cookie).await.status, StatusCode::UNAUTHORIZED);
    // One who refuses leaves the token that is there, until that ends.
    let (cookie, _) = desk.signs_in("ada", "").await;
    desk.company.told.lock().refuses = true;
    for _ in 0..2 {
        let asked = desk.asked();
        assert_eq!(desk.me(&cookie).await.status, StatusCode::OK);
        assert!(desk.asked() <= asked + 1);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn who_signs_out_is_forgotten_by_the_issuer_too() {
    let desk = Desk::new().await;
    let (cookie, _) = desk.signs_in("ada", "").await;
    let page = desk.get("/console/runs", &[("cookie", &cookie)]).await;
    assert!(
        page.text.contains("action=\"/console/sign-out\""),
        "{page:?}"
    );
    let csrf = page.text.split("name=\"csrf\" value=\"").nth(1).unwrap();
    let csrf = csrf.split('"').next().unwrap();
    let headers = [
        HOST,
        ("cookie", &*cookie),
        ("origin", "https://ampoule.example"),
        ("sec-fetch-site", "same-origin"),
        ("content-type", "application/x-www-form-urlencoded"),
    ];
    let form = format!("{CSRF_FIELD}={csrf}");
    let out = browser(Method::POST, "/console/sign-out", &headers, &form);
    let out = desk.fixture.send(out).await;
    assert_eq!(out.status, StatusCode::SEE_OTHER, "{out:?}");
    assert_eq!(desk.me(&cookie).await.status, StatusCode::UNAUTHORIZED);
    let revoked = async {
        while desk.company.told.lock().revoked.is_empty() {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(PATIENCE, revoked)
        .await
        .expect("the issuer hears of it");
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
