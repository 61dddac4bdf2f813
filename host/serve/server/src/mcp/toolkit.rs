//! What clients are offered: all that is granted, or a toolkit of it. The operator may change toolkits
//! while clients are connected.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};

use ampoule::{Error, Grant, GrantedTools, Runtime, ToolPattern, Toolkit as GrantedToolkit};
use parking_lot::RwLock;
use rmcp::model::Tool;
use tokio::sync::watch;

use super::exposure::Exposure;
use super::server::Server;

/// A part of a server's tools, which clients find under a name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Toolkit {
    /// Its tools, as far as the server grants them.
    pub tools: Vec<ToolPattern>,
    /// What models are told first.
    pub description: Option<String>,
    /// How its tools are shown.
    pub exposure: Exposure,
    /// Whether the description lists tools that the principal's runs used, where the server
    /// [remembers them](crate::Server::remember_tools).
    pub lists_used: bool,
}

/// What clients are offered where policies don't say otherwise.
pub(crate) struct Offer {
    /// What their scripts may call.
    pub(crate) grant: Grant,
    /// The same, as tools.
    pub(super) tools: GrantedTools,
    /// How tools are shown.
    pub(super) exposure: Exposure,
    /// What models are told first.
    pub(super) description: Option<String>,
    /// Whether the tools are listed that runs used.
    pub(super) lists_used: bool,
    /// Ampoule's own tools, from the moment that somebody asks for them.
    pub(super) own_tools: OnceLock<Arc<[Tool]>>,
    /// No other offer has it.
    pub(super) number: u64,
}

impl Offer {
    /// Everything that is granted.
    pub(super) fn all(grant: Grant, tools: GrantedTools, exposure: Exposure) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self {
            exposure: exposure.among(&tools),
            grant,
            tools,
            description: None,
            lists_used: true,
            own_tools: OnceLock::new(),
            number: NEXT.fetch_add(1, Relaxed),
        }
    }

    /// A toolkit of what is granted.
    fn within(
        grant: &Grant,
        name: &Arc<str>,
        toolkit: Toolkit,
        runtime: &Runtime,
    ) -> Result<Self, Error> {
        let narrowing = GrantedToolkit::new(Arc::clone(name), toolkit.tools);
        let grant = grant.clone().within(narrowing);
        let tools = runtime.tools(grant.clone())?;
        Ok(Self {
            description: toolkit.description,
            lists_used: toolkit.lists_used,
            ..Self::all(grant, tools, toolkit.exposure)
        })
    }

    /// The name of the toolkit, if it is one.
    pub(super) fn toolkit(&self) -> Option<&Arc<str>> {
        self.tools.toolkit()
    }

    /// The patterns that mean no tool, a sentence each, as far as the tools of servers are known.
    pub(super) fn idle(&self) -> impl Iterator<Item = String> {
        let place = match self.toolkit() {
            Some(name) => format!("[toolkits.{name}] "),
            None => String::new(),
        };
        let of_toolkit = self.tools.idle_toolkit_patterns().into_iter();
        let of_toolkit = of_toolkit.map(|idle| format!("tools: {}", idle.message));
        let shown = self.exposure.idle(&self.tools);
        let all = of_toolkit.chain(shown);
        all.map(move |idle| format!("{place}{idle}"))
    }
}

impl Server {
    /// What scripts of its clients may call.
    pub(crate) fn offered_grant(&self) -> Grant {
        self.offer().grant.clone()
    }
}

/// An offer that may be replaced. Clones are the same.
#[derive(Clone)]
pub(super) struct OfferCell(watch::Sender<Arc<Offer>>);

impl OfferCell {
    pub(super) fn new(offer: Offer) -> Self {
        Self(watch::Sender::new(Arc::new(offer)))
    }

    /// The offer of now.
    pub(super) fn get(&self) -> Arc<Offer> {
        Arc::clone(&self.0.borrow())
    }

    /// Tells when the offer is replaced.
    pub(super) fn changes(&self) -> watch::Receiver<Arc<Offer>> {
        self.0.subscribe()
    }

    fn set(&self, offer: Offer) {
        self.0.send_replace(Arc::new(offer));
    }
}

/// The toolkits that there are, and those that there were: a client of one that comes back has its
/// tools again. Clones are the same.
#[derive(Clone, Default)]
pub(super) struct OfferedToolkits(Arc<RwLock<BTreeMap<Arc<str>, OfferedToolkit>>>);

struct OfferedToolkit {
    cell: OfferCell,
    /// What it is, as long as it is there.
    toolkit: Option<Toolkit>,
}

impl OfferedToolkits {
    pub(super) fn get(&self, name: &str) -> Option<OfferCell> {
        let toolkits = self.0.read();
        let toolkit = toolkits.get(name).filter(|known| known.toolkit.is_some())?;
        Some(toolkit.cell.clone())
    }

    pub(super) fn names(&self) -> Vec<Arc<str>> {
        let toolkits = self.0.read();
        let there = toolkits.iter().filter(|(_, known)| known.toolkit.is_some());
        there.map(|(name, _)| Arc::clone(name)).collect()
    }

    /// Makes these the toolkits of what is granted. Clients of one that has changed are offered what
    /// it has now, and those of one that is gone nothing. Gives the offers that there are.
    pub(super) fn replace(
        &self,
        toolkits: BTreeMap<String, Toolkit>,
        grant: &Grant,
        runtime: &Runtime,
    ) -> Result<Vec<Arc<Offer>>, Error> {
        let mut known = self.0.write();
        let gone = known.keys().filter(|name| !toolkits.contains_key(&***name));
        let gone: Vec<_> = gone.map(|name| (Arc::clone(name), None)).collect();
        let there = toolkits.into_iter();
        let there = there.map(|(name, toolkit)| (Arc::from(name), Some(toolkit)));
        let mut changed = Vec::new();
        for (name, toolkit) in gone.into_iter().chain(there) {
            let before = known.get(&name).map(|known| &known.toolkit);
            // Clients of one that stays as it is notice nothing.
            if before != Some(&toolkit) {
                let made = toolkit.clone().unwrap_or_default();
                let offer = Offer::within(grant, &name, made, runtime)?;
                changed.push((name, toolkit, offer));
            }
        }
        for (name, toolkit, offer) in changed {
            match known.get_mut(&name) {
                Some(known) => {
                    known.toolkit = toolkit;
                    known.cell.set(offer);
                }
                None => {
                    let cell = OfferCell::new(offer);
                    known.insert(name, OfferedToolkit { cell, toolkit });
                }
            }
        }
        let there = known.values().filter(|known| known.toolkit.is_some());
        Ok(there.map(|known| known.cell.get()).collect())
    }
}
