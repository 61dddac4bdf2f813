//! Runs that are recorded.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use ampoule_isolate::{Code, Outcome, Resume, RunFiles, World};
use ampoule_records::{
    Build, Head, Keep, OfSession, Problem, Program, RecordLimits, Recorder, Shelf, Store,
};
use ampoule_store::commit::Decision;
use ampoule_tools::{Catalog, Error, Layers, Principal, RunId};
use tokio::task::spawn_blocking;

use crate::clock;
use crate::governed::Carried;
use crate::isolate::Isolate;
use crate::runtime::Runtime;
use crate::shard;

/// Which runs leave a record, and what is in it. By default none does.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct RecordOptions {
    /// Which runs do.
    pub keep: Keep,
    /// What records may take.
    pub limits: RecordLimits,
    /// Texts that are blotted out of records, beside those that bindings know of.
    pub secrets: Vec<String>,
}

/// Where records are kept. The folder is made when the first is.
pub(crate) struct KeptRecords {
    folder: PathBuf,
    options: RecordOptions,
    store: OnceLock<Store>,
    local: OnceLock<Arc<Shelf>>,
}

impl KeptRecords {
    pub(crate) fn of((folder, options): (PathBuf, RecordOptions)) -> Self {
        Self {
            folder,
            options,
            store: OnceLock::new(),
            local: OnceLock::new(),
        }
    }

    fn store(&self) -> Result<&Store, Problem> {
        if let Some(store) = self.store.get() {
            return Ok(store);
        }
        let store = Store::open(&self.folder, self.options.limits)?;
        Ok(self.store.get_or_init(|| store))
    }

    fn shelf(&self, principal: Option<&Principal>) -> Result<Arc<Shelf>, Problem> {
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

impl Runtime {
    /// The records of a principal's runs, or of those that are nobody's in particular.
    ///
    /// # Errors
    ///
    /// A request error if there are no [records](crate::RuntimeBuilder::records) here; a host fault
    /// if their folder can't be used.
    pub fn records(&self, principal: Option<&Principal>) -> Result<Arc<Shelf>, Error> {
        self.kept()?.shelf(principal).map_err(refused)
    }

    /// The records of all principals' runs, for whom the folder belongs to.
    ///
    /// # Errors
    ///
    /// As for [`records`](Self::records).
    pub fn all_records(&self) -> Result<Vec<Arc<Shelf>>, Error> {
        let store = self.kept()?.store();
        store.and_then(Store::shelves).map_err(refused)
    }

    fn kept(&self) -> Result<&KeptRecords, Error> {
        let none = || Error::request("no records are kept here");
        self.kept_records().ok_or_else(none)
    }
}

/// A problem as an error of whoever asked; with the host's folder, of the host.
pub(crate) fn refused(problem: Problem) -> Error {
    match problem {
        Problem::Folder(_) => Error::host("the records can't be used", problem),
        problem => Error::request(problem.to_string()),
    }
}

/// A run that is recorded, from its beginning to its end.
#[derive(Clone)]
pub(crate) struct Recording {
    id: RunId,
    recorder: Recorder,
    keep: Keep,
    place: Arc<Path>,
}

impl Recording {
    /// The recording of a run, if it is to leave a record.
    pub(crate) fn of(
        runtime: &Runtime,
        principal: Option<&Principal>,
        (id, code, keep): (RunId, &Code, Option<Keep>),
    ) -> Option<Self> {
        let kept = runtime.kept_records()?;
        let keep = keep.unwrap_or(kept.options.keep);
        if keep == Keep::None {
            return None;
        }
        if let Code::Component(component) = code
            && component.has_folders()
        {
            tracing::warn!("the run leaves no record: what is in its folders can't be in one");
            return None;
        }
        let shelf = kept.shelf(principal).inspect_err(|error| {
            tracing::warn!(%error, "the run leaves no record");
        });
        let shelf = shelf.ok()?;
        let place = shelf.path().into();
        let recorder = Recorder::new(shelf, id.to_string(), &kept.options.secrets);
        Some(Self {
            id,
            recorder,
            keep,
            place,
        })
    }

    /// The catalog as the run is to see it.
    pub(crate) fn watch(&self, catalog: &Catalog) -> Catalog {
        self.recorder.watch(catalog)
    }

    /// The layers that the run's calls are to pass.
    pub(crate) fn around(&self, layers: &Layers) -> Layers {
        layers.within(self.recorder.layer())
    }

    /// The world that the run is to have.
    pub(crate) fn world(&self, world: Option<Arc<dyn World>>) -> Arc<dyn World> {
        self.recorder.world(world)
    }

    /// What is written of a run before it begins.
    pub(crate) fn describe(&self, isolate: &Isolate) -> (Head, Program) {
        let (code, grant, limits, principal) = isolate.described();
        let mut head = Head::new(
            self.id.to_string(),
            clock::now(),
            language(code),
            build(code),
        );
        head.principal = principal.map(|principal| principal.name().to_string());
        (head, Program::new(code, grant.clone(), limits))
    }

    /// The files as the run is to have them.
    pub(crate) fn hears(&self, files: RunFiles) -> RunFiles {
        match files {
            RunFiles::There(files, _) => RunFiles::There(files, Some(self.recorder.files())),
            other => other,
        }
    }

    /// The run begins, with what an earlier one of its session left, and these files.
    pub(crate) async fn begin(
        &self,
        described: Box<(Head, Program)>,
        (session, files): (Option<(u64, &Resume)>, &RunFiles),
    ) {
        let (head, mut program) = *described;
        program.files = files.there().is_some();
        program.folders_alone = files.there().is_some_and(|files| !files.have_workspace());
        program.session = session.map(|(run, resume)| OfSession {
            name: resume.name.clone(),
            back: resume.back,
            always: resume.always,
            run,
            memory: resume.before.as_ref().map(|before| hash(before.bytes())),
        });
        let recorder = self.recorder.clone();
        // Where the process ends, so does the record.
        let _ = spawn_blocking(move || recorder.begin(head, program)).await;
    }

    /// Where its principal's records are.
    pub(crate) fn place(&self) -> &Path {
        &self.place
    }

    /// The run has ended, and its record is kept, if it is to be.
    pub(crate) fn end(&self, outcome: &mut Outcome, carried: Option<Carried>) {
        if self.recorder.finish(outcome, carried, self.keep) {
            outcome.record = Some(self.id);
        }
    }

    /// The same, but whether the record is there is decided elsewhere. Gives the file of the promise.
    pub(crate) fn promise(
        &self,
        outcome: &Outcome,
        (carried, decision): (Option<Carried>, &Decision),
    ) -> Option<PathBuf> {
        let last = (carried, self.keep);
        self.recorder.promise(outcome, last, decision)
    }

    /// The record that was promised will be there.
    pub(crate) fn decided(&self) {
        self.recorder.decided();
    }

    /// The record that was promised is there from now on.
    pub(crate) fn fulfil(&self, outcome: &mut Outcome) {
        if self.recorder.fulfil() {
            outcome.record = Some(self.id);
        }
    }
}

/// What is told of a memory, to find it again.
pub(crate) fn hash(memory: &[u8]) -> String {
    blake3::hash(memory).to_hex().to_string()
}

pub(crate) fn build(code: &Code) -> Build {
    let guest = match code {
        Code::Script(script) => shard::guest_hash(script.language()).to_owned(),
        Code::Component(component) => hash(component.wasm()),
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
    }
}
