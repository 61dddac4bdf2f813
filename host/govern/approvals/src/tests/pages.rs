//! The page, and what people try with an address that is not theirs.

use http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, LOCATION, REFERRER_POLICY, SET_COOKIE};
use http::{HeaderMap, Method, Response, StatusCode};

use super::*;
use crate::page::Page;

/// A browser.
struct Browser<'p> {
    page: &'p Page,
    cookie: Option<String>,
}

impl<'p> Browser<'p> {
    fn new(page: &'p Page) -> Self {
        Self { page, cookie: None }
    }

    fn headers(&self) -> HeaderMap {
        let mut headers = HeaderMap::new();
        if let Some(cookie) = &self.cookie {
            headers.insert("cookie", format!("a=b; {cookie}").parse().unwrap());
        }
        headers.insert("sec-fetch-site", "same-origin".parse().unwrap());
        headers
    }

    fn get(&self, token: &str) -> Response<String> {
        self.page.handle(&Method::GET, token, &self.headers(), b"")
    }

    fn post(&mut self, token: &str, form: &[(&str, &str)]) -> Response<String> {
        let body = url::form_urlencoded::Serializer::new(String::new())
            .extend_pairs(form)
            .finish();
        let headers = self.headers();
        let response = self
            .page
            .handle(&Method::POST, token, &headers, body.as_bytes());
        if let Some(cookie) = response.headers().get(SET_COOKIE) {
            let cookie = cookie.to_str().unwrap().split(';').next().unwrap();
            self.cookie = Some(cookie.to_owned());
        }
        response
    }

    fn opens(page: &'p Page, token: &str) -> Self {
        let mut browser = Self::new(page);
        let response = browser.post(token, &[("open", "1")]);
        assert_eq!(response.status(), StatusCode::SEE_OTHER);
        browser
    }

    /// What the form holds that the browser is shown.
    fn form(&self, token: &str) -> Vec<(String, String)> {
        let shown = self.get(token);
        assert_eq!(shown.status(), StatusCode::OK);
        let mut form = Vec::new();
        for tag in shown
            .body()
            .split('<')
            .filter(|tag| tag.starts_with("input"))
        {
            let attribute = |name: &str| {
                let at = tag.find(&format!("{name}=\"")).unwrap() + name.len() + 2;
                tag[at..].split('"').next().unwrap().to_owned()
            };
            if !tag.contains("type=\"radio\"") {
                form.push((attribute("name"), attribute("value")));
            }
        }
        form
    }

    fn answers(&mut self, token: &str, answer: &str) -> Response<String> {
        let mut form = self.form(token);
        form.push(("answer".to_owned(), answer.to_owned()));
        self.sends(token, &form)
    }

    fn sends(&mut self, token: &str, form: &[(String, String)]) -> Response<String> {
        let form: Vec<(&str, &str)> = form.iter().map(|(key, value)| (&**key, &**value)).collect();
        self.post(token, &form)
    }
}

fn page(store: &Store) -> Page {
    Page::new(store, "https://ampoule.example/approvals/").unwrap()
}

fn token(page: &Page, question: &Question) -> String {
    let address = page.address(question.id).unwrap();
    let token = address.strip_prefix("https://ampoule.example/approvals/");
    token.unwrap().to_owned()
}

#[test]
fn a_question_is_answered_in_a_browser_without_scripts() {
    let kept = kept();
    let page = page(&kept.store);
    let (name, question) = put(&kept.store, "r-1", &[(1, "<b>ada</b>"), (2, "bob")]);
    let token = token(&page, &question);
    let mut browser = Browser::new(&page);
    // A look, such as a chat's, shows nothing, and is nobody's.
    let look = browser.get(&token);
    assert!(look.status() == StatusCode::OK && !look.body().contains("mail.send"));
    let opened = browser.post(&token, &[("open", "1")]);
    assert_eq!(opened.headers()[LOCATION], format!("/approvals/{token}"));
    let cookie = opened.headers()[SET_COOKIE].to_str().unwrap().to_owned();
    for part in [
        "HttpOnly",
        "SameSite=Lax",
        "Secure",
        &format!("Path=/approvals/{token};"),
    ] {
        assert!(cookie.contains(part), "{cookie}");
    }
    let shown = browser.get(&token);
    let body = shown.body();
    assert!(
        body.contains("&lt;b&gt;ada&lt;/b&gt;") && !body.contains("<b>"),
        "{body}"
    );
    assert!(!body.contains("hunter2") && body.contains("‹secret›"));
    for never in [
        "<script", "src=", "href=", "://", " onclick", " onload", "style=",
    ] {
        assert!(!body.contains(never), "{never}");
    }
    let mut form = browser.form(&token);
    form.retain(|(key, value)| key != "call" || value == "1");
    form.push(("answer".to_owned(), "allow-once".to_owned()));
    assert_eq!(browser.sends(&token, &form).status(), StatusCode::SEE_OTHER);
    assert!(
        browser
            .get(&token)
            .body()
            .contains("allowed once by the holder of the address")
    );
    take(&kept.store, &name, 1, "<b>ada</b>").unwrap();
    assert!(take(&kept.store, &name, 2, "bob").is_err());
    // It is over: for this browser, too.
    assert_eq!(browser.sends(&token, &form).status(), StatusCode::CONFLICT);
    assert_eq!(Browser::new(&page).get(&token).status(), StatusCode::GONE);
    let open = Browser::new(&page).post(&token, &[("open", "1")]);
    assert_eq!(open.status(), StatusCode::GONE);
}

