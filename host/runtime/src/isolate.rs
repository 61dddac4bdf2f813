//! An isolate, before it runs: what it may call and use, and who hears about it.

use std::future::pending;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use ampoule_isolate::{
    Code, Ending, Event, EventLog, Gauge, Guest, LEAST_PARK_AFTER, Language, Listener, Observers,
    Outcome, Output, Parking, Prepared, Resume, RunEvent, RunSetup, Script, Usage, Work, World,
};
use ampoule_limits::Limits;
use ampoule_records::Keep;
use ampoule_tools::{
    Binding, Catalog, Deadline, Error, Grant, GrantedTools, Layer, Layers, Principal, Respondent,
    RunId, Trace,
};
use ampoule_workspace::{Files, Tree};
use tokio::task::spawn_blocking;
use tracing::{Instrument, Span};

use crate::parked::{Facts, Kept, Resumed};
use crate::record::Recording;
use crate::run::{Cancel, Run};
use crate::runtime::Runtime;
use crate::session::{Opened, Wanted};
use crate::shard::Shard;
use crate::skills::{self, Noted, Notes};
use crate::workspace;

/// One run of a script or a component, before it runs. Nothing is granted to it until
/// [`grant`](Self::grant) says so.
///
/// Made by [`Runtime::isolate`]. Running consumes it.
#[must_use = "an isolate does nothing until it runs"]
pub struct Isolate {
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
}

