//! From the configuration to the checks between a grant and a call.
//!
//! - `sources`: the sources of policies; `parts`: quotas, approvals, personal data, the audit log;
//!   `export`: systems that get the audit log, by `http`
//! - `channels`: where people approve calls
//! - `apart`: no folder of a run's leads to any of it
//! - `reload`: reloads changed files; `closing`: how governance ends

mod apart;
mod channels;
mod closing;
mod export;
mod http;
mod parts;
mod reload;
mod sources;

use std::sync::Arc;

use ampoule::Binding;
use ampoule_approvals::{Approvals, Store, Webhook};
use ampoule_audit::{Configuration, Event, Forward};
use ampoule_config::{Config, Toolkits};
use ampoule_governance::{BuildError, Builder, Governance, KnownServer};
use ampoule_policy::{PolicyError, Sources};
use ampoule_privacy::Mode;
use tokio::sync::watch;

pub use apart::apart;
pub use channels::Channels;
pub use closing::closed;
pub use parts::{audit_folder, log, questions, store};
pub use sources::{folder, sources};

use super::SetupError;
use reload::Watch;

/// Which runs are governed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Runs {
    /// One, a command's: policies that come later are not for it.
    OfCommand,
    /// Those of a program, as long as it is there.
    OfProgram,
    /// Those of clients, as long as they are served. They can wait for `ampoule approvals`.
    OfClients,
}

/// The checks between a grant and a call, as long as they are needed.
pub struct GovernanceSetup {
    /// What a runtime is given.
    pub governance: Governance,
    /// The operator's system that gets questions, if it may answer.
    pub webhook: Option<Webhook>,
    /// Whether runs are previewed first.
    pub previews: bool,
    /// The toolkits, as they are in the file by now.
    pub toolkits: watch::Receiver<Toolkits>,
    /// Passes the audit log on.
    _forwards: Vec<Forward>,
    _watching: Option<Watch>,
}

/// What is configured, to show tools by: as far as there are any for somebody. Nothing runs. None
/// if nothing is.
///
/// # Errors
///
/// [`SetupError`].
pub fn shown(
    config: &Config,
    known: Vec<KnownServer>,
) -> Result<Option<GovernanceSetup>, SetupError> {
    let sources = checked(config)?;
    if sources == Sources::default() {
        return Ok(None);
    }
    Ok(Some(GovernanceSetup {
        governance: built(Governance::builder().policies(sources), known)?,
        webhook: None,
        previews: false,
        toolkits: watch::channel(config.toolkits.clone()).1,
        _forwards: Vec::new(),
        _watching: None,
    }))
}

/// What is configured; none if nothing is. `known`: the servers, with their tools as far as they are
/// [known]. `asked`: where this program asks people, whose questions are in the store. Must be called
/// within a Tokio runtime; [`closed`] ends it.
///
/// # Errors
///
/// [`SetupError`], and what `asked` says.
pub fn governed<E: From<SetupError>>(
    config: &Config,
    known: Vec<KnownServer>,
    runs: Runs,
    asked: impl FnOnce(&Store) -> Result<Channels, E>,
) -> Result<Option<GovernanceSetup>, E> {
    let sources = checked(config)?;
    let has_policies = sources != Sources::default();
    let mut builder = Governance::builder();
    if has_policies {
        builder = builder.policies(sources.clone());
    }
    let (mut forwards, mut webhook) = (Vec::new(), None);
    let governance = &config.governance;
    if let Some(quotas) = parts::quotas(config)? {
        builder = builder.quotas(Arc::new(quotas));
    }
    if has_policies || governance.approvals != ampoule_approvals::Settings::default() {
        let store = parts::store(&governance.approvals)?;
        let places;
        (places, webhook) = channels::all(&governance.approvals, &store, runs, asked(&store)?)?;
        builder = builder.asking(Approvals::new(store, places));
    }
    if let Some(tables) = parts::tokens(&governance.privacy)? {
        builder = builder.privacy(governance.privacy.clone(), Some(tables));
    }
    if let Some(audit) = &governance.audit {
        let log = parts::log(audit)?;
        forwards = export::all(audit, log.path())?;
        builder = builder.audit(Arc::new(log));
    }
    let governance = built(builder.patterns(parts::patterns(config)), known)?;
    let is_lasting = runs != Runs::OfCommand;
    // Where policies may come later, runs pass nothing until they do.
    let is_watched = is_lasting && config.source.is_some();
    if governance.is_nothing() && !is_watched {
        return Ok(None);
    }
    let (sender, toolkits) = watch::channel(config.toolkits.clone());
    let governed = GovernanceSetup {
        webhook,
        previews: config.governance.approvals.preview,
        toolkits,
        _watching: reload::start(&governance, config, sources, sender),
        _forwards: forwards,
        governance,
    };
    if is_lasting {
        governed.say_loaded(config)?;
    }
    Ok(Some(governed))
}

