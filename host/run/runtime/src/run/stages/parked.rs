//! Runs that are parked while they wait for long.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use ampoule_isolate::{
    Code, Ending as RunEnding, InterruptedError, LEAST_PARK_AFTER, Language, Outcome, Output,
    ParkedState, Parking, ParkingBackend, ParkingError, Usage,
};
use ampoule_persistence::parked::StoredRun;
use ampoule_store::commit::Decision;
use ampoule_tools::{Error, Toolkit};

use super::{governed, session, step};
use crate::parked::{Backend, MainModule, Owner, ParkedRunState, RunFacts, Terms};
use crate::run::commit::{Durable, End, Places, later};
use crate::run::draft::Draft;
use crate::run::isolate::{Isolate, Origin};
use crate::runtime::Runtime;

/// Whether a run is parked.
#[derive(Clone, Default)]
pub(crate) struct Options {
    /// After how long; never, if nothing is said.
    pub(crate) after: Option<Duration>,
    /// Whether the outcome of a run that was resumed is kept.
    pub(crate) keeps_outcome: bool,
    /// What its embedder calls it.
    pub(crate) label: Option<Arc<str>>,
}

/// What keeps a run that may be parked. Where this is dropped before the run is over, so is the run.
#[derive(Default)]
pub(in crate::run) struct Open(Option<Box<ParkingStage>>);

/// What is on disk of a parked run that has come to its end.
pub(in crate::run) struct Ending(Option<Arc<Backend>>);

struct ParkingStage {
    backend: Arc<Backend>,
    after: Duration,
    /// What it continues from, until it does.
    from: Option<ParkedState>,
    /// The number of its session's newest run when it began.
    session_run: Option<u64>,
    keeps_outcome: bool,
    has_begun: bool,
    is_over: bool,
}

impl Isolate {
    /// Parks the script where it waits for calls or timers for so long: its isolate is given back,
    /// and what it is, is kept on [disk](crate::RuntimeBuilder::parked), until something has ended;
    /// then it continues in a new isolate. Its calls continue meanwhile, and its limits hold, wall
    /// time too. A client that waits for it sees that from its events and its
    /// [usage](crate::Usage::parked) alone. At least 10 ms. Default: [the
    /// runtime's](crate::RuntimeBuilder::park_after).
    ///
    /// A parked run outlives the process: [`Runtime::resume_parked`] resumes it in the next one.
    /// From then on, a call that can't be repeated leaves only after what asked for it is kept, so
    /// that none is made twice.
    ///
    /// What waits in the middle of a function (Python's `time.sleep` and `.result()`), and
    /// components, keep their isolate, see [`Runtime::waiting`].
    pub fn park_after(mut self, after: Duration) -> Self {
        self.request.stages.parked.after = Some(after.max(LEAST_PARK_AFTER));
        self
    }

    /// What the embedder calls it, in the [list](Runtime::parked) of parked runs. A run that resumes
    /// keeps its label, unless there is a new one.
    pub fn label(mut self, label: impl Into<Arc<str>>) -> Self {
        self.request.stages.parked.label = Some(label.into());
        self
    }

    /// Keeps the outcome of a run that was [resumed](Runtime::resume) until somebody
    /// [asks for it](Runtime::parked).
    pub fn keep_outcome(mut self) -> Self {
        self.request.stages.parked.keeps_outcome = true;
        self
    }
}

impl Options {
    /// What a run asks if nothing is said.
    pub(super) fn of(runtime: &Runtime) -> Self {
        Self {
            after: runtime.stores().park_after,
            keeps_outcome: false,
            label: None,
        }
    }

    /// What keeps the run while it is parked, if it may be. A dry run may not.
    pub(super) fn open(self, draft: &mut Draft) -> Result<Open, Error> {
        step("opens", "parked");
        let Some(after) = self.after.filter(|_| !draft.mode.is_dry_run()) else {
            return Ok(Open(None));
        };
        let resumed = match std::mem::replace(&mut draft.origin, Origin::New) {
            Origin::Parked(resumed) => Some(resumed),
            other => {
                draft.origin = other;
                None
            }
        };
        let parked = match resumed {
            Some(resumed) => {
                let mut parked = ParkingStage::resumed(draft, *resumed, after, self.label);
                parked.keeps_outcome = self.keeps_outcome;
                parked
            }
            None => ParkingStage::new(draft, after, self.label)?,
        };
        Ok(Open(Some(Box::new(parked))))
    }
}