impl Isolate {
    pub(crate) fn new(runtime: Runtime, code: Code) -> Self {
        let (limits, layers) = (*runtime.limits(), runtime.layers().clone());
        let park_after = runtime.park_after();
        Self {
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
        isolate.limits = resumed.limits(isolate.runtime.ceilings());
        isolate.principal = resumed.principal();
        if let Some(Wanted { name, always }) = resumed.session() {
            (isolate.session, isolate.keep_always) = (Some(name), always);
        }
        isolate.resumed = Some(Box::new(resumed));
        isolate
    }

    /// What it may call. Default: nothing.
    pub fn grant(mut self, grant: Grant) -> Self {
        self.grant = grant;
        self
    }

    /// Gives it a binding that no other run has. It must be granted like the others.
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

    /// Who answers what servers ask during its calls. Default: nobody, and servers are refused.
    /// Servers are told what they may ask when they are greeted: before the first run, say so with
    /// [`GrantedTools::can_be_answered`].
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
    /// is cancelled leaves nothing.
    pub fn workspace(mut self, workspace: Arc<Tree>) -> Self {
        self.workspace = workspace::Wanted::This(workspace);
        self
    }

    /// Gives it no files, whatever the runtime has.
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
        let running = self.until_over(beginning, pending());
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

    async fn until_over(
        mut self,
        beginning: Beginning,
        cancelled: impl Future<Output = ()>,
    ) -> Result<Outcome, Error> {
        let (runtime, mut cancelled) = (self.runtime.clone(), pin!(cancelled));
        if self.imports_skills() {
            Box::pin(self.give_skills()).await?;
        }
        let mut kept = self.kept(&beginning)?;
        let recording = beginning.recording.clone();
        let recorded = recording.as_ref().map(|it| Box::new(it.describe(&self)));
        let (mut opened, mut resume) = match self.session.take() {
            None => (None, None),
            // Apart, since most runs are of no session: what this keeps would be in all of them.
            Some(name) => tokio::select! {
                biased;
                opened = Box::pin(self.opened(name)) => opened.map(|(opened, resume)| (Some(opened), Some(resume)))?,
                () = &mut cancelled => return over(kept, Ok(never_begun())).await,
            },
        };
        let files = Box::pin(self.files()).await?;
        if let Some(instead) = &mut self.instead {
            resume = instead.session.take();
        }
        if let (Some(recording), Some(recorded)) = (&recording, recorded) {
            let run = opened.as_deref().map(Opened::run);
            Box::pin(recording.begin(recorded, run.zip(resume.as_deref()))).await;
        }
        let parking = kept
            .as_mut()
            .map(|kept| Box::new(kept.parking(opened.as_deref_mut())));
        let brought = Brought {
            session: resume,
            parking,
            files: files.clone(),
        };
        let ready = tokio::select! {
            biased;
            ready = self.ready(&runtime, beginning, brought) => ready?,
            () = &mut cancelled => return over(kept, Ok(never_begun())).await,
        };
        let mut outcome = ready.run(cancelled).await;
        let used_files = files.as_ref().is_some_and(|files| files.are_used());
        if let (Some(files), Ok(outcome)) = (files, &mut outcome) {
            Box::pin(workspace::close(files, outcome)).await;
        }
        if let (Some(opened), Ok(outcome)) = (opened, &mut outcome) {
            Box::pin(opened.close(outcome)).await;
        }
        if let Some(recording) =
            recording.and_then(|it| it.unless(used_files, outcome.as_ref().ok()))
        {
            outcome = match outcome {
                Ok(ended) => Ok(Box::pin(recording.end(ended)).await),
                Err(error) => Err(error),
            };
        }
        over(kept, outcome).await
    }

    /// The code, what it is granted, its limits, and whose it is.
    pub(crate) fn described(&self) -> (&Code, &Grant, &Limits, Option<&Principal>) {
        let principal = self.principal.as_ref();
        (&self.code, &self.grant, &self.limits, principal)
    }

    /// Whether it may import skills. The rest of a run has what it began with, and so does one that
    /// is run again.
    fn imports_skills(&self) -> bool {
        let is_first = self.resumed.is_none() && self.instead.is_none();
        let is_script =
            |code: &Code| matches!(code, Code::Script(script) if skills::mentions(script));
        is_first && self.runtime.has_skills() && is_script(&self.code)
    }

    /// Puts the skills that the script imports among its modules.
    async fn give_skills(&mut self) -> Result<(), Error> {
        let Code::Script(script) = &self.code else {
            return Ok(());
        };
        let (runtime, principal) = (self.runtime.clone(), self.principal.clone());
        let script = script.clone();
        let give = move || {
            let visible = runtime.visible_skills(principal.as_ref())?;
            Ok(skills::given(script, &visible))
        };
        let given = spawn_blocking(give).await;
        let given = given.unwrap_or_else(|error| Err(Error::host("skills were not read", error)));
        self.code = Code::Script(given?);
        Ok(())
    }

    /// What notes the answers that its calls get, if it may save skills.
    fn noted(&self, id: RunId, catalog: &Catalog) -> Result<Option<Noted>, Error> {
        let (Some(kept), Code::Script(script)) = (self.runtime.kept_skills(), &self.code) else {
            return Ok(None);
        };
        if !self.imports_skills() {
            return Ok(None);
        }
        let tools = self.tools(catalog.clone())?;
        let notes = Notes::of(id, &kept.noted, script.language(), tools);
        Ok(Some(Noted(notes)))
    }

    /// What keeps the run while it is parked, if it may be.
    fn kept(&mut self, beginning: &Beginning) -> Result<Option<Box<Kept>>, Error> {
        let Some(after) = self.park_after else {
            return Ok(None);
        };
        let facts = Facts {
            run: beginning.id,
            principal: self.principal.clone(),
            limits: self.limits,
            grant: beginning.grant.clone(),
            after,
        };
        let code = &self.code;
        let kept = match self.resumed.take() {
            Some(resumed) => Kept::resumed(&self.runtime, facts, *resumed, self.outcome_is_kept),
            None => Kept::new(&self.runtime, facts, code)?,
        };
        Ok(Some(Box::new(kept)))
    }

    /// The files that it has.
    async fn files(&mut self) -> Result<Option<Arc<Files>>, Error> {
        let (runtime, principal) = (self.runtime.clone(), self.principal.clone());
        let wanted = std::mem::take(&mut self.workspace);
        if !runtime.files().gives(&wanted) {
            return Ok(None);
        }
        let opened = spawn_blocking(move || runtime.files().files(wanted, principal.as_ref()));
        let opened = opened.await;
        opened.unwrap_or_else(|error| Err(Error::host("the workspace was not opened", error)))
    }

    /// The session that it is to be a run of, with what it begins with.
    async fn opened(&mut self, name: String) -> Result<(Box<Opened>, Box<Resume>), Error> {
        let Code::Script(script) = &mut self.code else {
            return Err(Error::request("a component can't be a run of a session"));
        };
        let always = self.keep_always;
        let (wanted, principal) = (Wanted { name, always }, self.principal.as_ref());
        let opening = Opened::open(&self.runtime, principal, wanted, script.language());
        let (opened, resume) = opening.await?;
        opened.name(script);
        Ok((Box::new(opened), Box::new(resume)))
    }

    /// Waits for the guest to be compiled and for a slot. The run's clock starts after that.
    async fn ready(
        self,
        runtime: &Runtime,
        beginning: Beginning,
        brought: Brought,
    ) -> Result<Prepared<'_>, Error> {
        let Beginning {
            id,
            grant: _,
            tools,
            deadline,
            mut observers,
            gauge,
            recording: _,
        } = beginning;
        let bytes = self.code.bytes();
        let (engine, work) = match self.code {
            Code::Script(script) => {
                let shard = runtime.shard().await?;
                let guest = ready_guest(shard, script.language(), &mut observers).await?;
                (shard.engine(), Work::Script(guest, script))
            }
            Code::Component(component) => {
                let components = runtime.components().await?;
                let whose = (&self.limits, self.principal.as_ref());
                let granted = components.grant(&component, &tools, whose).await?;
                let component = component.without_code();
                (components.engine(), Work::Component(granted, component))
            }
        };
        let Brought {
            session,
            parking,
            files,
        } = brought;
        let is_parked = parking
            .as_ref()
            .is_some_and(|parking| parking.kept.is_some());
        let place = match is_parked {
            true => None,
            false => {
                let place = runtime.place(self.principal.as_ref(), work.memories());
                Some(place.await?)
            }
        };
        let setup = RunSetup {
            id,
            principal: self.principal,
            limits: self.limits,
            tools,
            layers: self.layers,
            respondent: self.respondent,
            trace: self.trace,
            deadline,
            world: self.world,
            observers,
            gauge,
            session,
            parking,
            files,
        };
        match place {
            Some(place) => Prepared::new((engine, place), work, bytes, setup),
            None => Ok(Prepared::parked(work, setup)),
        }
    }

