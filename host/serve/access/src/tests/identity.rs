//! Tokens that say who signed in, beside those for access.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::digest::{SHA256, digest};
use serde_json::{Value, json};

use super::company::{Company, Signer, extend};
use super::issuer::Desk;
use crate::{Access, IssuerAnswer};

const CLIENT: &str = "console";
const NONCE: &str = "nonce of this sign-in";

/// What a good one says.
fn claims(company: &Company, more: Value) -> Value {
    let mut claims = company.claims(json!({ "aud": CLIENT, "nonce": NONCE, "client_id": null }));
    extend(&mut claims, more);
    claims
}

async fn checked(desk: &Desk, identity: &str, access: &str) -> Result<(), String> {
    let answer = IssuerAnswer {
        identity,
        access,
        client: CLIENT,
        nonce: NONCE,
    };
    let checked = desk.access.check_sign_in(answer).await;
    checked.map_err(|refused| refused.message().to_owned())
}

#[tokio::test]
async fn a_token_that_says_who_signed_in_answers_one_sign_in() {
    let desk = Desk::new().await;
    let access = desk.key.token(&desk.company.claims(json!({})));
    let half = digest(&SHA256, access.as_bytes());
    let half = URL_SAFE_NO_PAD.encode(&half.as_ref()[..16]);
    for more in [
        json!({}),
        json!({ "azp": CLIENT }),
        json!({ "aud": [CLIENT] }),
        json!({ "aud": [CLIENT, "others"], "azp": CLIENT }),
        json!({ "at_hash": half }),
    ] {
        let token = desk
            .key
            .token_with(json!({ "typ": "JWT" }), &claims(&desk.company, more));
        assert_eq!(checked(&desk, &token, &access).await, Ok(()));
    }
    let other = Signer::p256("first");
    for (more, why) in [
        (json!({ "nonce": "of another" }), "to another sign-in"),
        (json!({ "nonce": null }), "to another sign-in"),
        (json!({ "nonce": [NONCE] }), "to another sign-in"),
        (json!({ "at_hash": "AAAA" }), "to another sign-in"),
        (json!({ "aud": "others" }), "for another audience"),
        // One for access to this server is not one that says who signed in.
        (
            json!({ "aud": super::company::AUDIENCE }),
            "for another audience",
        ),
        (json!({ "aud": [CLIENT, "others"] }), "for another audience"),
        (json!({ "azp": "others" }), "for another audience"),
        (
            json!({ "iss": "https://evil.example" }),
            "from another issuer",
        ),
        (json!({ "exp": 1 }), "has expired"),
        (json!({ "sub": null }), "does not say whom it is for"),
        (json!({ "sub": "" }), "does not say whom it is for"),
    ] {
        let token = desk
            .key
            .token_with(json!({ "typ": null }), &claims(&desk.company, more.clone()));
        let refused = checked(&desk, &token, &access).await.expect_err(why);
        assert!(refused.contains(why), "{more}: {refused}");
    }
    // Its header says that it is one for access, or it is signed by another key.
    let good = claims(&desk.company, json!({}));
    for token in [
        desk.key.token(&good),
        other.token_with(json!({ "typ": "JWT" }), &good),
        "no.token.at-all".to_owned(),
        String::new(),
    ] {
        assert!(checked(&desk, &token, &access).await.is_err(), "{token}");
    }
    // It admits nobody.
    let token = desk.key.token_with(json!({ "typ": "JWT" }), &good);
    assert!(desk.admits(&token).await.is_err());
}

#[tokio::test]
async fn without_an_issuer_nobody_has_signed_in() {
    let answer = IssuerAnswer {
        identity: "a.b.c",
        access: "a.b.c",
        client: CLIENT,
        nonce: NONCE,
    };
    assert!(Access::open().check_sign_in(answer).await.is_err());
}
