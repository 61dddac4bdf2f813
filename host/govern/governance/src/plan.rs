//! Runs that are tried first: calls that would change something are recorded instead of made, the
//! plan is shown to a person, and the run that then does it makes exactly these, in this order.

use std::sync::Arc;

use ampoule_approvals::{ApprovalError, Approvals, ApprovedPlan, CallRequest, Plan, sample};
use ampoule_audit::Verdict;
use ampoule_policy::Decision;
use ampoule_tools::{Call, CallError, ToolResult};
use parking_lot::Mutex;
use serde_json::{Map, Value};
use tokio::task::spawn_blocking;

use crate::course::Course;
use crate::facts::RunFacts;
use crate::governance::Governance;
use crate::known_servers::State;
use crate::records::{PolicyStatement, RunIdentity, Subject};
use crate::run::GovernedRun;
use crate::shared::{Shared, soon};
use crate::words;

impl GovernedRun {
    /// What a run that was only [tried](Governance::try_out) would have done. None of any other.
    pub fn plan(&self) -> Option<Plan> {
        match &self.shared.course {
            Course::Tried(plan) => plan.lock().take(),
            _ => None,
        }
    }
}

impl Governance {
    /// Waits until a person has approved all that a run would do, on behalf of the run that is to do
    /// it. None if there is nothing to be approved.
    ///
    /// # Errors
    ///
    /// Why it is not approved, for the caller of the run.
    pub async fn approve(
        &self,
        facts: &RunFacts,
        plan: Plan,
    ) -> Result<Option<Arc<ApprovedPlan>>, ApprovalError> {
        let Some(asking) = &self.0.asking else {
            return Err(ApprovalError::NobodyToAsk(words::NO_PLAN.to_owned()));
        };
        if plan.calls().is_empty() {
            return Ok(None);
        }
        let (whose, caller) = (RunIdentity::of(facts), facts.asks_as());
        let subject = Subject {
            call: None,
            server: &"plan".into(),
            tool: &"approve".into(),
        };
        let said = |verdict| PolicyStatement {
            verdict,
            by: None,
            fingerprint: "",
        };
        let reason = format!("a plan of {} calls", plan.calls().len());
        let recorded = self
            .0
            .record(|| whose.decided(subject, said(Verdict::Asked), &reason));
        recorded.map_err(|error| ApprovalError::NotPlanned(error.to_string()))?;
        let mut waits = Waits(Some((asking.clone(), caller.run.clone())));
        let approved = asking.approve(&caller, plan).await;
        waits.0 = None;
        if let Err(ApprovalError::Denied { by, .. }) = &approved {
            self.0.note(|| whose.denied(by));
        }
        approved.map(|plan| Some(Arc::new(plan)))
    }
}

/// Somebody is asked. If that is given up on, nobody needs to answer any more.
struct Waits(Option<(Approvals, String)>);

impl Drop for Waits {
    fn drop(&mut self) {
        if let Some((asking, run)) = self.0.take() {
            soon(move || {
                if let Err(problem) = asking.withdraw(&run, None) {
                    tracing::warn!(%problem, "a plan's question could not be withdrawn");
                }
            });
        }
    }
}

/// Records a call instead of making it. It labels the run as the call would.
pub(crate) fn record(
    run: &Shared,
    plan: &Mutex<Option<Plan>>,
    call: &Call,
    arguments: &Map<String, Value>,
    decision: &Decision,
    state: &State,
) -> Result<ToolResult, CallError> {
    let denied = |told: String| Err(CallError::Denied(told));
    let policy: Arc<str> = words::ids(decision).into();
    let said = PolicyStatement {
        verdict: Verdict::Changed,
        by: (!policy.is_empty()).then_some(&policy),
        fingerprint: state.policies.fingerprint(),
    };
    let parts = run.parts();
    let why = "recorded for a plan";
    let recorded = parts.record(|| run.whose.decided(Subject::of(call), said, why));
    recorded.map_err(|error| CallError::Denied(error.to_string()))?;
    let hides = |_: &str, value: &Value| parts.personal.as_ref()?.hides(value);
    let wanted = CallRequest {
        number: 0,
        server: &call.server,
        tool: &call.tool,
        arguments,
        hides: &hides,
        line: None,
        policy: &policy,
        reason: decision.reason.as_deref().unwrap_or("it is part of a plan"),
        once_only: true,
    };
    match plan.lock().as_mut().map(|plan| plan.add(&wanted)) {
        Some(Ok(())) => {}
        Some(Err(problem)) => return denied(problem.to_string()),
        None => return denied("the run is over".to_owned()),
    }
    run.has_read(call, state);
    let facts = state.facts(&call.server, &call.tool);
    let schema = facts.and_then(|facts| facts.tool.output_schema.as_ref());
    match schema.and_then(|schema| sample::of(&schema.parse())) {
        Some(example) => ToolResult::returned(&example),
        None => denied(words::tried(&call.server, &call.tool)),
    }
}

/// Takes what a plan allows for a call, if that is the next in it.
pub(crate) async fn take(
    run: &Shared,
    plan: &Arc<ApprovedPlan>,
    call: &Call,
    arguments: &Map<String, Value>,
    decision: &Decision,
    state: &State,
) -> Result<(), CallError> {
    let taken = spawn_blocking({
        let (plan, arguments) = (Arc::clone(plan), arguments.clone());
        let (server, tool) = (Arc::clone(&call.server), Arc::clone(&call.tool));
        move || plan.take(&server, &tool, &arguments)
    });
    let stopped = |_| CallError::Denied("the host stopped before the call was made".to_owned());
    let parts = run.parts();
    match taken.await.map_err(stopped)? {
        Ok(granted) => {
            let recorded = parts.record(|| run.whose.allowed(&granted));
            recorded.map_err(|error| CallError::Denied(error.to_string()))
        }
        Err(why) => {
            let told = why.to_string();
            if why.is_unknown() {
                return Err(CallError::Lost(told));
            }
            let policy: Arc<str> = words::ids(decision).into();
            let said = PolicyStatement {
                verdict: Verdict::Denied,
                by: (!policy.is_empty()).then_some(&policy),
                fingerprint: state.policies.fingerprint(),
            };
            parts.note(|| run.whose.decided(Subject::of(call), said, &told));
            Err(CallError::Denied(told))
        }
    }
}
