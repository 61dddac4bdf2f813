//! What a server tells without being asked each time: that a list has changed, or a resource that
//! somebody wants to hear of. However many want to hear of one resource, the server is asked once.
//!
//! Nothing of what is told is kept but how often it was told, so a server that floods is one that
//! told something.
//!
//! - `keeper`: has the server tell, for as long as somebody wants to hear it, over all connections

mod keeper;

use std::collections::HashMap;
use std::sync::Arc;

use ampoule_mcp::envelope::RequestId;
use ampoule_tools::ListVersions;
use ampoule_untrusted::json::parsed_bytes;
use parking_lot::Mutex;
use serde::Deserialize;
use tokio::sync::watch;

/// How much a notice may take once it is parsed, in bytes.
const MAX_NOTICE_BYTES: u64 = 256 << 10;

/// Of how many resources of one server changes are told.
const MAX_RESOURCES: usize = 1_000;

/// What a list is called in this server's notifications.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum List {
    Tools,
    Prompts,
    Resources,
}

impl List {
    /// The list of which a notification tells that it has changed.
    pub(super) fn told_by(method: &str) -> Option<Self> {
        Some(match method {
            "notifications/tools/list_changed" => Self::Tools,
            "notifications/prompts/list_changed" => Self::Prompts,
            "notifications/resources/list_changed" => Self::Resources,
            _ => return None,
        })
    }
}

/// What is told, over all connections of one server.
#[derive(Debug, Default)]
pub(super) struct Watch {
    lists: watch::Sender<ListVersions>,
    resources: Mutex<HashMap<Arc<str>, Resource>>,
    /// Counts what is wanted, and no longer.
    wanted: watch::Sender<u64>,
    is_kept: Mutex<bool>,
}

/// A resource that somebody wants to hear of.
#[derive(Debug)]
struct Resource {
    holders: usize,
    updates: watch::Sender<u64>,
    standing: watch::Sender<Standing>,
}

/// Whether a server reports a resource.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Standing {
    Asked,
    Told,
    /// Why it does not.
    Refused(String),
}

/// Somebody wants to hear of a resource.
struct Holder {
    watch: Arc<Watch>,
    address: Arc<str>,
}

impl Drop for Holder {
    fn drop(&mut self) {
        let mut resources = self.watch.resources.lock();
        let Some(resource) = resources.get_mut(&self.address) else {
            return;
        };
        resource.holders -= 1;
        if resource.holders == 0 {
            resources.remove(&self.address);
            self.watch.wanted.send_modify(|wanted| *wanted += 1);
        }
    }
}

/// What a server says that it will tell on the stream of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Acknowledgment {
    pub(super) request: RequestId,
    pub(super) resources: Vec<String>,
}

impl Watch {
    /// The changes to lists.
    pub(super) fn lists(&self) -> watch::Receiver<ListVersions> {
        self.lists.subscribe()
    }

    /// A list has changed.
    pub(super) fn changed(&self, list: List) {
        self.lists.send_modify(|versions| match list {
            List::Tools => versions.tools += 1,
            List::Prompts => versions.prompts += 1,
            List::Resources => versions.resources += 1,
        });
    }

    /// A server's notification that a resource has changed, or one beneath it.
    pub(super) fn updated(&self, params: &str) {
        #[derive(Deserialize)]
        struct UpdatedParams {
            uri: String,
        }
        if parsed_bytes(params) > MAX_NOTICE_BYTES {
            return;
        }
        let Ok(UpdatedParams { uri }) = serde_json::from_str(params) else {
            return;
        };
        let resources = self.resources.lock();
        let above = uri.match_indices('/').map(|(end, _)| &uri[..end]);
        for address in above.chain([&*uri]) {
            if let Some(resource) = resources.get(address) {
                resource.updates.send_modify(|updates| *updates += 1);
            }
        }
    }

    /// Each change to what is wanted.
    pub(super) fn wanted(&self) -> watch::Receiver<u64> {
        self.wanted.subscribe()
    }

    /// The resources that somebody wants to hear of, unless the server refuses.
    pub(super) fn addresses(&self) -> Vec<Arc<str>> {
        let resources = self.resources.lock();
        let wanted = resources
            .iter()
            .filter(|(_, it)| !matches!(*it.standing.borrow(), Standing::Refused(_)));
        let mut wanted: Vec<_> = wanted.map(|(address, _)| Arc::clone(address)).collect();
        wanted.sort_unstable();
        wanted
    }

    /// The server reports this resource.
    pub(super) fn is_told(&self, address: &str) {
        if let Some(resource) = self.resources.lock().get(address) {
            resource.standing.send_replace(Standing::Told);
        }
    }

    /// The server does not report this resource. Who heard of it before may look at it once more.
    pub(super) fn is_refused(&self, address: &str, why: &str) {
        if let Some(resource) = self.resources.lock().get(address)
            && resource
                .standing
                .send_replace(Standing::Refused(why.to_owned()))
                == Standing::Told
        {
            resource.updates.send_modify(|updates| *updates += 1);
        }
    }

    /// Takes up somebody who wants to hear of a resource.
    fn hold(
        self: &Arc<Self>,
        address: &str,
    ) -> Option<(Holder, watch::Receiver<u64>, watch::Receiver<Standing>)> {
        let mut resources = self.resources.lock();
        if !resources.contains_key(address) && resources.len() >= MAX_RESOURCES {
            return None;
        }
        let address: Arc<str> = address.into();
        let resource = resources.entry(Arc::clone(&address)).or_insert_with(|| {
            self.wanted.send_modify(|wanted| *wanted += 1);
            Resource {
                holders: 0,
                updates: watch::Sender::default(),
                standing: watch::Sender::new(Standing::Asked),
            }
        });
        resource.holders += 1;
        let (updates, standing) = (resource.updates.subscribe(), resource.standing.subscribe());
        let holder = Holder {
            watch: Arc::clone(self),
            address,
        };
        Some((holder, updates, standing))
    }
}

impl Acknowledgment {
    /// Reads the notification.
    pub(super) fn read(params: &str) -> Option<Self> {
        #[derive(Deserialize)]
        struct Params {
            notifications: Notifications,
            #[serde(rename = "_meta")]
            meta: Meta,
        }
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Notifications {
            #[serde(default)]
            resource_subscriptions: Option<Vec<String>>,
        }
        #[derive(Deserialize)]
        struct Meta {
            #[serde(rename = "io.modelcontextprotocol/subscriptionId")]
            request: RequestId,
        }
        if parsed_bytes(params) > MAX_NOTICE_BYTES {
            return None;
        }
        let read: Params = serde_json::from_str(params).ok()?;
        Some(Self {
            request: read.meta.request,
            resources: read
                .notifications
                .resource_subscriptions
                .unwrap_or_default(),
        })
    }
}
