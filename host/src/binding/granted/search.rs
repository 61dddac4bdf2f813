//! Search over what is granted.

use std::sync::Arc;

use futures::future::join_all;

use super::{GrantedTools, ResolvedTool};
use crate::binding::UnknownName;
use crate::binding::indexes::Part;
use crate::projection::Idiom;

/// What a search found.
#[derive(Default)]
pub(crate) struct Searched {
    /// The tools, best first.
    pub(crate) hits: Vec<ResolvedTool>,
    /// Why servers could not be searched.
    pub(crate) problems: Vec<String>,
}

impl GrantedTools {
    /// The tools that match the query best, of all granted servers or of one; without a query, all tools. Other servers are left alone.
    pub(crate) async fn search(
        &self,
        query: &str,
        limit: usize,
        server: Option<&str>,
    ) -> Result<Searched, UnknownName> {
        let (parts, mut problems) = self.parts(server).await?;
        if query.trim().is_empty() {
            let all = parts.iter().flat_map(|part| part.all(self.idiom));
            let hits = all.take(limit).collect();
            return Ok(Searched { hits, problems });
        }
        let hits = match self.catalog.indexes().over(parts).await {
            Ok(indexed) => {
                let found = indexed.search(query, limit).into_iter();
                found
                    .map(|(part, place)| part.tool(place, self.idiom))
                    .collect()
            }
            Err(error) => {
                problems.push(error.to_string());
                Vec::new()
            }
        };
        Ok(Searched { hits, problems })
    }

    /// The granted tools of all servers or of one, and why some could not be listed.
    pub(in crate::binding) async fn parts(
        &self,
        server: Option<&str>,
    ) -> Result<(Vec<Part>, Vec<String>), UnknownName> {
        let servers: Vec<_> = match server {
            Some(name) => vec![self.server(name)?],
            None => self.servers().collect(),
        };
        let listings = join_all(servers.iter().map(|server| server.listing())).await;
        let (mut parts, mut problems) = (Vec::new(), Vec::new());
        for (server, listing) in servers.into_iter().zip(listings) {
            match listing {
                Ok(listing) => parts.push(self.part(server, listing)),
                Err(error) => problems.push(error.message),
            }
        }
        Ok((parts, problems))
    }
}

impl Part {
    fn tool(&self, index: usize, idiom: Idiom) -> ResolvedTool {
        ResolvedTool {
            server: Arc::clone(&self.server),
            listing: Arc::clone(&self.listing),
            index,
            idiom,
        }
    }

    pub(super) fn all(&self, idiom: Idiom) -> impl Iterator<Item = ResolvedTool> {
        self.places
            .iter()
            .map(move |&place| self.tool(place, idiom))
    }
}
