//! An issuer's keys, and what it says of itself: when they are fetched, and what must be right.

use std::time::Duration;

use http::StatusCode;
use serde_json::json;
use tokio::time;

use super::Log;
use super::company::{AUDIENCE, Company, Signer};
use super::issuer::{Desk, open, passed, refused, sent};
use crate::{Access, AccessOptions, IssuerOptions};

#[tokio::test]
async fn new_keys_are_fetched_when_a_token_names_one_and_not_too_often() {
    let desk = Desk::new().await;
    let claims = desk.company.claims(json!({}));
    assert_eq!(desk.admits_who_says(json!({})).await, Ok("ada".to_owned()));
    let second = Signer::p256("second");
    desk.company.told.lock().keys = vec![second.jwk()];
    desk.rested().await;
    // Fifty at once make one fetch, and each is answered with what it brings.
    let token = second.token(&claims);
    let many = (0..50).map(|_| {
        let (access, token) = (desk.access.clone(), sent(&token));
        tokio::spawn(async move { access.admit(&token).await.is_ok() })
    });
    for one in many.collect::<Vec<_>>() {
        assert!(one.await.expect("it ends"));
    }
    assert_eq!(desk.company.fetches(), 2);
    refused(401, "not signed", desk.admits_who_says(json!({})).await);

    // Who makes names up makes no more work for the issuer than that.
    let stranger = Signer::p256("made-up");
    for round in 0..3 {
        for _ in 0..20 {
            refused(
                401,
                "not signed",
                desk.admits(&stranger.token(&claims)).await,
            );
        }
        assert_eq!(desk.company.fetches(), 2 + round);
        desk.rested().await;
    }
    assert_eq!(desk.admits(&token).await, Ok("ada".to_owned()));
}

#[tokio::test]
async fn who_asks_and_leaves_keeps_new_keys_from_nobody() {
    let desk = Desk::new().await;
    assert_eq!(desk.admits_who_says(json!({})).await, Ok("ada".to_owned()));
    let second = Signer::p256("second");
    desk.company.told.lock().keys = vec![second.jwk()];
    desk.rested().await;
    let token = sent(&second.token(&desk.company.claims(json!({}))));
    // Polled once: it has asked for the keys, and is gone.
    let mut leaving = Box::pin(desk.access.admit(&token));
    assert!(first_look(&mut leaving).is_none());
    drop(leaving);
    assert!(desk.access.admit(&token).await.is_ok());
    assert_eq!(desk.company.fetches(), 2);
}

/// What a future has when it is first looked at.
fn first_look<F: Future + Unpin>(future: &mut F) -> Option<F::Output> {
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    match std::pin::Pin::new(future).poll(&mut context) {
        std::task::Poll::Ready(output) => Some(output),
        std::task::Poll::Pending => None,
    }
}

#[tokio::test]
async fn an_issuer_that_is_down_is_waited_for_and_lets_those_in_that_it_named() {
    let log = Log::default();
    let _guard = log.hears_all();
    let company = Company::start().await;
    company.told.lock().is_down = true;
    let key = Signer::p256("first");
    company.told.lock().keys = vec![key.jwk()];
    let access = open(company.options()).await.expect("nobody waits for it");
    let desk = Desk {
        company,
        key,
        access,
    };
    refused(503, "try again", desk.admits_who_says(json!({})).await);
    assert!(log.seen("the issuer gave no keys"));
    desk.company.told.lock().is_down = false;
    refused(503, "try again", desk.admits_who_says(json!({})).await);
    desk.rested().await;
    assert_eq!(desk.admits_who_says(json!({})).await, Ok("ada".to_owned()));
    desk.company.told.lock().is_down = true;
    // For a day.
    for _ in 0..3 {
        passed(Duration::from_hours(7)).await;
        assert_eq!(desk.admits_who_says(json!({})).await, Ok("ada".to_owned()));
    }
    passed(Duration::from_hours(4)).await;
    refused(503, "try again", desk.admits_who_says(json!({})).await);
}

#[tokio::test]
async fn keys_are_fetched_again_while_the_old_ones_go_on() {
    let desk = Desk::new().await;
    assert_eq!(desk.admits_who_says(json!({})).await, Ok("ada".to_owned()));
    desk.company.told.lock().keys = vec![Signer::p256("second").jwk()];
    passed(Duration::from_mins(9)).await;
    assert_eq!(desk.admits_who_says(json!({})).await, Ok("ada".to_owned()));
    assert_eq!(desk.company.fetches(), 1);
    passed(Duration::from_mins(2)).await;
    assert_eq!(desk.admits_who_says(json!({})).await, Ok("ada".to_owned()));
    // What the issuer took back is soon good for nothing.
    while desk.admits_who_says(json!({})).await.is_ok() {
        time::sleep(Duration::from_millis(5)).await;
    }
    assert_eq!(desk.company.fetches(), 2);
}

