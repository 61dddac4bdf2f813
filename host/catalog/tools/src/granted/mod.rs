//! The tools of one run: the catalog seen through its grant.

mod accounts;
mod offered;
mod package;
mod patience;
mod resolve;
mod search;
#[cfg(test)]
mod tests;
mod unknown_names;

use std::sync::Arc;

use ampoule_effort::{self as effort, Effort, EffortError};
use ampoule_projection::Idiom;
use ampoule_projection::names::{Lookup, ToolPattern};
use futures::future::join_all;
use tokio::sync::watch;

use self::patience::Patience;
pub(super) use self::patience::Until;
use super::catalog::{Catalog, Server};
use super::grant::Grant;
use super::indexes::Part;
use super::listing::Listing;
use super::resolved::ResolvedTool;
use super::spelling;
use super::toolkit::Toolkit;
use super::unknown::{self, KnownNames, UnknownNameError};
use super::unlisted;
use super::{Abilities, BindingError, ListVersions, Principal};

pub use package::ImportedTools;
pub use search::SearchResults;

/// The catalog seen through a grant. What is not granted can't be distinguished from what does not
/// exist.
#[derive(Clone)]
pub struct GrantedTools {
    catalog: Catalog,
    grant: Grant,
    pub(super) idiom: Idiom,
    patience: Patience,
    /// The effort that pays for what is computed, if any. If that is cut short, what is said
    /// instead does not matter: there is nobody to hear it.
    payer: Option<Effort>,
}

impl GrantedTools {
    /// # Errors
    ///
    /// A server that the grant names must be there.
    #[doc(hidden)]
    pub fn new(catalog: Catalog, grant: Grant) -> Result<Self, UnknownNameError> {
        let configured = |name: &str| catalog.name_of(name);
        match grant.resolved(configured) {
            Ok(grant) => Ok(Self {
                catalog,
                grant,
                idiom: Idiom::default(),
                patience: Patience::default(),
                payer: None,
            }),
            Err(name) => Err(UnknownNameError::to_grant(
                &name,
                &KnownNames {
                    names: &Server::names(catalog.servers()),
                    idiom: Idiom::default(),
                    effort: &Effort::default(),
                },
            )),
        }
    }

    /// The same, with the tools named and declared in this way.
    #[doc(hidden)]
    pub fn named_as(self, idiom: Idiom) -> Self {
        Self { idiom, ..self }
    }

    /// What it is made of, for another run with the same.
    #[doc(hidden)]
    pub fn of_a_run(&self) -> (Catalog, Grant) {
        (self.catalog.clone(), self.grant.clone())
    }

    /// The same, for a caller that waits for servers for as long as they take to start.
    pub fn waiting(self) -> Self {
        let patience = Patience::Endless;
        Self { patience, ..self }
    }

    /// The same for an app in a client, and not for a model: see [`Grant::of_app`].
    #[must_use]
    pub fn for_app(mut self) -> Self {
        self.grant = self.grant.of_app();
        self
    }

    /// The same, where this effort pays for what is computed.
    #[doc(hidden)]
    pub fn paid_by(self, effort: Effort) -> Self {
        let payer = Some(effort);
        Self { payer, ..self }
    }

    /// What is computed next counts there. Where nobody pays, each piece of work is bounded by
    /// itself: they may be kept for as long as a process lives.
    pub(super) fn effort(&self) -> Effort {
        self.payer.clone().unwrap_or_default()
    }

    /// The servers with tools in the grant.
    pub fn servers(&self) -> impl Iterator<Item = &Arc<Server>> {
        self.catalog
            .servers()
            .iter()
            .filter(|server| self.is_granted(server))
    }

    /// Tells the servers what can be answered from now on, where they ask something during calls.
    pub fn can_be_answered(&self, abilities: Abilities) {
        for server in self.servers() {
            server.binding().can_be_answered(abilities);
        }
    }

    /// The changes to the lists of the servers, as they are told to this principal.
    pub fn list_changes(
        &self,
        principal: Option<&Principal>,
    ) -> Vec<(Arc<Server>, watch::Receiver<ListVersions>)> {
        let changes = |server: &Arc<Server>| {
            let changes = server.binding().list_changes(principal)?;
            Some((Arc::clone(server), changes))
        };
        self.servers().filter_map(changes).collect()
    }

    /// The server of a name, as scripts may write it.
    ///
    /// # Errors
    ///
    /// If no server that is granted has this name: with those that come close.
    pub fn server(&self, name: &str) -> Result<&Arc<Server>, UnknownNameError> {
        self.chosen(name, &self.granted_named(name))
    }

