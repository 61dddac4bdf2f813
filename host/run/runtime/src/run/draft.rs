//! A run before it runs: what the isolate's side begins with, as far as the stages have it.

use std::sync::Arc;

use ampoule_isolate::{
    Code, Event, Gauge, Guest, Language, Observers, ReadyRun, RunFiles, RunSetup, Work,
};
use ampoule_tools::{Catalog, Deadline, Error};

use super::import_advice::ImportAdvice;
use super::isolate::{Access, Caller, Hooks, Isolate, Origin, Request};
use crate::governed::{CarriedData, ExecutionMode};
use crate::guests::GuestKind;
use crate::runtime::Runtime;
use crate::shard::{Runs, Shard};

/// A run before it runs. Each stage puts in what it has for the run.
pub(super) struct Draft {
    pub(super) runtime: Runtime,
    pub(super) code: Code,
    /// The guest that it runs in, where that does not follow from its script.
    pub(super) guest: Option<GuestKind>,
    pub(super) access: Access,
    pub(super) client: Option<Arc<str>>,
    pub(super) tokens: Option<Arc<str>>,
    pub(super) origin: Origin,
    pub(super) mode: ExecutionMode,
    /// What is known of what it did elsewhere, if it was parked.
    pub(super) past: Option<Box<History>>,
    /// What those had read who left what it begins with.
    pub(super) carried: Vec<CarriedData>,
    /// What the isolate's side is given.
    pub(super) setup: RunSetup,
}

/// What a run did before it was parked.
pub(super) struct History {
    /// What it had read.
    pub(super) carried: Vec<CarriedData>,
    /// The digest of its script.
    pub(super) script: String,
}

impl Draft {
    /// The name of the toolkit that it is within.
    pub(super) fn toolkit(&self) -> Option<Arc<str>> {
        let toolkit = self.access.grant.toolkit();
        toolkit.map(|toolkit| Arc::clone(toolkit.name()))
    }

    /// All that can be had without waiting, with the catalog as the run sees it: its tools, its limits'
    /// clock.
    pub(super) fn of(isolate: Isolate, catalog: Catalog) -> Result<Self, Error> {
        let tools = isolate.request.granted(catalog)?;
        let Isolate {
            id,
            runtime,
            request,
            listener,
            origin,
        } = isolate;
        let Request {
            code,
            guest,
            access,
            limits,
            caller,
            hooks,
            stages: _,
        } = request;
        let Caller {
            principal,
            client,
            tokens,
            trace,
        } = caller;
        let Hooks {
            layers,
            respondent,
            world,
            memory_place,
        } = hooks;
        let mut observers = Observers::of(id);
        observers.listener(listener);
        let setup = RunSetup {
            id,
            principal,
            limits,
            tools,
            layers,
            respondent,
            trace,
            deadline: match &origin {
                Origin::Nested(inputs) => Deadline::within(&inputs.deadline, limits.wall_time),
                _ => Deadline::after(limits.wall_time),
            },
            world,
            observers,
            gauge: Gauge::default(),
            session: None,
            parking: None,
            files: RunFiles::None,
            memory_place,
        };
        Ok(Self {
            runtime,
            code,
            guest,
            access,
            client,
            tokens,
            past: History::of(&origin),
            origin,
            mode: ExecutionMode::Normal,
            carried: Vec::new(),
            setup,
        })
    }

    /// The guest that its script runs in; of other code, one that does not count.
    pub(super) fn guest(&self) -> GuestKind {
        match (&self.code, self.guest) {
            (_, Some(guest)) => guest,
            (Code::Script(script), None) => self.runtime.guests().of_script(script),
            (Code::Component(_) | Code::Call(_) | Code::Undo(_), None) => GuestKind::JavaScript,
        }
    }

    /// What its script is told that imports numpy or pandas where it has none.
    pub(super) fn import_advice(&self) -> ImportAdvice {
        let session = self.setup.session.as_ref();
        let continues = session.is_some_and(|session| session.before.is_some());
        ImportAdvice::of(self.runtime.guests(), self.guest(), continues)
    }

    /// Waits for the guest to be compiled and for a slot. The run's clock starts after that.
    pub(super) async fn ready(self, runtime: &Runtime) -> Result<ReadyRun<'_>, Error> {
        let kind = self.guest();
        let Self {
            code, mut setup, ..
        } = self;
        let bytes = code.bytes();
        let (engine, work) = match code {
            Code::Script(script) => {
                let shard = runtime.shard().await?;
                let runs = match setup.session {
                    Some(_) => Runs::OfSessions,
                    None => Runs::Alone,
                };
                let wanted = WantedGuest {
                    kind,
                    runs,
                    language: script.language(),
                };
                let guest = ready_guest(shard, wanted, &mut setup.observers).await?;
                (shard.engine(), Work::Script(guest, script))
            }
            Code::Component(component) => {
                let components = runtime.components().await?;
                let whose = setup.principal.as_ref();
                let granted = components.grant(&component, &setup.tools, &setup.limits, whose);
                let granted = granted.await?;
                let component = component.without_code();
                (components.engine(), Work::Component(granted, component))
            }
            Code::Call(call) => (runtime.shard().await?.engine(), Work::Call(call)),
            Code::Undo(undo) => (runtime.shard().await?.engine(), Work::Undo(undo)),
        };
        let parking = setup.parking.as_ref();
        if parking.is_some_and(|parking| parking.state.is_some()) {
            return Ok(ReadyRun::parked(work, setup));
        }
        let place = runtime.place(setup.principal.as_ref(), work.memories());
        let place = place.await?;
        ReadyRun::new(engine, place, work, bytes, setup)
    }
}

impl History {
    fn of(origin: &Origin) -> Option<Box<Self>> {
        let Origin::Parked(parked) = origin else {
            return None;
        };
        Some(Box::new(Self {
            carried: parked.carried().to_vec(),
            script: parked.owner().script.clone(),
        }))
    }
}

/// The guest that a run waits for.
struct WantedGuest {
    kind: GuestKind,
    runs: Runs,
    language: Language,
}

/// A guest. Listeners learn if that takes seconds.
async fn ready_guest<'shard>(
    shard: &'shard Shard,
    wanted: WantedGuest,
    observers: &mut Observers,
) -> Result<&'shard Guest, Error> {
    let WantedGuest {
        kind,
        runs,
        language,
    } = wanted;
    if let Some(guest) = shard.ready(kind, runs) {
        return Ok(guest);
    }
    if !observers.any() || shard.was_kept(kind).await? {
        return shard.guest(kind, runs).await;
    }
    observers.tell(|| Event::compiling(language));
    let guest = shard.guest(kind, runs).await?;
    observers.tell(|| Event::compiled(language));
    Ok(guest)
}
