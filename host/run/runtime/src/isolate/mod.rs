//! An isolate: one run, with what it may call and use, and who hears about it.
//!
//! - `beginning`: what it has before anything is waited for
//! - `governed`: how it passes governance
//! - `running`: carrying it out, to its outcome

mod beginning;
mod governed;
mod running;

use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use ampoule_isolate::{
    Code, EventLog, LEAST_PARK_AFTER, Listener, Outcome, Resume, RunEvent, RunFiles, Script, World,
};
use ampoule_limits::Limits;
use ampoule_records::Keep;
use ampoule_tools::{
    Binding, Catalog, Error, Grant, Layer, Layers, Principal, Respondent, RunId, Trace,
};
use ampoule_workspace::Tree;
use futures::future::BoxFuture;
use tracing::{Instrument, Span};

use crate::governed::Course;
use crate::parked::Resumed;
use crate::run::{Cancel, Run};
use crate::runtime::Runtime;
use crate::session::Wanted;
use crate::workspace;
use running::Brought;

/// One run of a script or a component, before it runs. Nothing is granted to it until
/// [`grant`](Self::grant) says so.
///
/// Made by [`Runtime::isolate`]. Running consumes it.
#[must_use = "an isolate does nothing until it runs"]
pub struct Isolate {
    id: RunId,
    runtime: Runtime,
    code: Code,
    grant: Grant,
    own_bindings: Vec<Arc<dyn Binding>>,
    limits: Limits,
    layers: Layers,
    principal: Option<Principal>,
    respondent: Option<Arc<dyn Respondent>>,
    trace: Option<Trace>,
    world: Option<Arc<dyn World>>,
    listener: Option<Listener>,
    session: Option<String>,
    keep_always: bool,
    /// Whether it leaves a record, if that is not as the runtime says.
    keep: Option<Keep>,
    /// What it has instead of the runtime's bindings, and of a session, where it is run again.
    instead: Option<Box<Instead>>,
    park_after: Option<Duration>,
    resumed: Option<Box<Resumed>>,
    outcome_is_kept: bool,
    workspace: workspace::Wanted,
    introduced: Option<Box<Introduced>>,
}

/// What is known of whoever has a run, besides the principal.
#[derive(Clone, Default)]
struct Introduced {
    client: Option<Arc<str>>,
    tokens: Option<Arc<str>>,
    /// Whether it is tried first.
    is_previewed: bool,
    course: Course,
}

impl Isolate {
    pub(crate) fn new(runtime: Runtime, code: Code) -> Self {
        let (limits, layers) = (*runtime.limits(), runtime.layers().clone());
        let park_after = runtime.park_after();
        Self {
            id: RunId::new(),
            runtime,
            code,
            grant: Grant::none(),
            own_bindings: Vec::new(),
            limits,
            layers,
            principal: None,
            respondent: None,
            trace: None,
            world: None,
            listener: None,
            session: None,
            keep_always: false,
            keep: None,
            instead: None,
            park_after,
            resumed: None,
            outcome_is_kept: false,
            workspace: workspace::Wanted::default(),
            introduced: None,
        }
    }

    /// The same with other bindings, without the runtime's layers. It is never parked.
    pub(crate) fn instead(mut self, instead: Instead) -> Self {
        (self.layers, self.instead) = (Layers::default(), Some(Box::new(instead)));
        self.park_after = None;
        self
    }

    /// The rest of a run that was parked.
    pub(crate) fn resuming(runtime: Runtime, script: Script, resumed: Resumed) -> Self {
        let mut isolate = Self::new(runtime, script.into());
        isolate.park_after = isolate.park_after.or(Some(resumed.after()));
        isolate.id = resumed.id();
        isolate.limits = resumed.limits(isolate.runtime.ceilings());
        isolate.principal = resumed.principal();
        isolate.introduced = Some(Box::new(Introduced {
            client: resumed.whose().client.clone(),
            tokens: resumed.whose().tokens.clone(),
            is_previewed: false,
            course: (resumed.whose().plan.clone()).map_or(Course::Straight, Course::Again),
        }));
        if let Some(Wanted { name, always }) = resumed.session() {
            (isolate.session, isolate.keep_always) = (Some(name), always);
        }
        isolate.resumed = Some(Box::new(resumed));
        isolate
    }

    /// What tells its run apart from all other runs.
    pub fn id(&self) -> RunId {
        self.id
    }

    /// What it may call. Default: nothing.
    pub fn grant(mut self, grant: Grant) -> Self {
        self.grant = grant;
        self
    }

    /// Gives it a binding that no other run has. It must be granted like the others. Policies of
    /// governance know nothing of it, and have no say in its calls.
    pub fn binding(mut self, binding: impl Binding) -> Self {
        self.own_bindings.push(Arc::new(binding));
        self
    }