impl ParkingStage {
    /// Of a run that begins.
    fn new(draft: &Draft, after: Duration, label: Option<Arc<str>>) -> Result<Self, Error> {
        // Where there is no place for them, that is said before it runs.
        draft.runtime.parked_runs()?;
        let main = match &draft.code {
            Code::Script(script) => MainModule {
                language: script.language(),
                name: script.name(),
                source: script.source(),
            },
            // It is kept alive.
            Code::Component(_) | Code::Call(_) | Code::Undo(_) => MainModule {
                language: Language::JavaScript,
                name: "",
                source: "",
            },
        };
        let setup = &draft.setup;
        let fixed = RunFacts::new(
            setup.principal.as_ref(),
            main,
            draft.runtime.guests().hash(draft.guest())?,
            Terms {
                grant: shared_grant(draft),
                limits: &setup.limits,
                after,
            },
            Owner {
                label,
                ..owner(draft)
            },
        );
        Ok(Self::of(draft, after, fixed, OnceLock::new()))
    }

    /// Of one that another process kept.
    fn resumed(
        draft: &Draft,
        resumed: ParkedRunState,
        after: Duration,
        label: Option<Arc<str>>,
    ) -> Self {
        let (run, mut about, notes) = resumed.into_parts();
        let owner = &mut about.fixed.owner;
        owner.label = label.or_else(|| owner.label.take());
        let mut parked = Self::of(draft, after, about.fixed, OnceLock::from(run));
        parked.backend.resumes_with(about.journal.calls().1);
        parked.session_run = Some(about.session_run);
        parked.from = Some(ParkedState {
            journal: about.journal,
            notes,
        });
        parked
    }

    fn of(draft: &Draft, after: Duration, fixed: RunFacts, run: OnceLock<StoredRun>) -> Self {
        let (id, principal) = (draft.setup.id, draft.setup.principal.clone());
        Self {
            backend: Backend::enter(&draft.runtime, id, principal, fixed, run),
            after,
            from: None,
            session_run: None,
            keeps_outcome: false,
            has_begun: false,
            is_over: false,
        }
    }

    async fn close(mut self: Box<Self>, ended: Result<Outcome, Error>) -> Result<Outcome, Error> {
        // Where the process ends, that is what cancels it.
        let is_cancelled =
            (ended.as_ref()).is_ok_and(|outcome| matches!(outcome.ending, RunEnding::Cancelled));
        let stays = is_cancelled && self.backend.process_ends();
        self.is_over = true;
        if stays || !self.backend.is_kept() {
            return ended;
        }
        let closed = match &ended {
            // Somebody else may continue with it.
            Err(_) => self.backend.release().await,
            Ok(outcome) if self.keeps_outcome => self.backend.end(outcome).await,
            Ok(_) => self.backend.forget().await,
        };
        if let Err(ParkingError(error)) = closed {
            tracing::error!(run = %self.backend.id(), error, "a finished run is still stored as a parked run");
        }
        ended
    }
}

impl Open {
    /// Whether the run can continue with the files of the draft.
    pub(super) fn check(&self, draft: &Draft) -> Result<(), Error> {
        let from = self.0.as_ref().and_then(|parked| parked.from.as_ref());
        let Some(had) = from.and_then(|from| from.journal.files()) else {
            return Ok(());
        };
        let fit = had.fit(draft.setup.files.there().map(|files| &**files));
        fit.map_err(|problem| {
            let (run, why) = (draft.setup.id, problem.advice_or_text());
            Error::request(format!("the run `{run}` can't resume here: {why}"))
        })
    }

    /// The run begins. It may be one of a session.
    pub(super) fn start(
        &mut self,
        draft: &mut Draft,
        session: &mut session::Open,
        governed: &governed::Open,
    ) {
        step("starts", "parked");
        let Some(parked) = &mut self.0 else { return };
        if let Some(oversight) = governed.oversight() {
            parked.backend.governed(oversight);
        }
        parked.has_begun = true;
        if let Some(newest) = session.newest() {
            match parked.session_run {
                Some(run) => session.since(run),
                None => parked.session_run = Some(newest),
            }
        }
        parked.backend.since(parked.session_run.unwrap_or(0));
        draft.setup.parking = Some(Box::new(Parking {
            after: parked.after,
            backend: Arc::clone(&parked.backend) as Arc<dyn ParkingBackend>,
            state: parked.from.take(),
        }));
    }

