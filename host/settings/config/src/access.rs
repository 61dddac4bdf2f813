//! Who may use `ampoule serve` by HTTP: `[serve.auth]`.

use std::fmt;
use std::path::PathBuf;

use super::error::Mistakes;
use super::read::{Entry, Table};
use super::server::{self, Surroundings};
use super::{ConfigError, Tls, keys, remote};

/// Who may use `ampoule serve` by HTTP. At least one way is there.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct AccessConfig {
    /// A file with the digests of tokens.
    pub tokens: Option<PathBuf>,
    /// A program and its arguments, which print such a list; empty if there is none. May hold
    /// secrets.
    pub tokens_command: Vec<String>,
    /// A company's issuer.
    pub issuer: Option<IssuerConfig>,
    /// How the issuer is told to be who it says.
    pub tls: Tls,
}

/// A company's OAuth issuer, and what its tokens must say.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct IssuerConfig {
    /// As it names itself.
    pub issuer: String,
    /// Whom its tokens must be for.
    pub audience: String,
    /// The address at which clients reach this server, if not the audience.
    pub resource: Option<String>,
    /// What its tokens must allow.
    pub scopes: Vec<String>,
    /// The claim that names the principal, if not the default.
    pub principal_claim: Option<String>,
    /// The claim that names the groups that they are in, if not the default.
    pub groups_claim: Option<String>,
}

impl fmt::Debug for AccessConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AccessConfig")
            .field("tokens", &self.tokens)
            // Secrets may have been expanded into it.
            .field("tokens_command", &self.tokens_command.len())
            .field("issuer", &self.issuer)
            .field("tls", &self.tls)
            .finish()
    }
}

/// Reads `auth`. `tls` is for an issuer of which nothing else is said.
pub(super) fn read(
    entry: &Entry<'_>,
    tls: &Tls,
    around: Surroundings<'_>,
) -> Result<AccessConfig, ConfigError> {
    let table = entry.table()?;
    let mut mistakes = Mistakes::default();
    mistakes.unless(table.only(keys::serve::ACCESS));
    let tokens = table.read("tokens", |file| server::path(file, around));
    let tokens = mistakes.unless(tokens).flatten();
    let command = table.read("tokens-command", |command| {
        remote::words_of_command(command, around)
    });
    let (tokens_command, _) = mistakes.unless(command).flatten().unwrap_or_default();
    let issuer = mistakes.unless(issuer(&table, around)).flatten();
    let own_tls = mistakes.unless(table.read("tls", |tls| remote::read_tls(tls, around)));
    mistakes.none()?;
    if tokens.is_none() && tokens_command.is_empty() && issuer.is_none() {
        return Err(entry.refuse(
            "nobody could use it; give `tokens`, `tokens-command`, or `issuer` and `audience`",
        ));
    }
    Ok(AccessConfig {
        tokens,
        tokens_command,
        issuer,
        tls: own_tls.flatten().unwrap_or_else(|| tls.clone()),
    })
}

fn issuer(
    table: &Table<'_>,
    around: Surroundings<'_>,
) -> Result<Option<IssuerConfig>, ConfigError> {
    let mut mistakes = Mistakes::default();
    let mut text = |key: &str| {
        let read = table.read(key, |entry| server::expanded(entry, around.environment));
        mistakes.unless(read).flatten()
    };
    let (issuer, audience) = (text("issuer"), text("audience"));
    let (resource, principal_claim) = (text("resource"), text("principal-claim"));
    let groups_claim = text("groups-claim");
    let scopes = table.read("scopes", |scopes| {
        scopes.each(|scope| server::expanded(scope, around.environment))
    });
    let scopes = mistakes.unless(scopes).flatten();
    mistakes.none()?;
    let Some((issuer, audience)) = issuer.zip(audience) else {
        // What is there goes with what is not.
        let all = [
            "issuer",
            "audience",
            "resource",
            "scopes",
            "principal-claim",
            "groups-claim",
        ];
        let lonely = all.iter().find_map(|key| table.get(key));
        return lonely.map_or(Ok(None), |entry| {
            Err(entry.refuse("this needs `issuer` and `audience`, both; give them, or remove it"))
        });
    };
    Ok(Some(IssuerConfig {
        issuer,
        audience,
        resource,
        scopes: scopes.unwrap_or_default(),
        principal_claim,
        groups_claim,
    }))
}
