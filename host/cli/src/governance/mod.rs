//! From the configuration to what stands between a grant and a call.
//!
//! - `sources`: what policies are made of; `parts`: quotas, approvals, personal data, the audit log;
//!   `export`: where that is passed on to, by `http`
//! - `places`: where people are asked; `terminal`: the one at the terminal
//! - `apart`: no folder of a run's leads to any of it
//! - `watch`: what has changed is read again; `recorded`: what commands do, in the audit log

mod apart;
mod export;
mod http;
pub(crate) mod parts;
mod places;
pub(crate) mod recorded;
mod sources;
pub(crate) mod terminal;
mod watch;

use std::sync::Arc;
use std::time::{Duration, Instant};

use ampoule_approvals::{Asking, Page, Webhook};
use ampoule_audit::{Configuration, Event, Forward, Log};
use ampoule_config::{ApprovalsConfig, Config};
use ampoule_governance::{Builder, Governance, Known, NotBuilt};
use ampoule_policy::{Policies, Problems, Server, Sources};
use ampoule_projection::Tool;
use ampoule_server::approvals::Dialogues;
use tokio::task::spawn_blocking;

use crate::asking::Person;
use crate::exit::Failure;
pub(crate) use apart::apart;
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
    Clients(Beneath),
}

/// Where browsers on this machine reach a server.
#[derive(Debug, Clone)]
pub(crate) enum Beneath {
    /// Nowhere: it is none of HTTP.
    Nothing,
    /// At this address.
    Address(String),
    /// Only whoever started it knows.
    Unknown,
}

/// What stands between a grant and a call, as long as it is needed.
pub(crate) struct Governed {
    pub(crate) governance: Governance,
    /// Where clients are asked in their own dialogues, if they are.
    pub(crate) dialogues: Option<Dialogues>,
    /// The page on which people answer, if there is one.
    pub(crate) page: Option<Page>,
    /// The operator's system that is told of questions, if it may answer.
    pub(crate) webhook: Option<Webhook>,
    /// Whether runs are tried first.
    pub(crate) previews: bool,
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
    apart::all_apart(config)?;
    let sources = sources(config).map_err(|problems| refused(&problems))?;
    let has_policies = sources != Sources::default();
    let is_watched = matches!(of, For::Clients(_)) && config.source.is_some();
    let mut builder = Governance::builder();
    if has_policies {
        builder = builder.policies(sources.clone());
    }
    if matches!(of, For::Show) {
        return match has_policies {
            false => Ok(None),
            true => Ok(Some(Governed {
                governance: built(builder, known)?,
                dialogues: None,
                page: None,
                webhook: None,
                previews: false,
                _forwards: Vec::new(),
                _watching: None,
            })),
        };
    }
    let (mut forwards, mut asked) = (Vec::new(), places::Places::default());
    let governance = &config.governance;
    if let Some(quotas) = parts::quotas(config)? {
        builder = builder.quotas(Arc::new(quotas));
    }
    if has_policies || governance.approvals != ApprovalsConfig::default() {
        let store = parts::store(&governance.approvals)?;
        asked = places::places(&governance.approvals, (&store, config), of)?;
        builder = builder.asking(Asking::new(store, std::mem::take(&mut asked.all)));
    }
    if let Some((settings, tables)) = parts::privacy(&governance.privacy)? {
        builder = builder.privacy(settings, Some(tables));
    }
    if let Some(audit) = &governance.audit {
        let log = parts::log(audit)?;
        forwards = export::all(audit, log.path())?;
        builder = builder.audit(Arc::new(log));
    }
    let previews = governance.approvals.preview;
    let governance = built(builder, known)?;
    // Where policies may come later, runs pass nothing until they do.
    if governance.is_nothing() && !is_watched {
        return Ok(None);
    }
    let governed = Governed {
        dialogues: asked.dialogues,
        page: asked.page,
        webhook: asked.webhook,
        previews,
        _watching: watch::start(&governance, config, sources),
        _forwards: forwards,
        governance,
    };
    if let For::Clients(_) = of {
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

/// How long what is being given up may still use the audit log.
const LAST_USES: Duration = Duration::from_secs(2);

/// Ends: what was used of quotas is kept, what is left is passed on, and the log gets its last
/// signature, once nothing uses it any more.
pub(crate) async fn closed(governed: Option<Governed>) {
    let Some(governed) = governed else { return };
    let log = governed.governance.audit().cloned();
    let quotas = governed.governance.quotas().cloned();
    // What it waits for needs this thread.
    let closed = spawn_blocking(move || {
        drop(governed);
        // Whoever drops them keeps what was used; others may have them as long as the process is there.
        if let Some(Err(shared)) = quotas.map(Arc::try_unwrap)
            && let Err(error) = shared.exchange()
        {
            tracing::warn!(%error, "what was used of quotas is not kept");
        }
        log.map_or(Ok(()), last)
    });
    match closed.await {
        Ok(Ok(())) => {}
        Ok(Err(why)) => tracing::warn!("the audit log was not closed: {why}"),
        Err(error) => tracing::warn!(%error, "the audit log was not closed"),
    }
}

/// Closes a log once nobody else has it: runs and tasks that were given up end in their own time.
fn last(mut log: Arc<Log>) -> Result<(), String> {
    let given_up = Instant::now() + LAST_USES;
    loop {
        log = match Arc::try_unwrap(log) {
            Ok(log) => return log.close().map_err(|problem| problem.to_string()),
            Err(log) if Instant::now() >= given_up => {
                drop(log);
                return Err("something still uses it".to_owned());
            }
            Err(log) => log,
        };
        std::thread::sleep(Duration::from_millis(2));
    }
}
