//! What a binding tells without being called: that one of its lists has changed, or a resource that
//! somebody wants to hear of.

use std::any::Any;
use std::fmt;

use tokio::sync::watch;

/// How often the lists of a binding have changed, as far as it told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ListVersions {
    /// Its list of tools.
    pub tools: u64,
    /// Its list of prompts.
    pub prompts: u64,
    /// Its lists of resources and of templates.
    pub resources: u64,
}

/// A resource of which changes are told. Dropping it ends that.
pub struct Subscription {
    updates: watch::Receiver<u64>,
    _held: Box<dyn Any + Send + Sync>,
}

impl Subscription {
    /// One that hears of each number that is new, for as long as it holds `held`.
    pub fn new(updates: watch::Receiver<u64>, held: impl Any + Send + Sync) -> Self {
        Self {
            updates,
            _held: Box::new(held),
        }
    }

    /// The same, which holds this as well.
    #[must_use]
    pub fn holding(self, more: impl Any + Send + Sync) -> Self {
        Self {
            updates: self.updates,
            _held: Box::new((self._held, more)),
        }
    }

    /// Waits until the resource has changed. Changes that nobody waited for are one. Returns false
    /// where none will be told any more.
    pub async fn changed(&mut self) -> bool {
        self.updates.changed().await.is_ok()
    }
}

impl fmt::Debug for Subscription {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Subscription").finish_non_exhaustive()
    }
}
