//! Where records are kept, and which runs leave one.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use ampoule_records::{Keep, RecordError, RecordLimits, Shelf, Store};
use ampoule_tools::{Error, Principal};

/// Which runs leave a record, and what is in it. By default none does.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct RecordOptions {
    /// Which runs do.
    pub keep: Keep,
    /// What records may take.
    pub limits: RecordLimits,
    /// Texts that are redacted in records, beside those that bindings know of.
    pub secrets: Vec<String>,
}

/// Where records are kept. The folder is made when the first is.
pub(crate) struct RecordStore {
    folder: PathBuf,
    pub(crate) options: RecordOptions,
    store: OnceLock<Store>,
    local: OnceLock<Arc<Shelf>>,
}

impl RecordStore {
    pub(crate) fn new(folder: PathBuf, options: RecordOptions) -> Self {
        Self {
            folder,
            options,
            store: OnceLock::new(),
            local: OnceLock::new(),
        }
    }

    pub(crate) fn store(&self) -> Result<&Store, RecordError> {
        if let Some(store) = self.store.get() {
            return Ok(store);
        }
        let store = Store::open(&self.folder, self.options.limits)?;
        Ok(self.store.get_or_init(|| store))
    }

    pub(crate) fn shelf(&self, principal: Option<&Principal>) -> Result<Arc<Shelf>, RecordError> {
        let named = principal.map(|principal| &**principal.name());
        if let (None, Some(local)) = (named, self.local.get()) {
            return Ok(Arc::clone(local));
        }
        let shelf = self.store()?.shelf(named)?;
        Ok(match named {
            None => Arc::clone(self.local.get_or_init(|| shelf)),
            Some(_) => shelf,
        })
    }
}

/// A problem as an error of the caller; with the host's folder, of the host.
pub(crate) fn refused(problem: RecordError) -> Error {
    match problem {
        RecordError::Folder(_) => Error::host("the records can't be used", problem),
        problem => Error::request(problem.to_string()),
    }
}
