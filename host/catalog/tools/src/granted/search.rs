//! Search over what is granted.

use std::collections::HashSet;
use std::sync::Arc;

use ampoule_projection::Idiom;
use futures::future::join_all;

use super::accounts::parts_without_twins;
use super::patience::Patience;
use super::{GrantedTools, ResolvedTool};
use crate::catalog::Server;
use crate::indexes::Part;
use crate::listing::Listing;
use crate::{BindingError, Grant, UnknownNameError};

/// What a search found.
#[derive(Default)]
pub struct SearchResults {
    /// The tools, best first.
    pub hits: Vec<ResolvedTool>,
    /// The servers that were searched, each with how many granted tools it has.
    pub searched: Vec<(Arc<str>, usize)>,
    /// Why servers could not be searched.
    pub problems: Vec<String>,
    /// What is wrong with servers that were searched: tools may be missing, or can't be called now.
    pub notes: Vec<String>,
    /// What the servers of those tools have besides, or all that were searched if there are none:
    /// accounts, resources and prompts, a line for those that offer the same.
    pub offered: Vec<String>,
}

/// How many problems with one server's tools are reported.
const NOTES: usize = 3;

impl GrantedTools {
    /// The tools that match the query best, of all granted servers or of one; without a query, all
    /// tools. Other servers are left alone.
    pub async fn search(
        &self,
        query: &str,
        limit: usize,
        server: Option<&str>,
    ) -> Result<SearchResults, UnknownNameError> {
        let (parts, mut problems) = self.parts(server).await?;
        let parts = parts_without_twins(parts);
        let notes = parts.iter().flat_map(|part| {
            let trouble = part.server.binding().trouble();
            trouble.into_iter().chain(note(&part.server))
        });
        let mut notes: Vec<String> = notes.collect();
        let searched = parts
            .iter()
            .map(|part| (Arc::clone(part.server.name()), part.places.len()));
        let searched = searched.collect();
        let offered = self.beside(parts.iter().map(|part| &part.server));
        if query.trim().is_empty() {
            let all = parts.iter().flat_map(|part| part.all(self.idiom));
            return Ok(SearchResults {
                hits: all.take(limit).collect(),
                offered,
                searched,
                problems,
                notes,
            });
        }
        let found = match self.catalog.indexes().over(parts).await {
            Ok(indexed) => {
                if self.patience == Patience::Endless {
                    indexed.settled().await;
                }
                notes.extend(indexed.note());
                let (query, idiom) = (query.to_owned(), self.idiom);
                let effort = self.effort();
                let search = effort.elsewhere(move |effort| {
                    let found = indexed.search(&query, limit, effort)?.into_iter();
                    Ok(found.map(|(part, place)| part.tool(place, idiom)).collect())
                });
                search.await.map_err(BindingError::from)
            }
            Err(broken_off) => Err(broken_off.into()),
        };
        let hits = found.unwrap_or_else(|error| {
            problems.push(error.message);
            Vec::new()
        });
        Ok(SearchResults {
            // Where nothing is found, it may be among that.
            offered: match hits.is_empty() {
                true => offered,
                false => self.offered_beside(&hits),
            },
            hits,
            searched,
            problems,
            notes,
        })
    }

    /// What the servers of these tools offer besides, in their order.
    fn offered_beside(&self, hits: &[ResolvedTool]) -> Vec<String> {
        let mut seen = HashSet::new();
        let servers = hits.iter().map(|tool| &tool.server);
        self.beside(servers.filter(|server| seen.insert(&**server.name())))
    }

    /// What these servers have besides tools: accounts, and what they offer.
    fn beside<'a>(&self, servers: impl Iterator<Item = &'a Arc<Server>>) -> Vec<String> {
        let servers: Vec<_> = servers.collect();
        let mut lines = self.accounts_in_lines(servers.iter().copied());
        lines.extend(self.offered_in_lines(servers));
        lines
    }

    /// The servers that a search of one is of: all accounts that it may mean.
    fn searched(&self, name: &str) -> Result<Vec<&Arc<Server>>, UnknownNameError> {
        let servers = self.granted_named(name);
        match (self.chosen(name, &servers), &servers[..]) {
            (_, [first, others @ ..]) if others.iter().all(|it| it.is_sibling_of(first)) => {
                Ok(servers)
            }
            (chosen, _) => Ok(vec![chosen?]),
        }
    }

    /// The granted tools of all servers or of one, and why some could not be listed.
    pub async fn parts(
        &self,
        server: Option<&str>,
    ) -> Result<(Vec<Part>, Vec<String>), UnknownNameError> {
        let servers: Vec<_> = match server {
            Some(name) => self.searched(name)?,
            None => self.servers().collect(),
        };
        let until = self.patience.begin();
        let listings = join_all(servers.iter().map(|server| until.listing(server))).await;
        let (mut parts, mut problems) = (Vec::new(), Vec::new());
        for (server, listing) in servers.into_iter().zip(listings) {
            match listing {
                Ok(listing) => parts.push(self.part(server, listing).await?),
                Err(error) => problems.push(error.message),
            }
        }
        Ok((parts, problems))
    }
}

/// What is wrong with a server's tools, in a line.
fn note(server: &Server) -> Option<String> {
    let problems = server.binding().problems();
    let (told, rest) = problems.split_at(problems.len().min(NOTES));
    let rest = match rest.len() {
        0 => String::new(),
        rest => format!("; and {rest} more"),
    };
    let told = told.join("; ");
    (!told.is_empty()).then(|| format!("server `{}`: {told}{rest}", server.name()))
}

/// The places of the granted tools that their server has for whoever calls.
fn places(grant: &Grant, server: &str, listing: &Listing) -> Vec<usize> {
    let mut places = grant.places(server, listing.names());
    let tools = listing.tools();
    places.retain(|&place| tools[place].is_for(grant.caller()));
    places
}

impl Part {
    /// The tools of a server's list that are granted.
    pub(super) fn granted(grant: &Grant, server: &Arc<Server>, listing: Arc<Listing>) -> Self {
        Self {
            server: Arc::clone(server),
            places: places(grant, server.name(), &listing),
            listing,
        }
    }

    fn tool(&self, index: usize, idiom: Idiom) -> ResolvedTool {
        ResolvedTool {
            server: Arc::clone(&self.server),
            listing: Arc::clone(&self.listing),
            index,
            idiom,
            unlisted: None,
        }
    }

    pub(super) fn all(&self, idiom: Idiom) -> impl Iterator<Item = ResolvedTool> {
        self.places
            .iter()
            .map(move |&place| self.tool(place, idiom))
    }
}
