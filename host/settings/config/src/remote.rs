//! A server that is reached by HTTP.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::PathBuf;

use ampoule_fields::{Quantity, SecretText};
use ampoule_network::Tls;
use schemars::JsonSchema;
use serde::de::{Error, Unexpected};
use serde::{Deserialize, Deserializer};
use url::Url;

use super::error::{ConfigError, Mistakes};
use super::read::{Entry, Table};

/// A server that is reached by HTTP, with the variables in it replaced.
#[derive(Clone, PartialEq, Eq)]
pub struct Remote {
    /// Its address: `http://` or `https://`. May hold secrets.
    pub url: String,
    /// How it is spoken to.
    pub transport: Transport,
    /// Headers of every request. Their values are secrets.
    pub headers: BTreeMap<String, String>,
    /// A program and its arguments, which print further headers as a JSON object; empty if there
    /// is none.
    pub headers_command: Vec<String>,
    /// How Ampoule signs in.
    pub auth: Auth,
    /// How the server is told to be who it says, and Ampoule likewise.
    pub tls: Tls,
    /// What was put in for variables: their names, and their values, which may be secrets.
    pub variables: BTreeSet<(String, String)>,
}

/// How a server is spoken to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Transport {
    /// By streamable HTTP, or by HTTP+SSE if it does not speak that.
    #[default]
    Auto,
    /// By streamable HTTP.
    Http,
    /// By HTTP+SSE, as in 2024.
    Sse,
}

/// How Ampoule signs in to the server, where what the server itself says is not enough.
#[derive(Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Auth {
    /// The client that was registered with the server's sign-in beforehand.
    #[serde(deserialize_with = "ampoule_fields::expanded")]
    pub client_id: Option<String>,
    /// Its secret.
    #[serde(deserialize_with = "ampoule_fields::expanded")]
    pub client_secret: Option<String>,
    /// The https:// address of a document about the client, which names it where sign-ins take such.
    #[serde(deserialize_with = "document")]
    #[schemars(with = "String")]
    pub client_metadata: Option<Url>,
    /// The scopes to ask for, if the server does not name them.
    #[serde(deserialize_with = "ampoule_fields::expanded_texts")]
    pub scopes: Vec<String>,
    /// A file in PEM with the key that signs for the client, instead of a secret.
    #[serde(deserialize_with = "ampoule_fields::path")]
    pub private_key: Option<PathBuf>,
    /// A file with a token that the platform writes and replaces, such as a service account's: it says
    /// who signs in, in place of a secret or a key.
    #[serde(deserialize_with = "ampoule_fields::path")]
    pub assertion: Option<PathBuf>,
    /// Whether a person signs in, or a machine does, or a caller's own token is exchanged. Default:
    /// `authorization-code`.
    pub grant: SignIn,
    /// Where callers' tokens are exchanged, for `token-exchange`.
    pub exchange: Option<Exchange>,
    /// Where to sign in. Default: as the server says it itself, or the document of an HTTP API.
    pub endpoints: Option<AuthEndpoints>,
    /// Whether tokens are bound to a key that only Ampoule has (DPoP). Default: where the server asks
    /// for it. With `true`, Ampoule refuses other tokens; with `false`, it never asks for such.
    pub dpop: Option<bool>,
    /// Whether each principal of `ampoule serve --http` signs in as themselves. Default: yes, where a
    /// person signs in. With `false`, all principals share the account of `ampoule auth login`.
    pub per_principal: Option<bool>,
    /// The port on this machine that the sign-in of `ampoule auth login` comes back to.
    #[serde(deserialize_with = "port")]
    #[schemars(with = "Quantity")]
    pub callback_port: Option<u16>,
}

/// Who signs in.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SignIn {
    /// A person, in a browser.
    #[default]
    AuthorizationCode,
    /// A machine, with a secret, a key or an assertion.
    ClientCredentials,
    /// A workload, with the token of its platform alone.
    JwtBearer,
    /// The caller, with their own token, which Ampoule exchanges.
    TokenExchange,
}

impl SignIn {
    /// As it is written.
    fn name(self) -> &'static str {
        match self {
            Self::AuthorizationCode => "authorization-code",
            Self::ClientCredentials => "client-credentials",
            Self::JwtBearer => "jwt-bearer",
            Self::TokenExchange => "token-exchange",
        }
    }
}

