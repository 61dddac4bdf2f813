//! Signing in at the company's issuer: the whole way, and whoever tries to get in or to get others in
//! by it.
//!
//! - `answers`: what browsers come back with, and what the issuer gives for it
//! - `sites`: what other sites can do
//! - `ends`: sign-ins that are renewed, and those that end

mod answers;
mod ends;
mod sites;

use ampoule_access::IssuerOptions;
use ampoule_sign_in::Secret;
use ampoule_sign_in::issuer::{IssuerClient, IssuerClientOptions};
use http::header::SET_COOKIE;

use super::browsers::browser;
use super::company::{AUDIENCE, CLIENT, Company, SECRET};
use super::*;
use crate::access::{CALLBACK, IssuerSignIn};

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
