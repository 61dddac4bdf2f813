//! An HTTP API that an OpenAPI document describes.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use ampoule_fields::SealedText;
use ampoule_network::Tls;
use serde::de::Error;
use serde::{Deserialize, Deserializer};

use super::error::{ConfigError, Mistakes};
use super::read::Table;
use super::remote::{self, Auth};

/// An HTTP API, with the variables in its entry replaced.
#[derive(Clone, PartialEq, Eq)]
pub struct Api {
    /// Where the document is: a path, or an address. May hold secrets.
    pub document: String,
    /// The address below which its paths are, if not as the document says. May hold secrets.
    pub base_url: Option<String>,
    /// Which of the document's servers is meant, if not the first.
    pub server: Option<String>,
    /// Values for the variables in that server's address.
    pub server_variables: BTreeMap<String, String>,
    /// Headers of every request. Their values are secrets.
    pub headers: BTreeMap<String, String>,
    /// What the document's security schemes want, by their names. They are secrets.
    pub credentials: BTreeMap<String, String>,
    /// How Ampoule signs in, if it does.
    pub auth: Option<Auth>,
    /// How the server is told to be who it says, and Ampoule likewise.
    pub tls: Tls,
    /// What was put in for variables: their names, and their values, which may be secrets.
    pub variables: BTreeSet<(String, String)>,
}

impl fmt::Debug for Api {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Api")
            .field("headers", &self.headers.keys().collect::<Vec<_>>())
            .field("credentials", &self.credentials.keys().collect::<Vec<_>>())
            .field("tls", &self.tls)
            // Secrets may have been expanded into the rest.
            .finish_non_exhaustive()
    }
}

/// Where a document is.
pub(super) fn document<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let place = ampoule_fields::place(deserializer)?;
    match place.trim().is_empty() {
        true => Err(D::Error::custom("this is empty; name a file or an address")),
        false => Ok(place),
    }
}

/// The address of an API.
pub(super) fn address<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<String>, D::Error> {
    remote::address(deserializer).map(Some)
}

/// Credentials by the names of security schemes.
pub(super) fn credentials<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<BTreeMap<String, String>, D::Error> {
    let texts = BTreeMap::<String, SealedText>::deserialize(deserializer)?;
    let texts = texts.into_iter();
    Ok(texts.map(|(name, SealedText(text))| (name, text)).collect())
}

/// What must hold of an API's table beyond its keys.
pub(super) fn check(table: &Table<'_>, auth: &Auth) -> Result<(), ConfigError> {
    let mut mistakes = Mistakes::default();
    mistakes.unless(remote::check(table, auth));
    if let (Some(auth), None) = (table.get("auth"), table.get("base-url")) {
        mistakes.add(auth.refuse("to sign in to an API, give its `base-url`"));
    }
    if table.get("base-url").is_some() {
        for key in ["server", "server-variables"] {
            if let Some(entry) = table.get(key) {
                mistakes.add(entry.refuse("`base-url` is the address already; remove one of them"));
            }
        }
    }
    mistakes.none()
}
