//! How the principals of `serve --http` sign in to servers: where the page is, and who hears of it.

use std::sync::{Arc, OnceLock, Weak};

use ampoule_audit::{Event, Log};
use ampoule_config::{AccessConfig, Config};
use ampoule_configured::Principals;
use ampoule_governance::Governance;
use ampoule_sign_in::accounts::{AccountEvent, Accounts};
use url::Url;

use crate::exit::Failure;
use crate::governance::ServerAddress;

/// Principals, and the audit log that gets their sign-ins.
pub(crate) struct PrincipalAccounts {
    pub(crate) principals: Principals,
    log: Arc<OnceLock<Weak<Log>>>,
}

impl PrincipalAccounts {
    /// Those of a server; none if nobody is asked who they are. `beneath`: where it listens.
    pub(crate) fn of(config: &Config, beneath: &ServerAddress) -> Result<Option<Self>, Failure> {
        let Some(access) = &config.serve.auth else {
            return Ok(None);
        };
        if matches!(beneath, ServerAddress::Nothing) {
            return Ok(None);
        }
        let log = Arc::new(OnceLock::<Weak<Log>>::new());
        let recorded = Arc::clone(&log);
        let hears = move |event: AccountEvent| record(&event, recorded.get());
        let address = server_address(config, access, beneath);
        let accounts = Accounts::new(address.as_deref(), hears);
        let accounts = accounts.map_err(|why| Failure::usage(format!("`serve.address`: {why}")))?;
        Ok(Some(Self {
            principals: Principals {
                accounts,
                key: config.serve.sign_in_key.clone(),
                idle: config.serve.sign_in_idle,
            },
            log,
        }))
    }

    /// From now on, the audit log has the sign-ins, if there is one.
    pub(crate) fn record(&self, governance: &Governance) {
        if let Some(log) = governance.audit() {
            // It is said once.
            let _ = self.log.set(Arc::downgrade(log));
        }
    }
}

fn record(event: &AccountEvent, log: Option<&Weak<Log>>) {
    let AccountEvent {
        principal,
        server,
        failed,
    } = event;
    match failed {
        None => tracing::info!(
            principal = &**principal,
            server,
            "a principal has signed in"
        ),
        Some(why) => {
            tracing::warn!(principal = &**principal, server, why, "a sign-in failed");
        }
    }
    let Some(log) = log.and_then(Weak::upgrade) else {
        return;
    };
    let event = Event::SignIn(ampoule_audit::SignIn {
        principal: Some(Arc::clone(principal)),
        server: Some(server.as_str().into()),
        outcome: if failed.is_some() {
            "failed"
        } else {
            "signed-in"
        }
        .into(),
        how: Some("oauth".into()),
        reason: failed.as_deref().map(Into::into),
    });
    if let Err(error) = log.write(&event) {
        tracing::error!(%error, "a sign-in is missing in the audit log");
    }
}

/// Where browsers reach the server, as far as that is known.
pub(crate) fn server_address(
    config: &Config,
    access: &AccessConfig,
    beneath: &ServerAddress,
) -> Option<String> {
    if let Some(address) = &config.serve.address {
        return Some(address.clone());
    }
    let named = access.resource.as_ref().or(access.audience.as_ref());
    let named = named.and_then(|named| Url::parse(named).ok());
    if let Some(named) = named.filter(|url| matches!(url.scheme(), "http" | "https")) {
        let path = named.path().trim_end_matches('/').trim_end_matches("/mcp");
        let origin = named.origin().ascii_serialization();
        return Some(format!("{origin}{path}"));
    }
    match beneath.behind_tls(config) {
        // Others reach it by a name, at an address that is not the one where it listens.
        ServerAddress::Address(address) if config.serve.hosts.is_empty() => Some(address),
        _ => None,
    }
}
