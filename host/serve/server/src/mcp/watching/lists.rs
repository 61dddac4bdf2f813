//! Changes of servers' lists, for a client that may have what is on them.

use std::sync::Arc;
use std::time::Duration;

use ampoule_tools::{GrantedTools, ListVersions};
use futures::FutureExt;
use futures::future::select_all;
use parking_lot::Mutex;
use tokio::sync::watch::Receiver;
use tokio_util::task::AbortOnDropHandle;

use super::changes::{Change, Changes};
use super::watcher::{DirectListed, Watcher};
use crate::mcp::asker::Asker;
use crate::mcp::offers::{Offered, has};
use crate::mcp::server::Server;

/// How often a client is told, at most, that lists have changed.
const PAUSE: Duration = Duration::from_millis(200);

/// Whether the tools that a client sees count from those that it was told of, or from now on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Since {
    Listed,
    Now,
}

/// A server's lists, as they were last.
struct ServerLists {
    server: Arc<ampoule_tools::Server>,
    versions: Receiver<ListVersions>,
    known: ListVersions,
}

/// Who hears of changes.
struct Reader {
    server: Server,
    asker: Asker,
    changes: Arc<Changes>,
    direct: Arc<Mutex<DirectListed>>,
}

impl Watcher {
    /// Has the client hear of changes of lists, from now on.
    pub(crate) fn watch_lists(&self, server: &Server, asker: &Asker, since: Since) {
        let mut lists = self.lists.lock();
        if lists.is_some() {
            return;
        }
        let reader = Reader {
            server: server.clone(),
            asker: asker.clone(),
            changes: Arc::clone(&self.changes),
            direct: Arc::clone(&self.direct),
        };
        let Ok(tools) = server.tools_of(asker.principal(), asker.client()) else {
            return;
        };
        let watched = tools.list_changes(asker.principal()).into_iter();
        let watched = watched.map(|(server, mut versions)| {
            let known = *versions.borrow_and_update();
            ServerLists {
                server,
                versions,
                known,
            }
        });
        let watching = reader.watch(tools, watched.collect(), since);
        *lists = Some(AbortOnDropHandle::new(tokio::spawn(watching)));
    }
}

impl Reader {
    async fn watch(self, tools: GrantedTools, mut lists: Vec<ServerLists>, since: Since) {
        if since == Since::Now {
            self.direct.lock().fingerprint = self.direct_now().await;
        }
        while !lists.is_empty() {
            let changes = lists.iter_mut().map(|it| it.versions.changed().boxed());
            let (changed, place, _) = select_all(changes).await;
            if changed.is_err() {
                lists.swap_remove(place);
                continue;
            }
            let ServerLists {
                server,
                versions,
                known,
            } = &mut lists[place];
            let before = std::mem::replace(known, *versions.borrow_and_update());
            let has = |offered| has(&tools, server, offered);
            let offer = self.server.offer();
            let exposure = &offer.exposure;
            if known.prompts != before.prompts && exposure.prompts && has(Offered::Prompts) {
                self.changes.note(Change::Prompts);
            }
            if known.resources != before.resources
                && exposure.resources
                && (has(Offered::Resources) || has(Offered::Templates))
            {
                self.changes.note(Change::Resources);
            }
            if known.tools != before.tools && self.direct_have_changed().await {
                self.changes.note(Change::Tools);
            }
            tokio::time::sleep(PAUSE).await;
        }
    }

    /// Whether the direct tools are others than the client was told of.
    async fn direct_have_changed(&self) -> bool {
        if self.direct.lock().fingerprint.is_none() {
            return false;
        }
        let now = self.direct_now().await;
        let mut listed = self.direct.lock();
        let has_changed = now.is_some() && listed.fingerprint != now;
        listed.fingerprint = now.or(listed.fingerprint);
        has_changed
    }

    async fn direct_now(&self) -> Option<u64> {
        if self.server.offer().exposure.direct.is_empty() {
            return None;
        }
        let (principal, client) = (self.asker.principal(), self.asker.client());
        self.server.all_direct_tools(principal, client).await.ok()
    }
}
