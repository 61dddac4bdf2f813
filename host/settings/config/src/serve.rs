//! How `ampoule serve` is reached: `[serve]` and `[components]`.

use std::num::NonZeroU32;
use std::path::PathBuf;
use std::time::Duration;

use ampoule_fields::Quantity;
use ampoule_secrets::KeySource;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer};

use super::access::{self, AccessConfig};
use super::error::{ConfigError, Mistakes};
use super::read::Table;

/// How `ampoule serve --http` is reached, and by whom.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct ServeConfig {
    /// Who may use it. Tokens are looked for first, then what an issuer signed.
    pub auth: Option<AccessConfig>,
    /// The address at which browsers reach it, such as `https://ampoule.example.com`: principals sign
    /// in to servers there, beneath `/auth/`. Default: that of `auth.resource` or `auth.audience`, or
    /// where it listens, as far as it is reached by no other names.
    #[serde(deserialize_with = "super::api::address")]
    #[schemars(with = "String")]
    pub address: Option<String>,
    /// The key that encrypts the sign-ins of principals: a file of 32 bytes, or a reference to a
    /// secret, such as `${keyring:ampoule/sign-in}`, that has 32 bytes in base64. Default: a key that
    /// Ampoule makes beside them.
    #[serde(deserialize_with = "key")]
    #[schemars(with = "String")]
    pub sign_in_key: Option<KeySource>,
    /// How long an unused sign-in of a principal to a server is kept. Default: `30d`.
    #[serde(deserialize_with = "ampoule_fields::time")]
    #[schemars(with = "Quantity")]
    pub sign_in_idle: Option<Duration>,
    /// Names that it is reached by, such as `mcp.example.com`, beside those of this machine.
    pub hosts: Vec<String>,
    /// Pages that may use it, such as `https://chat.example.com`, beside those of this machine.
    pub origins: Vec<String>,
    /// A file in PEM with the certificate that it serves with. Read again when it changes.
    #[serde(deserialize_with = "ampoule_fields::path")]
    pub tls_cert: Option<PathBuf>,
    /// A file in PEM with that certificate's key.
    #[serde(deserialize_with = "ampoule_fields::path")]
    pub tls_key: Option<PathBuf>,
    /// How many connections there may be. Default: 8192.
    #[serde(deserialize_with = "ampoule_fields::count")]
    #[schemars(with = "Quantity")]
    pub connections: Option<NonZeroU32>,
    /// How many connections of one address; those of this machine are not counted. Default: 256.
    #[serde(deserialize_with = "ampoule_fields::count")]
    #[schemars(with = "Quantity")]
    pub connections_each: Option<NonZeroU32>,
    /// How many requests of one principal may be under way. Default: 256.
    #[serde(deserialize_with = "ampoule_fields::count")]
    #[schemars(with = "Quantity")]
    pub requests_each: Option<NonZeroU32>,
    /// How many sessions there may be. Default: 16384.
    #[serde(deserialize_with = "ampoule_fields::count")]
    #[schemars(with = "Quantity")]
    pub sessions: Option<NonZeroU32>,
    /// How many sessions one principal may have; above that, the one unused for longest ends.
    /// Default: 8192.
    #[serde(deserialize_with = "ampoule_fields::count")]
    #[schemars(with = "Quantity")]
    pub sessions_each: Option<NonZeroU32>,
    /// How long an unused session is kept. Default: `1h`.
    #[serde(deserialize_with = "ampoule_fields::time")]
    #[schemars(with = "Quantity")]
    pub session_idle: Option<Duration>,
    /// How long runs may continue after the server got the signal to stop. Default: `10s`.
    #[serde(deserialize_with = "ampoule_fields::time")]
    #[schemars(with = "Quantity")]
    pub stop_grace: Option<Duration>,
}

fn key<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<KeySource>, D::Error> {
    ampoule_fields::path_or_secret(deserializer).map(|text| Some(text.into()))
}

/// Components that clients of `ampoule serve` may run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct ComponentsConfig {
    /// Those that clients send.
    pub sent: bool,
    /// Those in this folder, by their paths in it.
    #[serde(deserialize_with = "ampoule_fields::path")]
    pub folder: Option<PathBuf>,
}

/// What must hold of `[serve]` beyond its keys. `has_unknown_keys`: whether the file has keys that
/// mean nothing.
pub(super) fn check(table: &Table<'_>, has_unknown_keys: bool) -> Result<(), ConfigError> {
    let mut mistakes = Mistakes::default();
    match (table.get("tls-cert"), table.get("tls-key")) {
        (Some(entry), None) | (None, Some(entry)) => {
            mistakes.add(entry.refuse("`tls-cert` and `tls-key` go together"));
        }
        _ => {}
    }
    if let Some(auth) = table.get("auth") {
        mistakes.unless(access::check(&auth, has_unknown_keys));
    }
    mistakes.none()
}
