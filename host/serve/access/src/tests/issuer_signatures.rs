//! Whose signature a token has.

use serde_json::json;

use super::company::{Signer, encoded, extend, unsigned};
use super::issuer::{Desk, TokenRefusal, refused};

#[tokio::test]
async fn keys_of_each_kind_sign() {
    let desk = Desk::new().await;
    let others = [Signer::p384("p384"), Signer::edwards("edwards")];
    desk.company
        .told
        .lock()
        .keys
        .extend(others.each_ref().map(Signer::jwk));
    let claims = desk.company.claims(json!({}));
    for key in &others {
        assert_eq!(desk.admits(&key.token(&claims)).await, Ok("ada".to_owned()));
    }
}

#[tokio::test]
async fn only_the_issuer_signs() {
    let desk = Desk::new().await;
    let claims = desk.company.claims(json!({}));
    let good = desk.key.token(&claims);
    let (text, signature) = good.rsplit_once('.').expect("a signature");
    // As one who has the public key alone can sign.
    let secret = ring::hmac::Key::new(ring::hmac::HMAC_SHA256, &desk.key.public());
    let header = json!({"alg": "HS256", "typ": "at+jwt", "kid": "first"});
    let by_secret = unsigned(&header, &claims);
    let by_secret = format!(
        "{by_secret}.{}",
        encoded(ring::hmac::sign(&secret, by_secret.as_bytes()).as_ref())
    );
    let mut forged = claims.clone();
    extend(&mut forged, json!({"sub": "root"}));
    let (header, _) = text.split_once('.').expect("claims");
    let other = Signer::p256("first");
    let own_key = json!({"jwk": other.jwk(), "jku": "http://127.0.0.1:1/", "kid": "first"});
    for (what, token) in [
        ("a shared secret", by_secret),
        ("no signature", format!("{text}.")),
        (
            "other claims",
            format!(
                "{header}.{}.{signature}",
                encoded(forged.to_string().as_bytes())
            ),
        ),
        ("another's key", other.token(&claims)),
        ("a key that it brings", other.token_with(own_key, &claims)),
        (
            "another algorithm",
            desk.key.token_with(json!({"alg": "ES384"}), &claims),
        ),
        (
            "another family",
            desk.key.token_with(json!({"alg": "RS256"}), &claims),
        ),
    ] {
        let TokenRefusal { status, message } = desk.admits(&token).await.expect_err(what);
        assert_eq!(
            (status, message.contains("not signed by a key")),
            (401, true),
            "{what}: {message}"
        );
    }
    let none = unsigned(&json!({"alg": "none", "typ": "at+jwt"}), &claims);
    refused(
        401,
        "not an access token",
        desk.admits(&format!("{none}.")).await,
    );
    assert_eq!(desk.admits(&good).await, Ok("ada".to_owned()));
}

#[tokio::test]
async fn garbage_asks_nobody() {
    let desk = Desk::new().await;
    assert_eq!(desk.admits_who_says(json!({})).await, Ok("ada".to_owned()));
    let deep = encoded("[".repeat(8000).as_bytes());
    let header = encoded(br#"{"alg":"ES256"}"#);
    for token in [
        "a",
        "a.b",
        "...",
        "..",
        "a.b.c",
        "a.b.c.d",
        &format!("{deep}.e30.e30"),
        &format!("{header}.{deep}.e30"),
        &"a".repeat(20_000),
        "e30.e30.e30",
    ] {
        let refusal = desk.admits(token).await.expect_err("no token");
        assert_eq!(refusal.status, 401);
    }
    let huge = desk.company.claims(json!({"groups": "x".repeat(20_000)}));
    refused(401, "is unknown", desk.admits(&desk.key.token(&huge)).await);
    assert_eq!(desk.company.fetches(), 1);
}
