//! How a run passes governance: it begins there, its calls go through it, and all that is told of
//! it.

use std::sync::Arc;

use ampoule_isolate::{Code, Ending, EventLog, Observers, Outcome};
use ampoule_records::Keep;
use ampoule_tools::{Error, RunId};
use futures::FutureExt;
use futures::future::BoxFuture;
use parking_lot::Mutex;

use super::beginning::Beginning;
use super::{Introduced, Isolate};
use crate::governed::{Begins, Carried, Course, Governing, Plan};
use crate::parked::Whose;
use crate::record;

impl Isolate {
    /// The client's name.
    pub(super) fn client_name(&self) -> Option<&str> {
        self.introduced.as_ref()?.client.as_deref()
    }

    /// What governs the run, if anything does: from now on, its calls pass that, and what is told of
    /// it.
    pub(super) async fn governing(
        &mut self,
        beginning: &mut Beginning,
        session: Option<&str>,
        carried: Vec<Carried>,
    ) -> Result<Option<Box<Governing>>, Error> {
        let runtime = self.runtime.clone();
        // What is answered as it was, leaves nothing; who runs it so, shows what may be shown.
        let is_live = self.instead.as_ref().is_none_or(|instead| instead.is_live);
        let Some(governed) = runtime.governed().filter(|_| is_live) else {
            return Ok(None);
        };
        let begins = self.begins(beginning, session, carried);
        let Some(mut governing) = governed.begin(begins).await? else {
            return Ok(None);
        };
        self.layers = governing.inside_of(&self.layers);
        if beginning.observers.any() {
            let log = Arc::<EventLog>::default();
            let mut first = Observers::of(beginning.id);
            first.log(Arc::clone(&log));
            governing.tell(
                log.events(),
                std::mem::replace(&mut beginning.observers, first),
            );
        }
        Ok(Some(Box::new(governing)))
    }

    fn begins(
        &self,
        beginning: &mut Beginning,
        session: Option<&str>,
        carried: Vec<Carried>,
    ) -> Begins {
        let introduced = self.introduced.as_deref().cloned().unwrap_or_default();
        let slept = beginning.slept.take();
        let is_resumed = slept.is_some();
        let (before, script) = match slept {
            Some(slept) => (slept.carried, slept.script),
            None => (Vec::new(), self.digest()),
        };
        Begins {
            id: beginning.id,
            principal: self.principal.clone(),
            client: introduced.client,
            tokens: introduced.tokens,
            session: session.map(str::to_owned),
            language: record::language(&self.code),
            script,
            own: self
                .own_bindings
                .iter()
                .map(|it| it.name().into())
                .collect(),
            carried: before.into_iter().chain(carried).collect(),
            course: introduced.course,
            is_resumed,
        }
    }

    /// What tries it first, if it is to be tried.
    ///
    /// # Errors
    ///
    /// Nothing would keep its calls from being made.
    pub(super) fn trial(&self) -> Result<Option<Box<Self>>, Error> {
        let Some(introduced) = self.introduced.as_ref().filter(|it| it.is_previewed) else {
            return Ok(None);
        };
        if self.runtime.governed().is_none() {
            let told =
                "a run is tried first where people can be asked: no governance is set up here";
            return Err(Error::request(told));
        }
        // Each field is named: what is added to a run is thought of here.
        let Self {
            id: _,
            runtime,
            code,
            grant,
            own_bindings,
            limits,
            layers,
            principal,
            respondent,
            trace,
            world,
            // Whoever listens hears the run itself.
            listener: _,
            session,
            keep_always,
            // The trial leaves no record, is not parked, and keeps nothing.
            keep: _,
            instead: _,
            park_after: _,
            resumed: _,
            outcome_is_kept: _,
            workspace,
            introduced: _,
        } = self;
        let trial = Self {
            id: RunId::new(),
            runtime: runtime.clone(),
            code: code.clone(),
            grant: grant.clone(),
            own_bindings: own_bindings.clone(),
            limits: *limits,
            layers: layers.clone(),
            principal: principal.clone(),
            respondent: respondent.clone(),
            trace: trace.clone(),
            world: world.clone(),
            listener: None,
            session: session.clone(),
            keep_always: *keep_always,
            keep: Some(Keep::None),
            instead: None,
            park_after: None,
            resumed: None,
            outcome_is_kept: false,
            workspace: workspace.clone(),
            introduced: Some(Box::new(Introduced {
                is_previewed: false,
                course: Course::Tried(Arc::default()),
                ..Introduced::clone(introduced)
            })),
        };
        Ok(Some(Box::new(trial)))
    }

    /// Where the plan goes, if it is only tried.
    pub(super) fn tries(&self) -> Option<Arc<Mutex<Option<Plan>>>> {
        match &self.introduced.as_ref()?.course {
            Course::Tried(plan) => Some(Arc::clone(plan)),
            _ => None,
        }
    }

    /// Tries it, and has a person approve what it would do. Gives the outcome if that is all there is
    /// to it.
    pub(super) async fn tried(
        &mut self,
        trial: Isolate,
        beginning: &mut Beginning,
    ) -> Result<Option<Outcome>, Error> {
        let plan = trial.tries();
        let outcome = trial.boxed().await?;
        if !matches!(outcome.ending, Ending::Returned(_)) {
            return Ok(Some(outcome));
        }
        let plan = plan.and_then(|plan| plan.lock().take());
        let runtime = self.runtime.clone();
        if let (Some(governed), Some(plan)) = (runtime.governed(), plan) {
            let session = self.session.clone();
            let begins = self.begins(beginning, session.as_deref(), Vec::new());
            if let Some(approved) = governed.approve(begins, plan).await? {
                self.introduced.get_or_insert_default().course = Course::Planned(approved);
            }
        }
        Ok(None)
    }

    /// Runs it within another one.
    fn boxed(self) -> BoxFuture<'static, Result<Outcome, Error>> {
        self.run().boxed()
    }

    /// The digest of its script, or of its component.
    fn digest(&self) -> String {
        match &self.code {
            Code::Script(script) => record::hash(script.source().as_bytes()),
            Code::Component(component) => record::hash(component.wasm()),
        }
    }

    /// Who has it, besides the principal, as is kept of it while it is parked.
    pub(super) fn whose(&self) -> Whose {
        let introduced = self.introduced.as_deref().cloned().unwrap_or_default();
        let is_governed = self.runtime.governed().is_some();
        Whose {
            client: introduced.client,
            tokens: introduced.tokens,
            script: match is_governed {
                true => self.digest(),
                false => String::new(),
            },
            plan: match &introduced.course {
                Course::Planned(approved) => Some(approved.name()),
                _ => None,
            },
            ..Whose::default()
        }
    }
}
