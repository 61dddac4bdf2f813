//! Runs that are governed: their calls pass the policies, and so do their events. A script that is only
//! checked makes no calls, and is not governed: no audit line, no quota.
//!
//! Where the crate is built without governance, no runtime has a [`Governor`](crate::governed::Governor),
//! and this stage is of no run.

use std::sync::Arc;

use ampoule_isolate::{Code, EventLog, Observers, Outcome};
use ampoule_tools::{Error, Layers};
use futures::future::FusedFuture;

use super::{Cancellation, never_begun, session, step, undo};
use crate::governed::{ExecutionMode, GovernedRun, Oversight, RunStart};
use crate::record;
use crate::run::draft::{Draft, History};

/// How a run is governed.
#[derive(Clone, Default)]
pub(in crate::run) struct Options {
    /// Whether it is tried first.
    pub(in crate::run) is_previewed: bool,
    pub(in crate::run) mode: ExecutionMode,
}

/// What governs a run, if anything does. Where this is dropped before the run is over, that is over,
/// too; or the run is parked, if it [will be](Oversight::will_park).
#[derive(Default)]
pub(in crate::run) struct Open(Option<Box<dyn GovernedRun>>);

impl Open {
    /// The run begins: from now on, its calls and its events pass the policies. What is answered as
    /// it was, leaves nothing; the caller of the replay shows what may be shown.
    pub(super) async fn start(draft: &mut Draft, session: &session::Open) -> Result<Self, Error> {
        step("starts", "governed");
        let runtime = draft.runtime.clone();
        let is_governed = draft.origin.is_live() && !draft.mode.is_check_only();
        let Some(governor) = runtime.governor().filter(|_| is_governed) else {
            return Ok(Self(None));
        };
        draft.carried.extend(session.carried().cloned());
        let name = draft.setup.session.as_deref().map(|resume| &*resume.name);
        let Some(mut run) = governor.start(run_start(draft, name)).await? else {
            return Ok(Self(None));
        };
        let setup = &mut draft.setup;
        setup.layers = run.inside_of(&setup.layers);
        if setup.observers.any() {
            let log = Arc::<EventLog>::default();
            let mut first = Observers::of(setup.id);
            first.log(Arc::clone(&log));
            let observers = std::mem::replace(&mut setup.observers, first);
            run.tell(log.events(), observers);
        }
        Ok(Self(Some(run)))
    }

    /// These layers, with what governs the run's calls inside of them.
    pub(super) fn inside_of(&self, layers: &Layers) -> Layers {
        let run = self.0.as_ref();
        run.map_or_else(|| layers.clone(), |run| run.inside_of(layers))
    }

    /// The run's governance, as those have it who are within the run.
    pub(super) fn oversight(&self) -> Option<Arc<dyn Oversight>> {
        Some(self.0.as_ref()?.oversight())
    }

    /// The run is over. What is shown of it is what may be; a person may be asked about that.
    pub(super) async fn close(
        self,
        ended: Result<Outcome, Error>,
        cancelled: &mut impl Cancellation,
    ) -> Result<Outcome, Error> {
        step("closes", "governed");
        let Some(run) = self.0 else {
            return ended;
        };
        let is_over = cancelled.is_terminated();
        tokio::select! {
            biased;
            ended = run.end(ended) => ended,
            () = cancelled, if !is_over => Ok(never_begun()),
        }
    }
}

/// The run that begins, as governance gets it.
pub(super) fn run_start(draft: &Draft, session: Option<&str>) -> RunStart {
    let (before, script) = match draft.past.as_deref() {
        Some(History { carried, script }) => (&**carried, script.clone()),
        None => (&[][..], digest(&draft.code)),
    };
    RunStart {
        id: draft.setup.id,
        principal: draft.setup.principal.clone(),
        client: draft.client.clone(),
        toolkit: draft.toolkit(),
        tokens: draft.tokens.clone(),
        session: session.map(str::to_owned),
        language: record::language(&draft.code),
        script,
        own: (draft.access.bindings.iter())
            .map(|it| it.name().into())
            .collect(),
        carried: before.iter().chain(&draft.carried).cloned().collect(),
        mode: draft.mode.clone(),
        is_resumed: draft.past.is_some(),
        undoes: undo::of(&draft.code).map(|undo| undo.run()),
    }
}

/// The digest of a script, of a component, or of calls.
pub(super) fn digest(code: &Code) -> String {
    match code {
        Code::Script(script) => record::hash(script.source().as_bytes()),
        Code::Component(component) => record::hash(component.wasm()),
        Code::Call(call) => record::hash(call.text().as_bytes()),
        Code::Undo(undo) => record::hash(undo.text().as_bytes()),
    }
}