#[test]
fn an_address_is_its_first_browsers_alone() {
    let kept = kept();
    let page = page(&kept.store);
    let (_, question) = put(&kept.store, "r-1", &[(1, "ada")]);
    let token = token(&page, &question);
    let first = Browser::opens(&page, &token);
    let form = first.form(&token);
    let mut thief = Browser::new(&page);
    assert_eq!(thief.get(&token).status(), StatusCode::FORBIDDEN);
    assert_eq!(
        thief.post(&token, &[("open", "1")]).status(),
        StatusCode::FORBIDDEN
    );
    assert!(thief.cookie.is_none());
    let mut stolen = form.clone();
    stolen.push(("answer".to_owned(), "allow-once".to_owned()));
    assert_eq!(thief.sends(&token, &stolen).status(), StatusCode::FORBIDDEN);
    // A cookie that somebody put into another browser is not what that is known by.
    let fixed = self::token(&page, &question);
    let planted = thief
        .cookie
        .insert(format!("ampoule_approval={}", "A".repeat(43)))
        .clone();
    thief.post(&fixed, &[("open", "1")]);
    assert_ne!(thief.cookie, Some(planted));
    // Another person has another address; a form of the one is not one of the other.
    let other = self::token(&page, &question);
    assert_ne!(other, token);
    let mut second = Browser::opens(&page, &other);
    assert_eq!(
        second.sends(&other, &stolen).status(),
        StatusCode::FORBIDDEN
    );
    assert_eq!(
        second.answers(&other, "deny").status(),
        StatusCode::SEE_OTHER
    );
    // The first was too slow.
    let mut first = first;
    assert_eq!(first.sends(&token, &stolen).status(), StatusCode::CONFLICT);
    // Whose it is outlives the process.
    let store = open(kept.folder.path(), ApprovalLimits::default());
    let again = self::page(&store);
    let mut back = Browser {
        page: &again,
        cookie: first.cookie,
    };
    assert!(back.get(&token).body().contains("denied"));
    back.cookie = None;
    assert_eq!(back.get(&token).status(), StatusCode::GONE);
}

#[test]
fn forms_from_elsewhere_and_for_something_else_are_refused() {
    let kept = kept();
    let page = page(&kept.store);
    let (name, question) = put(&kept.store, "r-1", &[(1, "ada")]);
    let token = token(&page, &question);
    let mut browser = Browser::opens(&page, &token);
    let mut form = browser.form(&token);
    form.push(("answer".to_owned(), "allow-once".to_owned()));
    let with = |key: &str, value: &str| {
        let mut form = form.clone();
        form.retain(|(known, _)| known != key);
        form.push((key.to_owned(), value.to_owned()));
        form
    };
    for (wrong, status) in [
        (with("form", ""), StatusCode::FORBIDDEN),
        (with("form", &"0".repeat(64)), StatusCode::FORBIDDEN),
        (with("seen-calls", "2"), StatusCode::FORBIDDEN),
        (with("seen-calls", "x"), StatusCode::FORBIDDEN),
        (with("seen-digest", &"0".repeat(64)), StatusCode::FORBIDDEN),
        (
            with("answer", "allow-everything"),
            StatusCode::UNPROCESSABLE_ENTITY,
        ),
        (with("answer", ""), StatusCode::UNPROCESSABLE_ENTITY),
    ] {
        assert_eq!(browser.sends(&token, &wrong).status(), status, "{wrong:?}");
    }
    let mut headers = browser.headers();
    headers.insert("sec-fetch-site", "cross-site".parse().unwrap());
    let crossed = page.handle(&Method::POST, &token, &headers, b"open=1");
    assert_eq!(crossed.status(), StatusCode::FORBIDDEN);
    let large = page.handle(
        &Method::POST,
        &token,
        &browser.headers(),
        &vec![b'a'; 100_000],
    );
    assert_eq!(large.status(), StatusCode::PAYLOAD_TOO_LARGE);
    let put_it = page.handle(&Method::PUT, &token, &browser.headers(), b"");
    assert_eq!(put_it.status(), StatusCode::METHOD_NOT_ALLOWED);
    // A call that was added since is not allowed by what was shown before.
    kept.store
        .extend(&name, &[asked(&kept.store, 2, "eve")])
        .unwrap();
    assert_eq!(browser.sends(&token, &form).status(), StatusCode::SEE_OTHER);
    take(&kept.store, &name, 1, "ada").unwrap();
    assert!(take(&kept.store, &name, 2, "eve").is_err());
}

