//! The console of `ampoule serve --http`: `[console]`.

use std::fmt;

use ampoule_fields::SealedText;
use schemars::JsonSchema;
use serde::Deserialize;

use super::error::{ConfigError, Mistakes};
use super::read::Table;

/// The console of `ampoule serve --http`, at `/console`, and its HTTP API, at `/api/v1`. The table
/// turns them on. Principals see what is theirs; operators see everything, and change it.
#[derive(Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct ConsoleConfig {
    /// The principals who are operators, by name. Default: nobody.
    pub operators: Vec<String>,
    /// Groups whose members are operators, as the principals' sign-in has them. Default: no group.
    pub operator_groups: Vec<String>,
    /// The client by which people sign in at the `issuer` of `[serve.auth]`. Register it there, with
    /// the redirect `/console/sign-in/callback` of this server's address. Default: people paste a token.
    #[serde(deserialize_with = "ampoule_fields::expanded")]
    pub client_id: Option<String>,
    /// That client's secret, such as `${keyring:ampoule/console}`. Default: the client is a public one,
    /// without a secret.
    pub client_secret: Option<SealedText>,
    /// What people's tokens are asked for, beside `openid` and the `scopes` of `[serve.auth]`: many
    /// issuers renew a sign-in only with `offline_access`.
    #[serde(deserialize_with = "ampoule_fields::expanded_texts")]
    pub scopes: Vec<String>,
}

/// The keys that are about signing in at the issuer.
const ISSUER: [&str; 3] = ["client-id", "client-secret", "scopes"];

/// What must hold of the table beyond its keys.
pub(super) fn check(root: &Table<'_>) -> Result<(), ConfigError> {
    let Some(Ok(table)) = root.get("console").map(|entry| entry.table()) else {
        return Ok(());
    };
    let Some(entry) = ISSUER.iter().find_map(|key| table.get(key)) else {
        return Ok(());
    };
    let mut mistakes = Mistakes::default();
    if table.get("client-id").is_none() {
        mistakes.add(entry.refuse(
            "this is for signing in at the issuer; add `client-id`, the client that is registered there, or remove it",
        ));
    }
    let serve = root.get("serve").and_then(|entry| entry.table().ok());
    let auth = serve.and_then(|serve| serve.get("auth")?.table().ok());
    if auth.is_none_or(|auth| auth.get("issuer").is_none()) {
        mistakes.add(entry.refuse(
            "people sign in at the issuer that the server trusts; add `issuer` and `audience` to `[serve.auth]`, or remove it",
        ));
    }
    mistakes.none()
}

impl fmt::Debug for ConsoleConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ConsoleConfig")
            .field("operators", &self.operators)
            .field("operator_groups", &self.operator_groups)
            .field("client_id", &self.client_id)
            .field("scopes", &self.scopes)
            // The rest may hold a secret.
            .finish_non_exhaustive()
    }
}
