//! Where one run is kept while it is parked, as the isolate's side sees it.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use ampoule_fair::Place;
use ampoule_isolate::{Journal, Note, Outcome, ParkingBackend, ParkingError, Snapshot, Standing};
use ampoule_persistence::parked::{ParkedRunError, StoredRun};
use ampoule_store::commit::Decision;
use ampoule_tools::{Error, Principal, RunId};
use futures::FutureExt;
use futures::future::BoxFuture;
use parking_lot::Mutex;
use serde_json::value::to_raw_value;
use tokio::task::spawn_blocking;

use super::snapshot::{EndedRun, NoteOnDisk, RunFacts, RunSnapshot};
use crate::governed::Oversight;
use crate::runtime::Runtime;
use crate::stores::parked::{ParkableRun, ParkedRuns};

/// Where one run is kept.
pub(crate) struct Backend {
    runtime: Runtime,
    id: RunId,
    principal: Option<Principal>,
    fixed: RunFacts,
    session_run: Mutex<u64>,
    run: Arc<ParkableRun>,
}

impl Backend {
    /// That of a run, of which this is on disk. It is among those of the runtime until it is
    /// [left](Self::leave).
    pub(crate) fn enter(
        runtime: &Runtime,
        id: RunId,
        principal: Option<Principal>,
        fixed: RunFacts,
        stored: OnceLock<StoredRun>,
    ) -> Arc<Self> {
        let run = Arc::new(ParkableRun::new(stored));
        if let Ok(parked) = runtime.parked_runs() {
            parked.enter(id, &run);
        }
        Arc::new(Self {
            runtime: runtime.clone(),
            id,
            principal,
            fixed,
            session_run: Mutex::new(0),
            run,
        })
    }

    /// The run is over, or dropped.
    pub(crate) fn leave(&self) {
        if let Ok(parked) = self.runtime.parked_runs() {
            parked.leave(self.id);
        }
    }

    pub(crate) fn id(&self) -> RunId {
        self.id
    }

    /// The run is governed so.
    pub(crate) fn governed(&self, oversight: Arc<dyn Oversight>) {
        self.run.governed(oversight);
    }

    /// The number of its session's newest run when it began.
    pub(crate) fn since(&self, session_run: u64) {
        *self.session_run.lock() = session_run;
    }

    /// Whether anything of it is on disk.
    pub(crate) fn is_kept(&self) -> bool {
        self.run.is_kept()
    }

    /// Whether the process ends, and what is kept of the run is for the next one.
    pub(crate) fn process_ends(&self) -> bool {
        let parked = self.runtime.parked_runs();
        parked.is_ok_and(ParkedRuns::is_suspended)
    }

    /// The run resumes with so many calls that have not ended.
    pub(crate) fn resumes_with(&self, under_way: usize) {
        self.run.kept_with(under_way);
    }

    /// Whether the run [is suspended](ParkableRun::suspend).
    pub(crate) fn is_suspended(&self) -> bool {
        self.run.is_suspended()
    }

    /// Lets another process resume the run.
    pub(crate) async fn release(&self) -> Result<(), ParkingError> {
        self.on_disk(|run| Ok(run.release()?)).await
    }

    /// Keeps how the run ended, in place of the run.
    pub(crate) async fn end(&self, outcome: &Outcome) -> Result<(), ParkingError> {
        let over = EndedRun {
            fixed: self.fixed.clone(),
            outcome: to_raw_value(outcome).unwrap_or_default(),
        };
        let about = to_raw_value(&over).unwrap_or_default();
        self.on_disk(|run| run.end(about)).await
    }

    /// Gives the run up that is dropped: it is removed if it began here.
    pub(crate) fn give_up(&self, has_begun: bool) {
        let Some(run) = self.run.stored().get() else {
            return;
        };
        let given_up = match has_begun {
            true => run.remove(),
            false => run.release().map_err(Into::into),
        };
        if let Err(error) = given_up {
            tracing::error!(run = %self.id, %error, "a dropped run is still stored as a parked run");
        }
    }