    /// What it may use. Default: [`Runtime::limits`].
    ///
    /// # Errors
    ///
    /// A request error if one is above the [ceiling](Runtime::ceilings), or below the
    /// [least](crate::Limit::least).
    pub fn limits(mut self, limits: Limits) -> Result<Self, Error> {
        if let Some((limit, problem)) = limits.problem() {
            return Err(Error::request(format!("the limit `{limit}`: {problem}")));
        }
        if let Some((limit, asked, ceiling)) = limits.above(self.runtime.ceilings()) {
            let unit = limit.unit();
            let problem = format!(
                "the limit `{limit}` is {asked} {unit}, above the ceiling of {ceiling} {unit}"
            );
            return Err(Error::request(problem));
        }
        self.limits = limits;
        Ok(self)
    }

    /// Puts something between the run and its bindings, inside what the runtime's layers and
    /// earlier ones do.
    pub fn layer(mut self, layer: impl Layer) -> Self {
        self.layers = self.layers.with(layer);
        self
    }

    /// Gives it a world other than the system's: other clocks and entropy, another order in which
    /// calls end. With [`Recording`](crate::Recording) and [`Replay`](crate::Replay), the same run
    /// twice.
    pub fn world(mut self, world: impl World) -> Self {
        self.world = Some(Arc::new(world));
        self
    }

    /// On whose behalf it happens. Calls carry it; and isolates, calls and time to compute are
    /// shared between those who are named.
    pub fn principal(mut self, principal: impl Into<Principal>) -> Self {
        self.principal = Some(principal.into());
        self
    }

    /// By which client it happens, as that calls itself: policies may go by it, and people who are
    /// asked are told.
    pub fn client(mut self, name: impl Into<Arc<str>>) -> Self {
        self.introduced.get_or_insert_default().client = Some(name.into());
        self
    }

    /// Among which runs of the [principal](Self::principal) a token stands for the same personal
    /// data, where governance puts tokens in its place: those with the same text here. Default: those
    /// of its [session](Self::session), or this run alone.
    pub fn tokens(mut self, among: impl Into<Arc<str>>) -> Self {
        self.introduced.get_or_insert_default().tokens = Some(among.into());
        self
    }

    /// Tries it first: calls of tools that do not say that they only read are recorded instead of
    /// made, with an example of what their tools' schemas say for an answer, or an error. A person
    /// approves the plan; then it runs, and of what may change something makes exactly these calls,
    /// in this order. What is tried leaves nothing: no session, no file, no skill. If it does not
    /// come to its end, that is the outcome, and nothing was done. Needs governance that asks people.
    pub fn preview(mut self) -> Self {
        self.introduced.get_or_insert_default().is_previewed = true;
        self
    }

    /// Who answers what servers ask during its calls. Default: nobody, and servers are refused.
    /// Servers are told what they may ask when they are greeted: before the first run, say so with
    /// [`GrantedTools::can_be_answered`](crate::GrantedTools::can_be_answered).
    pub fn respondent(mut self, respondent: impl Respondent) -> Self {
        self.respondent = Some(Arc::new(respondent));
        self
    }

    /// Where it belongs in a distributed trace. Its calls carry that to the systems behind them.
    pub fn trace(mut self, trace: Trace) -> Self {
        self.trace = Some(trace);
        self
    }

    /// Makes it a run of a session: the script finds what the [kept](crate::SessionEnd::kept) runs of
    /// this name left, of the same [principal](Self::principal), and leaves its own top-level names
    /// to the next one. It is kept if it comes to its end: a run that throws, hits a limit or is
    /// cancelled leaves the session as it was. One run of a session is under way at a time; others
    /// wait, as long as they would for an isolate. The grant and the limits are the run's own, as
    /// are its clocks and its entropy.
    pub fn session(mut self, name: impl Into<String>) -> Self {
        self.session = Some(name.into());
        self
    }

    /// Keeps what a run of a session left where it threw, too. After a limit, and where it was
    /// cancelled, there is nothing to keep: it was in the middle of something.
    pub fn keep_always(mut self) -> Self {
        self.keep_always = true;
        self
    }

    /// Whether it leaves a record, in a runtime that has [room](crate::RuntimeBuilder::records) for
    /// some. Default: as the runtime says.
    pub fn record(mut self, keep: Keep) -> Self {
        self.keep = Some(keep);
        self
    }

    /// Parks the script where it waits for calls or timers for so long: its isolate is given back, and
    /// what it is, is kept on [disk](crate::RuntimeBuilder::parked), until something has ended; then
    /// it goes on in a new isolate. Its calls go on meanwhile, and its limits hold, wall time too.
    /// Whoever waits for it sees that from its events and its [usage](crate::Usage::parked) alone.
    /// At least 10 ms. Default: [the runtime's](crate::RuntimeBuilder::park_after).
    ///
    /// A parked run outlives the process: [`Runtime::resume_parked`] goes on with it in the next
    /// one. From then on, a call that can't be repeated leaves only after what asked for it is
    /// kept, so that none is made twice.
    ///
    /// What waits in the middle of a function (Python's `time.sleep` and `.result()`), and
    /// components, keep their isolate, see [`Runtime::waiting`].
    pub fn park_after(mut self, after: Duration) -> Self {
        self.park_after = Some(after.max(LEAST_PARK_AFTER));
        self
    }

