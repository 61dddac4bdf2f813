//! An issuer that the configuration names: of callers' tokens, where it exchanges them, and of people,
//! where they sign in.

use http::header::ACCEPT;
use serde_json::{Map, Value};
use url::Url;

use crate::address::AddressPolicy;
use crate::client::Client;
use crate::error::SignInError;
use crate::options::{Exchange, SignInOptions};

/// An issuer, and the way to it.
#[derive(Debug)]
pub(crate) struct Provider {
    pub(crate) client: Client,
    url: Url,
}

impl Provider {
    /// That of an exchange.
    pub(crate) fn of(options: &SignInOptions, exchange: &Exchange) -> Result<Self, SignInError> {
        let mut http = reqwest::Client::builder();
        if let Some(tls) = &exchange.tls {
            http = http.tls_backend_preconfigured(tls.clone());
        }
        let made = Self::at(&exchange.issuer, options.private_network, http);
        made?.ok_or_else(|| {
            SignInError::new(format!(
                "{}: the `issuer` of `exchange` must be an address, as the issuer names itself: https://login.example.com",
                options.name
            ))
        })
    }

    /// The one of this name; none if the name is not an address. `private_network`: whether what it
    /// names may be in a private network.
    pub(crate) fn at(
        issuer: &str,
        private_network: bool,
        http: reqwest::ClientBuilder,
    ) -> Result<Option<Self>, SignInError> {
        let url = Url::parse(issuer).ok().filter(|url| {
            matches!(url.scheme(), "http" | "https")
                && url.has_host()
                && url.query().is_none()
                && url.fragment().is_none()
        });
        let Some(url) = url else {
            return Ok(None);
        };
        let client = Client::of(&url, private_network, http)?;
        Ok(Some(Self { client, url }))
    }

    /// Whether the issuer may send people to this address.
    pub(crate) fn may_lead_to(&self, address: &Url) -> bool {
        AddressPolicy::from(&self.url, true).allows(address)
    }

    /// One that knows nothing of this one's answers.
    pub(crate) fn beside(&self) -> Self {
        Self {
            client: self.client.beside(),
            url: self.url.clone(),
        }
    }

    /// What the issuer says of itself (RFC 8414, or OpenID Connect's discovery).
    ///
    /// # Errors
    ///
    /// It says nothing, or is another one: no token of a caller goes there.
    pub(crate) async fn metadata(&self, issuer: &str) -> Result<Map<String, Value>, SignInError> {
        for address in self.addresses() {
            let request = http::Request::get(address.as_str())
                .header(ACCEPT, "application/json")
                .body(Vec::new())
                .map_err(|error| SignInError::new(error.to_string()))?;
            let answer = self.client.send(request).await;
            let answer = answer.map_err(|error| {
                SignInError::new(format!("the issuer {issuer} can't be reached: {error}"))
            })?;
            if answer.status().is_client_error() {
                continue;
            }
            let status = answer.status().as_u16();
            let read = serde_json::from_slice(answer.body()).ok();
            let metadata: Map<String, Value> =
                read.filter(|_| answer.status().is_success())
                    .ok_or_else(|| {
                        SignInError::new(format!(
                            "the issuer {issuer} does not describe itself: its metadata is answered with {status}"
                        ))
                    })?;
            return match metadata.get("issuer").and_then(Value::as_str) {
                Some(named) if named == issuer => Ok(metadata),
                named => Err(SignInError::new(format!(
                    "the issuer at {issuer} calls itself {}; where that is right, write it so as `issuer`",
                    named.unwrap_or("nothing")
                ))),
            };
        }
        Err(SignInError::new(format!(
            "the issuer {issuer} has no metadata, neither of OpenID Connect nor of OAuth (RFC 8414)"
        )))
    }

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
}
