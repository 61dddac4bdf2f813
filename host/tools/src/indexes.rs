//! Search indexes over granted tools, kept from one search to the next.
//!
//! An index holds the tools of one grant and no others: what is not granted must not show, not even
//! in how tools are ranked.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use ampoule_effort::{BrokenOff, Effort};
use tokio::sync::OnceCell;

use super::catalog::Server;
use super::listing::Listing;
use super::search::Index;

/// How many indexes are kept beside one for each server. A process hardly has more grants in use.
const KEPT: usize = 8;

/// The indexes that were searched last, the latest first.
pub struct Indexes {
    kept: Mutex<VecDeque<Arc<Shared>>>,
    most: usize,
}

/// An index that whoever needs it waits for, rather than making it too.
struct Shared {
    parts: Arc<[Part]>,
    indexed: OnceCell<Arc<Indexed>>,
}

/// Some tools of one server.
pub struct Part {
    pub server: Arc<Server>,
    pub listing: Arc<Listing>,
    /// Their places in the listing.
    pub places: Vec<usize>,
}

/// Tools, indexed for search.
pub struct Indexed {
    index: Index,
    parts: Arc<[Part]>,
}

impl Indexes {
    /// None yet, for a catalog of so many servers. A script that searches each of them by turns
    /// finds the indexes that it has made.
    pub fn over_servers(count: usize) -> Self {
        Self {
            kept: Mutex::default(),
            most: KEPT + count,
        }
    }

    /// The index over these tools. It is made once, for as long as their listings stay as they are.
    ///
    /// # Errors
    ///
    /// If there is no thread for it.
    pub async fn over(&self, parts: Vec<Part>) -> Result<Arc<Indexed>, BrokenOff> {
        let shared = self.kept(parts);
        let make = async || {
            let parts = Arc::clone(&shared.parts);
            // Thousands of tools take a while, in which other runs go on. It is made for all, so
            // none of them pays.
            let effort = Effort::default();
            effort
                .elsewhere(|_| Ok(Arc::new(Indexed::new(parts))))
                .await
        };
        shared.indexed.get_or_try_init(make).await.cloned()
    }

    fn kept(&self, parts: Vec<Part>) -> Arc<Shared> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let place = kept.iter().position(|shared| *shared.parts == *parts);
        let shared = place.and_then(|place| kept.remove(place));
        let shared = shared.unwrap_or_else(|| {
            Arc::new(Shared {
                parts: parts.into(),
                indexed: OnceCell::new(),
            })
        });
        kept.push_front(Arc::clone(&shared));
        kept.truncate(self.most);
        shared
    }
}

/// The same tools, as they were listed at the same time.
impl PartialEq for Part {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.listing, &other.listing) && self.places == other.places
    }
}

impl Indexed {
    fn new(parts: Arc<[Part]>) -> Self {
        let index = Index::new(parts.iter().flat_map(|part| {
            let tools = part.places.iter().map(|&place| part.listing.tool(place));
            tools.map(|tool| (&**part.server.name(), tool))
        }));
        Self { index, parts }
    }

    /// The tools that match the query best, best first: each one's part, and its place in the
    /// listing.
    pub fn search(
        &self,
        query: &str,
        limit: usize,
        effort: &Effort,
    ) -> Result<Vec<(&Part, usize)>, BrokenOff> {
        let hits = self.index.find(query, limit, effort)?;
        let found = hits.into_iter().filter_map(|hit| self.tool(hit.index));
        Ok(found.collect())
    }

    fn tool(&self, mut found: usize) -> Option<(&Part, usize)> {
        for part in &*self.parts {
            match part.places.get(found) {
                Some(&place) => return Some((part, place)),
                None => found -= part.places.len(),
            }
        }
        None
    }
}
