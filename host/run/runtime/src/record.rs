//! Where records are kept. A run that is recorded is in `run/stages/record.rs`.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use ampoule_isolate::Code;
use ampoule_records::{Build, Keep, RecordError, RecordLimits, Shelf, Store};
use ampoule_tools::{Error, Principal};

use crate::runtime::{Runtime, RuntimeBuilder};
use crate::shard;

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
    fn new(folder: PathBuf, options: RecordOptions) -> Self {
        Self {
            folder,
            options,
            store: OnceLock::new(),
            local: OnceLock::new(),
        }
    }

    fn store(&self) -> Result<&Store, RecordError> {
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

impl RuntimeBuilder {
    /// Where runs leave records, and which do. Nobody else may be able to read the folder. Default:
    /// nowhere, and none does.
    #[must_use]
    pub fn records(mut self, folder: impl Into<PathBuf>, options: RecordOptions) -> Self {
        self.stores.records = Some(RecordStore::new(folder.into(), options));
        self
    }
}

impl Runtime {
    /// The records of a principal's runs, or of those that are nobody's in particular.
    ///
    /// # Errors
    ///
    /// A request error if there are no [records](crate::RuntimeBuilder::records) here; a host fault
    /// if their folder can't be used.
    pub fn records(&self, principal: Option<&Principal>) -> Result<Arc<Shelf>, Error> {
        self.record_store()?.shelf(principal).map_err(refused)
    }

    /// The records of all principals' runs, for whom the folder belongs to.
    ///
    /// # Errors
    ///
    /// As for [`records`](Self::records).
    pub fn all_records(&self) -> Result<Vec<Arc<Shelf>>, Error> {
        let store = self.record_store()?.store();
        store.and_then(Store::shelves).map_err(refused)
    }

    fn record_store(&self) -> Result<&RecordStore, Error> {
        let none = || Error::request("this host keeps no records");
        self.stores().records.as_ref().ok_or_else(none)
    }
}

/// A problem as an error of the caller; with the host's folder, of the host.
pub(crate) fn refused(problem: RecordError) -> Error {
    match problem {
        RecordError::Folder(_) => Error::host("the records can't be used", problem),
        problem => Error::request(problem.to_string()),
    }
}

/// The description by which a memory is found again.
pub(crate) fn hash(memory: &[u8]) -> String {
    blake3::hash(memory).to_hex().to_string()
}

pub(crate) fn build(code: &Code) -> Build {
    let guest = match code {
        Code::Script(script) => shard::guest_hash(script.language()).to_owned(),
        Code::Component(component) => hash(component.wasm()),
        // There is none.
        Code::Call(_) | Code::Undo(_) => String::new(),
    };
    Build {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        guest,
    }
}

pub(crate) fn language(code: &Code) -> String {
    match code {
        Code::Script(script) => script.language().name().to_owned(),
        Code::Component(_) => "component".to_owned(),
        Code::Call(_) => "call".to_owned(),
        Code::Undo(_) => "undo".to_owned(),
    }
}
