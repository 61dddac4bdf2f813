//! The configuration, with its sources.

use serde::Serialize;
use utoipa::ToSchema;

/// The configuration. Only for operators. Secrets are never shown: a key that may hold one shows that
/// it is set.
#[derive(Debug, Clone, Default, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Configuration {
    /// The files that it was read from.
    pub files: Vec<ConfigurationFile>,
    /// The keys that are set.
    pub keys: Vec<ConfigurationKey>,
    /// Notes, a sentence each.
    pub notes: Vec<String>,
}

/// A file that the configuration was read from.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConfigurationFile {
    /// Its path.
    pub path: String,
    /// What it is: `ampoule.toml`, or the client that servers are imported from.
    pub what: String,
}

/// A key that is set.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConfigurationKey {
    /// Its path, such as `serve.session-idle`.
    pub key: String,
    /// Its value as TOML; absent where it may hold a secret.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// What the schema says of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
    /// When a change takes effect.
    pub reload: Reload,
}

/// When a change of a key takes effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Reload {
    /// The running server reads it again.
    Reread,
    /// After a restart.
    Restart,
}
