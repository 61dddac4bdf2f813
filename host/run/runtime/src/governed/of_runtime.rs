//! What the runtime has of governance.

use std::sync::Arc;

use ampoule_governance::approvals::{ApprovedPlan, Plan};
use ampoule_governance::{Governance, Refused, RunFacts};
use ampoule_tools::{Catalog, Error, Principal, RunId};
use tokio::task::spawn_blocking;

use super::governing::{Approved, Governing, Registry, Within};
use super::own::Own;
use super::telling::Telling;
use super::visible::Visible;
use super::{Begins, Carried, Course, read};

fn refused(why: &Refused) -> Error {
    Error::request(why.to_string())
}

/// Governance, with what it was told of the runtime's tools.
pub(crate) struct Governed {
    governance: Governance,
    own: Own,
    visible: Visible,
    /// The runs that are under way.
    runs: Registry,
}

impl Governed {
    /// Tells it of all tools that are known. The catalog's last ones are its own, which are of no
    /// concern to policies.
    ///
    /// # Errors
    ///
    /// The policies do not fit them.
    pub(crate) fn new(
        (governance, own): (Governance, Own),
        catalog: &Catalog,
    ) -> Result<Self, Error> {
        let others = catalog.servers().len() - own.count();
        let bindings = catalog.servers()[..others].iter();
        let bindings = bindings
            .map(|server| Arc::clone(server.binding()))
            .collect();
        let telling = Arc::new(Telling::new(governance.clone(), bindings));
        telling.tell().map_err(Error::config)?;
        let visible = Visible::new(telling);
        Ok(Self {
            governance,
            own,
            visible,
            runs: Registry::default(),
        })
    }

    pub(crate) fn governance(&self) -> &Governance {
        &self.governance
    }

    /// The catalog as it is for somebody: what they may never call is not there.
    pub(crate) fn catalog(
        &self,
        catalog: &Catalog,
        principal: Option<&Principal>,
        client: Option<&str>,
    ) -> Catalog {
        match self.governance.is_nothing() {
            true => catalog.clone(),
            false => (self.visible).of(catalog, Governance::caller(principal, client)),
        }
    }

    /// Begins a run, or goes on with one that slept. None where there is nothing to be done.
    ///
    /// # Errors
    ///
    /// A request error says why it must not begin.
    pub(crate) async fn begin(&self, begins: Begins) -> Result<Option<Governing>, Error> {
        if self.governance.is_nothing() {
            return match begins.course {
                Course::Tried(_) => Err(refused(&Refused::NoPlan)),
                _ => Ok(None),
            };
        }
        let (is_tried, is_resumed) = (matches!(begins.course, Course::Tried(_)), begins.is_resumed);
        let (id, facts) = (begins.id, self.facts(begins).await?);
        let run = match (is_resumed, is_tried) {
            (true, _) => self.governance.resume(facts).await,
            (false, true) => self.governance.try_out(facts).await,
            (false, false) => self.governance.run(facts).await,
        };
        let run = run.map_err(|why| refused(&why))?;
        Ok(Some(Governing::new(run, self.own, (id, &self.runs))))
    }

    /// Has a person approve what a run would do. None if that is nothing.
    ///
    /// # Errors
    ///
    /// A request error says why it is not approved.
    pub(crate) async fn approve(
        &self,
        begins: Begins,
        plan: Plan,
    ) -> Result<Option<Approved>, Error> {
        let facts = self.facts(begins).await?;
        let approved = self.governance.approve(&facts, plan).await;
        let approved = approved.map_err(|why| {
            Error::request(format!(
                "the run was tried, and nothing of it was done: {why}"
            ))
        })?;
        Ok(approved.map(Approved))
    }

    async fn facts(&self, begins: Begins) -> Result<RunFacts, Error> {
        let mut facts = RunFacts::new(begins.id);
        for carried in &begins.carried {
            facts.carried.join(&read(carried)?);
        }
        facts.principal = begins.principal;
        facts.client = begins.client;
        facts.session = begins.session.map(Into::into);
        facts.tokens = begins.tokens;
        facts.language = begins.language.into();
        facts.script = begins.script.into();
        facts.own = begins.own;
        facts.plan = match begins.course {
            Course::Straight | Course::Tried(_) => None,
            Course::Planned(Approved(plan)) => Some(plan),
            Course::Again(name) => Some(self.again(name, facts.principal.clone()).await?),
        };
        Ok(facts)
    }

    /// What somebody had approved of a run that slept.
    async fn again(
        &self,
        name: String,
        principal: Option<Principal>,
    ) -> Result<Arc<ApprovedPlan>, Error> {
        let governance = self.governance.clone();
        let open = move || {
            let principal = principal.as_ref().map(|it| &**it.name());
            let asking = governance
                .asking()
                .ok_or_else(|| Refused::NoPlan.to_string())?;
            let id = name
                .parse()
                .map_err(|_| "the plan has no name".to_owned())?;
            let plan = ApprovedPlan::open(asking.store(), id, principal);
            plan.map(Arc::new).map_err(|why| why.to_string())
        };
        let opened = spawn_blocking(open).await;
        let opened = opened.map_err(|error| Error::host("a plan was not read", error))?;
        opened.map_err(Error::request)
    }

    /// A run that is under way.
    pub(crate) fn run(&self, run: RunId) -> Option<Within> {
        self.runs.lock().get(&run).cloned()
    }

    /// Whether what somebody left who had read this may be shown to somebody's model.
    pub(crate) fn may_show(
        &self,
        carried: &Carried,
        principal: Option<&Principal>,
        client: Option<&str>,
    ) -> bool {
        let caller = Governance::caller(principal, client);
        // What can't be told may be anything.
        read(carried).is_ok_and(|carried| self.governance.may_show(&caller, &carried))
    }

    /// The same of a text, in which there may be personal data.
    pub(crate) fn may_show_text(
        &self,
        carried: Option<&Carried>,
        (principal, client): (Option<&Principal>, Option<&str>),
        text: &str,
    ) -> bool {
        let carried = carried.map_or_else(|| Ok(Default::default()), read);
        carried.is_ok_and(|carried| {
            let caller = Governance::caller(principal, client);
            self.governance.may_show(&caller, &carried)
                && !self.governance.has_personal(&carried, text)
        })
    }
}
