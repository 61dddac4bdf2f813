//! From the configuration to what stands between a grant and a call.
//!
//! - `sources`: what policies are made of; `parts`: quotas, approvals, personal data, the audit log;
//!   `export`: where that is passed on to, by `http`
//! - `terminal`: the person at the terminal, as a place where people are asked
//! - `watch`: what has changed is read again; `recorded`: what commands do, in the audit log

mod export;
mod http;
pub(crate) mod parts;
pub(crate) mod recorded;
mod sources;
pub(crate) mod terminal;
mod watch;

use std::sync::Arc;

use ampoule_approvals::{Asking, CommandLine, Place, Store, Webhook};
use ampoule_audit::{Configuration, Event, Forward};
use ampoule_config::{ApprovalsConfig, AskPlace, Config};
use ampoule_governance::{Builder, Governance, Known, NotBuilt};
use ampoule_policy::{Policies, Problems, Server, Sources};
use ampoule_projection::Tool;
use tokio::task::spawn_blocking;

use crate::asking::Person;
use crate::exit::Failure;
pub(crate) use sources::{folder, sources};
use watch::Watching;

/// What runs are made for, and so who can be asked about their calls.
#[derive(Debug, Clone)]
pub(crate) enum For {
    /// Nothing runs: tools are shown, as far as there are any for the local user.
    Show,
    /// Runs of this command, with somebody at its terminal, or nobody.
    Here(Option<Person>),
    /// Runs of clients.
    Clients,
}

/// What stands between a grant and a call, as long as it is needed.
pub(crate) struct Governed {
    pub(crate) governance: Governance,
    /// Passes the audit log on.
    _forwards: Vec<Forward>,
    _watching: Option<Watching>,
}

/// What is configured; none if nothing is. `known`: the servers, with their tools as far as they are
/// known. Must be called within a Tokio runtime.
pub(crate) fn governed(
    config: &Config,
    known: Vec<Known>,
    of: &For,
) -> Result<Option<Governed>, Failure> {
    let sources = sources(config).map_err(|problems| refused(&problems))?;
    let has_policies = sources != Sources::default();
    let is_watched = matches!(of, For::Clients) && config.source.is_some();
    let mut builder = Governance::builder();
    if has_policies || is_watched {
        builder = builder.policies(sources.clone());
    }
    if matches!(of, For::Show) {
        return match has_policies {
            false => Ok(None),
            true => Ok(Some(Governed {
                governance: built(builder, known)?,
                _forwards: Vec::new(),
                _watching: None,
            })),
        };
    }
    let mut forwards = Vec::new();
    let governance = &config.governance;
    if let Some(quotas) = parts::quotas(config)? {
        builder = builder.quotas(Arc::new(quotas));
    }
    if has_policies || governance.approvals != ApprovalsConfig::default() {
        builder = builder.asking(asking(&governance.approvals, of)?);
    }
    if let Some((settings, tables)) = parts::privacy(&governance.privacy)? {
        builder = builder.privacy(settings, Some(tables));
    }
    if let Some(audit) = &governance.audit {
        let log = parts::log(audit)?;
        forwards = export::all(audit, log.path())?;
        builder = builder.audit(Arc::new(log));
    }
    let governance = built(builder, known)?;
    if governance.is_nothing() {
        return Ok(None);
    }
    let governed = Governed {
        _watching: watch::start(&governance, config, sources),
        _forwards: forwards,
        governance,
    };
    if let For::Clients = of {
        governed.say_loaded(config)?;
    }
    Ok(Some(governed))
}

/// Puts the parts together.
fn built(builder: Builder, known: Vec<Known>) -> Result<Governance, Failure> {
    builder
        .servers(known)
        .build()
        .map_err(|problem| match problem {
            NotBuilt::Policies(problems) => refused(&problems),
            other => Failure::usage(format!("[privacy]: {other}")),
        })
}

/// Policies for the tools of these servers.
pub(crate) fn policies(sources: &Sources, known: &[Known]) -> Result<Policies, Problems> {
    let all = known.iter().map(|one| {
        let tools = one.tools.as_ref()?;
        Some(tools.iter().chain(&*one.offered).cloned().collect())
    });
    let all: Vec<Option<Vec<Tool>>> = all.collect();
    let servers = known.iter().zip(&all).map(|(one, tools)| Server {
        name: &one.name,
        says_it_is: one.says_it_is.as_deref(),
        tools: tools.as_deref(),
    });
    Policies::new(sources, &servers.collect::<Vec<_>>())
}

/// Policies that can't be used; as far as is known here, servers may have other tools by now.
pub(crate) fn refused(problems: &Problems) -> Failure {
    Failure::usage(format!(
        "the policies can't be used:\n{problems}\n(`ampoule policy check` holds them against the tools that servers have now)"
    ))
}

/// Asks people, where they can be.
fn asking(config: &ApprovalsConfig, of: &For) -> Result<Asking, Failure> {
    let store = parts::store(config)?;
    let mut places: Vec<Arc<dyn Place>> = Vec::new();
    let is_named = |place| {
        let named = config.places.as_ref();
        named.map(|places| places.contains(&place))
    };
    if let For::Here(Some(person)) = of
        && is_named(AskPlace::Terminal) != Some(false)
    {
        places.push(Arc::new(terminal::Terminal::new(person.clone(), &store)));
    }
    // Nobody waits beside a command for somebody who does not know of it, unless that is meant.
    let by_default = matches!(of, For::Clients);
    if is_named(AskPlace::CommandLine).unwrap_or(by_default) {
        places.push(Arc::new(CommandLine));
    }
    if let Some(webhook) = webhook(config, &store)? {
        places.push(Arc::new(webhook));
    }
    Ok(Asking::new(store, places))
}

/// The operator's system that is told of questions.
fn webhook(config: &ApprovalsConfig, store: &Store) -> Result<Option<Webhook>, Failure> {
    let Some(config) = &config.webhook else {
        return Ok(None);
    };
    let secrets = config.secrets.iter();
    let secrets = secrets.map(|text| parts::secret("secret", text));
    let secrets = secrets.collect::<Result<Vec<_>, _>>()?;
    let post = Arc::new(http::Http::new()?);
    let mut webhook = Webhook::new(store, (&config.url, secrets), None, post);
    if let Some(secret) = &config.answer_secret {
        webhook = webhook.answered_with(parts::secret("answer-secret", secret)?);
    }
    if let Err(problem) = webhook.resume() {
        tracing::warn!(%problem, "questions that were not delivered can't be read");
    }
    Ok(Some(webhook))
}

impl Governed {
    /// Records that this configuration holds.
    fn say_loaded(&self, config: &Config) -> Result<(), Failure> {
        for warning in self.governance.warnings() {
            tracing::warn!("policies: {warning}");
        }
        let Some(log) = self.governance.audit() else {
            return Ok(());
        };
        let fingerprint = self.governance.fingerprint();
        let servers = config.servers.keys().map(|name| name.as_str().into());
        let loaded = log.write(&Event::Configuration(Configuration {
            outcome: "loaded".into(),
            fingerprint: (!fingerprint.is_empty()).then(|| fingerprint.into()),
            servers: servers.collect(),
            reason: None,
        }));
        loaded.map(drop).map_err(|error| Failure::host(&error))
    }
}

/// Ends: what is left is passed on, and the log gets its last signature, once nothing uses it any
/// more.
pub(crate) async fn closed(governed: Option<Governed>) {
    // What it waits for needs this thread.
    let closed = spawn_blocking(move || drop(governed)).await;
    if let Err(error) = closed {
        tracing::warn!(%error, "the audit log was not closed");
    }
}
