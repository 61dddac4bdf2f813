//! Lists that change when a tool is called, and who hears of that.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use parking_lot::Mutex;
use rmcp::model::ServerNotification;
use rmcp::service::{RequestContext, SubscriptionSink};
use rmcp::{RoleServer, model};
use serde::Deserialize;
use serde_json::{Value, json};

/// A list.
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum Changing {
    Tools,
    Prompts,
}

/// How often each list changed, and who hears of changes.
#[derive(Default)]
pub(super) struct Changes {
    tools: AtomicUsize,
    prompts: AtomicUsize,
    sinks: Mutex<Vec<SubscriptionSink>>,
}

impl Changes {
    /// What is on a list besides what always is.
    pub(super) fn on(&self, list: Changing) -> Option<Value> {
        let changed = self.count(list).load(Relaxed);
        (changed > 0).then(|| match list {
            Changing::Tools => json!({
                "name": format!("changing_{changed}"),
                "description": "Is there since the list changed.",
                "inputSchema": { "type": "object" },
            }),
            Changing::Prompts => json!({
                "name": format!("changing_{changed}"),
                "description": "Is there since the list changed.",
            }),
        })
    }

    pub(super) fn subscribed(&self, sink: SubscriptionSink) {
        self.sinks.lock().push(sink);
    }

    /// Changes a list, and tells of it: those who subscribed, and otherwise whoever called.
    pub(super) async fn change(&self, list: Changing, context: &RequestContext<RoleServer>) {
        self.count(list).fetch_add(1, Relaxed);
        let told = || -> ServerNotification {
            match list {
                Changing::Tools => model::ToolListChangedNotification::default().into(),
                Changing::Prompts => model::PromptListChangedNotification::default().into(),
            }
        };
        let sinks = self.sinks.lock().clone();
        for sink in &sinks {
            // One that is gone, or wants to hear of other lists, does not hear of it.
            let _ = sink.send(told()).await;
        }
        if sinks.is_empty() {
            let _ = context.peer.send_notification(told()).await;
        }
    }

    fn count(&self, list: Changing) -> &AtomicUsize {
        match list {
            Changing::Tools => &self.tools,
            Changing::Prompts => &self.prompts,
        }
    }
}