/// The servers, with their tools as far as they are known, Ampoule's own included: what runs may call
/// besides is known when there is a runtime.
pub fn known(config: &Config, bindings: &[Arc<dyn Binding>]) -> Vec<KnownServer> {
    let bindings = bindings.iter().map(|binding| KnownServer::of(&**binding));
    bindings.chain(own(config)).collect()
}

/// Ampoule's own servers.
fn own(config: &Config) -> impl Iterator<Item = KnownServer> {
    let own = [
        ("skills", config.skills.is_some()),
        (ampoule::outbound::NAME, config.outbound.is_some()),
        (ampoule::COMPONENTS_SERVER, !config.tools.is_empty()),
    ];
    let own = own.into_iter().filter(|(_, is_there)| *is_there);
    own.map(|(name, _)| KnownServer {
        name: name.into(),
        says_it_is: None,
        tools: None,
        offered: Arc::default(),
    })
}

/// Likely mistakes in the configuration, a sentence each, as a server logs them: such as a pattern
/// that matches no tool of these servers. And why a server would not start, if it would not. Opens
/// nothing.
pub fn warnings(config: &Config, servers: Vec<KnownServer>) -> (Vec<String>, Option<SetupError>) {
    let known: Vec<KnownServer> = servers.into_iter().chain(own(config)).collect();
    let told = |sources: Sources| {
        let patterns = parts::patterns(config).into_iter();
        let patterns = patterns.chain(parts::shown(config)).collect();
        let mut builder = Governance::builder().patterns(patterns);
        if sources != Sources::default() {
            builder = builder.policies(sources);
        }
        let privacy = &config.governance.privacy;
        if privacy.mode != Mode::Off {
            builder = builder.privacy(privacy.clone(), None);
        }
        Ok(built(builder, known.clone())?.warnings())
    };
    match checked(config).and_then(told) {
        Ok(warnings) => (warnings, parts::check_quotas(config).err()),
        // What is wrong with policies says nothing of the rest.
        Err(problem) => (told(Sources::default()).unwrap_or_default(), Some(problem)),
    }
}

/// The sources of policies, after a check that runs do not reach them.
fn checked(config: &Config) -> Result<Sources, SetupError> {
    apart::all_apart(config)?;
    Ok(sources(config)?)
}

/// Puts the parts together.
fn built(builder: Builder, known: Vec<KnownServer>) -> Result<Governance, SetupError> {
    builder
        .servers(known)
        .build()
        .map_err(|problem| match problem {
            BuildError::Policies(problems) => problems.into(),
            other => SetupError::new(format!("[privacy]: {other}")),
        })
}

/// Policies that can't be used; as far as is known here, servers may have other tools by now.
impl From<PolicyError> for SetupError {
    fn from(problems: PolicyError) -> Self {
        Self::new(format!(
            "the policies can't be used:\n{problems}\n(`ampoule policy check` checks them against the current tools of servers)"
        ))
    }
}

impl GovernanceSetup {
    /// Records that this configuration is in force.
    fn say_loaded(&self, config: &Config) -> Result<(), SetupError> {
        for warning in self.governance.warnings() {
            tracing::warn!("{warning}");
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
        loaded.map(drop).map_err(SetupError::host)
    }
}
