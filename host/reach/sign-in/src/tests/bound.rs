//! Tokens that are bound to a key: a server that checks the proofs, and what comes of it.

use std::collections::HashSet;

use ampoule_upstream::wants_another_proof;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use http::{Method, StatusCode};
use ring::digest::{SHA256, digest};
use ring::signature::{ECDSA_P256_SHA256_FIXED, UnparsedPublicKey};
use serde_json::{Value, json};

use super::server::{Answer, Request};
use super::*;
use crate::{Grant, Secret};

/// How a server binds tokens to keys, and what it saw.
#[derive(Default)]
pub(super) struct Bound {
    /// Whether it does.
    on: bool,
    /// What proofs must repeat, at both of its ends.
    nonce: Option<&'static str>,
    /// It wants another nonce each time.
    is_never_content: bool,
    /// It takes a proof, and gives a token that is not bound.
    gives_others: bool,
    /// How many requests had a proof.
    proofs: usize,
    seen: HashSet<String>,
    key: Option<Value>,
}

impl Bound {
    pub(super) fn scheme(&self) -> &'static str {
        if self.on { "DPoP" } else { "Bearer" }
    }

    pub(super) fn token_type(&self) -> &'static str {
        if self.gives_others {
            "Bearer"
        } else {
            self.scheme()
        }
    }

    /// Why a request is refused for its proof, if it is.
    pub(super) fn refusal(&mut self, request: &Request) -> Option<Answer> {
        let is_token = request.target.path() == "/token";
        let sent = request.headers.get("authorization");
        let token = sent.and_then(|it| it.strip_prefix("DPoP "));
        if !self.on || !(is_token || request.target.path() == "/mcp" && token.is_some()) {
            return None;
        }
        let code = match self.check(request, token) {
            Ok(()) => return None,
            Err(code) => code,
        };
        let mut headers = Vec::new();
        if code == "use_dpop_nonce" {
            let nonce = match self.is_never_content {
                true => format!("nonce-{}", self.proofs),
                false => self.nonce.unwrap_or_default().to_owned(),
            };
            headers.push(("DPoP-Nonce", nonce));
        }
        if is_token {
            headers.push(("Content-Type", "application/json".to_owned()));
            return Some((400, headers, json!({"error": code}).to_string()));
        }
        headers.push(("WWW-Authenticate", format!("DPoP error=\"{code}\"")));
        Some((401, headers, String::new()))
    }

    fn check(&mut self, request: &Request, token: Option<&str>) -> Result<(), &'static str> {
        const INVALID: &str = "invalid_dpop_proof";
        let proof = request.headers.get("dpop").ok_or(INVALID)?;
        self.proofs += 1;
        let part = |at: usize| {
            let part = proof.split('.').nth(at)?;
            serde_json::from_slice(&URL_SAFE_NO_PAD.decode(part).ok()?).ok()
        };
        let (header, claims): (Value, Value) = part(0).zip(part(1)).ok_or(INVALID)?;
        let key = &header["jwk"];
        let mut point = vec![4];
        for name in ["x", "y"] {
            let text = key[name].as_str().ok_or(INVALID)?;
            point.extend(URL_SAFE_NO_PAD.decode(text).map_err(|_| INVALID)?);
        }
        let (text, signature) = proof.rsplit_once('.').ok_or(INVALID)?;
        let signature = URL_SAFE_NO_PAD.decode(signature).map_err(|_| INVALID)?;
        let public = UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, point);
        let verified = public.verify(text.as_bytes(), &signature);
        let hash = token.map(|token| URL_SAFE_NO_PAD.encode(digest(&SHA256, token.as_bytes())));
        let is_sound = verified.is_ok()
            && header["typ"] == "dpop+jwt"
            && claims["htm"] == *request.method
            && claims["htu"] == request.target.as_str()
            && claims.get("ath").and_then(Value::as_str) == hash.as_deref()
            && self
                .seen
                .insert(claims["jti"].as_str().unwrap_or_default().to_owned());
        let is_its = token.is_none() || self.key.as_ref() == Some(key);
        if !is_sound || !is_its {
            return Err(INVALID);
        }
        let nonce = claims.get("nonce").and_then(Value::as_str);
        if self.is_never_content || self.nonce.is_some() && nonce != self.nonce {
            return Err("use_dpop_nonce");
        }
        if token.is_none() {
            self.key = Some(key.clone());
        }
        Ok(())
    }
}

/// The status of a request that is sent as requests are, with a proof of its token.
async fn asks(server: &Server, sign_in: &SignIn) -> anyhow::Result<StatusCode> {
    loop {
        let value = sign_in.authorization().await?.context("a token")?;
        let (method, url) = (Method::POST, server.resource());
        let mut request = reqwest::Client::new()
            .post(url.clone())
            .header("authorization", value.clone());
        if let Some(proof) = sign_in.proof(&value, &method, &url).await? {
            request = request.header("dpop", proof);
        }
        let answer = request.send().await?;
        let is_news = sign_in.answered(answer.headers());
        let said = answer.headers().get_all("www-authenticate").iter();
        let said: Vec<HeaderValue> = said.cloned().collect();
        if !is_news || !wants_another_proof(answer.status(), &said) {
            return Ok(answer.status());
        }
    }
}

