//! What must not be shown, even where the server says it itself.

use std::sync::Arc;

use ampoule_outbound::Blot;
use ampoule_upstream::names_credential;
use parking_lot::RwLock;

/// How many texts are kept that became known later: tokens follow one another.
const MAX_LATER: usize = 32;

/// The secrets of one server, and what blots them out.
pub struct Secrets {
    state: RwLock<State>,
    /// What is not a credential, and written down nowhere.
    others: Vec<String>,
}

struct State {
    known: Vec<String>,
    later: Vec<String>,
    blot: Arc<Blot>,
}

impl Secrets {
    /// Credentials that are `known`, and `others` that are written down nowhere.
    pub fn new(known: Vec<String>, others: Vec<String>) -> Self {
        Self {
            others,
            state: RwLock::new(State {
                blot: Arc::new(Blot::of(known.iter().map(String::as_str))),
                known,
                later: Vec::new(),
            }),
        }
    }

    /// Those of the configuration, without what became known later.
    pub fn of_another(&self) -> Self {
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

    /// What blots them out.
    pub fn blot(&self) -> Arc<Blot> {
        Arc::clone(&self.state.read().blot)
    }

    /// Adds a header that became known later.
    pub fn add_header(&self, name: &str, value: &str) {
        if names_credential(name) {
            self.add(vec![value.to_owned()]);
        }
    }

    /// Adds tokens that became known later.
    pub fn add(&self, tokens: Vec<String>) {
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
    pub fn all(&self) -> Vec<String> {
        let mut all = self.blot().secrets();
        all.extend(self.others.iter().filter(|text| text.len() >= 6).cloned());
        all
    }
}
