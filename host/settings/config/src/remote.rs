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
use super::read::Table;

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
    /// What is asked for, where the server does not say it.
    #[serde(deserialize_with = "ampoule_fields::expanded_texts")]
    pub scopes: Vec<String>,
    /// A file in PEM with the key that signs for the client, instead of a secret.
    #[serde(deserialize_with = "ampoule_fields::path")]
    pub private_key: Option<PathBuf>,
    /// Whether a person signs in, or a machine does. Default: `authorization-code`.
    pub grant: SignIn,
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
    /// A machine, with a secret or a key.
    ClientCredentials,
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
            .field("grant", &self.grant)
            .field("per_principal", &self.per_principal)
            .field("callback_port", &self.callback_port)
            .finish_non_exhaustive()
    }
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
    if auth.grant == SignIn::ClientCredentials
        && let Some(entry) = table.get("auth")
    {
        let is_there = |key: &str| entry.node().get(key).is_some();
        if !is_there("client-id") || is_there("client-secret") == is_there("private-key") {
            mistakes.add(entry.refuse(
                "for `client-credentials`, give `client-id`, and either `client-secret` or `private-key`",
            ));
        }
    }
    if auth.grant == SignIn::ClientCredentials
        && auth.per_principal == Some(true)
        && let Some(entry) = table.get("auth")
    {
        mistakes.add(entry.refuse(
            "with `client-credentials`, a machine signs in for everybody; remove `per-principal`",
        ));
    }
    mistakes.none()
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
