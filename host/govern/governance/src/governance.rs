//! All parts, ready for runs.

use std::fmt;
use std::sync::Arc;

use ampoule_approvals::{Approvals, Plan};
use ampoule_audit::{Event, Log, PolicyChanged, RequestDenied, WriteError};
use ampoule_policy::{Act, Caller, Effect, Explanation, PolicyError, Request, RunLabels, Sources};
use ampoule_quota::Quotas;
use ampoule_tools::Principal;
use parking_lot::Mutex;

use crate::admission::AdmissionError;
use crate::builder::Builder;
use crate::course::Course;
use crate::facts::{CarriedLabels, RunFacts, caller};
use crate::known_servers::KnownServer;
use crate::parts::Parts;
use crate::run::GovernedRun;
use crate::warnings;

/// What stands between grants and calls, for all runs of a process. Clones are the same.
#[derive(Clone)]
pub struct Governance(pub(crate) Arc<Parts>);

impl Governance {
    /// The parts, to be chosen.
    pub fn builder() -> Builder {
        Builder::default()
    }

    pub(crate) fn of(parts: Parts) -> Self {
        Self(Arc::new(parts))
    }

    /// Begins a run: counts it, and records that it begins.
    ///
    /// # Errors
    ///
    /// [`AdmissionError`]: it must not begin.
    pub async fn run(&self, facts: RunFacts) -> Result<GovernedRun, AdmissionError> {
        let course = course(&facts);
        self.begin(facts, course).await
    }

    /// Begins a run that is only tried: calls that may change something are recorded for a
    /// [plan](GovernedRun::plan), and not made.
    ///
    /// # Errors
    ///
    /// [`AdmissionError`].
    pub async fn try_out(&self, facts: RunFacts) -> Result<GovernedRun, AdmissionError> {
        let asking = self.0.asking.as_ref().ok_or(AdmissionError::NoPlan)?;
        let plan = Plan::new(asking.store());
        self.begin(facts, Course::Tried(Mutex::new(Some(plan))))
            .await
    }

    async fn begin(&self, facts: RunFacts, course: Course) -> Result<GovernedRun, AdmissionError> {
        if let Some(quotas) = &self.0.quotas {
            let caller = facts.caller();
            let principal = facts.principal.as_ref().map(|it| &**it.name());
            let caller = ampoule_quota::Caller {
                principal,
                groups: &caller.groups,
                client: &caller.client,
                toolkit: &caller.toolkit,
            };
            if let Err(exhausted) = quotas.try_run(&caller) {
                self.refuse(&facts, &exhausted.to_string());
                return Err(exhausted.into());
            }
        }
        let run = GovernedRun::open(self, facts, course, false).await?;
        Ok(run.record_start()?)
    }

    /// Resumes a run that was [parked](GovernedRun::park): it was counted when it began, and is the
    /// same one in the audit log. `facts` has the id of then, and what `park` returned.
    ///
    /// # Errors
    ///
    /// [`AdmissionError`].
    pub async fn resume(&self, facts: RunFacts) -> Result<GovernedRun, AdmissionError> {
        let course = course(&facts);
        GovernedRun::open(self, facts, course, true).await
    }

    fn refuse(&self, facts: &RunFacts, reason: &str) {
        self.0.note(|| {
            Event::RequestDenied(RequestDenied {
                principal: facts.principal.as_ref().map(|it| Arc::clone(it.name())),
                client: facts.client.clone(),
                toolkit: facts.toolkit.clone(),
                request: "run".into(),
                reason: reason.into(),
                ..RequestDenied::default()
            })
        });
    }

    /// Whether there is any call of a tool that policies would not deny to somebody. Where this is
    /// false, the tool does not exist for them: it is not listed, declared or found. See
    /// [`caller`](Self::caller), [`version`](Self::version).
    pub fn may_ever(&self, caller: &Caller, server: &str, tool: &str) -> bool {
        self.0.tools.state().policies.may_ever(caller, server, tool)
    }

    /// Whether anything is denied at all by policies: otherwise all tools exist for everybody.
    pub fn has_policies(&self) -> bool {
        self.0.tools.has_policies()
    }

    /// Whether no part is there: runs that begin now need no layer, and get none where policies come
    /// later.
    pub fn is_nothing(&self) -> bool {
        self.0.are_nothing()
    }

    /// Somebody, as policies look at them; the local user if nobody is named.
    pub fn caller(
        principal: Option<&Principal>,
        client: Option<&str>,
        toolkit: Option<&Arc<str>>,
    ) -> Caller {
        Caller {
            client: client.unwrap_or_default().into(),
            toolkit: toolkit.map(Arc::clone).unwrap_or_default(),
            ..caller(principal)
        }
    }

