//! Tokens that an issuer signed, and what they say.

use std::time::Duration;

use http::header::AUTHORIZATION;
use http::{HeaderMap, StatusCode};
use jsonwebtoken::get_current_timestamp;
use serde_json::{Value, json};
use tokio::time;

use super::Log;
use super::company::{AUDIENCE, Company, Signer};
use crate::{Access, AccessError, AccessOptions, IssuerOptions};

/// A server that trusts a company, and the company.
pub(super) struct Desk {
    pub(super) company: Company,
    pub(super) key: Signer,
    pub(super) access: Access,
}

impl Desk {
    pub(super) async fn new() -> Self {
        Self::with(|_| ()).await
    }

    pub(super) async fn with(change: impl FnOnce(&mut IssuerOptions)) -> Self {
        let company = Company::start().await;
        let key = Signer::p256("first");
        company.told.lock().keys = vec![key.jwk()];
        let mut options = company.options();
        change(&mut options);
        let access = open(options).await.expect("options that can be used");
        Self {
            company,
            key,
            access,
        }
    }

    /// Who this is from, or what is wrong with it.
    pub(super) async fn admits(&self, token: &str) -> Result<String, TokenRefusal> {
        let admitted = self.access.admit(&sent(token)).await;
        let admitted = admitted.map(|principal| principal.expect("somebody").to_string());
        admitted.map_err(|refused| {
            let challenge = refused.challenge().to_str().expect("text").to_owned();
            assert!(challenge.starts_with("Bearer "), "{challenge}");
            TokenRefusal {
                status: refused.status().as_u16(),
                message: refused.message().to_owned(),
            }
        })
    }

    /// The same for a token of the first key that says something else.
    pub(super) async fn admits_who_says(&self, more: Value) -> Result<String, TokenRefusal> {
        self.admits(&self.key.token(&self.company.claims(more)))
            .await
    }

    /// Keys may be fetched again.
    pub(super) async fn rested(&self) {
        passed(Duration::from_secs(10)).await;
    }
}

/// Time passes for this crate, and for nobody else.
pub(super) async fn passed(time: Duration) {
    time::pause();
    time::advance(time).await;
    time::resume();
}

pub(super) async fn open(options: IssuerOptions) -> Result<Access, AccessError> {
    let options = AccessOptions {
        issuer: Some(options),
        ..AccessOptions::default()
    };
    Access::new(options, reqwest::Client::builder().no_proxy()).await
}

pub(super) fn sent(token: &str) -> HeaderMap {
    let value = format!("Bearer {token}").parse().expect("a value");
    HeaderMap::from_iter([(AUTHORIZATION, value)])
}

/// Why a token is not taken.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TokenRefusal {
    pub(super) status: u16,
    pub(super) message: String,
}

pub(super) fn refused(status: u16, with: &str, found: Result<String, TokenRefusal>) {
    let TokenRefusal {
        status: found,
        message,
    } = found.expect_err(with);
    assert_eq!(found, status, "{message}");
    assert!(message.contains(with), "{message}");
}

#[tokio::test]
async fn whom_the_issuer_names_is_admitted() {
    let desk = Desk::new().await;
    let ada = Ok("ada".to_owned());
    assert_eq!(desk.admits_who_says(json!({})).await, ada);
    let now = get_current_timestamp();
    for more in [
        json!({"aud": ["others", "ampoule"]}),
        json!({"nbf": now - 5}),
        // Clocks differ.
        json!({"nbf": now + 20}),
        json!({"exp": now - 5}),
        json!({"exp": now as f64 + 60.5}),
    ] {
        assert_eq!(desk.admits_who_says(more.clone()).await, ada, "{more}");
    }
    let claims = desk.company.claims(json!({}));
    for header in [
        json!({"typ": "JWT"}),
        json!({"typ": null}),
        json!({"typ": "application/AT+jwt"}),
        json!({"kid": null}),
    ] {
        let token = desk.key.token_with(header.clone(), &claims);
        assert_eq!(desk.admits(&token).await, ada, "{header}");
    }
    assert_eq!(desk.company.fetches(), 1);
}

