//! What the runtime has of governance.

use std::sync::Arc;

use ampoule_governance::approvals::ApprovedPlan;
use ampoule_governance::{AdmissionError, Caller, Governance, RunFacts};
use ampoule_tools::{Catalog, Error, Principal, RunId};
use futures::FutureExt;
use futures::future::BoxFuture;
use parking_lot::Mutex;
use tokio::task::spawn_blocking;

use super::binding_lists::BindingLists;
use super::catalogs::VisibleCatalogs;
use super::governing::{Registry, Run};
use super::own_tools::OwnTools;
use super::{
    CarriedData, ExecutionMode, GovernedRun, Governor, Oversight, Requester, RunStart, read,
};

fn refused(why: &AdmissionError) -> Error {
    Error::request(why.to_string())
}

/// Somebody, as policies look at them.
fn caller(requester: Requester<'_>) -> Caller {
    let Requester {
        principal,
        client,
        toolkit,
    } = requester;
    Governance::caller(principal, client, toolkit)
}

/// Governance, with what it knows of the runtime's tools.
pub(crate) struct Governing {
    governance: Governance,
    own: OwnTools,
    visible: VisibleCatalogs,
    /// The runs that are under way.
    runs: Registry,
}

impl Governing {
    /// Tells it of all tools that are known. The catalog's last ones are its own, which are of no
    /// concern to policies.
    ///
    /// # Errors
    ///
    /// The policies do not fit them.
    pub(crate) fn governor(
        governance: Governance,
        own: OwnTools,
        catalog: &Catalog,
    ) -> Result<Arc<dyn Governor>, Error> {
        let others = catalog.servers().len() - own.count();
        let bindings = catalog.servers()[..others].iter();
        let bindings = bindings
            .map(|server| Arc::clone(server.binding()))
            .collect();
        let telling = Arc::new(BindingLists::new(governance.clone(), bindings));
        telling.tell().map_err(Error::config)?;
        let visible = VisibleCatalogs::new(telling);
        Ok(Arc::new(Self {
            governance,
            own,
            visible,
            runs: Registry::default(),
        }))
    }

    async fn begin(&self, start: RunStart) -> Result<Option<Box<dyn GovernedRun>>, Error> {
        let (mode, is_resumed) = (start.mode.clone(), start.is_resumed);
        if self.governance.is_nothing() {
            return match mode.is_dry_run() {
                true => Err(refused(&AdmissionError::NoPlan)),
                false => Ok(None),
            };
        }
        let (id, facts) = (start.id, self.facts(start).await?);
        let run = match (is_resumed, mode.is_dry_run()) {
            (true, _) => self.governance.resume(facts).await,
            (false, true) => self.governance.try_out(facts).await,
            (false, false) => self.governance.run(facts).await,
        };
        let run = run.map_err(|why| refused(&why))?;
        Ok(Some(Box::new(Run::new(
            run, self.own, mode, id, &self.runs,
        ))))
    }

    async fn facts(&self, start: RunStart) -> Result<RunFacts, Error> {
        let mut facts = RunFacts::new(start.id);
        for carried in &start.carried {
            facts.carried.join(&read(carried)?);
        }
        facts.principal = start.principal;
        facts.client = start.client;
        facts.toolkit = start.toolkit;
        facts.session = start.session.map(Into::into);
        facts.tokens = start.tokens;
        facts.language = start.language.into();
        facts.script = start.script.into();
        facts.own = start.own;
        facts.undoes = start.undoes;
        facts.plan = match start.mode {
            ExecutionMode::Normal | ExecutionMode::CheckOnly | ExecutionMode::DryRun(_) => None,
            ExecutionMode::Approved(plan) => Some(plan),
            ExecutionMode::Resumed(name) => {
                Some(self.approved(name, facts.principal.clone()).await?)
            }
        };
        Ok(facts)
    }

    /// What somebody had approved of a run that was parked.
    async fn approved(
        &self,
        name: String,
        principal: Option<Principal>,
    ) -> Result<Arc<ApprovedPlan>, Error> {
        let governance = self.governance.clone();
        let open = move || {
            let principal = principal.as_ref().map(|it| &**it.name());
            let asking = governance
                .asking()
                .ok_or_else(|| AdmissionError::NoPlan.to_string())?;
            let id = name
                .parse()
                .map_err(|_| "the plan has no name".to_owned())?;
            let plan = ApprovedPlan::open(asking.store(), id, principal);
            plan.map(Arc::new).map_err(|why| why.to_string())
        };
        let opened = spawn_blocking(open).await;
        let opened = opened.map_err(|error| Error::host("a plan could not be read", error))?;
        opened.map_err(Error::request)
    }
}

impl Governor for Governing {
    fn governance(&self) -> &Governance {
        &self.governance
    }

    fn catalog(&self, catalog: &Catalog, requester: Requester<'_>) -> Catalog {
        match self.governance.is_nothing() {
            true => catalog.clone(),
            false => (self.visible).of(catalog, caller(requester)),
        }
    }

    fn start(&self, start: RunStart) -> BoxFuture<'_, Result<Option<Box<dyn GovernedRun>>, Error>> {
        self.begin(start).boxed()
    }

    fn dry_run(&self) -> ExecutionMode {
        ExecutionMode::DryRun(Arc::new(Mutex::new(None)))
    }

    fn approve(
        &self,
        start: RunStart,
        dry_run: ExecutionMode,
    ) -> BoxFuture<'_, Result<Option<ExecutionMode>, Error>> {
        async move {
            let ExecutionMode::DryRun(plan) = dry_run else {
                return Ok(None);
            };
            let Some(plan) = plan.lock().take() else {
                return Ok(None);
            };
            let facts = self.facts(start).await?;
            let approved = self.governance.approve(&facts, plan).await;
            let approved = approved.map_err(|why| {
                Error::request(format!(
                    "the run was only tried, and no call was made: {why}"
                ))
            })?;
            Ok(approved.map(ExecutionMode::Approved))
        }
        .boxed()
    }

    fn run(&self, run: RunId) -> Option<Arc<dyn Oversight>> {
        self.runs.lock().get(&run).cloned()
    }

    fn may_show(&self, carried: &CarriedData, requester: Requester<'_>) -> bool {
        let caller = caller(requester);
        // What is unknown may be anything.
        read(carried).is_ok_and(|carried| self.governance.may_show(&caller, &carried))
    }

    fn may_show_text(
        &self,
        carried: Option<&CarriedData>,
        requester: Requester<'_>,
        text: &str,
    ) -> bool {
        let carried = carried.map_or_else(|| Ok(Default::default()), read);
        carried.is_ok_and(|carried| {
            let caller = caller(requester);
            self.governance.may_show(&caller, &carried)
                && !self.governance.has_personal(&carried, text)
        })
    }
}
