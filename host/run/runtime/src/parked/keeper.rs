//! What keeps one run while it is parked, from its beginning to its end.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use ampoule_fair::Place;
use ampoule_isolate::{
    Code, Ending, Interrupted, Journal, Keeper, Kept as KeptState, NotKept, Note, Outcome, Output,
    Parking, RunFiles, Snapshot, Standing, Usage,
};
use ampoule_limits::Limits;
use ampoule_parked::{KeptRun, Problem};
use ampoule_store::commit::Decision;
use ampoule_tools::{Error, Principal, RunId};
use futures::FutureExt;
use futures::future::BoxFuture;
use parking_lot::Mutex;
use serde_json::value::to_raw_value;
use tokio::task::spawn_blocking;

use super::ParkedRuns;
use super::about::{About, Fixed, Noted, Over, Whose};
use super::resume::Resumed;
use crate::governed::{Carried, Within};
use crate::runtime::Runtime;
use crate::session::Opened;
use crate::shard::guest_hash;

/// What is known of a run when it begins.
pub(crate) struct Facts {
    pub(crate) run: RunId,
    pub(crate) principal: Option<Principal>,
    pub(crate) limits: Limits,
    pub(crate) grant: String,
    pub(crate) after: Duration,
    pub(crate) whose: Whose,
}

/// What keeps a run that may be parked. Where this is dropped before the run is over, so is the run.
pub(crate) struct Kept {
    keeping: Arc<Keeping>,
    after: Duration,
    /// What it goes on from, until it does.
    from: Option<KeptState>,
    /// The number of its session's newest run when it began.
    session_run: Option<u64>,
    outcome_is_kept: bool,
    begun: bool,
    over: bool,
}

/// The same, as the isolate's side sees it.
pub(super) struct Keeping {
    runtime: Runtime,
    id: RunId,
    principal: Option<Principal>,
    fixed: Fixed,
    session_run: Mutex<u64>,
    /// Where it is governed.
    within: OnceLock<Within>,
    /// What is on disk, once something is to be: most runs end before.
    run: Arc<OnceLock<KeptRun>>,
    standing: Mutex<Standing>,
}

impl Kept {
    /// Of a run that begins.
    pub(crate) fn new(runtime: &Runtime, facts: Facts, code: &Code) -> Result<Self, Error> {
        // Where there is no place for them, that is said before it runs.
        runtime.parked_runs()?;
        let script = match code {
            Code::Script(script) => (script.language(), script.name(), script.source()),
            // It is kept alive.
            Code::Component(_) => (ampoule_isolate::Language::JavaScript, "", ""),
        };
        let fixed = Fixed::new(
            facts.principal.as_ref(),
            script,
            guest_hash(script.0),
            (facts.grant.clone(), &facts.limits, facts.after),
            facts.whose.clone(),
        );
        Ok(Self::of(runtime, facts, (OnceLock::new(), fixed)))
    }

    /// Of one that another process kept.
    pub(crate) fn resumed(
        runtime: &Runtime,
        facts: Facts,
        resumed: Resumed,
        outcome_is_kept: bool,
    ) -> Self {
        let (run, about, notes) = resumed.into_parts();
        let About {
            fixed,
            session_run,
            journal,
            carried: _,
        } = about;
        let mut kept = Self::of(runtime, facts, (OnceLock::from(run), fixed));
        kept.session_run = Some(session_run);
        kept.outcome_is_kept = outcome_is_kept;
        kept.from = Some(KeptState { journal, notes });
        kept
    }

    fn of(runtime: &Runtime, facts: Facts, (run, fixed): (OnceLock<KeptRun>, Fixed)) -> Self {
        let keeping = Arc::new(Keeping {
            runtime: runtime.clone(),
            id: facts.run,
            principal: facts.principal,
            fixed,
            session_run: Mutex::new(0),
            within: OnceLock::new(),
            run: Arc::new(run),
            standing: Mutex::default(),
        });
        if let Ok(parked) = runtime.parked_runs() {
            let mut here = parked.here.lock();
            here.insert(facts.run, Arc::downgrade(&keeping));
        }
        Self {
            keeping,
            after: facts.after,
            from: None,
            session_run: None,
            outcome_is_kept: false,
            begun: false,
            over: false,
        }
    }

    /// The run is governed so.
    pub(crate) fn governed(&self, within: Within) {
        // A run begins once.
        let _ = self.keeping.within.set(within);
    }