#[tokio::test]
async fn what_a_token_says_must_be_right() {
    let desk = Desk::new().await;
    let now = get_current_timestamp();
    for (more, why) in [
        (
            json!({"iss": "https://login.example.com"}),
            "from another issuer",
        ),
        (
            json!({"iss": format!("{}/", desk.company.base)}),
            "from another issuer",
        ),
        (json!({"iss": null}), "not an access token"),
        (json!({"iss": [desk.company.base]}), "from another issuer"),
        (
            json!({"iss": [desk.company.base, "https://login.example.com"]}),
            "from another issuer",
        ),
        (
            json!({"aud": "https://ampoule.example.com/mcp/"}),
            "for another audience",
        ),
        (json!({"aud": ["a", "b"]}), "for another audience"),
        (json!({"aud": []}), "for another audience"),
        (json!({"aud": null}), "not an access token"),
        (json!({"exp": now - 31}), "has expired"),
        (json!({"exp": null}), "not an access token"),
        (json!({"exp": "tomorrow"}), "not an access token"),
        (json!({"exp": -1}), "not an access token"),
        (json!({"nbf": now + 60}), "not valid yet"),
        (json!({"nbf": "now"}), "not an access token"),
        (json!({"sub": null}), "does not say whom it is for"),
        (json!({"sub": 1}), "does not say whom it is for"),
        (json!({"sub": ""}), "does not say whom it is for"),
        (json!({"sub": "a b"}), "does not say whom it is for"),
        (json!({"sub": "local"}), "does not say whom it is for"),
        (json!({"sub": "a\u{202e}b"}), "does not say whom it is for"),
        (
            json!({"sub": "a".repeat(129)}),
            "does not say whom it is for",
        ),
    ] {
        refused(401, why, desk.admits_who_says(more).await);
    }
    let claims = desk.company.claims(json!({}));
    for header in [
        json!({"typ": "logout+jwt"}),
        json!({"crit": ["exp"]}),
        json!({"alg": "none"}),
        json!({"alg": "ES999"}),
    ] {
        refused(
            401,
            "not an access token",
            desk.admits(&desk.key.token_with(header, &claims)).await,
        );
    }
}