    /// What is on disk of the run, and has to end with what the run leaves.
    pub(super) fn ending(&self) -> Ending {
        let backend = self.0.as_ref().map(|parked| &parked.backend);
        Ending(backend.filter(|backend| backend.is_kept()).cloned())
    }

    /// The run is over: nothing of it is kept any more, or how it ended.
    pub(super) async fn close(self, ended: Result<Outcome, Error>) -> Result<Outcome, Error> {
        step("closes", "parked");
        match self.0 {
            None => ended,
            // Apart, since most runs are never parked.
            Some(parked) => Box::pin(parked.close(ended)).await,
        }
    }
}

impl Drop for ParkingStage {
    fn drop(&mut self) {
        self.backend.leave();
        if self.is_over || !self.backend.is_kept() {
            return;
        }
        // Where it is suspended, others may continue with it.
        let is_suspended = self.backend.is_suspended();
        if is_suspended || !self.backend.process_ends() {
            self.backend.give_up(self.has_begun && !is_suspended);
        }
    }
}

impl Durable for Ending {
    fn name(&self) -> &'static str {
        "parked"
    }

    fn is_little(&mut self) -> bool {
        self.0.is_none()
    }

    fn places(&self, _: &End) -> Places {
        Places {
            things: usize::from(self.0.is_some()),
            first: None,
        }
    }

    fn promise(&mut self, end: &mut End, decision: &Decision) -> Result<Vec<PathBuf>, String> {
        let Some(backend) = &self.0 else {
            return Ok(Vec::new());
        };
        let promised = backend.promise_end(&end.outcome, &untold(), decision);
        Ok(vec![promised.map_err(|problem| problem.to_string())?])
    }

    /// Where no other store has anything to keep, the run is removed when it is over.
    fn keep(&mut self, end: &mut End) {
        if let Some(backend) = self.0.as_ref().filter(|_| end.decision.is_some()) {
            later(backend.on_disk_now().and_then(|run| run.fulfil_end()));
        }
    }

    fn take_back(&mut self, _: &mut End, _: &str) {
        if let Some(Ok(run)) = self.0.as_ref().map(|backend| backend.on_disk_now()) {
            run.take_back_end();
        }
    }
}

/// The outcome of a run that has left all that it leaves.
fn untold() -> Outcome {
    let why = "the host stopped before it reported the outcome; what the run left is stored";
    let interrupted = InterruptedError {
        message: why.to_owned(),
    };
    let ending = RunEnding::Interrupted(interrupted);
    Outcome::new(ending, Output::default(), Usage::default())
}

/// The owner of the run, besides the principal, as it is stored while the run is parked.
fn owner(draft: &Draft) -> Owner {
    Owner {
        client: draft.client.clone(),
        tokens: draft.tokens.clone(),
        toolkit: draft.access.grant.toolkit().map(|toolkit| {
            let shared = toolkit.tools().iter();
            let shared = shared.filter(|pattern| !is_own(pattern.server(), draft));
            Toolkit::new(Arc::clone(toolkit.name()), shared.cloned().collect())
        }),
        script: match draft.runtime.governor() {
            Some(_) => governed::digest(&draft.code),
            None => String::new(),
        },
        plan: draft.mode.plan(),
        ..Owner::default()
    }
}

/// The grant, as far as it is of bindings that all runs have.
fn shared_grant(draft: &Draft) -> String {
    let grant = draft.access.grant.to_string();
    let patterns = grant.split(',').map(str::trim);
    let is_shared = |pattern: &&str| !is_own(pattern.split('.').next().unwrap_or_default(), draft);
    let shared: Vec<_> = patterns.filter(is_shared).collect();
    shared.join(",")
}

/// Whether a binding of this name is the run's alone.
fn is_own(server: &str, draft: &Draft) -> bool {
    let mut own = draft.access.bindings.iter();
    own.any(|binding| binding.name() == server)
}