    /// Whether what somebody left who had read this may be shown to a caller's model, all of it and
    /// as it is, without a run: nobody is asked.
    pub fn may_show(&self, caller: &Caller, carried: &CarriedLabels) -> bool {
        let state = self.0.tools.state();
        let decision = state.to_model(caller, &carried.labels);
        decision.effect == Effect::Allow && decision.obligations.is_empty()
    }

    /// Whether there is personal data in a text that somebody left who had read this, which does not
    /// go to a model as it is.
    pub fn has_personal(&self, carried: &CarriedLabels, text: &str) -> bool {
        let personal = self.0.personal.as_ref();
        personal.is_some_and(|it| it.keeps_back(carried, text))
    }

    /// Changes whenever tools or policies do: what was made of [`may_ever`](Self::may_ever) holds for
    /// as long as this is the same.
    pub fn version(&self) -> u64 {
        self.0.tools.version()
    }

    /// These are all servers now, with their tools. Takes as long as policies take to be made: call
    /// it where threads may wait.
    ///
    /// # Errors
    ///
    /// What is wrong with the policies for these tools. Then everything stays as it was: tools that
    /// are new do not exist, and calls are decided as before.
    pub fn tools_changed(&self, servers: Vec<KnownServer>) -> Result<(), PolicyError> {
        self.0.tools.renew(servers)
    }

    /// These are the policies now, also for runs that are under way unless there was
    /// [nothing](Self::is_nothing) when they began; `by` says who changed them. The
    /// audit log has it before they hold. Takes as long as [`tools_changed`](Self::tools_changed).
    ///
    /// # Errors
    ///
    /// [`ReloadError`]: those of before hold.
    pub fn policies_changed(
        &self,
        sources: Sources,
        by: Option<Arc<str>>,
    ) -> Result<(), ReloadError> {
        let mut recorded = Ok(());
        let record = |old: &str, new: &str| {
            recorded = self.0.record(|| {
                Event::PolicyChanged(PolicyChanged {
                    old: (!old.is_empty()).then(|| old.into()),
                    new: new.into(),
                    by,
                })
            });
            recorded.is_ok()
        };
        let reloaded = self.0.tools.reload(sources, record);
        reloaded.map_err(ReloadError::Policies)?;
        Ok(recorded?)
    }

    /// What policies decide, and why.
    pub fn explain(&self, caller: &Caller, act: Act<'_>, labels: &RunLabels) -> Explanation {
        let state = self.0.tools.state();
        state.policies.explain(&Request {
            caller,
            act,
            labels,
        })
    }

    /// The digest of what the policies are made of; empty without policies.
    pub fn fingerprint(&self) -> String {
        self.0.tools.state().policies.fingerprint().to_owned()
    }

    /// All policies as Cedar, with those made from roles and labels.
    pub fn to_cedar(&self) -> String {
        self.0.tools.state().policies.to_cedar()
    }

    /// What is likely not meant in the policies, and which patterns of other parts mean no known tool:
    /// a sentence each.
    pub fn warnings(&self) -> Vec<String> {
        self.0.tools.state().warnings().to_vec()
    }

    /// Logs the first few [warnings](Self::warnings), and how many more there are.
    pub fn log_warnings(&self) {
        warnings::log(self.0.tools.state().warnings().iter());
    }

    /// Where people are asked, if they are.
    pub fn asking(&self) -> Option<&Approvals> {
        self.0.asking.as_ref()
    }

    /// Whether personal data is looked for.
    pub fn has_privacy(&self) -> bool {
        self.0.personal.is_some()
    }

    /// What is counted, if anything is.
    pub fn quotas(&self) -> Option<&Arc<Quotas>> {
        self.0.quotas.as_ref()
    }

    /// Where it is recorded, if it is: for what is done besides runs, such as sign-ins.
    pub fn audit(&self) -> Option<&Arc<Log>> {
        self.0.audit.as_ref()
    }
}

fn course(facts: &RunFacts) -> Course {
    match &facts.plan {
        Some(plan) => Course::Planned(Arc::clone(plan)),
        None => Course::Straight,
    }
}

impl fmt::Debug for Governance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = &*self.0;
        f.debug_struct("Governance")
            .field("policies", &self.has_policies())
            .field("quotas", &parts.quotas.is_some())
            .field("asking", &parts.asking.is_some())
            .field("audit", &parts.audit.is_some())
            .field("privacy", &parts.personal.is_some())
            .finish()
    }
}

/// Why other policies do not hold.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReloadError {
    /// Something is wrong with them.
    #[error("{0}")]
    Policies(PolicyError),
    /// That they change can't be recorded.
    #[error(transparent)]
    WriteError(#[from] WriteError),
}
