//! A caller's token, exchanged for one that the server takes: at its issuer (RFC 8693), and where the
//! server has another authorization server, there, by what the issuer vouches for (the identity
//! assertion of MCP's enterprise-managed authorization, ID-JAG).
//!
//! The caller's token goes to its issuer alone. What the issuer gives is for one authorization server
//! and one resource, and is looked at before it goes there.

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use rmcp::transport::auth::StoredCredentials;
use serde_json::{Map, Value};

use crate::answer::{Remedy, Tokens};
use crate::discovery;
use crate::dpop::ProofKey;
use crate::error::SignInError;
use crate::options::Exchange;
use crate::place::Owner;
use crate::platform;
use crate::provider::Provider;
use crate::secret::Secret;
use crate::sign_in::Inner;
use crate::token_request::{ClientIdentity, TokenAnswer, TokenEndpoint, TokenError};

const TOKEN_EXCHANGE: &str = "urn:ietf:params:oauth:grant-type:token-exchange";
const ACCESS_TOKEN: &str = "urn:ietf:params:oauth:token-type:access_token";
const JWT: &str = "urn:ietf:params:oauth:token-type:jwt";
/// An identity assertion for another authorization server.
const ID_JAG: &str = "urn:ietf:params:oauth:token-type:id-jag";
/// What the header of one says that it is.
const ID_JAG_TYPE: &str = "oauth-id-jag+jwt";

impl Inner {
    /// Exchanges the caller's token: which authorization server gave the new one, and that.
    pub(crate) async fn exchange_token(
        &self,
        key: Option<Arc<ProofKey>>,
    ) -> Result<(String, StoredCredentials), TokenError> {
        let (Some(exchange), Some(provider)) = (&self.options.exchange, &self.provider) else {
            return Err(SignInError::new(
                "the configuration does not say where tokens are exchanged",
            )
            .into());
        };
        let subject = self.subject(exchange).map_err(|error| TokenError {
            error,
            remedy: Remedy::SignIn(Tokens::Stay),
        })?;
        if exchange.is_direct {
            return self
                .exchange_directly(exchange, provider, &subject, key)
                .await;
        }
        let found = discovery::discover(&self.client, &self.options, None).await?;
        let issuer = found.metadata.issuer.clone().ok_or_else(|| {
            SignInError::new("the metadata of its authorization server has no `issuer`, so no token can be exchanged for it")
        })?;
        if issuer == exchange.issuer {
            return self
                .exchange_directly(exchange, provider, &subject, key)
                .await;
        }
        let audience = exchange.audience.as_ref().unwrap_or(&issuer);
        let answer = self
            .asks_issuer(exchange, provider, &subject, ID_JAG, Some(audience))
            .await?;
        is_given(&answer, exchange, &[ID_JAG])?;
        let assertion = answer.text("access_token").map(Secret::new);
        let assertion = assertion.ok_or_else(|| SignInError::new("no token was given"))?;
        check(assertion.expose(), &issuer, self.options.resource.as_str())
            .map_err(|why| refused(exchange, why))?;
        let tokens = self.by_assertion(&found, assertion.expose()).await?;
        Ok((issuer, tokens))
    }

    /// The issuer itself gives tokens for the server.
    async fn exchange_directly(
        &self,
        exchange: &Exchange,
        provider: &Provider,
        subject: &Secret,
        key: Option<Arc<ProofKey>>,
    ) -> Result<(String, StoredCredentials), TokenError> {
        provider.client.bind(key);
        let audience = exchange.audience.as_ref();
        let asked = self.asks_issuer(exchange, provider, subject, ACCESS_TOKEN, audience);
        let answer = asked.await;
        provider.client.bind(None);
        let answer = answer?;
        is_given(&answer, exchange, &[ACCESS_TOKEN, JWT])?;
        let kind = answer.text("token_type").unwrap_or_default();
        if !["bearer", "dpop"]
            .iter()
            .any(|it| kind.eq_ignore_ascii_case(it))
        {
            return Err(refused(exchange, "gave a token that is not one for access"));
        }
        // Passed on, the caller's own token would be good for Ampoule as well.
        if answer.text("access_token").as_deref() == Some(subject.expose()) {
            return Err(refused(exchange, "gave the caller's own token back"));
        }
        let client = self.options.client_id.clone().unwrap_or_default();
        Ok((exchange.issuer.clone(), answer.credentials(client)?))
    }

