//! What must not be shown, even where the server says it itself.

use std::sync::Arc;

use ampoule_outbound::Blot;
use ampoule_upstream::names_credential;
use parking_lot::RwLock;

use crate::options::ApiServer;
use crate::server::Base;

/// How many texts are kept that became known later: tokens follow one another.
const MAX_LATER: usize = 32;

/// The secrets of one server, and what blots them out.
pub(crate) struct Secrets {
    state: RwLock<State>,
    /// What is no credential, and written down nowhere.
    others: Vec<String>,
}

struct State {
    known: Vec<String>,
    later: Vec<String>,
    blot: Arc<Blot>,
}

impl Secrets {
    pub(crate) fn of(server: &ApiServer, base: &Base) -> Self {
        let headers = server.headers.iter();
        let headers = headers
            .filter(|(name, _)| names_credential(name))
            .map(|(_, value)| value.clone());
        let known: Vec<String> = headers
            .chain(server.credentials.values().cloned())
            .chain(passwords(server))
            .chain(base.secrets())
            .collect();
        let all = server.headers.values().chain(&server.secrets);
        Self {
            others: all.cloned().collect(),
            state: RwLock::new(State {
                blot: Arc::new(Blot::of(known.iter().map(String::as_str))),
                known,
                later: Vec::new(),
            }),
        }
    }

    /// Those of the configuration, without what became known later.
    pub(crate) fn of_another(&self) -> Self {
        let known = self.state.read().known.clone();
        Self {
            others: self.others.clone(),
            state: RwLock::new(State {
                blot: Arc::new(Blot::of(known.iter().map(String::as_str))),
                known,
                later: Vec::new(),
            }),
        }
    }

    pub(crate) fn blot(&self) -> Arc<Blot> {
        Arc::clone(&self.state.read().blot)
    }

    /// Adds tokens that became known later.
    pub(crate) fn add(&self, tokens: Vec<String>) {
        let mut state = self.state.write();
        let State { known, later, blot } = &mut *state;
        let fresh: Vec<String> = tokens
            .into_iter()
            .filter(|token| !later.contains(token))
            .collect();
        if fresh.is_empty() {
            return;
        }
        later.extend(fresh);
        let over = later.len().saturating_sub(MAX_LATER);
        later.drain(..over);
        *blot = Arc::new(Blot::of(
            known.iter().chain(later.iter()).map(String::as_str),
        ));
    }

    /// All that are known by now.
    pub(crate) fn all(&self) -> Vec<String> {
        let mut all = self.blot().secrets();
        all.extend(self.others.iter().filter(|text| text.len() >= 6).cloned());
        all
    }
}

/// Of `user:password`, the password alone is a secret as well.
fn passwords(server: &ApiServer) -> impl Iterator<Item = String> {
    let credentials = server.credentials.values();
    credentials
        .filter_map(|text| text.split_once(':'))
        .map(|(_, password)| password.to_owned())
}