#[tokio::test]
async fn what_is_asked_for_must_be_granted() {
    let desk = Desk::with(|options| {
        options.scopes = vec!["mcp".to_owned(), "run".to_owned()];
        options.principal_claim = Some("email".to_owned());
    })
    .await;
    let says = |scope: &str, verified: bool| json!({"scope": scope, "email": "ada@example.com", "email_verified": verified});
    assert_eq!(
        desk.admits_who_says(says("openid run mcp", true)).await,
        Ok("ada@example.com".to_owned())
    );
    refused(
        401,
        "does not say whom",
        desk.admits_who_says(says("run mcp", false)).await,
    );
    refused(
        401,
        "does not say whom",
        desk.admits_who_says(json!({"scope": "run mcp"})).await,
    );
    refused(403, "scopes", desk.admits_who_says(says("run", true)).await);
    let little = sent(&desk.key.token(&desk.company.claims(says("", true))));
    let refused = desk
        .access
        .admit(&little)
        .await
        .expect_err("it grants nothing");
    let challenge = refused.challenge();
    let challenge = challenge.to_str().expect("text");
    assert!(challenge.contains(r#"scope="mcp run""#), "{challenge}");
    assert!(
        challenge.contains(r#"error="insufficient_scope""#),
        "{challenge}"
    );
}

#[tokio::test]
async fn clients_are_told_where_the_issuer_is() {
    let desk = Desk::with(|options| options.scopes = vec!["mcp".to_owned()]).await;
    let metadata = desk.access.metadata().expect("there is an issuer");
    assert_eq!(
        metadata,
        json!({
            "resource": AUDIENCE,
            "authorization_servers": [desk.company.base],
            "bearer_methods_supported": ["header"],
            "scopes_supported": ["mcp"],
        })
    );
    let path = "/.well-known/oauth-protected-resource/mcp";
    assert_eq!(desk.access.metadata_path(), Some(path));
    let unknown = desk
        .access
        .admit(&HeaderMap::new())
        .await
        .expect_err("no token");
    assert_eq!(unknown.status(), StatusCode::UNAUTHORIZED);
    assert_eq!(
        unknown.challenge(),
        format!(
            r#"Bearer realm="ampoule", scope="mcp", resource_metadata="https://ampoule.example.com{path}""#
        )
    );
}

#[tokio::test]
async fn tokens_are_neither_in_the_log_nor_in_answers() {
    let log = Log::default();
    let _guard = log.hears_all();
    let desk = Desk::new().await;
    let now = get_current_timestamp();
    let mut said = String::new();
    for more in [
        json!({}),
        json!({"exp": now - 90}),
        json!({"sub": "hunter2 hunter2"}),
        json!({"iss": "hunter2"}),
    ] {
        let token = desk.key.token(&desk.company.claims(more));
        let admitted = desk.access.admit(&sent(&token)).await;
        said += &format!("{admitted:?} {:?}", desk.access);
        for part in token.split('.').skip(1) {
            assert!(!log.seen(part) && !said.contains(part));
        }
    }
    assert!(!said.contains("hunter2") && !log.seen("hunter2"));
    assert!(said.contains("AccessDeniedError") && log.seen("is not admitted"));
}

#[tokio::test]
async fn where_nobody_is_asked_everybody_is_the_local_user() {
    let open = Access::open();
    assert!(open.is_open() && open.metadata().is_none() && open.metadata_path().is_none());
    assert_eq!(open.admit(&sent("anything")).await, Ok(None));
    assert!(!Desk::new().await.access.is_open());
}

#[tokio::test]
async fn a_part_of_the_server_has_tokens_of_its_own_and_those_of_the_whole() {
    let whole = "https://ampoule.example.com/mcp";
    let desk = Desk::with(|options| options.resource = Some(whole.to_owned())).await;
    let support = desk.access.beneath("support").expect("an address");
    let sales = desk.access.beneath("sales").expect("an address");
    let by = |access: &Access, aud: Value| {
        let token = desk.key.token(&desk.company.claims(json!({ "aud": aud })));
        let access = access.clone();
        async move {
            let admitted = access.admit(&sent(&token)).await;
            admitted.map_err(|refused| refused.message().to_owned())
        }
    };
    let own = format!("{whole}/support");
    for aud in [json!(own), json!(["others", own]), json!(AUDIENCE)] {
        assert!(by(&support, aud.clone()).await.is_ok(), "{aud}");
    }
    for access in [&desk.access, &sales] {
        let refused = by(access, json!(own)).await.expect_err("another's");
        assert!(refused.contains("another audience"), "{refused}");
        assert!(by(access, json!(AUDIENCE)).await.is_ok());
    }
    for aud in [
        format!("{own}/"),
        format!("{whole}/support/../sales"),
        format!("{whole}/Support"),
        format!("{whole}/sales"),
        format!("{whole}/"),
    ] {
        assert!(by(&support, json!(aud)).await.is_err(), "{aud}");
    }
    let metadata = support.metadata().expect("metadata");
    assert_eq!(metadata["resource"], own);
    assert_eq!(
        support.metadata_path(),
        Some("/.well-known/oauth-protected-resource/mcp/support")
    );
    let refused = support
        .admit(&HeaderMap::new())
        .await
        .expect_err("no token");
    let challenge = refused.challenge();
    let challenge = challenge.to_str().expect("text");
    let at = "https://ampoule.example.com/.well-known/oauth-protected-resource/mcp/support";
    assert!(
        challenge.contains(&format!("resource_metadata=\"{at}\"")),
        "{challenge}"
    );
    // The keys are fetched once for all.
    assert_eq!(desk.company.fetches(), 1);
    assert!(
        Access::open()
            .beneath("support")
            .expect("it is open")
            .is_open()
    );
}
