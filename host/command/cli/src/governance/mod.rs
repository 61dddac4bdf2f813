//! What governs runs, as commands have it: what is configured, with the places where this program asks
//! people.
//!
//! - `channels`: those places; `terminal`: the one at the terminal
//! - `command_log`: what commands do, in the audit log

mod channels;
pub(crate) mod command_log;
pub(crate) mod terminal;

use std::sync::Arc;

use ampoule::Binding;
use ampoule_config::Config;
use ampoule_configured::governed::{self, GovernanceSetup, Runs};
use ampoule_governance::KnownServer;
use ampoule_policy::{Policies, PolicyError, Server, Sources};
use ampoule_projection::Tool;

use crate::asking::Person;
use crate::exit::Failure;
pub(crate) use channels::AnswerChannels;

/// The purpose of runs, which decides who can approve their calls.
#[derive(Debug, Clone)]
pub(crate) enum Purpose {
    /// Nothing runs: only the local user's tools are shown.
    Show,
    /// Runs of this command, with or without a person at its terminal.
    Here(Option<Person>),
    /// Runs of an agent in this process, with or without a person at its terminal.
    Agent(Option<Person>),
    /// Runs of an agent whose approvals are asked in its own dialogue.
    Dialogue,
    /// Runs of clients.
    Clients(ServerAddress),
}

/// Where browsers on this machine reach a server.
#[derive(Debug, Clone)]
pub(crate) enum ServerAddress {
    /// No address: the server does not use HTTP.
    Nothing,
    /// At this address.
    Address(String),
    /// Unknown to the process: only the operator knows it.
    Unknown,
}

impl ServerAddress {
    /// The same, of a server with a certificate of the configuration's: it is reached by HTTPS.
    pub(crate) fn behind_tls(&self, config: &Config) -> Self {
        match self {
            Self::Address(address) if config.serve.tls_cert.is_some() => {
                Self::Address(address.replacen("http://", "https://", 1))
            }
            other => other.clone(),
        }
    }
}

/// What is configured, none if nothing is; and the places of this program. Must be called within a
/// Tokio runtime.
pub(crate) fn governed(
    config: &Config,
    bindings: &[Arc<dyn Binding>],
    of: &Purpose,
) -> Result<(Option<GovernanceSetup>, AnswerChannels), Failure> {
    let known = governed::known(config, bindings);
    let mut places = AnswerChannels::default();
    let governed = match of {
        Purpose::Show => governed::shown(config, known)?,
        Purpose::Here(person) => {
            let asked = |store: &_| Ok(channels::at_terminal(config, store, person.as_ref()));
            governed::governed::<Failure>(config, known, Runs::OfCommand, asked)?
        }
        Purpose::Agent(person) => {
            let asked = |store: &_| Ok(channels::at_terminal(config, store, person.as_ref()));
            governed::governed::<Failure>(config, known, Runs::OfProgram, asked)?
        }
        Purpose::Dialogue => {
            let asked = |store: &_| Ok(places.of_agent(config, store));
            governed::governed::<Failure>(config, known, Runs::OfProgram, asked)?
        }
        Purpose::Clients(beneath) => {
            let asked = |store: &_| places.of_clients(config, store, beneath);
            governed::governed(config, known, Runs::OfClients, asked)?
        }
    };
    Ok((governed, places))
}

/// Policies for the tools of these servers.
pub(crate) fn policies(sources: &Sources, known: &[KnownServer]) -> Result<Policies, PolicyError> {
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