/// Where an authorization server is asked.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct AuthEndpoints {
    /// The address at which a person signs in. A machine needs none.
    #[serde(deserialize_with = "endpoint")]
    #[schemars(with = "String")]
    pub authorization: Option<Url>,
    /// The address at which tokens are given.
    #[serde(deserialize_with = "endpoint")]
    #[schemars(with = "String")]
    pub token: Option<Url>,
}

/// Where callers' tokens are exchanged for those that the server takes.
#[derive(Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Exchange {
    /// The issuer of callers' tokens, exactly as it names itself.
    #[serde(deserialize_with = "issuer")]
    pub issuer: String,
    /// The client that was registered with the issuer. Default: the `client-id` of `auth`, with its
    /// secret or key.
    #[serde(deserialize_with = "ampoule_fields::expanded")]
    pub client_id: Option<String>,
    /// Its secret.
    #[serde(deserialize_with = "ampoule_fields::expanded")]
    pub client_secret: Option<String>,
    /// The audience of the issuer's token, if the server's address is not enough.
    #[serde(deserialize_with = "ampoule_fields::expanded")]
    pub audience: Option<String>,
    /// What kind of token callers have. Default: `access-token`.
    pub subject: Subject,
}

/// What kind of token callers have.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Subject {
    /// One for access to Ampoule.
    #[default]
    AccessToken,
    /// One of OpenID Connect, which says who somebody is.
    IdToken,
    /// Another one, in the form of a JWT.
    Jwt,
}

impl fmt::Debug for Remote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.headers.keys().map(String::as_str).collect();
        f.debug_struct("Remote")
            .field("transport", &self.transport)
            .field("headers", &names)
            .field("auth", &self.auth)
            .field("tls", &self.tls)
            // Secrets may have been expanded into the rest.
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for Auth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Auth")
            .field("scopes", &self.scopes)
            .field("private_key", &self.private_key)
            .field("assertion", &self.assertion)
            .field("grant", &self.grant)
            .field("exchange", &self.exchange)
            .field("endpoints", &self.endpoints)
            .field("dpop", &self.dpop)
            .field("per_principal", &self.per_principal)
            .field("callback_port", &self.callback_port)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for Exchange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Exchange")
            .field("issuer", &self.issuer)
            .field("audience", &self.audience)
            .field("subject", &self.subject)
            .finish_non_exhaustive()
    }
}

/// The address by which an issuer names itself.
fn issuer<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let text: String = ampoule_fields::expanded(deserializer)?;
    let url = Url::parse(&text).ok().filter(|url| {
        matches!(url.scheme(), "http" | "https")
            && url.has_host()
            && url.query().is_none()
            && url.fragment().is_none()
    });
    url.map(|_| text).ok_or_else(|| {
        D::Error::invalid_value(
            Unexpected::Other("a text"),
            &"the address of an issuer, such as `https://login.example.com`",
        )
    })
}

/// The address of an endpoint. Both kinds of them may have a query (RFC 6749, 3).
fn endpoint<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Url>, D::Error> {
    let text: String = ampoule_fields::expanded(deserializer)?;
    let url = Url::parse(&text).ok().filter(|url| {
        matches!(url.scheme(), "http" | "https")
            && url.has_host()
            && url.fragment().is_none()
            && url.username().is_empty()
            && url.password().is_none()
    });
    url.map(Some).ok_or_else(|| {
        D::Error::invalid_value(
            Unexpected::Other("a text"),
            &"an address, such as `https://login.example.com/token`",
        )
    })
}

/// The address of a server.
pub(super) fn address<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let SecretText(text) = SecretText::deserialize(deserializer)?;
    match Url::parse(&text) {
        Ok(url) if matches!(url.scheme(), "http" | "https") && url.has_host() => Ok(text),
        _ => Err(D::Error::invalid_value(
            Unexpected::Other("a text"),
            &"an address, such as `https://example.com/mcp`",
        )),
    }
}

/// The address of a client metadata document: the protocol wants one with a path.
fn document<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Url>, D::Error> {
    let text: String = ampoule_fields::expanded(deserializer)?;
    let url = Url::parse(&text).ok();
    let url = url.filter(|url| url.scheme() == "https" && url.has_host() && url.path() != "/");
    url.map(Some).ok_or_else(|| {
        D::Error::invalid_value(
            Unexpected::Other("a text"),
            &"the address of a document, such as `https://example.com/client.json`",
        )
    })
}

