//! A person is asked.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use ampoule_approvals::{ApprovalError, CallRequest};
use ampoule_audit::Verdict;
use ampoule_policy::{Decision, Policies};
use ampoule_tools::CallError;
use serde_json::{Map, Value};

use crate::records::{PolicyStatement, Subject};
use crate::shared::{Shared, soon};
use crate::words;

/// What somebody is asked about.
pub(crate) struct About<'a> {
    /// Its number among the run's calls.
    pub(crate) number: u32,
    pub(crate) server: &'a Arc<str>,
    pub(crate) tool: &'a Arc<str>,
    pub(crate) arguments: &'a Map<String, Value>,
    /// Whether it can only be allowed this once.
    pub(crate) once_only: bool,
}

/// Waits until somebody has allowed it, or not. Both are recorded.
pub(crate) async fn ask(
    run: &Arc<Shared>,
    about: &About<'_>,
    decision: &Decision,
    policies: &Policies,
) -> Result<(), CallError> {
    let subject = Subject {
        call: Some(about.number),
        server: about.server,
        tool: about.tool,
    };
    let policy: Arc<str> = words::ids(decision).into();
    let said = |verdict| PolicyStatement {
        verdict,
        by: Some(&policy),
        fingerprint: policies.fingerprint(),
    };
    let parts = run.parts();
    let denied = |told: &str| {
        parts.note(|| run.whose.decided(subject, said(Verdict::Denied), told));
        CallError::Denied(told.to_owned())
    };
    let Some(asking) = &parts.asking else {
        return Err(denied(&words::nobody(about.server, about.tool, decision)));
    };
    let reason = words::reason(decision);
    let asked = parts.record(|| run.whose.decided(subject, said(Verdict::Asked), reason));
    asked.map_err(|error| CallError::Denied(error.to_string()))?;
    run.has_asked.store(true, Relaxed);
    let hides = |_: &str, value: &Value| parts.personal.as_ref()?.hides(value);
    let wanted = CallRequest {
        number: about.number,
        server: about.server,
        tool: about.tool,
        arguments: about.arguments,
        hides: &hides,
        line: None,
        policy: &policy,
        reason,
        once_only: about.once_only,
    };
    let waiting = Waiting {
        run,
        number: Some(about.number),
    };
    let done = run.done();
    let granted = asking.ask(&run.asks_as, &wanted, &done).await;
    waiting.over();
    match granted {
        Ok(granted) => {
            let recorded = parts.record(|| run.whose.allowed(&granted));
            recorded.map_err(|error| CallError::Denied(error.to_string()))
        }
        Err(why) => {
            if let ApprovalError::Denied { by, .. } = &why {
                parts.note(|| run.whose.denied(by));
            }
            let told = why.to_string();
            match why.is_unknown() {
                true => Err(CallError::Lost(told)),
                false => Err(denied(&told)),
            }
        }
    }
}

/// A call that waits for an answer. If it is given up on while its run is under way, nobody needs
/// to answer any more.
struct Waiting<'r> {
    run: &'r Arc<Shared>,
    number: Option<u32>,
}

impl Waiting<'_> {
    fn over(mut self) {
        self.number = None;
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        let Some(number) = self.number.filter(|_| !self.run.parks()) else {
            return;
        };
        let run = Arc::clone(self.run);
        soon(move || {
            if let Some(asking) = &run.parts().asking
                && let Err(problem) = asking.withdraw(&run.asks_as.run, Some(&[number]))
            {
                tracing::warn!(%problem, "a question could not be withdrawn");
            }
        });
    }
}
