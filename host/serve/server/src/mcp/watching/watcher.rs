//! What one client wants to hear of, for as long as its connection, session or request lasts.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;
use rmcp::{Peer, RoleServer};
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

use super::changes::{Change, Changes};
use super::shares::Share;

/// See the module. What it hears of ends with it.
#[derive(Default)]
pub(crate) struct Watcher {
    pub(crate) changes: Arc<Changes>,
    pub(super) subscriptions: Mutex<HashMap<String, ClientSubscription>>,
    /// The direct tools that the client was told of.
    pub(crate) direct: Arc<Mutex<DirectListed>>,
    /// What looks at the lists, and what tells the client over its connection.
    pub(super) lists: Mutex<Option<AbortOnDropHandle<()>>>,
    tells: Mutex<Option<AbortOnDropHandle<()>>>,
    /// Ends the stream that tells the client.
    stream: Mutex<Option<CancellationToken>>,
}

/// A resource that a client wants to hear of.
pub(super) struct ClientSubscription {
    pub(super) _hears: AbortOnDropHandle<()>,
    pub(super) _share: Share,
}

/// The direct tools that a client was told of.
#[derive(Default)]
pub(crate) struct DirectListed {
    pub(crate) fingerprint: Option<u64>,
    /// Somebody looks whether they have changed.
    pub(crate) is_looked_at: bool,
}

impl Watcher {
    /// Tells the client over its connection, until it leaves.
    pub(crate) fn tell(&self, client: &Peer<RoleServer>, left: &CancellationToken) {
        let mut tells = self.tells.lock();
        if tells.is_some() {
            return;
        }
        let (changes, client, left) = (Arc::clone(&self.changes), client.clone(), left.clone());
        let telling = async move {
            loop {
                let change = changes.next().await;
                // A client that is gone need not know.
                if client
                    .send_notification(change.notification())
                    .await
                    .is_err()
                {
                    return;
                }
            }
        };
        let telling = async move {
            left.run_until_cancelled(telling).await;
        };
        *tells = Some(AbortOnDropHandle::new(tokio::spawn(telling)));
    }

    /// Takes up a stream that tells the client. An earlier one ends: each change is told once. What
    /// was told over that one may not have arrived, so everything may have changed.
    pub(crate) fn streams(&self) -> CancellationToken {
        let token = CancellationToken::new();
        let earlier = self.stream.lock().replace(token.clone());
        if let Some(earlier) = earlier {
            earlier.cancel();
            for address in self.subscriptions.lock().keys() {
                self.changes.note(Change::Updated((**address).into()));
            }
        }
        token
    }

    /// Ends what the client hears of a resource.
    pub(crate) fn unsubscribe(&self, address: &str) {
        self.subscriptions.lock().remove(address);
        self.changes.forget(address);
    }
}
