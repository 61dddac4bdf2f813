//! The tools of one run: the catalog seen through its grant.

mod accounts;
mod offered;
mod package;
mod patience;
mod search;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use ampoule_effort::{self as effort, Effort, EffortError};
use ampoule_projection::Idiom;
use ampoule_projection::names::Lookup;
use futures::future::join_all;

use self::patience::Patience;
pub(super) use self::patience::Until;
use super::catalog::{Catalog, Server};
use super::grant::Grant;
use super::indexes::Part;
use super::listing::Listing;
use super::resolved::ResolvedTool;
use super::spelling;
use super::unknown::{self, Known, UnknownName};
use super::unlisted;
use super::{Abilities, BindingError};
use ampoule_projection::names::ToolPattern;

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
    pub fn new(catalog: Catalog, grant: Grant) -> Result<Self, UnknownName> {
        let configured = |name: &str| catalog.name_of(name);
        match grant.resolved(configured) {
            Ok(grant) => Ok(Self {
                catalog,
                grant,
                idiom: Idiom::default(),
                patience: Patience::default(),
                payer: None,
            }),
            Err(name) => Err(UnknownName::to_grant(
                &name,
                &Known {
                    names: &names_of(catalog.servers()),
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

    /// The server of a name, as scripts may write it.
    ///
    /// # Errors
    ///
    /// If no server that is granted has this name: with those that come close.
    pub fn server(&self, name: &str) -> Result<&Arc<Server>, UnknownName> {
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

    /// The tool of that name on that server, which is waited for: a call needs it.
    pub async fn resolve_on(&self, server: &str, name: &str) -> Result<ResolvedTool, UnknownName> {
        let server = self.server(server)?;
        match self.find_on(server, name).await {
            Ok(Some(tool)) => Ok(tool),
            Ok(None) => Err(self.unknown_tool(server, name).await),
            Err(error) => Ok(unlisted::tool(self, server, name, error)?),
        }
    }

    /// The tool that a single name means: `tool` where only one server has it, `server.tool`,
    /// `server__tool`, `mcp__server__tool`. For the sake of a name without a server, none is waited
    /// for very long.
    pub async fn resolve(&self, name: &str) -> Result<ResolvedTool, UnknownName> {
        if let Some(found) = self.resolve_split(name).await {
            return found;
        }
        let until = self.patience.begin();
        let (mut tools, mut failed) = self.find_anywhere(name, until).await;
        if tools.is_empty() {
            let refreshed = join_all(self.servers().map(|server| server.binding().refresh()));
            until.wait(refreshed).await;
            (tools, failed) = self.find_anywhere(name, until).await;
        }
        match (tools.len(), failed.is_empty()) {
            (1, _) => Ok(tools.remove(0)),
            (0, false) => Err(UnknownName::unasked(name, &failed)),
            (0, true) => Err(self.unknown_anywhere(name, until).await),
            _ => {
                let meant = tools.iter().map(ResolvedTool::qualified_name).collect();
                Err(UnknownName::of_several(name, meant))
            }
        }
    }

    /// The tool that a name means which begins with a server's; none if it begins with none. What is
    /// joined may be parted in several ways: where several of them mean a tool, it is said which.
    async fn resolve_split(&self, name: &str) -> Option<Result<ResolvedTool, UnknownName>> {
        let (splits, unclear) = self.splits(name);
        let Some((first, first_tool)) = splits.first().copied() else {
            return unclear.map(Err);
        };
        if splits.len() == 1 && unclear.is_none() {
            return Some(self.resolve_on(first.name(), first_tool).await);
        }
        let mut found: Vec<ResolvedTool> = Vec::new();
        for (server, tool) in splits {
            // A server that can't be asked has no tool that would make the name unclear.
            let is_exact = [&**server.name(), server.without_account()]
                .iter()
                .any(|server| name == format!("{server}.{tool}"));
            match self.find_on(server, tool).await {
                // A dot after a server's own name parts it in one way alone.
                Ok(Some(tool)) if is_exact => return Some(Ok(tool)),
                Ok(Some(tool))
                    if !found
                        .iter()
                        .any(|known| known.qualified_name() == tool.qualified_name()) =>
                {
                    found.push(tool);
                }
                _ => {}
            }
        }
        Some(match (found.len(), unclear) {
            (_, Some(unclear)) => Err(unclear),
            (0, None) => self.resolve_on(first.name(), first_tool).await,
            (1, None) => Ok(found.remove(0)),
            _ => {
                let meant = found.iter().map(ResolvedTool::qualified_name).collect();
                Err(UnknownName::of_joined(name, meant))
            }
        })
    }

    /// The ways to read a name as a granted server's and a tool's, and what is said where it is not
    /// clear which account of a server is meant.
    fn splits<'a>(
        &'a self,
        name: &'a str,
    ) -> (Vec<(&'a Arc<Server>, &'a str)>, Option<UnknownName>) {
        let unprefixed = name.strip_prefix("mcp__");
        let all = unprefixed.into_iter().chain([name]);
        let (mut splits, mut unclear) = (Vec::new(), None);
        for (servers, tool) in all.flat_map(|name| self.catalog.splits(name)) {
            let servers: Vec<_> = (servers.into_iter())
                .filter(|server| self.is_granted(server))
                .collect();
            let is_one = |of: &[&Arc<Server>]| {
                of.first()
                    .is_some_and(|first| of.iter().all(|server| server.is_sibling_of(first)))
            };
            if !is_one(&servers) {
                splits.extend(servers.into_iter().map(|server| (server, tool)));
                continue;
            }
            match self.chosen(name, &servers) {
                Ok(server) => splits.push((server, tool)),
                Err(unknown) => unclear = unclear.or(Some(unknown)),
            }
        }
        (splits, unclear)
    }

    /// Of tools that are one tool of several accounts of a server, that of the default.
    fn without_other_accounts(&self, tools: &mut Vec<ResolvedTool>) {
        let [first, others @ ..] = &tools[..] else {
            return;
        };
        let is_sibling = |other: &ResolvedTool| other.server.is_sibling_of(&first.server);
        if others.is_empty() || !others.iter().all(is_sibling) {
            return;
        }
        let is_default = |tool: &ResolvedTool| tool.binding().is_default_account();
        if let Some(default) = tools.iter().position(is_default) {
            tools.swap(0, default);
            tools.truncate(1);
        }
    }

    /// The tool of that name on each server that has one, and why some of the others could not be
    /// asked.
    async fn find_anywhere(
        &self,
        name: &str,
        until: patience::Until,
    ) -> (Vec<ResolvedTool>, Vec<BindingError>) {
        let found = self.servers().map(async |server| {
            let listing = until.listing(server).await?;
            Ok(self.find_in(server, listing, name))
        });
        let (mut tools, mut failed) = (Vec::new(), Vec::new());
        for found in join_all(found).await {
            match found {
                Ok(tool) => tools.extend(tool),
                Err(error) => failed.push(error),
            }
        }
        self.without_other_accounts(&mut tools);
        (tools, failed)
    }

    /// The tool of that name. A list that lacks it is brought up to date before it is trusted.
    pub(super) async fn find_on(
        &self,
        server: &Arc<Server>,
        name: &str,
    ) -> Result<Option<ResolvedTool>, BindingError> {
        if let Some(tool) = self.find_in(server, server.listing().await?, name) {
            return Ok(Some(tool));
        }
        match server.binding().refresh().await {
            Ok(()) => Ok(self.find_in(server, server.listing().await?, name)),
            Err(error) => {
                tracing::debug!(server = %server.name(), %error, "the server's tools can't be listed again; the last known list stays in use");
                Ok(None)
            }
        }
    }

    /// From here on, servers are waited for as long as a search waits.
    pub(super) fn begin_to_wait(&self) -> Until {
        self.patience.begin()
    }

    /// The tool of that name on that server, as far as it is known without waiting.
    pub(super) fn known_tool_on(&self, server: &str, name: &str) -> Option<ResolvedTool> {
        let server = self.server(server).ok()?;
        self.find_in(server, server.known_listing()?, name)
    }

    /// The tool that a single name means, as far as it is known without waiting, and is the only one.
    pub(super) fn known_tool(&self, name: &str) -> Option<ResolvedTool> {
        let (splits, unclear) = self.splits(name);
        match splits[..] {
            _ if unclear.is_some() => None,
            [(server, tool)] => self.known_tool_on(server.name(), tool),
            [_, ..] => None,
            [] => {
                let listings: Option<Vec<_>> = (self.servers())
                    .map(|server| Some((server, server.known_listing()?)))
                    .collect();
                let found = listings?.into_iter();
                let found =
                    found.filter_map(|(server, listing)| self.find_in(server, listing, name));
                let mut found: Vec<_> = found.collect();
                self.without_other_accounts(&mut found);
                let only = found.pop();
                only.filter(|_| found.is_empty())
            }
        }
    }

    fn find_in(
        &self,
        server: &Arc<Server>,
        listing: Arc<Listing>,
        name: &str,
    ) -> Option<ResolvedTool> {
        if let Some(offered) = self.find_offered(server, &listing, name) {
            return Some(offered);
        }
        let granted = |&index: &usize| self.allows(server, &listing, index);
        let found = match listing.find(name, self.idiom) {
            Lookup::One(index) => Some(index).filter(granted),
            // The grant may have made it clear.
            Lookup::Ambiguous(alike) => {
                match alike.into_iter().filter(granted).collect::<Vec<_>>()[..] {
                    [index] => Some(index),
                    _ => None,
                }
            }
            Lookup::Nothing => None,
        };
        found.map(|index| ResolvedTool {
            server: Arc::clone(server),
            listing,
            index,
            idiom: self.idiom,
            unlisted: None,
        })
    }

    /// The patterns of the grant that grant nothing, as far as is known without waiting.
    pub fn idle_patterns(&self) -> Vec<UnknownName> {
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
            Some(UnknownName::idle(pattern, tools.map(String::as_str)))
        };
        self.grant.patterns().iter().filter_map(idle).collect()
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

    fn unknown_server(&self, name: &str) -> UnknownName {
        if let Some(unknown) = self.unknown_account(name) {
            return unknown;
        }
        let (servers, effort) = (names_of(self.servers()), self.effort());
        // Broken off or not, this is what is said.
        let _ = effort.spend(spelling::price(name, servers.len()));
        UnknownName::server(name, &self.known(&servers, &effort))
    }

    pub(super) async fn unknown_tool(&self, server: &Arc<Server>, name: &str) -> UnknownName {
        let part = match self.listed(server, self.patience.begin()).await {
            Ok(part) => part,
            Err(error) => return error.into(),
        };
        if let Some(why) = self.left_out(server, name) {
            return why;
        }
        let (server, parts) = (server.name().to_string(), vec![part, self.offered(server)]);
        let identifier = |tool: ResolvedTool| tool.identifier().to_owned();
        self.unknown(name, parts, identifier, move |name, granted| {
            UnknownName::tool_of(&server, name, granted)
        })
        .await
    }

    /// Why a granted tool that the server lists is not there.
    fn left_out(&self, server: &Server, name: &str) -> Option<UnknownName> {
        let problems = server.binding().problems();
        let is_granted = |problem: &&String| {
            unknown::named(problem).is_some_and(|it| self.grant.allows(server.name(), it))
        };
        let problems: Vec<_> = problems.iter().filter(is_granted).cloned().collect();
        UnknownName::left_out(server.name(), name, &problems)
    }

    async fn unknown_anywhere(&self, name: &str, until: patience::Until) -> UnknownName {
        let parts = join_all(self.servers().map(|server| self.listed(server, until))).await;
        let parts = parts.into_iter().flatten().collect();
        let qualified = |tool: ResolvedTool| tool.qualified_name();
        self.unknown(name, parts, qualified, UnknownName::tool)
            .await
    }

    /// What is said about a name that none of these tools has.
    async fn unknown(
        &self,
        name: &str,
        parts: Vec<Part>,
        spelt: impl Fn(ResolvedTool) -> String + Send + 'static,
        said: impl FnOnce(&str, &Known<'_>) -> UnknownName + Send + 'static,
    ) -> UnknownName {
        let count = parts.iter().map(|part| part.places.len()).sum();
        let (price, name, idiom) = (spelling::price(name, count), name.to_owned(), self.idiom);
        let effort = self.effort();
        let unknown = effort.work(price, move |effort| {
            let tools = parts.iter().flat_map(|part| part.all(idiom));
            let names: Vec<String> = tools.map(spelt).collect();
            let known = Known {
                names: &names,
                idiom,
                effort,
            };
            Ok(said(&name, &known))
        });
        unknown.await.unwrap_or_else(UnknownName::from)
    }

    fn known<'a>(&self, names: &'a [String], effort: &'a Effort) -> Known<'a> {
        Known {
            names,
            idiom: self.idiom,
            effort,
        }
    }
}

fn names_of<'a>(servers: impl IntoIterator<Item = &'a Arc<Server>>) -> Vec<String> {
    servers
        .into_iter()
        .map(|server| server.name().to_string())
        .collect()
}
