//! What the runtime has of governance.

use std::sync::Arc;

use ampoule_governance::{Governance, RunFacts};
use ampoule_tools::{Catalog, Error, Principal, RunId};

use super::governing::{Governing, Registry, Within};
use super::telling::Telling;
use super::visible::Visible;
use super::{Begins, Carried, read};

/// Governance, with what it was told of the runtime's tools.
pub(crate) struct Governed {
    governance: Governance,
    visible: Visible,
    /// The runs that are under way.
    runs: Registry,
}

impl Governed {
    /// Tells it of all tools that are known.
    ///
    /// # Errors
    ///
    /// The policies do not fit them.
    pub(crate) fn new(governance: Governance, catalog: &Catalog) -> Result<Self, Error> {
        let bindings = catalog.servers().iter();
        let bindings = bindings
            .map(|server| Arc::clone(server.binding()))
            .collect();
        let telling = Arc::new(Telling::new(governance.clone(), bindings));
        telling.tell().map_err(Error::config)?;
        let visible = Visible::new(telling);
        Ok(Self {
            governance,
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
            return Ok(None);
        }
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
        let run = match begins.is_resumed {
            true => self.governance.resume(facts).await,
            false => self.governance.run(facts).await,
        };
        let run = run.map_err(|refused| Error::request(refused.to_string()))?;
        Ok(Some(Governing::new(run, (begins.id, &self.runs))))
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
}
