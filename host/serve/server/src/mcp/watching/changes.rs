//! What a client has not been told yet. However often something changes before the client reads,
//! it is one change.

use std::collections::BTreeSet;
use std::pin::pin;
use std::sync::Arc;

use parking_lot::Mutex;
use rmcp::model::{
    PromptListChangedNotification, ResourceListChangedNotification, ResourceUpdatedNotification,
    ResourceUpdatedNotificationParam, ServerNotification, ToolListChangedNotification,
};
use tokio::sync::Notify;

/// Something that a client is told.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Change {
    /// The list of tools has changed.
    Tools,
    /// The list of prompts.
    Prompts,
    /// A list of resources or templates.
    Resources,
    /// The resource at the address by which the client knows it.
    Updated(Arc<str>),
}

/// What a client has not been told yet.
#[derive(Debug, Default)]
pub(crate) struct Changes {
    waiting: Mutex<BTreeSet<Change>>,
    any: Notify,
}

impl Change {
    /// As it is sent.
    pub(crate) fn notification(self) -> ServerNotification {
        match self {
            Self::Tools => ServerNotification::ToolListChangedNotification(
                ToolListChangedNotification::default(),
            ),
            Self::Prompts => ServerNotification::PromptListChangedNotification(
                PromptListChangedNotification::default(),
            ),
            Self::Resources => ServerNotification::ResourceListChangedNotification(
                ResourceListChangedNotification::default(),
            ),
            Self::Updated(address) => {
                let updated = ResourceUpdatedNotificationParam::new(&*address);
                ServerNotification::ResourceUpdatedNotification(ResourceUpdatedNotification::new(
                    updated,
                ))
            }
        }
    }
}

impl Changes {
    pub(crate) fn note(&self, change: Change) {
        if self.waiting.lock().insert(change) {
            self.any.notify_one();
        }
    }

    /// The client no longer wants to hear of a resource.
    pub(super) fn forget(&self, address: &str) {
        self.waiting.lock().remove(&Change::Updated(address.into()));
    }

    /// Waits for the next. Each is told once, by whoever waits.
    pub(crate) async fn next(&self) -> Change {
        loop {
            let mut any = pin!(self.any.notified());
            any.as_mut().enable();
            {
                let mut waiting = self.waiting.lock();
                if let Some(change) = waiting.pop_first() {
                    if !waiting.is_empty() {
                        self.any.notify_one();
                    }
                    return change;
                }
            }
            any.await;
        }
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;

    use super::*;

    #[tokio::test]
    async fn a_flood_of_changes_is_one_change_of_each_kind() {
        let changes = Changes::default();
        let one = || Change::Updated("a:1".into());
        assert_eq!(changes.next().now_or_never(), None);
        for _ in 0..1000 {
            changes.note(one());
            changes.note(Change::Prompts);
        }
        assert_eq!(changes.next().await, Change::Prompts);
        assert_eq!(changes.next().await, one());
        assert_eq!(changes.next().now_or_never(), None);
        changes.note(one());
        changes.forget("a:1");
        assert_eq!(changes.next().now_or_never(), None);
    }
}
