//! An isolate: one run, with what it may call and use, and who hears about it. What it asks of each
//! stage is said by methods that are in the stage's own file.

use std::sync::Arc;

use ampoule_isolate::{
    Code, Language, Listener, MemoryPlace, Resume, RunEvent, RunFiles, Script, Undo, World,
};
use ampoule_limits::Limits;
use ampoule_tools::{
    Binding, Catalog, Deadline, Error, Grant, GrantedTools, Layer, Layers, Principal, Respondent,
    RunId, Toolkit, Trace,
};

use super::stages::{StageOptions, governed, session, undo};
use crate::governed::{CarriedData, ExecutionMode, Requester};
use crate::guests::GuestKind;
use crate::parked::ParkedRunState;
use crate::runtime::Runtime;
use crate::undo::Claimable;

/// One run of a script or a component, before it runs. Nothing is granted to it until
/// [`grant`](Self::grant) says so.
///
/// Made by [`Runtime::isolate`]. Running consumes it.
#[must_use = "an isolate does nothing until it runs"]
pub struct Isolate {
    pub(super) id: RunId,
    pub(super) runtime: Runtime,
    pub(super) request: Request,
    pub(super) listener: Option<Listener>,
    pub(super) origin: Origin,
}

/// What a run is asked to be. A dry run of it is asked the same, so that what is added here is in
/// both.
#[derive(Clone)]
pub(super) struct Request {
    pub(super) code: Code,
    /// The guest that it runs in, where that does not follow from its script.
    pub(super) guest: Option<GuestKind>,
    pub(super) access: Access,
    pub(super) limits: Limits,
    pub(super) caller: Caller,
    pub(super) hooks: Hooks,
    pub(super) stages: StageOptions,
}

/// What a run may call.
#[derive(Clone)]
pub(super) struct Access {
    pub(super) grant: Grant,
    /// The bindings that no other run has.
    pub(super) bindings: Vec<Arc<dyn Binding>>,
}

/// The owner of a run.
#[derive(Clone, Default)]
pub(super) struct Caller {
    pub(super) principal: Option<Principal>,
    pub(super) client: Option<Arc<str>>,
    pub(super) tokens: Option<Arc<str>>,
    pub(super) trace: Option<Trace>,
}

/// What the embedder puts around a run.
#[derive(Clone)]
pub(super) struct Hooks {
    pub(super) layers: Layers,
    pub(super) respondent: Option<Arc<dyn Respondent>>,
    pub(super) world: Option<Arc<dyn World>>,
    /// Where its memory is put when it has returned.
    pub(super) memory_place: Option<MemoryPlace>,
}

/// Where a run comes from.
pub(super) enum Origin {
    /// It begins here.
    New,
    /// It is the rest of a run that was parked.
    Parked(Box<ParkedRunState>),
    /// It is run again, or runs on what it is given instead of the runtime's bindings.
    Replay(Box<ReplayInputs>),
    /// Another run makes it, by a call of a component.
    Nested(Box<NestedInputs>),
}

/// What a run that another one makes has of that.
pub(crate) struct NestedInputs {
    pub(crate) catalog: Catalog,
    pub(crate) layers: Layers,
    pub(crate) deadline: Deadline,
    pub(crate) principal: Option<Principal>,
    pub(crate) respondent: Option<Arc<dyn Respondent>>,
    pub(crate) trace: Option<Trace>,
}

/// What a run that is run again has instead of what its runtime has.
pub(crate) struct ReplayInputs {
    pub(crate) catalog: Catalog,
    pub(crate) session: Option<Box<Resume>>,
    /// Its files; those of other runs, if nothing is said.
    pub(crate) files: Option<RunFiles>,
    /// Whether its calls leave, as those of any run do.
    pub(crate) is_live: bool,
}

impl Request {
    /// The part of a catalog that the run sees.
    pub(super) fn granted(&self, catalog: Catalog) -> Result<GrantedTools, Error> {
        let tools = GrantedTools::new(catalog, self.access.grant.clone())?;
        Ok(tools.named_as(self.code.idiom()))
    }
}

impl Origin {
    /// Whether it is the first run of its code, and not the rest of one, or one that is run again.
    pub(super) fn is_new(&self) -> bool {
        matches!(self, Self::New)
    }

