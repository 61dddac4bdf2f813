//! What servers have besides tools, such as `$read`, as far as it is granted.

use std::sync::Arc;

use ampoule_projection::names::Lookup;

use super::{GrantedTools, Part, ResolvedTool};
use crate::catalog::Server;
use crate::listing::Listing;

/// How many servers are named in a line.
const SERVERS: usize = 10;

impl GrantedTools {
    /// What a server offers besides its tools, under this name. A tool of the very same name goes
    /// first.
    pub(super) fn find_offered(
        &self,
        server: &Arc<Server>,
        listing: &Listing,
        name: &str,
    ) -> Option<ResolvedTool> {
        if !name.starts_with(['$', '_']) || listing.has(name, self.idiom) {
            return None;
        }
        let offered = server.offered();
        let Lookup::One(index) = offered.find(name, self.idiom) else {
            return None;
        };
        let is_granted = self
            .grant
            .allows_offered(server.name(), offered.name(index));
        is_granted.then(|| ResolvedTool {
            server: Arc::clone(server),
            listing: offered,
            index,
            idiom: self.idiom,
            unlisted: None,
        })
    }

    /// What a server offers besides its tools, as far as it is granted and known without waiting,
    /// and no tool has the very same name.
    pub fn offered_by(&self, server: &Arc<Server>) -> Vec<ResolvedTool> {
        self.offered(server).all(self.idiom).collect()
    }

    pub(super) fn offered(&self, server: &Arc<Server>) -> Part {
        let (listing, tools) = (server.offered(), server.known_listing());
        let is_tool = |name: &str| {
            let tools = tools.as_ref();
            tools.is_some_and(|tools| tools.has(name, self.idiom))
        };
        let is_there = |&place: &usize| {
            let is_granted = self
                .grant
                .allows_offered(server.name(), listing.name(place));
            is_granted && !is_tool(listing.identifier(place, self.idiom))
        };
        let places = (0..listing.tools().len()).filter(is_there).collect();
        Part {
            server: Arc::clone(server),
            listing,
            places,
        }
    }

    /// What these servers offer besides their tools, as scripts write it: a line for all that offer
    /// the same. Of many servers, the first that offer something.
    pub fn offered_in_lines<'a>(
        &self,
        servers: impl IntoIterator<Item = &'a Arc<Server>>,
    ) -> Vec<String> {
        let offering = servers.into_iter().filter_map(|server| {
            let calls: Vec<_> = self.offered_by(server).iter().map(call).collect();
            (!calls.is_empty()).then(|| (calls.join(", "), server))
        });
        let mut lines: Vec<(String, Vec<String>)> = Vec::new();
        for (calls, server) in offering.take(SERVERS) {
            let server = server.called_in(self.idiom);
            match lines.iter_mut().find(|(known, _)| *known == calls) {
                Some((_, servers)) => servers.push(server),
                None => lines.push((calls, vec![server])),
            }
        }
        let line = |(calls, servers): (String, Vec<String>)| {
            let have = if servers.len() == 1 { "has" } else { "have" };
            format!("{} also {have}: {calls}", servers.join(", "))
        };
        lines.into_iter().map(line).collect()
    }
}

/// What is offered, as it is called with values in order: `$read(uri)`.
fn call(offered: &ResolvedTool) -> String {
    let parameters = offered.parameters().join(", ");
    format!("{}({parameters})", offered.identifier())
}

#[cfg(test)]
mod tests;