    fn is_granted(&self, server: &Server) -> bool {
        !server.is_hidden() && self.grant.allows_server(server.name())
    }

    /// The granted tools of a server, or why they are not known. A server that is only just
    /// starting is not waited for very long.
    pub async fn tools_of(&self, server: &Arc<Server>) -> Result<Vec<ResolvedTool>, BindingError> {
        let part = self.listed(server, self.patience.begin()).await?;
        Ok(part.all(self.idiom).collect())
    }

    /// How many tools of a server are granted.
    pub async fn count_of(&self, server: &Arc<Server>) -> Result<usize, BindingError> {
        let part = self.listed(server, self.patience.begin()).await?;
        Ok(part.places.len())
    }

    /// The granted tools of a server, as far as they are known without waiting.
    pub fn known_tools_of(&self, server: &Arc<Server>) -> Option<Vec<ResolvedTool>> {
        let part = Part::granted(&self.grant, server, server.known_listing()?);
        Some(part.all(self.idiom).collect())
    }

    /// The granted tools of a server, if it lists its tools in time.
    async fn listed(
        &self,
        server: &Arc<Server>,
        until: patience::Until,
    ) -> Result<Part, BindingError> {
        Ok(self.part(server, until.listing(server).await?).await?)
    }

    /// The granted tools among those that a server lists.
    async fn part(&self, server: &Arc<Server>, listing: Arc<Listing>) -> Result<Part, EffortError> {
        let compared = self.grant.comparisons(server.name(), listing.tools().len());
        let (grant, server) = (self.grant.clone(), Arc::clone(server));
        let part = move |_: &Effort| Ok(Part::granted(&grant, &server, listing));
        let price = effort::ITEM * compared as u64;
        self.effort().work(price, part).await
    }

    fn allows(&self, server: &Server, listing: &Listing, index: usize) -> bool {
        let is_granted = self
            .grant
            .allows_tool(server.name(), listing.names(), index);
        is_granted && listing.tool(index).is_for(self.grant.caller())
    }

    /// The patterns of the grant that grant nothing, as far as is known without waiting.
    pub fn idle_patterns(&self) -> Vec<UnknownNameError> {
        self.idle(self.grant.patterns())
    }

    /// The patterns of the grant's toolkit that mean no tool, as far as is known without waiting.
    pub fn idle_toolkit_patterns(&self) -> Vec<UnknownNameError> {
        let toolkit = self.grant.toolkit();
        toolkit.map_or_else(Vec::new, |toolkit| self.idle(toolkit.tools()))
    }

    /// The name of the toolkit that narrows them, if one does.
    pub fn toolkit(&self) -> Option<&Arc<str>> {
        self.grant.toolkit().map(Toolkit::name)
    }

    fn idle(&self, patterns: &[ToolPattern]) -> Vec<UnknownNameError> {
        let idle = |pattern: &ToolPattern| {
            let servers = self.catalog.servers().iter();
            let listings = servers
                .filter(|server| pattern.is_of(server.name()))
                .map(|server| server.known_listing())
                .collect::<Option<Vec<_>>>()?;
            let means_some = |listing: &Arc<Listing>| {
                (0..listing.tools().len()).any(|tool| pattern.means(listing.names(), tool))
            };
            if pattern.means_all() || pattern.is_of_offered() || listings.iter().any(means_some) {
                return None;
            }
            let tools = listings
                .iter()
                .flat_map(|listing| listing.names().identifiers());
            Some(UnknownNameError::idle(pattern, tools.map(String::as_str)))
        };
        patterns.iter().filter_map(idle).collect()
    }

    /// Brings what is known of the granted servers' tools up to date, or of one's, and tells why
    /// some could not be.
    pub async fn refresh(&self, server: Option<&str>) -> Vec<String> {
        let only = server.map(|name| self.granted_named(name));
        let is_asked = |server: &&Arc<Server>| match &only {
            Some(only) => only.iter().any(|only| Arc::ptr_eq(only, server)),
            None => true,
        };
        let asked = self.servers().filter(is_asked);
        let refreshed = join_all(asked.map(|server| server.binding().refresh())).await;
        let stale =
            |error: BindingError| format!("{error}\nIts tools are from the last known list");
        refreshed
            .into_iter()
            .filter_map(Result::err)
            .map(stale)
            .collect()
    }
}
