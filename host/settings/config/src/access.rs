//! Who may use `ampoule serve` by HTTP: `[serve.auth]`.

use std::fmt;
use std::path::PathBuf;

use ampoule_network::Tls;
use schemars::JsonSchema;
use serde::Deserialize;

use super::error::{ConfigError, Mistakes};
use super::read::Entry;
use super::remote;

/// Who may use `ampoule serve` by HTTP. At least one way is there.
#[derive(Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct AccessConfig {
    /// A file with the digests of tokens, each a principal's; `ampoule auth token add` adds one.
    #[serde(deserialize_with = "ampoule_fields::path")]
    pub tokens: Option<PathBuf>,
    /// A command and its arguments, which prints such a list, once a minute.
    #[serde(deserialize_with = "ampoule_fields::command")]
    pub tokens_command: Vec<String>,
    /// A company's OAuth issuer, exactly as it names itself, whose signed tokens are taken.
    #[serde(deserialize_with = "ampoule_fields::expanded")]
    pub issuer: Option<String>,
    /// Whom the issuer's tokens must be for, such as `https://ampoule.example.com/mcp`.
    #[serde(deserialize_with = "ampoule_fields::expanded")]
    pub audience: Option<String>,
    /// The address at which clients reach this server. Default: `audience`.
    #[serde(deserialize_with = "ampoule_fields::expanded")]
    pub resource: Option<String>,
    /// What the issuer's tokens must allow, all of it.
    #[serde(deserialize_with = "ampoule_fields::expanded_texts")]
    pub scopes: Vec<String>,
    /// The claim that names the principal. Default: `sub`.
    #[serde(deserialize_with = "ampoule_fields::expanded")]
    pub principal_claim: Option<String>,
    /// The claim that names the groups that they are in, which roles and policies may name. Default:
    /// `groups`.
    #[serde(deserialize_with = "ampoule_fields::expanded")]
    pub groups_claim: Option<String>,
    /// How the issuer proves who it is, where that is not as `[tls]` says.
    pub tls: Option<Tls>,
}

/// The keys that are about an issuer.
const ISSUER: [&str; 6] = [
    "issuer",
    "audience",
    "resource",
    "scopes",
    "principal-claim",
    "groups-claim",
];

impl fmt::Debug for AccessConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AccessConfig")
            .field("tokens", &self.tokens)
            // Secrets may have been expanded into it.
            .field("tokens_command", &self.tokens_command.len())
            .field("issuer", &self.issuer)
            .field("audience", &self.audience)
            .field("scopes", &self.scopes)
            .field("tls", &self.tls)
            .finish_non_exhaustive()
    }
}

/// What must hold of the table beyond its keys. `has_unknown_keys`: whether the file has keys that
/// mean nothing.
pub(super) fn check(entry: &Entry<'_>, has_unknown_keys: bool) -> Result<(), ConfigError> {
    let Ok(table) = entry.table() else {
        // That is told already.
        return Ok(());
    };
    let mut mistakes = Mistakes::default();
    mistakes.unless(remote::check_tls(&table));
    let is_there = |key: &str| table.get(key).is_some();
    let of_issuer = ISSUER.iter().find_map(|key| table.get(key));
    match of_issuer {
        Some(entry) if !is_there("issuer") || !is_there("audience") => {
            mistakes.add(
                entry.refuse("this needs `issuer` and `audience`, both; give them, or remove it"),
            );
        }
        // What is misspelt is told already.
        None if has_unknown_keys => {}
        None if !is_there("tokens") && !is_there("tokens-command") => {
            mistakes.add(entry.refuse(
                "nobody could use it; give `tokens`, `tokens-command`, or `issuer` and `audience`",
            ));
        }
        _ => {}
    }
    mistakes.none()
}