    async fn asks_issuer(
        &self,
        exchange: &Exchange,
        provider: &Provider,
        subject: &Secret,
        wanted: &str,
        audience: Option<&String>,
    ) -> Result<TokenAnswer, TokenError> {
        let metadata = provider.metadata(&exchange.issuer).await?;
        let address = metadata.get("token_endpoint").and_then(Value::as_str);
        let address = address.ok_or_else(|| {
            SignInError::new(format!(
                "the issuer {} has no token endpoint",
                exchange.issuer
            ))
        })?;
        let mut form = vec![
            ("grant_type", TOKEN_EXCHANGE.to_owned()),
            ("subject_token", subject.expose().to_owned()),
            ("subject_token_type", exchange.subject.urn().to_owned()),
            ("requested_token_type", wanted.to_owned()),
        ];
        form.extend(audience.map(|audience| ("audience", audience.clone())));
        form.extend(self.wanted());
        let endpoint = TokenEndpoint {
            address,
            issuer: &exchange.issuer,
            methods: metadata.get("token_endpoint_auth_methods_supported"),
        };
        let own = exchange.client_id.is_none();
        let identity = ClientIdentity {
            id: exchange
                .client_id
                .as_deref()
                .or(self.options.client_id.as_deref()),
            secret: match own {
                true => self.options.client_secret.as_ref(),
                false => exchange.client_secret.as_ref(),
            },
            key: self.options.private_key.as_ref().filter(|_| {
                // Of two clients with one key, the one with a secret uses that.
                own || exchange.client_secret.is_none()
            }),
            assertion: None,
        };
        let asked = endpoint.ask(&provider.client, identity, form).await;
        asked.map_err(|failed| TokenError {
            error: SignInError::new(format!("the issuer {}: {}", exchange.issuer, failed.error)),
            ..failed
        })
    }

    /// The token that is exchanged: the caller's, or for the host's own runs, that of the file.
    fn subject(&self, exchange: &Exchange) -> Result<Secret, SignInError> {
        if let Owner::Principal(_) = &self.options.owner {
            let caller = self.caller.lock().get();
            let token = caller.ok_or_else(|| {
                SignInError::new("there is no token of the caller that could be exchanged")
            })?;
            let token = token.expose();
            let claims = part(&token, 1);
            let named = claims.as_ref().and_then(|it| it.get("iss")?.as_str());
            if named != Some(&*exchange.issuer) {
                return Err(SignInError::new(format!(
                    "the caller's token is from another issuer than {}, so Ampoule does not send it there",
                    exchange.issuer
                )));
            }
            return Ok(Secret::new(&*token));
        }
        match &self.options.assertion {
            Some(file) => platform::token(file),
            None => Err(SignInError::new(
                "this run has no caller whose token could be exchanged; give a file with a token as `assertion`",
            )),
        }
    }
}

/// Whether the issuer gave what it was asked for (RFC 8693, 2.2.1).
fn is_given(answer: &TokenAnswer, exchange: &Exchange, wanted: &[&str]) -> Result<(), TokenError> {
    let issued = answer.text("issued_token_type");
    match issued.as_deref() {
        Some(issued) if wanted.contains(&issued) => Ok(()),
        _ => Err(refused(
            exchange,
            "gave another kind of token than it was asked for",
        )),
    }
}

/// Whether an identity assertion is one for this authorization server and this resource, and still
/// good. Its signature is for the authorization server to check.
fn check(assertion: &str, audience: &str, resource: &str) -> Result<(), &'static str> {
    let unreadable = "gave an assertion that can't be read";
    let (header, claims) = (part(assertion, 0), part(assertion, 1));
    let (header, claims) = header.zip(claims).ok_or(unreadable)?;
    let kind = header.get("typ").and_then(Value::as_str);
    if !kind.is_some_and(|kind| kind.eq_ignore_ascii_case(ID_JAG_TYPE)) {
        return Err("gave an assertion of another type than `oauth-id-jag+jwt`");
    }
    // A list could name others, who could use it too.
    let named = match claims.get("aud") {
        Some(Value::Array(all)) if all.len() == 1 => all[0].as_str(),
        Some(one) => one.as_str(),
        None => None,
    };
    if named != Some(audience) {
        return Err("gave an assertion for another authorization server");
    }
    let is_ours = match claims.get("resource") {
        None => true,
        Some(Value::Array(all)) => all.iter().any(|it| it == resource),
        Some(one) => one == resource,
    };
    if !is_ours {
        return Err("gave an assertion for another server");
    }
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let now = now.unwrap_or_default().as_secs();
    match claims.get("exp").and_then(Value::as_f64) {
        Some(ends) if ends > now as f64 => Ok(()),
        Some(_) => Err("gave an assertion that has ended"),
        None => Err("gave an assertion without an end"),
    }
}

/// A part of a JWT.
fn part(token: &str, at: usize) -> Option<Map<String, Value>> {
    let part = token.split('.').nth(at)?;
    serde_json::from_slice(&URL_SAFE_NO_PAD.decode(part).ok()?).ok()
}

fn refused(exchange: &Exchange, why: &str) -> TokenError {
    TokenError {
        error: SignInError::new(format!("the issuer {} {why}", exchange.issuer)),
        remedy: Remedy::SignIn(Tokens::Stay),
    }
}
