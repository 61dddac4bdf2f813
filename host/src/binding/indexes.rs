//! Search indexes over granted tools, kept from one search to the next.
//!
//! An index holds the tools of one grant and no others: what is not granted must not show, not even in how tools are ranked.

use std::collections::VecDeque;
use std::sync::Arc;

use tokio::sync::Mutex;
use tokio::task::JoinError;

use super::catalog::{Listing, Server};
use super::search::Index;

/// How many indexes are kept. A process hardly has more grants in use.
const KEPT: usize = 8;

/// The indexes that were searched last, the latest first.
#[derive(Default)]
pub(crate) struct Indexes {
    kept: Mutex<VecDeque<Arc<Indexed>>>,
}

/// Some tools of one server.
pub(crate) struct Part {
    pub(crate) server: Arc<Server>,
    pub(crate) listing: Arc<Listing>,
    /// Their places in the listing.
    pub(crate) places: Vec<usize>,
}

/// Tools, indexed for search.
pub(crate) struct Indexed {
    index: Index,
    parts: Vec<Part>,
}

impl Indexes {
    /// The index over these tools. It is made once, for as long as their listings stay as they are.
    ///
    /// # Errors
    ///
    /// Where the runtime is ending.
    pub(crate) async fn over(&self, parts: Vec<Part>) -> Result<Arc<Indexed>, JoinError> {
        // Whoever needs the same index waits for it here, rather than make it too.
        let mut kept = self.kept.lock().await;
        let indexed = match kept.iter().position(|indexed| indexed.parts == parts) {
            Some(place) => kept.remove(place),
            None => None,
        };
        let indexed = match indexed {
            Some(indexed) => indexed,
            // Thousands of tools take a while, in which other runs go on.
            None => Arc::new(tokio::task::spawn_blocking(move || Indexed::new(parts)).await?),
        };
        kept.push_front(Arc::clone(&indexed));
        kept.truncate(KEPT);
        Ok(indexed)
    }
}

/// The same tools, as they were listed at the same time.
impl PartialEq for Part {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.listing, &other.listing) && self.places == other.places
    }
}

impl Indexed {
    fn new(parts: Vec<Part>) -> Self {
        let index = Index::new(parts.iter().flat_map(|part| {
            let tools = part.places.iter().map(|&place| part.listing.tool(place));
            tools.map(|tool| (&**part.server.name(), tool))
        }));
        Self { index, parts }
    }

    /// The tools that match the query best, best first: each one's part, and its place in the listing.
    pub(crate) fn search(&self, query: &str, limit: usize) -> Vec<(&Part, usize)> {
        let hits = self.index.search(query, limit);
        hits.into_iter()
            .filter_map(|hit| self.tool(hit.index))
            .collect()
    }

    fn tool(&self, mut found: usize) -> Option<(&Part, usize)> {
        for part in &self.parts {
            match part.places.get(found) {
                Some(&place) => return Some((part, place)),
                None => found -= part.places.len(),
            }
        }
        None
    }
}
