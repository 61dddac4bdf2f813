//! A GraphQL API.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use ampoule_network::Tls;

use super::error::{ConfigError, Mistakes};
use super::read::Table;
use super::remote::{self, Auth};

/// A GraphQL API, with the variables in its entry replaced.
#[derive(Clone, PartialEq, Eq)]
pub struct Graphql {
    /// Where requests go. May hold secrets.
    pub endpoint: String,
    /// Where the schema is, if the API is not to be asked for it: a path, or an address. May hold
    /// secrets.
    pub schema: Option<String>,
    /// Whether scripts may send whole documents.
    pub documents: bool,
    /// Headers of every request. Their values are secrets.
    pub headers: BTreeMap<String, String>,
    /// A token as `bearer`, or `user:password` as `basic`. They are secrets.
    pub credentials: BTreeMap<String, String>,
    /// How Ampoule signs in, if it does.
    pub auth: Option<Auth>,
    /// How the server is told to be who it says, and Ampoule likewise.
    pub tls: Tls,
    /// What was put in for variables: their names, and their values, which may be secrets.
    pub variables: BTreeSet<(String, String)>,
}

impl fmt::Debug for Graphql {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Graphql")
            .field("documents", &self.documents)
            .field("headers", &self.headers.keys().collect::<Vec<_>>())
            .field("credentials", &self.credentials.keys().collect::<Vec<_>>())
            .field("auth", &self.auth)
            .field("tls", &self.tls)
            // Secrets may have been expanded into the rest.
            .finish_non_exhaustive()
    }
}

/// What must hold of such a table beyond its keys. `place` is the value of `graphql`.
pub(super) fn check(
    table: &Table<'_>,
    auth: &Auth,
    place: &str,
    documents: bool,
) -> Result<(), ConfigError> {
    let mut mistakes = Mistakes::default();
    mistakes.unless(remote::check(table, auth));
    if let (Some(auth), Some(_)) = (table.get("auth"), table.get("credentials")) {
        mistakes.add(auth.refuse("`auth` and `credentials` both say who asks; remove one of them"));
    }
    if let (Some(at), None) = (table.get("graphql"), table.get("base-url"))
        && !place.is_empty()
        && !place.contains("://")
    {
        mistakes.add(
            at.refuse("this is a file with the schema; add `base-url`, the address of the API"),
        );
    }
    let rules = table.get("tools").and_then(|tools| tools.table().ok());
    let rule = rules.and_then(|rules| rules.get("allow").or_else(|| rules.get("deny")));
    if let Some(rule) = rule.filter(|_| documents) {
        mistakes.add(rule.refuse(
            "with `documents`, scripts can call every operation; remove this, or `documents`",
        ));
    }
    mistakes.none()
}
