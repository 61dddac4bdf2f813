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
use crate::mcp::offers::{OfferKind, has};
use crate::mcp::server::Server;
use crate::mcp::toolkit::Offer;

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

/// What a client may have, and the lists of its servers.
struct WatchedTools {
    tools: GrantedTools,
    lists: Vec<ServerLists>,
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
        // Before it is looked at what there is: what changes in between is noticed.
        let offers = server.offers();
        let Some(watched) = reader.watched() else {
            return;
        };
        let watching = reader.watch(offers, watched, since);
        *lists = Some(AbortOnDropHandle::new(tokio::spawn(watching)));
    }
}

impl Reader {
    /// What there is to watch, for this client.
    fn watched(&self) -> Option<WatchedTools> {
        let (principal, client) = (self.asker.principal(), self.asker.client());
        let tools = self.server.tools_of(principal, client).ok()?;
        let lists = tools.list_changes(principal).into_iter();
        let lists = lists.map(|(server, mut versions)| {
            let known = *versions.borrow_and_update();
            ServerLists {
                server,
                versions,
                known,
            }
        });
        Some(WatchedTools {
            lists: lists.collect(),
            tools,
        })
    }

    async fn watch(
        self,
        mut offers: Receiver<Arc<Offer>>,
        mut watched: WatchedTools,
        since: Since,
    ) {
        if since == Since::Now {
            self.direct.lock().fingerprint = self.direct_now().await;
        }
        loop {
            let before = [OfferKind::Prompts, OfferKind::Resources]
                .map(|it| self.servers_with(&watched, it));
            tokio::select! {
                () = self.watch_servers(&mut watched) => return,
                changed = offers.changed() => if changed.is_err() {
                    return;
                },
            }
            match self.watched() {
                Some(now) => watched = now,
                None => return,
            }
            self.direct.lock().fingerprint = self.direct_now().await;
            self.changes.note(Change::Tools);
            let after = [OfferKind::Prompts, OfferKind::Resources]
                .map(|it| self.servers_with(&watched, it));
            let lists = [Change::Prompts, Change::Resources];
            for ((before, after), change) in before.into_iter().zip(after).zip(lists) {
                if before != after {
                    self.changes.note(change);
                }
            }
            tokio::time::sleep(PAUSE).await;
        }
    }

    /// The servers whose lists of this kind the client sees.
    fn servers_with(&self, watched: &WatchedTools, offered: OfferKind) -> Vec<Arc<str>> {
        let offer = self.server.offer();
        let is_shown = match offered {
            OfferKind::Prompts => offer.exposure.prompts,
            _ => offer.exposure.resources,
        };
        let servers = watched.tools.servers();
        let servers = servers.filter(|server| is_shown && has(&watched.tools, server, offered));
        servers.map(|server| Arc::clone(server.name())).collect()
    }

    /// Notes what changes on servers, until none of them tells any more and nothing else can change.
    async fn watch_servers(&self, watched: &mut WatchedTools) {
        let WatchedTools { tools, lists } = watched;
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
            let has = |offered| has(tools, server, offered);
            let offer = self.server.offer();
            let exposure = &offer.exposure;
            if known.prompts != before.prompts && exposure.prompts && has(OfferKind::Prompts) {
                self.changes.note(Change::Prompts);
            }
            if known.resources != before.resources
                && exposure.resources
                && (has(OfferKind::Resources) || has(OfferKind::Templates))
            {
                self.changes.note(Change::Resources);
            }
            if known.tools != before.tools && self.direct_have_changed().await {
                self.changes.note(Change::Tools);
            }
            tokio::time::sleep(PAUSE).await;
        }
        if self.server.offer().toolkit().is_some() {
            std::future::pending::<()>().await;
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