    /// Whether it can go on with these files.
    pub(crate) fn fits(&self, files: &RunFiles) -> Result<(), Error> {
        let had = self.from.as_ref().and_then(|from| from.journal.files());
        let Some(had) = had else { return Ok(()) };
        let fit = had.fit(files.there().map(|files| &**files));
        fit.map_err(|problem| {
            let (run, why) = (self.keeping.id, problem.advice_or_text());
            Error::request(format!("the run `{run}` can't go on here: {why}"))
        })
    }

    /// What the isolate's side needs; the run begins. It may be one of a session.
    pub(crate) fn parking(&mut self, session: Option<&mut Opened>) -> Parking {
        self.begun = true;
        if let Some(session) = session {
            match self.session_run {
                Some(run) => session.since(run),
                None => self.session_run = Some(session.newest()),
            }
        }
        *self.keeping.session_run.lock() = self.session_run.unwrap_or(0);
        Parking {
            after: self.after,
            keeper: Arc::clone(&self.keeping) as Arc<dyn Keeper>,
            kept: self.from.take(),
        }
    }

    /// What of it is on disk, and has to end with what it leaves; none if nothing is.
    pub(crate) fn ending(&self) -> Option<EndOfKept> {
        self.keeping.is_kept().then(|| EndOfKept {
            keeping: Arc::clone(&self.keeping),
        })
    }

    /// The run is over: nothing of it is kept any more, or how it ended.
    pub(crate) async fn over(
        mut self: Box<Self>,
        outcome: Result<Outcome, Error>,
    ) -> Result<Outcome, Error> {
        // Where the process ends, that is what cancels it.
        let is_cancelled =
            (outcome.as_ref()).is_ok_and(|outcome| matches!(outcome.ending, Ending::Cancelled));
        let stays = is_cancelled && self.process_ends();
        self.over = true;
        if stays || !self.keeping.is_kept() {
            return outcome;
        }
        let ended = match &outcome {
            // Somebody else may go on with it.
            Err(_) => self.keeping.on_disk(|run| Ok(run.release()?)).await,
            Ok(outcome) if self.outcome_is_kept => {
                let over = Over {
                    fixed: self.keeping.fixed.clone(),
                    outcome: to_raw_value(outcome).unwrap_or_default(),
                };
                let about = to_raw_value(&over).unwrap_or_default();
                self.keeping.on_disk(|run| run.end(about)).await
            }
            Ok(_) => self.keeping.on_disk(KeptRun::remove).await,
        };
        if let Err(NotKept(error)) = ended {
            tracing::error!(run = %self.keeping.id, error, "a run is over, and still kept as a parked one");
        }
        outcome
    }

    /// Whether the process ends, and what is kept of the run is for the next one.
    fn process_ends(&self) -> bool {
        self.keeping.process_ends()
    }
}

/// What is on disk of a parked run that has come to its end.
pub(crate) struct EndOfKept {
    keeping: Arc<Keeping>,
}

impl EndOfKept {
    /// Promises that nobody goes on with it. How a governed run ended is said later, once that may be
    /// shown; if the process is gone by then, it is not said.
    pub(crate) fn promise(
        &self,
        outcome: &Outcome,
        decision: &Decision,
    ) -> Result<PathBuf, Problem> {
        let outcome = match self.keeping.within.get() {
            None => to_raw_value(outcome),
            Some(_) => to_raw_value(&untold()),
        };
        let over = Over {
            fixed: self.keeping.fixed.clone(),
            outcome: outcome.map_err(std::io::Error::other)?,
        };
        let about = to_raw_value(&over).map_err(std::io::Error::other)?;
        self.run()?.promise_end(about, decision.clone())
    }

    /// What was promised is so from now on.
    pub(crate) fn fulfil(&self) -> Result<(), Problem> {
        self.run()?.fulfil_end()
    }

    /// What was promised does not become so.
    pub(crate) fn take_back(&self) {
        if let Ok(run) = self.run() {
            run.take_back_end();
        }
    }

    fn run(&self) -> Result<&KeptRun, Problem> {
        let missing = || Problem::Missing(self.keeping.id.to_string());
        self.keeping.run.get().ok_or_else(missing)
    }
}

/// The outcome of a run that has left all that it leaves.
fn untold() -> Outcome {
    let why = "the host was gone before the outcome could be told; what the run left is kept";
    let interrupted = Interrupted {
        message: why.to_owned(),
    };
    let ending = Ending::Interrupted(interrupted);
    Outcome::new(ending, Output::default(), Usage::default())
}