    /// Whether it is the rest of a run.
    pub(super) fn is_parked(&self) -> bool {
        matches!(self, Self::Parked(_))
    }

    /// Whether its calls leave as its own. Those of a nested run are calls of the outer run.
    pub(super) fn is_live(&self) -> bool {
        match self {
            Self::New | Self::Parked(_) => true,
            Self::Replay(inputs) => inputs.is_live,
            Self::Nested(_) => false,
        }
    }
}

impl Runtime {
    /// An isolate for one run of a script, or of a component.
    pub fn isolate(&self, code: impl Into<Code>) -> Isolate {
        Isolate::new(self.clone(), code.into().checked_as(self.check()))
    }
}

impl Isolate {
    pub(crate) fn new(runtime: Runtime, code: Code) -> Self {
        let request = Request {
            code,
            guest: None,
            access: Access {
                grant: Grant::none(),
                bindings: Vec::new(),
            },
            limits: *runtime.limits(),
            caller: Caller::default(),
            hooks: Hooks {
                layers: runtime.layers().clone(),
                respondent: None,
                world: None,
                memory_place: None,
            },
            stages: StageOptions::of(&runtime),
        };
        Self {
            id: RunId::new(),
            runtime,
            request,
            listener: None,
            origin: Origin::New,
        }
    }

    /// The same with other bindings, without the runtime's layers. It is never parked.
    pub(crate) fn replaying(mut self, inputs: ReplayInputs) -> Self {
        self.request.hooks.layers = Layers::default();
        self.request.stages.parked.after = None;
        self.origin = Origin::Replay(Box::new(inputs));
        self
    }

    /// The rest of a run that was parked.
    pub(crate) fn resuming(runtime: Runtime, script: Script, parked: ParkedRunState) -> Self {
        let mut isolate = Self::new(runtime, script.into());
        let Request {
            guest,
            limits,
            caller,
            stages,
            ..
        } = &mut isolate.request;
        isolate.id = parked.id();
        *guest = Some(parked.guest());
        *limits = parked.limits(isolate.runtime.ceilings());
        *caller = Caller {
            principal: parked.principal(),
            client: parked.owner().client.clone(),
            tokens: parked.owner().tokens.clone(),
            trace: None,
        };
        stages.parked.after.get_or_insert(parked.after());
        stages.governed.mode =
            (parked.owner().plan.clone()).map_or(ExecutionMode::Normal, ExecutionMode::Resumed);
        if let Some(session) = parked.session() {
            stages.session = session::Options {
                name: Some(session.name.clone()),
                keeps_always: session.always,
            };
        }
        isolate.origin = Origin::Parked(Box::new(parked));
        isolate
    }

    /// A dry run of the same, of which nobody hears.
    pub(super) fn dry_run(&self, mode: ExecutionMode) -> Self {
        let mut request = self.request.clone();
        request.stages.governed = governed::Options {
            is_previewed: false,
            mode,
        };
        Self {
            id: RunId::new(),
            runtime: self.runtime.clone(),
            request,
            listener: None,
            origin: Origin::New,
        }
    }

    /// The catalog that the run is to have.
    pub(super) fn catalog(&self) -> Result<Catalog, Error> {
        match &self.origin {
            Origin::Replay(inputs) => return Ok(inputs.catalog.clone()),
            Origin::Nested(inputs) => return Ok(inputs.catalog.clone()),
            Origin::New | Origin::Parked(_) => {}
        }
        let Request { access, caller, .. } = &self.request;
        let catalog = self.runtime.catalog_for(Requester {
            principal: caller.principal.as_ref(),
            client: caller.client.as_deref(),
            toolkit: access.grant.toolkit().map(Toolkit::name),
        });
        if access.bindings.is_empty() {
            return Ok(catalog);
        }
        catalog
            .with(access.bindings.clone())
            .map_err(|same| Error::request(same.to_string()))
    }

    /// It takes back the calls of a run that had read this, once.
    pub(crate) fn claiming(mut self, claimable: Claimable, carried: Vec<CarriedData>) -> Self {
        self.request.stages.undo = undo::Options {
            claimable: Some(claimable),
            carried,
        };
        self
    }

