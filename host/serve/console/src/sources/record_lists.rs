//! Lists of records. A record never changes once it is there, so what a list shows of it is read
//! once.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use ampoule::{RecordEntry, Records};
use parking_lot::Mutex;

use crate::ConsoleError;

/// How many records of all principals are remembered.
const MOST: usize = 100_000;

type Entries = HashMap<String, Arc<RecordEntry>>;

/// What is known of records, by their folder and id.
#[derive(Debug, Clone, Default)]
pub(crate) struct RecordLists(Arc<Mutex<HashMap<PathBuf, Arc<Entries>>>>);

impl RecordLists {
    /// The records of a shelf, in no order. What can't be read is left out.
    ///
    /// # Errors
    ///
    /// The folder can't be used.
    pub(super) fn of(&self, shelf: &Records) -> Result<Vec<Arc<RecordEntry>>, ConsoleError> {
        let ids = shelf.ids()?;
        let known = self.0.lock().get(shelf.path()).cloned().unwrap_or_default();
        if ids.len() == known.len() && ids.iter().all(|id| known.contains_key(id)) {
            return Ok(known.values().cloned().collect());
        }
        let entries = ids.into_iter().filter_map(|id| {
            let entry = match known.get(&id) {
                Some(entry) => Arc::clone(entry),
                None => Arc::new(shelf.entry(&id).ok()?),
            };
            Some((id, entry))
        });
        let entries: Entries = entries.collect();
        let listed = entries.values().cloned().collect();
        self.keep(shelf, entries);
        Ok(listed)
    }

    fn keep(&self, shelf: &Records, entries: Entries) {
        let mut all = self.0.lock();
        all.insert(shelf.path().to_owned(), Arc::new(entries));
        while all.values().map(|entries| entries.len()).sum::<usize>() > MOST {
            // Whichever goes is read again.
            let Some(folder) = all.keys().find(|it| *it != shelf.path()).cloned() else {
                all.clear();
                return;
            };
            all.remove(&folder);
        }
    }
}