    /// Promises that nobody resumes the run. How a governed run ended is said later, once that may
    /// be shown; if the process is gone by then, it is not said.
    pub(crate) fn promise_end(
        &self,
        outcome: &Outcome,
        untold: &Outcome,
        decision: &Decision,
    ) -> Result<PathBuf, ParkedRunError> {
        let outcome = match self.run.is_governed() {
            false => to_raw_value(outcome),
            true => to_raw_value(untold),
        };
        let over = EndedRun {
            fixed: self.fixed.clone(),
            outcome: outcome.map_err(std::io::Error::other)?,
        };
        let about = to_raw_value(&over).map_err(std::io::Error::other)?;
        self.on_disk_now()?.promise_end(about, decision.clone())
    }

    /// What is on disk of the run.
    pub(crate) fn on_disk_now(&self) -> Result<&StoredRun, ParkedRunError> {
        let missing = || ParkedRunError::Missing(self.id.to_string());
        self.run.stored().get().ok_or_else(missing)
    }

    fn on_disk<T: Send + 'static>(
        &self,
        work: impl FnOnce(&StoredRun) -> Result<T, ParkedRunError> + Send + 'static,
    ) -> BoxFuture<'static, Result<T, ParkingError>> {
        let run = Arc::clone(&self.run);
        let (runtime, principal, id) = (self.runtime.clone(), self.principal.clone(), self.id);
        let done = blocking(move || match run.stored().get() {
            Some(stored) => work(stored),
            None => {
                let opened = opened(&runtime, principal.as_ref(), id)?;
                work(run.stored().get_or_init(|| opened))
            }
        });
        done.map(|done| done.map_err(|problem| ParkingError(problem.to_string())))
            .boxed()
    }
}

impl ParkingBackend for Backend {
    fn keep(&self, journal: Journal, memory: Snapshot) -> BoxFuture<'_, Result<(), ParkingError>> {
        self.run.kept_with(journal.calls().1);
        let about = RunSnapshot {
            fixed: self.fixed.clone(),
            session_run: *self.session_run.lock(),
            journal,
            carried: self.run.carried(),
        };
        let kept = self.on_disk(move |run| {
            let about = to_raw_value(&about).map_err(std::io::Error::other)?;
            run.keep(about, memory.bytes())
        });
        async {
            kept.await?;
            if self.process_ends() {
                self.run.will_park();
            }
            Ok(())
        }
        .boxed()
    }

    fn note(&self, note: Note) -> BoxFuture<'_, Result<(), ParkingError>> {
        let carried = match &note {
            Note::Answered(..) => self.run.carried(),
            _ => None,
        };
        let first = carried.map(|carried| NoteOnDisk::Carried { carried });
        self.on_disk(move |run| {
            for note in first.into_iter().chain([NoteOnDisk::Note(note)]) {
                let note = serde_json::to_vec(&note).map_err(std::io::Error::other)?;
                run.note(&note)?;
            }
            Ok(())
        })
    }

    fn mark(&self) -> BoxFuture<'_, Result<PathBuf, ParkingError>> {
        self.on_disk(StoredRun::mark)
    }

    fn memory(&self) -> BoxFuture<'_, Result<Snapshot, ParkingError>> {
        let name = self.id.to_string();
        self.on_disk(move |run| {
            let memory = run.memory()?;
            Snapshot::read(memory).map_err(|_| ParkedRunError::Damaged {
                run: name,
                what: "its memory can't be read",
            })
        })
    }

    fn forget(&self) -> BoxFuture<'_, Result<(), ParkingError>> {
        self.on_disk(StoredRun::remove)
    }

    fn place(&self) -> BoxFuture<'_, Result<Place, Error>> {
        self.runtime.place(self.principal.as_ref(), 1).boxed()
    }

    fn stands(&self, standing: Standing) {
        self.run.stands(standing);
    }
}

/// The place on disk of a run of which nothing is there.
fn opened(
    runtime: &Runtime,
    principal: Option<&Principal>,
    id: RunId,
) -> Result<StoredRun, ParkedRunError> {
    let parked = runtime.parked_runs();
    let store = parked.and_then(ParkedRuns::store);
    let store =
        store.map_err(|error| ParkedRunError::Folder(std::io::Error::other(error.to_string())))?;
    let shelf = store.shelf(principal.map(|principal| &**principal.name()))?;
    Ok(shelf.run(id.to_string()))
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, ParkedRunError> + Send + 'static,
) -> Result<T, ParkedRunError> {
    let done = spawn_blocking(work).await;
    done.map_err(|error| ParkedRunError::Folder(std::io::Error::other(error)))?
}