#[test]
fn addresses_are_not_guessed_and_nothing_leaks() {
    let kept = kept();
    let page = page(&kept.store);
    let (_, question) = put(&kept.store, "r-1", &[(1, "ada")]);
    let token = token(&page, &question);
    let browser = Browser::new(&page);
    for place in 0..token.len() - 1 {
        let mut guess = token.clone().into_bytes();
        guess[place] = if guess[place] == b'A' { b'B' } else { b'A' };
        let guess = String::from_utf8(guess).unwrap();
        assert_eq!(browser.get(&guess).status(), StatusCode::NOT_FOUND);
    }
    for guess in [
        "",
        "x",
        &question.id.to_string(),
        &"A".repeat(10_000),
        "../key",
    ] {
        assert_eq!(browser.get(guess).status(), StatusCode::NOT_FOUND);
    }
    // Another store's address.
    let other = self::kept();
    let elsewhere = self::page(&other.store);
    assert_eq!(
        Browser::new(&elsewhere).get(&token).status(),
        StatusCode::NOT_FOUND
    );
    for shown in [
        browser.get(&token),
        browser.get("x"),
        Browser::opens(&page, &token).get(&token),
    ] {
        let headers = shown.headers();
        assert_eq!(headers[REFERRER_POLICY], "no-referrer");
        assert_eq!(headers[CACHE_CONTROL], "no-store");
        let policy = headers[CONTENT_SECURITY_POLICY].to_str().unwrap();
        for part in [
            "default-src 'none'",
            "frame-ancestors 'none'",
            "form-action 'self'",
            "base-uri 'none'",
        ] {
            assert!(policy.contains(part), "{policy}");
        }
        assert!(!policy.contains("unsafe") && !policy.contains("script-src"));
    }
    for wrong in [
        "ftp://x/y",
        "/approvals",
        "https://x/y?z",
        "javascript:alert(1)",
    ] {
        assert!(Page::new(&kept.store, wrong).is_err());
    }
}

#[test]
fn texts_can_not_leave_their_place() {
    let kept = kept();
    let page = page(&kept.store);
    let hostile =
        "</pre></dd><form><input name=\"answer\" value='deny'>\"'\u{202e}<script>alert(1)</script>";
    let (_, question) = put(&kept.store, "r-1", &[(1, hostile)]);
    let token = token(&page, &question);
    let body = Browser::opens(&page, &token).get(&token).into_body();
    assert_eq!(body.matches("<form").count(), 1);
    assert_eq!(body.matches("</pre>").count(), 1);
    assert!(!body.contains("<script") && !body.contains('\u{202e}') && body.contains(r"\u{202e}"));
}

#[test]
fn a_call_that_is_named_twice_does_not_stand_for_another() {
    let kept = kept();
    let page = page(&kept.store);
    let (name, question) = put(&kept.store, "r-1", &[(1, "ada"), (2, "bob")]);
    let token = token(&page, &question);
    let mut browser = Browser::opens(&page, &token);
    let mut form = browser.form(&token);
    for (key, value) in &mut form {
        if key == "call" {
            *value = "1".to_owned();
        }
    }
    form.push(("answer".to_owned(), "allow-once".to_owned()));
    assert_eq!(browser.sends(&token, &form).status(), StatusCode::SEE_OTHER);
    take(&kept.store, &name, 1, "ada").unwrap();
    assert!(take(&kept.store, &name, 2, "bob").is_err());
}