#[tokio::test]
async fn a_person_gets_a_token_that_only_this_sign_in_can_use() -> anyhow::Result<()> {
    let server = Server::start().await?;
    server.told.lock().bound = Bound {
        on: true,
        nonce: Some("n-1"),
        ..Bound::default()
    };
    let folder = tempfile::tempdir()?;
    let notes = started(&server, folder.path())?;
    sign_in(&notes).await?;
    assert_eq!(asks(&server, &notes).await?, 200);
    // Alone, the token is useless.
    assert_eq!(status(&server, &notes).await?, 401);
    // A new start knows the key, and a refresh keeps it. What proofs must repeat may change.
    let again = started(&server, folder.path())?;
    assert_eq!(asks(&server, &again).await?, 200);
    server.told.lock().bound.nonce = Some("n-2");
    aged(&again, Duration::from_secs(3600)).await?;
    assert_eq!(asks(&server, &again).await?, 200);
    assert_eq!(server.told.lock().used.len(), 1);
    Ok(())
}

#[tokio::test]
async fn a_token_that_is_not_bound_is_refused() -> anyhow::Result<()> {
    let server = Server::start().await?;
    server.told.lock().bound = Bound {
        on: true,
        gives_others: true,
        ..Bound::default()
    };
    let folder = tempfile::tempdir()?;
    let notes = started(&server, folder.path())?;
    let why = sign_in(&notes)
        .await
        .expect_err("it is not bound")
        .to_string();
    assert!(why.contains("not bound to Ampoule's key (DPoP)"), "{why}");
    assert_eq!(notes.signed_in().await?, None);

    // So it is where only the configuration asks for it, and the server knows nothing of keys.
    server.told.lock().bound = Bound::default();
    let mut options = SignInOptions::new("notes", server.resource());
    options.dpop = Some(true);
    let strict = with(options, folder.path())?;
    let why = sign_in(&strict)
        .await
        .expect_err("it is not bound")
        .to_string();
    assert!(why.contains("not bound to Ampoule's key (DPoP)"), "{why}");
    Ok(())
}

fn robot(server: &Server, dpop: Option<bool>) -> SignInOptions {
    let clients = [("robot".to_owned(), Some("robots-secret".to_owned()))];
    server.told.lock().clients.extend(clients);
    let mut options = SignInOptions::new("notes", server.resource());
    options.grant = Grant::ClientCredentials;
    options.client_id = Some("robot".into());
    options.client_secret = Some(Secret::new("robots-secret"));
    options.dpop = dpop;
    options
}

#[tokio::test]
async fn a_machine_binds_its_token_where_the_server_or_the_configuration_asks() -> anyhow::Result<()>
{
    let server = Server::start().await?;
    let folder = tempfile::tempdir()?;
    server.told.lock().bound.on = true;
    let told = with(robot(&server, Some(true)), folder.path())?;
    assert_eq!(asks(&server, &told).await?, 200);

    // It first comes with an ordinary token, and the server says that it wants another.
    server.told.lock().bound.on = false;
    let asked = with(robot(&server, None), folder.path())?;
    assert_eq!(asks(&server, &asked).await?, 200);
    server.told.lock().bound.on = true;
    assert_eq!(asks(&server, &asked).await?, 401);
    assert!(
        asked
            .refused(401, &challenges("DPoP error=\"invalid_token\""))
            .await?
    );
    assert_eq!(asks(&server, &asked).await?, 200);

    // It never does where it must not.
    server.told.lock().bound.on = false;
    let never = with(robot(&server, Some(false)), folder.path())?;
    assert_eq!(asks(&server, &never).await?, 200);
    let proofs = server.told.lock().bound.proofs;
    server.told.lock().bound.on = true;
    never.0.state.lock().await.settle();
    let refused = never
        .refused(401, &challenges("DPoP error=\"invalid_token\""))
        .await;
    assert!(!matches!(refused, Ok(true)), "{refused:?}");
    assert_eq!(server.told.lock().bound.proofs, proofs);
    Ok(())
}

#[tokio::test]
async fn a_server_that_always_wants_another_proof_is_asked_twice() -> anyhow::Result<()> {
    let server = Server::start().await?;
    let folder = tempfile::tempdir()?;
    server.told.lock().bound = Bound {
        on: true,
        is_never_content: true,
        ..Bound::default()
    };
    let robot = with(robot(&server, Some(true)), folder.path())?;
    let why = robot.authorization().await.expect_err("there is no token");
    assert!(why.to_string().contains("use_dpop_nonce"), "{why}");
    assert_eq!(server.told.lock().bound.proofs, 2);
    Ok(())
}
