//! Where sessions are kept.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use ampoule_persistence::sessions::{SessionError, SessionLimits, Shelf, Store};
use ampoule_tools::{Error, Principal};
use parking_lot::Mutex;

/// Where sessions are kept. The folder is made when the first is asked for.
pub(crate) struct SessionStore {
    folder: PathBuf,
    limits: SessionLimits,
    store: OnceLock<Store>,
    /// Those of principals who were here last: to open one takes longer than a small run.
    shelves: Mutex<HashMap<Option<Principal>, Arc<Shelf>>>,
}

/// For how many principals their sessions are kept open.
const SHELVES: usize = 64;

impl SessionStore {
    pub(crate) fn new(folder: PathBuf, limits: SessionLimits) -> Self {
        Self {
            folder,
            limits,
            store: OnceLock::new(),
            shelves: Mutex::default(),
        }
    }

    pub(crate) fn shelf(&self, principal: Option<&Principal>) -> Result<Arc<Shelf>, Error> {
        let key = principal.map(Principal::without_token);
        if let Some(shelf) = self.shelves.lock().get(&key).filter(|it| it.is_in_place()) {
            return Ok(Arc::clone(shelf));
        }
        let store = match self.store.get() {
            Some(store) => store,
            None => {
                let store = Store::open(&self.folder, self.limits).map_err(refused)?;
                self.store.get_or_init(|| store)
            }
        };
        let name = principal.map(|principal| &**principal.name());
        let shelf = store.shelf(name).map_err(refused)?;
        let mut shelves = self.shelves.lock();
        if shelves.len() >= SHELVES {
            shelves.clear();
        }
        shelves.insert(key, Arc::clone(&shelf));
        Ok(shelf)
    }
}

/// A problem as an error of the caller; with the host's folder, of the host.
pub(crate) fn refused(problem: SessionError) -> Error {
    match problem {
        SessionError::Folder(_) => Error::host("the sessions can't be used", problem),
        problem => Error::request(problem.to_string()),
    }
}
