//! A person's browser: it follows redirects and links, presses buttons, and keeps cookies.

use reqwest::header::{COOKIE, LOCATION, SET_COOKIE};
use reqwest::redirect::Policy;
use reqwest::{Client, StatusCode, Url};

/// More steps than any sign-in has.
const STEPS: usize = 30;

/// What a browser shows in the end.
#[derive(Debug)]
pub(super) struct Shown {
    pub(super) status: StatusCode,
    pub(super) url: Url,
    pub(super) text: String,
}

pub(super) struct Browser {
    http: Client,
    /// Who signs in with it at the authorization server.
    account: String,
    /// Their origins, names, paths and values.
    cookies: Vec<[String; 4]>,
}

impl Browser {
    pub(super) fn of(account: &str) -> Self {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let http = Client::builder().redirect(Policy::none()).no_proxy();
        Self {
            http: http.build().expect("a client"),
            account: account.to_owned(),
            cookies: Vec::new(),
        }
    }

    /// Opens an address, presses the button, and signs in: what is shown then.
    pub(super) async fn signs_in(&mut self, address: &str) -> Shown {
        let back = self.goes_away(address).await;
        self.open(back, None, "").await
    }

    /// The same, except that the browser does not come back: where it would.
    pub(super) async fn goes_away(&mut self, address: &str) -> Url {
        let shown = self.open(url(address), None, "").await;
        assert_eq!(shown.status, StatusCode::OK, "{shown:?}");
        let form = between(&shown.text, "name=\"form\" value=\"", "\"");
        let form = format!("form={form}");
        let onward = self.open(shown.url, Some(form), "").await;
        assert_eq!(onward.status, StatusCode::OK, "{onward:?}");
        let link = between(&onward.text, "href=\"", "\"").replace("&amp;", "&");
        self.open(url(&link), None, "/auth/callback").await.url
    }

    /// Opens an address, or sends a form there, and follows redirects, except to this path.
    pub(super) async fn open(&mut self, address: Url, form: Option<String>, stay: &str) -> Shown {
        let (mut url, mut form) = (address, form);
        for _ in 0..STEPS {
            let request = match form.take() {
                None => self.http.get(url.clone()),
                Some(form) => self
                    .http
                    .post(url.clone())
                    .header("content-type", "application/x-www-form-urlencoded")
                    .header("sec-fetch-site", "same-origin")
                    .body(form),
            };
            let origin = url.origin().ascii_serialization();
            let sent = self.cookies.iter();
            let sent =
                sent.filter(|[of, _, path, _]| *of == origin && url.path().starts_with(path));
            let sent: Vec<String> = sent
                .map(|[_, name, _, value]| format!("{name}={value}"))
                .collect();
            let request = request.header("x-account", &self.account);
            let answer = request.header(COOKIE, sent.join("; ")).send();
            let answer = answer.await.expect("an answer");
            for set in answer.headers().get_all(SET_COOKIE) {
                self.keep(&origin, set.to_str().expect("text"));
            }
            let status = answer.status();
            let next = answer.headers().get(LOCATION);
            let next = next.map(|next| url.join(next.to_str().expect("text")).expect("an address"));
            match next.filter(|_| status.is_redirection()) {
                Some(next) if !stay.is_empty() && next.path() == stay => {
                    let text = String::new();
                    return Shown {
                        status,
                        url: next,
                        text,
                    };
                }
                Some(next) => url = next,
                None => {
                    let text = answer.text().await.expect("text");
                    return Shown { status, url, text };
                }
            }
        }
        panic!("too many redirects, to {url}")
    }

    fn keep(&mut self, origin: &str, set: &str) {
        let (name, rest) = set.split_once('=').expect("a cookie");
        let value = rest.split(';').next().unwrap_or_default();
        let lower = set.to_ascii_lowercase();
        let path = match lower.find("path=") {
            Some(at) => set[at + 5..].split(';').next().unwrap_or("/"),
            None => "/",
        };
        self.cookies
            .retain(|[of, one, beneath, _]| of != origin || one != name || beneath != path);
        if !value.is_empty() {
            self.cookies
                .push([origin, name, path, value].map(str::to_owned));
        }
    }
}

pub(super) fn url(address: &str) -> Url {
    Url::parse(address).expect("an address")
}

/// What stands between two texts.
fn between<'t>(text: &'t str, start: &str, end: &str) -> &'t str {
    let (_, rest) = text.split_once(start).unwrap_or_else(|| panic!("{text}"));
    rest.split_once(end).unwrap_or_else(|| panic!("{text}")).0
}
