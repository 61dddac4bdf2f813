//! The records of a runtime. A run that is recorded is in `run/stages/record.rs`.

use std::path::PathBuf;
use std::sync::Arc;

use ampoule_isolate::Code;
use ampoule_records::{Build, Shelf, Store};
use ampoule_tools::{Error, Principal};

use crate::guests::GuestKind;
use crate::runtime::{Runtime, RuntimeBuilder};
use crate::stores::records::{RecordOptions, RecordStore, refused};

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

/// The description by which a memory is found again.
pub(crate) fn hash(memory: &[u8]) -> String {
    blake3::hash(memory).to_hex().to_string()
}

/// What runs code, if a script runs in this guest.
pub(crate) fn build(runtime: &Runtime, code: &Code, kind: GuestKind) -> Build {
    let source = match code {
        Code::Script(_) => runtime.guests().find(kind),
        _ => None,
    };
    let guest = match (code, source) {
        (Code::Component(component), _) => hash(component.wasm()),
        (_, Some(source)) => source.hash().to_owned(),
        // There is none.
        (_, None) => String::new(),
    };
    let packages = source.map_or(&[][..], |source| source.packages());
    Build {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        guest,
        packages: packages.iter().map(ToString::to_string).collect(),
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