fn port<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u16>, D::Error> {
    let port: u64 = ampoule_fields::count(deserializer)?;
    let port = u16::try_from(port).ok().filter(|port| *port > 0);
    port.map(Some)
        .ok_or_else(|| D::Error::custom("a port is 1 to 65535"))
}

/// What must hold of a server's table beyond its keys.
pub(super) fn check(table: &Table<'_>, auth: &Auth) -> Result<(), ConfigError> {
    let mut mistakes = Mistakes::default();
    mistakes.unless(check_tls(table));
    if let Some(entry) = table.get("auth") {
        check_grant(&entry, auth, &mut mistakes);
    }
    mistakes.none()
}

/// What each grant needs, and has no use for.
fn check_grant(entry: &Entry<'_>, auth: &Auth, mistakes: &mut Mistakes) {
    let is_there = |key: &str| entry.node().get(key).is_some();
    let count = |keys: &[&str]| keys.iter().filter(|key| is_there(key)).count();
    let needed = match auth.grant {
        SignIn::ClientCredentials
            if !is_there("client-id")
                || count(&["client-secret", "private-key", "assertion"]) != 1 =>
        {
            Some(
                "for `client-credentials`, give `client-id`, and one of `client-secret`, `private-key` and `assertion`",
            )
        }
        SignIn::JwtBearer if !is_there("assertion") => {
            Some("for `jwt-bearer`, give `assertion`, the file with the workload's token")
        }
        SignIn::TokenExchange
            if entry
                .node()
                .get("exchange")
                .and_then(|it| it.get("issuer"))
                .is_none() =>
        {
            Some("for `token-exchange`, give `exchange`, with the `issuer` of callers' tokens")
        }
        _ => None,
    };
    if let Some(needed) = needed {
        mistakes.add(entry.refuse(needed));
    }
    if auth.grant == SignIn::AuthorizationCode && is_there("assertion") {
        mistakes.add(entry.refuse(
            "a person signs in without an `assertion`; remove it, or set `grant` to `client-credentials`, `jwt-bearer` or `token-exchange`",
        ));
    }
    if auth.grant != SignIn::TokenExchange && is_there("exchange") {
        mistakes.add(
            entry.refuse("`exchange` is for `grant = \"token-exchange\"`; set that, or remove it"),
        );
    }
    if let Some(endpoints) = &auth.endpoints
        && let Some(wrong) = wrong_endpoints(endpoints, auth)
    {
        mistakes.add(entry.refuse(wrong));
    }
    let is_shared = matches!(auth.grant, SignIn::ClientCredentials | SignIn::JwtBearer);
    if is_shared && auth.per_principal == Some(true) {
        let grant = auth.grant.name();
        mistakes.add(entry.refuse(format!(
            "with `{grant}`, a machine signs in for everybody; remove `per-principal`"
        )));
    }
    if auth.grant == SignIn::TokenExchange
        && auth.per_principal == Some(false)
        && !is_there("assertion")
    {
        mistakes.add(entry.refuse(
            "with `per-principal = false`, no caller's token is exchanged; give `assertion`, the file with the token of the host, or remove `per-principal`",
        ));
    }
}

/// What is wrong with endpoints that are written down. Nobody says then how a client is registered.
fn wrong_endpoints(endpoints: &AuthEndpoints, auth: &Auth) -> Option<&'static str> {
    let is_persons = auth.grant == SignIn::AuthorizationCode;
    match endpoints {
        _ if auth.grant == SignIn::TokenExchange => Some(
            "with `token-exchange`, the issuer says where tokens are exchanged; remove `endpoints`",
        ),
        AuthEndpoints { token: None, .. } => {
            Some("`endpoints` needs `token`, the address at which tokens are given")
        }
        AuthEndpoints {
            authorization: None,
            ..
        } if is_persons => {
            Some("`endpoints` needs `authorization`, the address at which a person signs in")
        }
        _ if is_persons && auth.client_id.is_none() => Some(
            "with `endpoints`, give `client-id`: the client that you registered at the authorization server",
        ),
        _ => None,
    }
}

/// What must hold of the `tls` of a table beyond its keys.
pub(super) fn check_tls(table: &Table<'_>) -> Result<(), ConfigError> {
    let Some(entry) = table.get("tls") else {
        return Ok(());
    };
    let is_there = |key: &str| entry.node().get(key).is_some();
    match is_there("certificate") == is_there("key") {
        true => Ok(()),
        false => Err(entry.refuse("`certificate` and `key` go together; give both, or neither")),
    }
}
