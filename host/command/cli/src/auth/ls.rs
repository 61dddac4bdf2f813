//! `ampoule auth ls`: the sign-ins that there are.

use std::process::ExitCode;

use ampoule_config::{Config, Reach};
use ampoule_sign_in::SignInStatus;
use ampoule_untrusted::text;
use clap::Args;
use serde_json::{Value, json};

use crate::exit::Failure;
use crate::output::Output;
use crate::setup::Setup;
use crate::{probe, streams};

/// Lists the sign-ins to servers: the host's own, and those of principals of `ampoule serve --http`.
#[derive(Debug, Args)]
pub(super) struct Ls {
    #[command(flatten)]
    output: Output,
    #[command(flatten)]
    setup: Setup,
}

/// A sign-in, as the list shows it.
struct SignInEntry {
    server: String,
    /// Whose it is. None: the host's own.
    principal: Option<String>,
    /// None: the sign-in is no longer accepted.
    status: Option<SignInStatus>,
}

impl Ls {
    pub(super) async fn execute(self) -> Result<ExitCode, Failure> {
        let config = self.setup.read()?;
        let entries = entries(&config).await?;
        let out = streams::out();
        if self.output.as_json {
            let documents: Vec<Value> = entries.iter().map(SignInEntry::document).collect();
            out.json(&json!(documents).to_string());
            return Ok(ExitCode::SUCCESS);
        }
        if entries.is_empty() {
            out.line(out.prose("nobody is signed in to any server"));
        }
        for entry in &entries {
            out.line(out.prose(&entry.line()));
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// The host's own sign-ins, and then those of principals.
async fn entries(config: &Config) -> Result<Vec<SignInEntry>, Failure> {
    let mut entries = Vec::new();
    for (name, server) in &config.servers {
        if matches!(server.reach, Reach::Process(_)) {
            continue;
        }
        if let Some(status) = ampoule_configured::signed_in(name, &server.reach).await {
            entries.push(SignInEntry {
                server: name.clone(),
                principal: None,
                status: Some(status),
            });
        }
    }
    let (key, idle) = (config.serve.sign_in_key.clone(), config.serve.sign_in_idle);
    let store = ampoule_configured::store_of_principals(key, idle);
    let listed = store.map_err(Failure::usage)?.of_principals().await;
    let listed = listed.map_err(|error| Failure::usage(error.to_string()))?;
    entries.extend(listed.into_iter().map(|it| SignInEntry {
        server: it.server,
        principal: Some(it.principal.to_string()),
        status: it.status,
    }));
    Ok(entries)
}

impl SignInEntry {
    fn line(&self) -> String {
        let status = self.status.as_ref().map(probe::whose);
        let status = status.unwrap_or_else(|| "has to sign in again".to_owned());
        let server = text::one_line(&self.server);
        match &self.principal {
            None => format!("{server}: {status}"),
            Some(principal) => {
                format!(
                    "{server}, principal {}: {status}",
                    text::one_line(principal)
                )
            }
        }
    }

    fn document(&self) -> Value {
        let mut document = json!({ "server": self.server, "signedIn": self.status.is_some() });
        if let Some(principal) = &self.principal {
            document["principal"] = json!(principal);
        }
        let Some(status) = &self.status else {
            return document;
        };
        if let Some(who) = &status.who {
            document["who"] = json!(who);
        }
        if let Some(until) = status.until {
            document["until"] = json!(humantime::format_rfc3339_seconds(until).to_string());
        }
        document["issuer"] = json!(status.issuer);
        document["refreshed"] = json!(status.refreshed);
        document["scopes"] = json!(status.scopes);
        document
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, UNIX_EPOCH};

    use super::*;

    #[test]
    fn a_sign_in_is_a_document_with_what_the_line_says() {
        let status = SignInStatus {
            who: Some("ada@example.com".to_owned()),
            issuer: "https://login.example.com".to_owned(),
            until: Some(UNIX_EPOCH + Duration::from_secs(86_400)),
            refreshed: true,
            scopes: vec!["read".to_owned()],
        };
        let entry = |principal: Option<&str>, status| SignInEntry {
            server: "linear".to_owned(),
            principal: principal.map(str::to_owned),
            status,
        };
        let own = entry(None, Some(status));
        assert!(
            own.line()
                .starts_with("linear: signed in as ada@example.com")
        );
        let expected = json!({
            "server": "linear", "signedIn": true, "who": "ada@example.com",
            "issuer": "https://login.example.com", "until": "1970-01-02T00:00:00Z",
            "refreshed": true, "scopes": ["read"],
        });
        assert_eq!(own.document(), expected);
        let over = entry(Some("bob"), None);
        assert_eq!(over.line(), "linear, principal bob: has to sign in again");
        let expected = json!({ "server": "linear", "signedIn": false, "principal": "bob" });
        assert_eq!(over.document(), expected);
    }
}