    /// What the log's events in the run are within: of the level `ERROR`, so that it is there
    /// wherever any event is. Where nobody listens it costs nothing.
    fn span(&self, run: RunId) -> Span {
        let principal = self.principal.as_ref().map(tracing::field::display);
        tracing::error_span!("run", %run, principal)
    }

    fn beginning(&mut self) -> Result<Beginning, Error> {
        let resumed = self.resumed.as_deref();
        let id = resumed.map_or_else(RunId::new, Resumed::id);
        // The rest of a run can't be run again.
        let recording = match resumed {
            Some(_) => None,
            None => Recording::of(
                &self.runtime,
                self.principal.as_ref(),
                (id, &self.code, self.keep),
            ),
        };
        let mut catalog = self.catalog()?;
        if let Some(noted) = self.noted(id, &catalog)? {
            self.layers = self.layers.within(noted);
        }
        if let Some(recording) = &recording {
            catalog = recording.watch(&catalog);
            self.layers = recording.around(&self.layers);
            self.world = Some(recording.world(self.world.take()));
        }
        let (grant, tools) = (self.grant_without_own(), self.tools(catalog)?);
        let mut observers = Observers::of(id);
        observers.listener(self.listener.take());
        Ok(Beginning {
            id,
            tools,
            grant,
            deadline: Deadline::after(self.limits.wall_time),
            observers,
            gauge: Gauge::default(),
            recording,
        })
    }

    /// The grant, as far as it is of bindings that all runs have.
    fn grant_without_own(&self) -> String {
        if self.park_after.is_none() {
            return String::new();
        }
        let own = |pattern: &&str| {
            let mut own = self.own_bindings.iter();
            own.any(|binding| pattern.split('.').next() == Some(binding.name()))
        };
        let grant = self.grant.to_string();
        let shared: Vec<_> = grant
            .split(',')
            .map(str::trim)
            .filter(|pattern| !own(pattern))
            .collect();
        shared.join(",")
    }

    /// The part of the catalog that the run sees.
    fn tools(&self, catalog: Catalog) -> Result<GrantedTools, Error> {
        let tools = GrantedTools::new(catalog, self.grant.clone())?;
        Ok(tools.named_as(self.code.idiom()))
    }

    fn catalog(&self) -> Result<Catalog, Error> {
        if let Some(instead) = &self.instead {
            return Ok(instead.catalog.clone());
        }
        if self.own_bindings.is_empty() {
            return Ok(self.runtime.catalog().clone());
        }
        self.runtime
            .catalog()
            .with(self.own_bindings.clone())
            .map_err(|same| Error::request(same.to_string()))
    }
}

/// What a run that is run again has instead of what its runtime has.
pub(crate) struct Instead {
    pub(crate) catalog: Catalog,
    pub(crate) session: Option<Box<Resume>>,
}

/// What outlives the run, as far as the run has it.
#[derive(Default)]
struct Brought {
    session: Option<Box<Resume>>,
    parking: Option<Box<Parking>>,
    files: Option<Arc<Files>>,
}

/// What a run has before anything is waited for.
struct Beginning {
    id: RunId,
    tools: GrantedTools,
    /// What it is granted of what all runs may be.
    grant: String,
    deadline: Deadline,
    observers: Observers,
    gauge: Gauge,
    recording: Option<Recording>,
}

/// Tokio, whose task this is.
fn tokio() -> Result<tokio::runtime::Handle, Error> {
    tokio::runtime::Handle::try_current()
        .map_err(|_| Error::request("runs need Tokio: make a runtime with `ampoule::executor()`, and run them inside its `block_on`"))
}

/// The guest of a language. Whoever listens is told if that takes seconds.
async fn ready_guest<'shard>(
    shard: &'shard Shard,
    language: Language,
    observers: &mut Observers,
) -> Result<&'shard Guest, Error> {
    if let Some(guest) = shard.ready(language) {
        return Ok(guest);
    }
    if !observers.any() || shard.was_kept(language).await? {
        return shard.guest(language).await;
    }
    observers.tell(|| Event::compiling(language));
    let guest = shard.guest(language).await?;
    observers.tell(|| Event::compiled(language));
    Ok(guest)
}

/// The outcome of a run that was cancelled while it waited for its turn.
fn never_begun() -> Outcome {
    Outcome::new(Ending::Cancelled, Output::default(), Usage::default())
}

/// The run is over, and nothing of it is kept any longer. Apart, since most runs are never parked.
async fn over(kept: Option<Box<Kept>>, outcome: Result<Outcome, Error>) -> Result<Outcome, Error> {
    match kept {
        None => outcome,
        Some(kept) => Box::pin(kept.over(outcome)).await,
    }
}