impl Drop for Kept {
    fn drop(&mut self) {
        if let Ok(parked) = self.keeping.runtime.parked_runs() {
            parked.here.lock().remove(&self.keeping.id);
        }
        if self.over || !self.keeping.is_kept() || self.process_ends() {
            return;
        }
        let Some(run) = self.keeping.run.get() else {
            return;
        };
        let given_up = match self.begun {
            true => run.remove(),
            // It could not even begin here.
            false => run.release().map_err(Into::into),
        };
        if let Err(error) = given_up {
            tracing::error!(run = %self.keeping.id, %error, "a run was dropped, and is still kept as a parked one");
        }
    }
}

impl Keeping {
    pub(super) fn standing(&self) -> Standing {
        *self.standing.lock()
    }

    /// Whether anything of it is on disk.
    fn is_kept(&self) -> bool {
        self.run.get().is_some_and(KeptRun::is_kept)
    }

    /// What it has read by now.
    fn carried(&self) -> Option<Carried> {
        self.within.get()?.carried()
    }

    /// Where this process is about to end, what is kept of the run is for the next one.
    pub(super) fn will_park(&self) {
        if let Some(within) = self.within.get().filter(|_| self.is_kept()) {
            within.will_park();
        }
    }

    fn process_ends(&self) -> bool {
        let parked = self.runtime.parked_runs();
        parked.is_ok_and(ParkedRuns::is_suspended)
    }

    fn on_disk<T: Send + 'static>(
        &self,
        work: impl FnOnce(&KeptRun) -> Result<T, Problem> + Send + 'static,
    ) -> BoxFuture<'static, Result<T, NotKept>> {
        let run = Arc::clone(&self.run);
        let (runtime, principal, id) = (self.runtime.clone(), self.principal.clone(), self.id);
        let done = blocking(move || match run.get() {
            Some(run) => work(run),
            None => {
                let opened = opened(&runtime, principal.as_ref(), id)?;
                work(run.get_or_init(|| opened))
            }
        });
        done.map(|done| done.map_err(|problem| NotKept(problem.to_string())))
            .boxed()
    }
}

impl Keeper for Keeping {
    fn keep(&self, journal: Journal, memory: Snapshot) -> BoxFuture<'_, Result<(), NotKept>> {
        let about = About {
            fixed: self.fixed.clone(),
            session_run: *self.session_run.lock(),
            journal,
            carried: self.carried(),
        };
        let kept = self.on_disk(move |run| {
            let about = to_raw_value(&about).map_err(std::io::Error::other)?;
            run.keep(about, memory.bytes())
        });
        async {
            kept.await?;
            if self.process_ends() {
                self.will_park();
            }
            Ok(())
        }
        .boxed()
    }

    fn note(&self, note: Note) -> BoxFuture<'_, Result<(), NotKept>> {
        let carried = match &note {
            Note::Answered(..) => self.carried(),
            _ => None,
        };
        let noted = carried.map(|carried| Noted::Carried { carried });
        self.on_disk(move |run| {
            for note in noted.into_iter().chain([Noted::Note(note)]) {
                let note = serde_json::to_vec(&note).map_err(std::io::Error::other)?;
                run.note(&note)?;
            }
            Ok(())
        })
    }

    fn mark(&self) -> BoxFuture<'_, Result<PathBuf, NotKept>> {
        self.on_disk(KeptRun::mark)
    }

    fn memory(&self) -> BoxFuture<'_, Result<Snapshot, NotKept>> {
        let name = self.id.to_string();
        self.on_disk(move |run| {
            let memory = run.memory()?;
            Snapshot::read(memory).map_err(|_| Problem::Damaged {
                run: name,
                what: "its memory can't be read",
            })
        })
    }

    fn forget(&self) -> BoxFuture<'_, Result<(), NotKept>> {
        self.on_disk(KeptRun::remove)
    }

    fn place(&self) -> BoxFuture<'_, Result<Place, Error>> {
        self.runtime.place(self.principal.as_ref(), 1).boxed()
    }

    fn stands(&self, standing: Standing) {
        *self.standing.lock() = standing;
    }
}

/// The place on disk of a run of which nothing is there.
fn opened(runtime: &Runtime, principal: Option<&Principal>, id: RunId) -> Result<KeptRun, Problem> {
    let parked = runtime.parked_runs();
    let store = parked.and_then(ParkedRuns::store);
    let store = store.map_err(|error| Problem::Folder(std::io::Error::other(error.to_string())))?;
    let shelf = store.shelf(principal.map(|principal| &**principal.name()))?;
    Ok(shelf.run(id.to_string()))
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Problem> + Send + 'static,
) -> Result<T, Problem> {
    let done = spawn_blocking(work).await;
    done.map_err(|error| Problem::Folder(std::io::Error::other(error)))?
}