    /// Keeps the outcome of a run that was [resumed](Runtime::resume) until somebody
    /// [asks for it](Runtime::parked).
    pub fn keep_outcome(mut self) -> Self {
        self.outcome_is_kept = true;
        self
    }

    /// Gives it this workspace, and not that of its [principal](Self::principal). What it writes is
    /// there for others when it has come to its end, all at once; a run that throws, hits a limit or
    /// is cancelled leaves nothing. `/tmp` stays in memory.
    pub fn workspace(mut self, workspace: Arc<Tree>) -> Self {
        self.workspace = workspace::Wanted::This(workspace);
        self
    }

    /// Gives it no files, whatever the runtime has. It has those that it makes in memory.
    pub fn no_files(mut self) -> Self {
        self.workspace = workspace::Wanted::None;
        self
    }

    /// Tells `listener` what happens in the run as it happens: output as it is printed, calls as
    /// they start and end. It is called where that happens, and must not block. For listeners that
    /// may block, there is [`Run::events`].
    pub fn on_event(mut self, listener: impl FnMut(&RunEvent) + Send + 'static) -> Self {
        self.listener = Some(Box::new(listener));
        self
    }

    /// Starts the code, and returns a handle to the run: to listen to it, to cancel it, to wait for
    /// its outcome. Needs Tokio, with its timers.
    ///
    /// # Errors
    ///
    /// A request error if the grant or a binding can't be used, or there is no Tokio. What can't be
    /// known before the run's guest is ready is an error of [`Run::outcome`].
    pub async fn start(mut self) -> Result<Run, Error> {
        let tokio = tokio()?;
        let (log, cancel) = (Arc::<EventLog>::default(), Cancel::new());
        let mut beginning = self.beginning()?;
        beginning.observers.log(Arc::clone(&log));
        let (id, deadline) = (beginning.id, beginning.deadline.clone());
        let gauge = beginning.gauge.clone();
        let cancelled = {
            let cancel = cancel.clone();
            async move { cancel.cancelled().await }
        };
        let span = self.span(id);
        let running = tokio.spawn(self.until_over(beginning, cancelled).instrument(span));
        Ok(Run::new(id, (log, deadline, gauge), cancel, running))
    }

    /// Runs the code to its end: the short form of [`start`](Self::start). Needs Tokio, with its
    /// timers; dropping the future ends the run and its calls at once.
    ///
    /// # Errors
    ///
    /// Host faults, see [`Error`]; and a request error for a component that imports what it is not
    /// granted, or what does not exist. Whatever the code does is an [`Outcome`].
    pub async fn run(mut self) -> Result<Outcome, Error> {
        tokio()?;
        let beginning = self.beginning()?;
        let span = self.span(beginning.id);
        // In a box: it is large, and would be moved several times on its way. Of no type that is
        // seen: who holds it need not find out again what all is in it.
        let running: BoxFuture<'_, _> = Box::pin(self.until_over(beginning, pending()));
        running.instrument(span).await
    }

    /// Makes the isolate, instance and all, and drops it without running the code: the floor under
    /// the cost of any run, for measurements.
    ///
    /// # Errors
    ///
    /// As for [`run`](Self::run).
    pub async fn instantiate(mut self) -> Result<(), Error> {
        tokio()?;
        let (beginning, runtime) = (self.beginning()?, self.runtime.clone());
        let ready = self.ready(&runtime, beginning, Brought::default()).await?;
        ready.instantiate().await
    }

    /// The code, what it is granted, its limits, and whose it is.
    pub(crate) fn described(&self) -> (&Code, &Grant, &Limits, Option<&Principal>) {
        let principal = self.principal.as_ref();
        (&self.code, &self.grant, &self.limits, principal)
    }

    /// What the log's events in the run are within: of the level `ERROR`, so that it is there
    /// wherever any event is. Where nobody listens it costs nothing.
    fn span(&self, run: RunId) -> Span {
        let principal = self.principal.as_ref().map(tracing::field::display);
        tracing::error_span!("run", %run, principal)
    }
}

/// What a run that is run again has instead of what its runtime has.
pub(crate) struct Instead {
    pub(crate) catalog: Catalog,
    pub(crate) session: Option<Box<Resume>>,
    /// Its files; those of other runs, if nothing is said.
    pub(crate) files: Option<RunFiles>,
    /// Whether its calls leave, as those of any run do.
    pub(crate) is_live: bool,
}

/// Tokio, whose task this is.
fn tokio() -> Result<tokio::runtime::Handle, Error> {
    tokio::runtime::Handle::try_current()
        .map_err(|_| Error::request("runs need Tokio: make a runtime with `ampoule::executor()`, and run them inside its `block_on`"))
}