#[tokio::test]
async fn what_an_issuer_says_of_itself_must_be_right() {
    let base = |desk: &Desk, path: &str| format!("{}/{path}", desk.company.base);
    let desk = Desk::new().await;
    let log = Log::default();
    let _guard = log.hears_all();
    let good = |desk: &Desk| desk.company.told.lock().keys.clone();
    for (issuer, keys_at, instead, why) in [
        (
            Some("https://evil\u{1b}[2J.example.com".to_owned()),
            None,
            None,
            r"the issuer calls itself https://evil\\u{1b}[2J.example.com",
        ),
        (
            None,
            Some("http://login.example.com/keys".to_owned()),
            None,
            "not behind https://",
        ),
        (
            None,
            Some("file:///etc/passwd".to_owned()),
            None,
            "not behind https://",
        ),
        (
            None,
            Some(base(&desk, "moved")),
            None,
            "is answered with 302",
        ),
        (
            None,
            Some(base(&desk, "broken")),
            None,
            "is answered with 500",
        ),
        (None, Some(base(&desk, "none")), None, "there is nothing at"),
        (None, None, Some("[]".to_owned()), "not a JSON Web Key Set"),
        (
            None,
            None,
            Some(format!("{{\"keys\":[\"{}\"]}}", "x".repeat(1 << 20))),
            "is longer than 1048576 bytes",
        ),
    ] {
        let company = Company::start().await;
        {
            let mut told = company.told.lock();
            told.keys = good(&desk);
            (told.issuer, told.keys_at, told.instead) = (issuer, keys_at, instead);
        }
        let access = open(company.options()).await.expect("nobody waits for it");
        let token = sent(&desk.key.token(&company.claims(json!({}))));
        let refused = access.admit(&token).await.expect_err(why);
        assert_eq!(refused.status(), StatusCode::SERVICE_UNAVAILABLE);
        let said = log.take();
        assert!(said.contains(why), "{why}: {said}");
    }
    let company = Company::start().await;
    company.told.lock().keys = good(&desk);
    company.told.lock().is_plain = true;
    let access = open(company.options()).await.expect("options");
    let token = sent(&desk.key.token(&company.claims(json!({}))));
    assert!(
        access.admit(&token).await.is_ok(),
        "metadata of OAuth is enough"
    );
}

type Change = fn(&mut IssuerOptions);

#[tokio::test]
async fn options_that_could_not_work_are_refused() {
    let options = |change: Change| {
        let mut options = IssuerOptions {
            issuer: "https://login.example.com".to_owned(),
            audience: vec![AUDIENCE.to_owned()],
            resource: None,
            scopes: Vec::new(),
            principal_claim: None,
            groups_claim: None,
        };
        change(&mut options);
        open(options)
    };
    assert!(options(|_| ()).await.is_ok());
    let refused: [(Change, &str); 9] = [
        (
            |it| it.issuer = "http://login.example.com".to_owned(),
            "`issuer` must be",
        ),
        (
            |it| it.issuer = "login.example.com".to_owned(),
            "`issuer` must be",
        ),
        (
            |it| it.issuer = "https://login.example.com?a".to_owned(),
            "`issuer` must be",
        ),
        (|it| it.audience.clear(), "there must be an audience"),
        (
            |it| it.audience = vec!["ampoule".to_owned()],
            "`resource` must be",
        ),
        (
            |it| it.resource = Some("https://a.example.com/mcp?x".to_owned()),
            "`resource` must be",
        ),
        (
            |it| it.resource = Some("ftp://a.example.com/".to_owned()),
            "`resource` must be",
        ),
        (|it| it.scopes = vec!["a b".to_owned()], "a scope is a word"),
        (|it| it.scopes = vec!["a\"".to_owned()], "a scope is a word"),
    ];
    for (change, why) in refused {
        let error = options(change).await.expect_err(why).to_string();
        assert!(error.contains(why), "{error}");
    }
    let nothing = Access::new(AccessOptions::default(), reqwest::Client::builder()).await;
    assert!(nothing.is_err());
}
