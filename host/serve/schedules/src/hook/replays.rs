//! The messages that were taken: each is taken once.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// How many messages are remembered. Above that, none is taken until some are too old to come again.
const MOST: usize = 10_000;

/// The messages that a hook has taken, as long as their timestamps are accepted.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Replays(BTreeMap<String, Timestamp>);

/// Whether a message may be taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Replay {
    /// It comes for the first time.
    First,
    /// It was taken before.
    Repeated,
    /// Too many are remembered.
    Full,
}

impl Replays {
    /// Takes a message, of this digest, whose timestamp is accepted until then.
    pub fn take(&mut self, digest: &str, until: Timestamp, now: Timestamp) -> Replay {
        self.0.retain(|_, until| *until >= now);
        if self.0.contains_key(digest) {
            return Replay::Repeated;
        }
        if self.0.len() >= MOST {
            return Replay::Full;
        }
        self.0.insert(digest.to_owned(), until);
        Replay::First
    }

    /// The message started nothing: it may come again.
    pub fn give_back(&mut self, digest: &str) {
        self.0.remove(digest);
    }
}
