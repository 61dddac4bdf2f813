//! The messages that were taken: each is taken once.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use super::signature::SignedMessage;

/// How many messages are remembered. Above that, none is taken until some are too old to come again.
const MOST: usize = 10_000;
/// For how long a message with an id is remembered at least: its sender may send it again with another
/// timestamp.
const IDS_KEPT: SignedDuration = SignedDuration::from_hours(24);

/// The messages that a hook has taken: when their senders signed them.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Replays {
    taken: BTreeMap<String, Timestamp>,
    /// The newest of the messages that are no longer remembered was signed then. What was signed by
    /// then is not taken: a clock that was ahead for a moment may have had them forgotten.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    forgotten: Option<Timestamp>,
}

/// Whether a message may be taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Replay {
    /// It comes for the first time.
    First,
    /// It was taken before.
    Repeated,
    /// It may have been taken before: those of its time are no longer remembered.
    Forgotten,
    /// Too many are remembered.
    Full,
}

impl Replays {
    /// Takes a message, unless it was taken before. A message with neither a timestamp nor an id is
    /// always the first: nothing says when it is too old to come again.
    pub fn take(&mut self, message: &SignedMessage, now: Timestamp) -> Replay {
        let Some(signed) = message.signed else {
            return Replay::First;
        };
        if let Some(known) = self.taken.get_mut(&message.digest) {
            // The same message, signed once more: it is remembered for longer.
            *known = signed.max(*known);
            return Replay::Repeated;
        }
        if self.forgotten.is_some_and(|forgotten| signed <= forgotten) {
            return Replay::Forgotten;
        }
        let kept = match message.has_id {
            true => IDS_KEPT.max(message.tolerance),
            false => message.tolerance,
        };
        self.forget(|signed| now.duration_since(signed) > kept, usize::MAX);
        if self.taken.len() >= MOST {
            // Ids that only a sender could send again make room.
            let spare = self.taken.len() + 1 - MOST;
            let is_old = |signed| now.duration_since(signed) > message.tolerance;
            self.forget(is_old, spare);
        }
        if self.taken.len() >= MOST {
            return Replay::Full;
        }
        self.taken.insert(message.digest.clone(), signed);
        Replay::First
    }

    /// The message started nothing: it may come again.
    pub fn give_back(&mut self, message: &SignedMessage) {
        self.taken.remove(&message.digest);
    }

    /// Forgets old messages, the oldest first, at most so many.
    fn forget(&mut self, is_old: impl Fn(Timestamp) -> bool, most: usize) {
        let taken = self.taken.iter();
        let mut old: Vec<(Timestamp, String)> = taken
            .filter(|(_, signed)| is_old(**signed))
            .map(|(digest, signed)| (*signed, digest.clone()))
            .collect();
        old.sort_unstable();
        for (signed, digest) in old.into_iter().take(most) {
            self.taken.remove(&digest);
            self.forgotten = self.forgotten.max(Some(signed));
        }
    }
}
