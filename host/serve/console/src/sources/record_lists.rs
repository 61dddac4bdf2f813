//! Lists of records. A record never changes once it is there, so what a list shows of it is read
//! once.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use ampoule::Records;
use parking_lot::Mutex;

use super::rows::record_row;
use crate::ConsoleError;
use crate::model::RunRow;

/// How many records of all principals are remembered.
const MOST: usize = 100_000;

type Rows = HashMap<String, Arc<RunRow>>;

/// The rows of records, by their folder and id.
#[derive(Debug, Clone, Default)]
pub(crate) struct RecordLists(Arc<Mutex<HashMap<PathBuf, Arc<Rows>>>>);

impl RecordLists {
    /// The rows of a shelf's records, in no order. What can't be read is left out.
    ///
    /// # Errors
    ///
    /// The folder can't be used.
    pub(super) fn of(&self, shelf: &Records) -> Result<Vec<Arc<RunRow>>, ConsoleError> {
        let ids = shelf.ids()?;
        let known = self.0.lock().get(shelf.path()).cloned().unwrap_or_default();
        if ids.len() == known.len() && ids.iter().all(|id| known.contains_key(id)) {
            return Ok(known.values().cloned().collect());
        }
        let rows = ids.into_iter().filter_map(|id| {
            let row = match known.get(&id) {
                Some(row) => Arc::clone(row),
                None => Arc::new(record_row(&shelf.entry(&id).ok()?)),
            };
            Some((id, row))
        });
        let rows: Rows = rows.collect();
        let listed = rows.values().cloned().collect();
        self.keep(shelf, rows);
        Ok(listed)
    }

    fn keep(&self, shelf: &Records, rows: Rows) {
        let mut all = self.0.lock();
        all.insert(shelf.path().to_owned(), Arc::new(rows));
        while all.values().map(|rows| rows.len()).sum::<usize>() > MOST {
            // Whichever goes is read again.
            let Some(folder) = all.keys().find(|it| *it != shelf.path()).cloned() else {
                all.clear();
                return;
            };
            all.remove(&folder);
        }
    }
}
