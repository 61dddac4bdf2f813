//! What is stored for a principal beyond one request: their runs, results that were too large for
//! an answer, and the description of the tools that their client got.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use ampoule::Principal;
use parking_lot::Mutex;
use tokio::time::Instant;

use super::client_runs::{self, ClientRuns};
use super::stored_output::{ReadListener, StoredOutput};

/// How much is stored, and for which principals.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bounds {
    /// How many principals have stored things, each toolkit of one counted by itself; of more, the least recent one loses them. Principals
    /// with active runs lose nothing.
    pub(crate) principals: usize,
    /// How long it is theirs while they are not here, and have no runs.
    pub(crate) away: Duration,
    /// What is stored of the runs of each.
    pub(crate) runs: client_runs::Bounds,
}

impl Default for Bounds {
    fn default() -> Self {
        Self {
            principals: 64,
            away: Duration::from_hours(1),
            runs: client_runs::Bounds::default(),
        }
    }
}

/// What is stored for one principal.
pub(crate) struct ClientState {
    /// None where scripts find a server of the operator's under that name.
    pub(crate) stored: Option<StoredOutput>,
    pub(crate) runs: ClientRuns,
    /// The description of `execute_code` that their client got, if it is not the same for all.
    pub(crate) description: Mutex<Option<ClientDescription>>,
}

/// The description of `execute_code` that a client got.
pub(crate) struct ClientDescription {
    pub(crate) client: Option<String>,
    /// Of the policies of then.
    pub(crate) fingerprint: String,
    pub(crate) text: String,
}

impl ClientState {
    /// Whether there are runs that would end with it, or a request that needs it.
    fn is_busy(self: &Arc<Self>) -> bool {
        Arc::strong_count(self) > 1 || self.runs.are_under_way()
    }

    /// Whether a client may still ask for it.
    fn is_wanted(self: &Arc<Self>) -> bool {
        self.is_busy() || !self.runs.none_last()
    }
}

/// The state of a principal that was here, and when that was last.
struct Visit {
    state: Arc<ClientState>,
    last: Instant,
}

/// Whose it is: a principal's, within a toolkit or without one. What is stored within one is not to be
/// had within another.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Owner {
    principal: Option<Principal>,
    toolkit: Option<Arc<str>>,
}

/// What is stored for each principal; a client without a name is the local user.
pub(crate) struct ClientStates {
    /// None if results of runs are not stored.
    listener: Option<ReadListener>,
    bounds: Bounds,
    states: Mutex<HashMap<Owner, Visit>>,
}

impl ClientStates {
    pub(crate) fn new(listener: Option<ReadListener>, bounds: Bounds) -> Self {
        Self {
            listener,
            bounds,
            states: Mutex::default(),
        }
    }

    /// What is stored for a principal within a toolkit, or outside of all toolkits.
    pub(crate) fn of(
        &self,
        principal: Option<&Principal>,
        toolkit: Option<&Arc<str>>,
    ) -> Arc<ClientState> {
        let mut states = self.states.lock();
        let now = Instant::now();
        let key = Owner {
            principal: principal.map(Principal::without_token),
            toolkit: toolkit.cloned(),
        };
        if let Some(visit) = states.get_mut(&key) {
            visit.last = now;
            return Arc::clone(&visit.state);
        }
        let gone = self.give_way(&mut states, now);
        let state = Arc::new(ClientState {
            stored: self.listener.clone().map(StoredOutput::new),
            runs: ClientRuns::new(self.bounds.runs),
            description: Mutex::default(),
        });
        let visit = Visit {
            state: Arc::clone(&state),
            last: now,
        };
        states.insert(key, visit);
        // What is dropped with these takes its time.
        drop(states);
        drop(gone);
        state
    }

    /// Removes what is no longer used, so that there is room for one.
    fn give_way(&self, states: &mut HashMap<Owner, Visit>, now: Instant) -> Vec<Arc<ClientState>> {
        let away = self.bounds.away;
        let is_gone = |visit: &Visit| now - visit.last >= away && !visit.state.is_wanted();
        let gone = states.extract_if(|_, visit| is_gone(visit));
        let mut gone: Vec<_> = gone.map(|(_, visit)| visit.state).collect();
        if states.len() >= self.bounds.principals {
            let idle = states.iter().filter(|(_, visit)| !visit.state.is_busy());
            let oldest = idle.min_by_key(|(_, visit)| visit.last);
            let oldest = oldest.map(|(owner, _)| owner.clone());
            let oldest = oldest.and_then(|owner| states.remove(&owner));
            gone.extend(oldest.map(|visit| visit.state));
        }
        gone
    }
}

#[cfg(test)]
mod tests {
    use super::super::stored_output::LeftOut;
    use super::*;

    fn number(states: &ClientStates, principal: &str) -> Option<u64> {
        let state = states.of(Some(&Principal::new(principal)), None);
        let printed = LeftOut {
            printed: Some("some text"),
            ..LeftOut::default()
        };
        state.stored.as_ref().unwrap().keep(printed)
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_theirs_is_apart_and_forgotten_when_they_are_long_away() {
        let states = ClientStates::new(Some(Arc::new(|_, _| Ok(()))), Bounds::default());
        assert_eq!(number(&states, "ada"), Some(1));
        assert_eq!(number(&states, "bob"), Some(1));
        assert_eq!(number(&states, "ada"), Some(2));
        tokio::time::advance(Bounds::default().away / 2).await;
        assert_eq!(number(&states, "ada"), Some(3));
        tokio::time::advance(Bounds::default().away / 2).await;
        assert_eq!(number(&states, "carol"), Some(1));
        assert_eq!(number(&states, "ada"), Some(4));
        assert_eq!(number(&states, "bob"), Some(1));
    }

    #[tokio::test(start_paused = true)]
    async fn of_many_principals_the_one_who_was_here_longest_ago_is_forgotten() {
        let states = ClientStates::new(Some(Arc::new(|_, _| Ok(()))), Bounds::default());
        for principal in 0..Bounds::default().principals {
            number(&states, &principal.to_string());
            tokio::time::advance(Duration::from_secs(1)).await;
        }
        assert_eq!(number(&states, "0"), Some(2));
        assert_eq!(number(&states, "one more"), Some(1));
        assert_eq!(number(&states, "0"), Some(3));
        assert_eq!(number(&states, "2"), Some(2));
        assert_eq!(number(&states, "1"), Some(1));
    }
}
