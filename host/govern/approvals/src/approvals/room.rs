//! What one run, and one principal, may ask at once; and the calls that gather until they are asked
//! about together.

use std::sync::Arc;

use tokio::sync::oneshot;

use super::{GatheredCall, Open, Run, Settlement, Shared};
use crate::approval::ApprovalError;
use crate::error::QuestionError;
use crate::limits::ApprovalLimits;
use crate::question::{Caller, ProposedCall, ToolActivity};

impl Shared {
    /// Puts a call to those that the run asks about next.
    pub(super) fn gather(
        self: &Arc<Self>,
        caller: &Caller,
        call: &ProposedCall,
        done: &[ToolActivity],
    ) -> Result<oneshot::Receiver<Settlement>, ApprovalError> {
        if !self.places.iter().any(|place| place.reaches(caller)) {
            return Err(ApprovalError::NobodyToAsk(nobody(call)));
        }
        let limits = self.store.limits();
        let mut open = self.open.lock();
        open.has_room(caller, limits)?;
        let (settled, settles) = oneshot::channel();
        let principal = &caller.principal;
        let run = open.runs.entry(caller.run.clone()).or_insert_with(|| Run {
            principal: principal.clone(),
            ..Run::default()
        });
        if run.principal != *principal {
            let two = QuestionError::Refused("the runs of two principals have the same name");
            return Err(ApprovalError::fault(&two));
        }
        // Somebody may ask about a call anew before it is asked about: it is there once.
        run.gathering.retain(|one| one.call.number != call.number);
        run.asked += 1;
        let is_first = run.gathering.is_empty();
        run.gathering.push(GatheredCall {
            call: call.clone(),
            done: done.to_vec(),
            settled,
        });
        drop(open);
        if is_first {
            let (shared, caller, gather) = (Arc::clone(self), caller.clone(), limits.gather);
            tokio::spawn(async move {
                tokio::time::sleep(gather).await;
                shared.put(caller).await;
            });
        }
        Ok(settles)
    }
}

impl Open {
    /// Whether a run may ask about one more call.
    fn has_room(&self, caller: &Caller, limits: &ApprovalLimits) -> Result<(), ApprovalError> {
        let open = self;
        let run = open.runs.get(&caller.run);
        let waiting = |run: &Run| {
            let asked = run.open.as_ref().and_then(|name| open.questions.get(name));
            run.gathering.len() + asked.map_or(0, |asked| asked.question.calls.len())
        };
        if run.map_or(0, waiting) >= limits.calls {
            return Err(ApprovalError::TooMany(format!(
                "a person must allow this call, and {} calls of this run wait for one already; wait for them before you make more",
                limits.calls
            )));
        }
        if run.is_some_and(|run| run.asked >= limits.run) {
            return Err(ApprovalError::TooMany(format!(
                "a person must allow this call, and this run has asked about {} calls already, the most that one run may",
                limits.run
            )));
        }
        let theirs = open.questions.keys().filter(|name| name.run != caller.run);
        let theirs = theirs
            .filter(|name| open.questions[*name].question.caller.principal == caller.principal);
        if theirs.count() >= limits.principal {
            return Err(ApprovalError::TooMany(format!(
                "a person must allow this call, and {} questions of other runs wait for one already",
                limits.principal
            )));
        }
        Ok(())
    }
}

/// What a script learns where no place reaches a person: `[approvals]` may be set up all the same.
pub(super) fn nobody(call: &ProposedCall) -> String {
    let ProposedCall { server, tool, .. } = call;
    let (server, tool) = (crate::arguments::name(server), crate::arguments::name(tool));
    let policy = crate::arguments::name(&call.policy);
    format!(
        "a person must allow calls of {server}.{tool} (policy `{policy}`), and nobody can be asked: people answer at the terminal of `ampoule run`, or with `ampoule approvals` if `places` of [approvals] in ampoule.toml has `command-line`; or the operator can allow the call in the policy"
    )
}