    /// What it takes back, if it was made by [`Runtime::undo`].
    pub fn undo(&self) -> Option<&Undo> {
        undo::of(&self.request.code)
    }

    /// What tells its run apart from all other runs.
    pub fn id(&self) -> RunId {
        self.id
    }

    /// What it may call. Default: nothing.
    pub fn grant(mut self, grant: Grant) -> Self {
        self.request.access.grant = grant;
        self
    }

    /// What it may call, as it is now: of a run that [resumes](Runtime::resume), what it was granted.
    pub fn granted(&self) -> &Grant {
        &self.request.access.grant
    }

    /// Gives it a binding that no other run has. It must be granted like the others. Policies of
    /// governance know nothing of it, and have no say in its calls.
    pub fn binding(mut self, binding: impl Binding) -> Self {
        self.request.access.bindings.push(Arc::new(binding));
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
        self.request.limits = limits;
        Ok(self)
    }

    /// The language of its script, if it runs one.
    pub fn language(&self) -> Option<Language> {
        match &self.request.code {
            Code::Script(script) => Some(script.language()),
            Code::Component(_) | Code::Call(_) | Code::Undo(_) => None,
        }
    }

    /// What it may use, as it is now.
    pub fn allowed(&self) -> &Limits {
        &self.request.limits
    }

    /// Puts something between the run and its bindings, inside what the runtime's layers and
    /// earlier ones do.
    pub fn layer(mut self, layer: impl Layer) -> Self {
        let layers = &mut self.request.hooks.layers;
        *layers = layers.with(layer);
        self
    }

    /// Gives it a world other than the system's: other clocks and entropy, another order in which
    /// calls end. With [`Recording`](crate::Recording) and [`Replay`](crate::Replay), the same run
    /// twice.
    pub fn world(mut self, world: impl World) -> Self {
        self.request.hooks.world = Some(Arc::new(world));
        self
    }

    /// The guest that its script runs in. Default: which the script needs.
    pub(crate) fn in_guest(mut self, guest: GuestKind) -> Self {
        self.request.guest = Some(guest);
        self
    }

    /// Puts all of its memory there when it has returned.
    pub(crate) fn leaving_memory(mut self, place: MemoryPlace) -> Self {
        self.request.hooks.memory_place = Some(place);
        self
    }

    /// On whose behalf it happens. Calls carry it; and isolates, calls and time to compute are
    /// shared between those who are named.
    pub fn principal(mut self, principal: impl Into<Principal>) -> Self {
        self.request.caller.principal = Some(principal.into());
        self
    }

    /// By which client it happens, as that calls itself: policies may go by it, and people who are
    /// asked learn that.
    pub fn client(mut self, name: impl Into<Arc<str>>) -> Self {
        self.request.caller.client = Some(name.into());
        self
    }

    /// Among which runs of the [principal](Self::principal) a token stands for the same personal
    /// data, where governance puts tokens in its place: those with the same text here. Default: those
    /// of its [session](Self::session), or this run alone.
    pub fn tokens(mut self, among: impl Into<Arc<str>>) -> Self {
        self.request.caller.tokens = Some(among.into());
        self
    }

    /// The respondent of what servers ask during its calls (elicitation). Default: none, and
    /// servers are refused. Servers learn what they may ask when they are greeted: before the first
    /// run, say so with [`GrantedTools::can_be_answered`](crate::GrantedTools::can_be_answered).
    pub fn respondent(mut self, respondent: impl Respondent) -> Self {
        self.request.hooks.respondent = Some(Arc::new(respondent));
        self
    }

    /// Where it belongs in a distributed trace. Its calls carry that to the systems behind them.
    pub fn trace(mut self, trace: Trace) -> Self {
        self.request.caller.trace = Some(trace);
        self
    }

    /// Tells `listener` what happens in the run as it happens: output as it is printed, calls as
    /// they start and end. It is called where that happens, and must not block. For listeners that
    /// may block, there is [`Run::events`](crate::Run::events).
    pub fn on_event(mut self, listener: impl FnMut(&RunEvent) + Send + 'static) -> Self {
        self.listener = Some(Box::new(listener));
        self
    }
}
