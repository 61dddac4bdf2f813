//! Search indexes over granted tools, kept from one search to the next.
//!
//! An index holds the tools of one grant and no others: what is not granted must not show, not even
//! in how tools are ranked.

use std::collections::VecDeque;
use std::sync::Arc;

use ampoule_effort::{Effort, EffortError};
use parking_lot::Mutex;
use tokio::runtime::Handle;
use tokio::sync::OnceCell;

use super::catalog::Server;
use super::listing::Listing;
use super::meaning::{Meaning, MeaningError, VectorTable};
use super::search::{self, Index, Question};

/// How many indexes are kept beside one for each server. A process hardly has more grants in use.
const KEPT: usize = 8;

/// The indexes that were searched last, the latest first.
pub struct Indexes {
    kept: Mutex<VecDeque<Arc<Shared>>>,
    most: usize,
    meaning: Option<Arc<dyn Meaning>>,
}

/// An index that its users wait for, rather than making it too.
struct Shared {
    made_of: Arc<[Tools]>,
    index: OnceCell<IndexedTools>,
}

/// Tools by their words, and by their meaning if there is a model.
#[derive(Clone)]
struct IndexedTools {
    index: Arc<Index>,
    vectors: Option<Arc<VectorTable>>,
}

/// Some tools of a server of that name. Not the server: where it is there for one run, it goes with
/// the run.
struct Tools {
    server: Arc<str>,
    listing: Arc<Listing>,
    places: Vec<usize>,
}

impl Tools {
    fn of(part: &Part) -> Self {
        Self {
            server: Arc::clone(part.server.name()),
            listing: Arc::clone(&part.listing),
            places: part.places.clone(),
        }
    }

    /// Whether these are the same, as they were listed at the same time.
    fn are_those_of(&self, part: &Part) -> bool {
        Arc::ptr_eq(&self.listing, &part.listing)
            && self.server == *part.server.name()
            && self.places == part.places
    }
}

/// Some tools of one server.
pub struct Part {
    pub server: Arc<Server>,
    pub listing: Arc<Listing>,
    /// Their places in the listing.
    pub places: Vec<usize>,
}

/// Tools, indexed for search.
pub struct ToolIndex {
    tools: IndexedTools,
    meaning: Option<Arc<dyn Meaning>>,
    /// Those that were asked for: the same as the index was made of, but of these servers.
    parts: Vec<Part>,
}

impl Indexes {
    /// None yet, for a catalog of so many servers. A script that searches each of them by turns
    /// finds the indexes that it has made.
    pub fn over_servers(count: usize, meaning: Option<Arc<dyn Meaning>>) -> Self {
        Self {
            kept: Mutex::default(),
            most: KEPT + count,
            meaning,
        }
    }

    /// These tools, with the index over them. It is made once, for as long as their listings stay
    /// as they are.
    ///
    /// # Errors
    ///
    /// If there is no thread for it.
    pub async fn over(&self, parts: Vec<Part>) -> Result<ToolIndex, EffortError> {
        let shared = self.kept(&parts);
        let make = async || {
            let made_of = Arc::clone(&shared.made_of);
            // Thousands of tools take a while, in which other runs continue. It is made for all, so
            // none of them pays.
            let effort = Effort::default();
            let (meaning, tokio) = (self.meaning.clone(), Handle::try_current().ok());
            effort
                .elsewhere(move |_| Ok(index_over(&made_of, meaning.as_ref(), tokio.as_ref())))
                .await
        };
        let tools = shared.index.get_or_try_init(make).await.cloned()?;
        let meaning = self.meaning.clone();
        Ok(ToolIndex {
            tools,
            meaning,
            parts,
        })
    }

    fn kept(&self, parts: &[Part]) -> Arc<Shared> {
        let same = |shared: &Arc<Shared>| {
            shared.made_of.len() == parts.len()
                && shared
                    .made_of
                    .iter()
                    .zip(parts)
                    .all(|(tools, part)| tools.are_those_of(part))
        };
        let mut kept = self.kept.lock();
        let place = kept.iter().position(same);
        let shared = place.and_then(|place| kept.remove(place));
        let shared = shared.unwrap_or_else(|| {
            Arc::new(Shared {
                made_of: parts.iter().map(Tools::of).collect(),
                index: OnceCell::new(),
            })
        });
        kept.push_front(Arc::clone(&shared));
        kept.truncate(self.most);
        shared
    }
}

fn index_over(
    made_of: &[Tools],
    meaning: Option<&Arc<dyn Meaning>>,
    tokio: Option<&Handle>,
) -> IndexedTools {
    let all = || {
        made_of.iter().flat_map(|tools| {
            let places = tools.places.iter();
            places.map(|&place| (&*tools.server, tools.listing.tool(place)))
        })
    };
    IndexedTools {
        index: Arc::new(Index::new(all())),
        vectors: meaning.map(|meaning| VectorTable::of(meaning, all(), tokio)),
    }
}

impl ToolIndex {
    /// The tools that match the query best, best first: each one's part, and its place in the
    /// listing.
    pub fn search(
        &self,
        query: &str,
        limit: usize,
        effort: &Effort,
    ) -> Result<Vec<(&Part, usize)>, EffortError> {
        let vectors = self.tools.vectors.as_ref();
        let vectors = vectors.and_then(|vectors| vectors.ready());
        let vectors = vectors.as_deref();
        let vector = match (&self.meaning, vectors) {
            (Some(meaning), Some(_)) => match meaning.question(&search::plain(query), effort) {
                Ok(vector) => Some(vector),
                Err(MeaningError::Effort(error)) => return Err(error),
                Err(MeaningError::Model(error)) => {
                    // The model itself has said so, once.
                    tracing::debug!(%error, "a search is by words alone");
                    None
                }
            },
            _ => None,
        };
        let question = vector.as_ref().zip(vectors);
        let question = question.map(|(vector, tools)| Question { vector, tools });
        let index = &self.tools.index;
        let hits = index.find(query, question.as_ref(), limit, effort)?;
        let found = hits.into_iter().filter_map(|hit| self.tool(hit.index));
        Ok(found.collect())
    }

    /// Waits for what the tools mean, for as long as a person does.
    pub async fn settled(&self) {
        if let Some(vectors) = &self.tools.vectors {
            vectors.settled().await;
        }
    }

    /// Why words alone answer, if they do although there is a model.
    pub fn note(&self) -> Option<String> {
        self.tools.vectors.as_ref()?.note()
    }

    #[cfg(test)]
    pub(crate) fn has_the_index_of(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.tools.index, &other.tools.index)
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
