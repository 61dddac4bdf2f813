//! Where an issuer has its keys (RFC 8414, or OpenID Connect's discovery), and these.
//!
//! The operator trusts the issuer, so where it says that its keys are is where they are fetched,
//! in private networks too; but only over TLS, without following a redirect, and within bounds.

use std::time::Duration;

use ampoule_untrusted::text;
use http::header::ACCEPT;
use reqwest::redirect::Policy;
use serde::Deserialize;
use url::{Host, Url};

use super::keys::Keys;
use crate::AccessError;

/// How long all of it may take.
const TIMEOUT: Duration = Duration::from_secs(10);
/// No document of an issuer needs more bytes.
const MOST_BYTES: usize = 1 << 20;
/// More of what an issuer says of itself is not shown, in characters.
const SHOWN: usize = 200;

#[derive(Debug)]
pub(super) struct Discovery {
    /// As it is written in tokens: names of issuers are compared as texts.
    issuer: String,
    url: Url,
    http: reqwest::Client,
}

#[derive(Deserialize)]
struct Metadata {
    issuer: String,
    jwks_uri: String,
}

impl Discovery {
    /// # Errors
    ///
    /// The issuer is not an address that tokens could be checked against, or no client can be made.
    pub(super) fn new(issuer: &str, http: reqwest::ClientBuilder) -> Result<Self, AccessError> {
        let url = Url::parse(issuer).ok().filter(|url| {
            is_secured(url, is_loopback(url)) && url.query().is_none() && url.fragment().is_none()
        });
        let url = url.ok_or_else(|| {
            AccessError::new(
                "`issuer` must be an address, as the issuer names itself: https://login.example.com, or http:// on this machine",
            )
        })?;
        // Whoever embeds this may have chosen another; the first one stays.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let http = http
            .redirect(Policy::none())
            .referer(false)
            .timeout(TIMEOUT)
            .build()
            .map_err(|error| AccessError::new(format!("no HTTP client can be made: {error}")))?;
        Ok(Self {
            issuer: issuer.to_owned(),
            url,
            http,
        })
    }

    pub(super) fn issuer(&self) -> &str {
        &self.issuer
    }

    /// The issuer's keys. Where they are is asked each time, since it may change.
    ///
    /// # Errors
    ///
    /// Why there are none, in words for the log.
    pub(super) async fn keys(&self) -> Result<Keys, String> {
        let finding = async {
            let at = self.keys_address().await?;
            let found = self.document(&at).await?;
            let set = found.ok_or_else(|| format!("there is nothing at {}", shown(at.as_str())))?;
            Keys::read(&set).map_err(ToOwned::to_owned)
        };
        let waited = humantime::format_duration(TIMEOUT);
        let found = tokio::time::timeout(TIMEOUT, finding).await;
        found.unwrap_or_else(|_| Err(format!("it did not answer within {waited}")))
    }

    async fn keys_address(&self) -> Result<Url, String> {
        for address in self.addresses() {
            let Some(text) = self.document(&address).await? else {
                continue;
            };
            let metadata: Metadata = serde_json::from_slice(&text)
                .map_err(|_| format!("what is at {address} names no issuer and `jwks_uri`"))?;
            if metadata.issuer != self.issuer {
                return Err(format!(
                    "the issuer calls itself {}; where that is right, write it so as `issuer`",
                    shown(&metadata.issuer)
                ));
            }
            let keys = Url::parse(&metadata.jwks_uri).ok();
            let keys = keys.filter(|keys| is_secured(keys, is_loopback(&self.url)));
            return keys.ok_or_else(|| "its `jwks_uri` is not behind https://".to_owned());
        }
        Err("it has no metadata, neither of OpenID Connect nor of OAuth (RFC 8414)".to_owned())
    }

    /// Where its metadata may be.
    fn addresses(&self) -> [Url; 2] {
        let path = self.url.path().trim_end_matches('/');
        let at = |path: String| {
            let mut url = self.url.clone();
            url.set_path(&path);
            url
        };
        [
            at(format!("{path}/.well-known/openid-configuration")),
            at(format!("/.well-known/oauth-authorization-server{path}")),
        ]
    }

    /// A document; none where the server has none.
    async fn document(&self, at: &Url) -> Result<Option<Vec<u8>>, String> {
        let failed = |error: reqwest::Error| explained(&error.without_url());
        let request = self.http.get(at.clone()).header(ACCEPT, "application/json");
        let mut answer = request.send().await.map_err(failed)?;
        let status = answer.status();
        if status.is_client_error() {
            return Ok(None);
        }
        if !status.is_success() {
            return Err(format!(
                "{} is answered with {}",
                shown(at.as_str()),
                status.as_u16()
            ));
        }
        let mut text = Vec::new();
        while let Some(chunk) = answer.chunk().await.map_err(failed)? {
            if chunk.len() > MOST_BYTES - text.len() {
                let at = shown(at.as_str());
                return Err(format!("what is at {at} is longer than {MOST_BYTES} bytes"));
            }
            text.extend_from_slice(&chunk);
        }
        Ok(Some(text))
    }
}

/// Whether nobody on the way can change what is there. On this machine, nobody is.
fn is_secured(url: &Url, loopback: bool) -> bool {
    match url.scheme() {
        "https" => url.has_host(),
        "http" => loopback && is_loopback(url),
        _ => false,
    }
}

fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

/// An error with what is beneath it.
fn explained(error: &reqwest::Error) -> String {
    let mut message = error.to_string();
    let mut source = std::error::Error::source(error);
    while let Some(cause) = source {
        message += &format!(": {cause}");
        source = cause.source();
    }
    shown(&message)
}

fn shown(said: &str) -> String {
    let short: String = said.chars().take(SHOWN).collect();
    text::one_line(&short).into_owned()
}
