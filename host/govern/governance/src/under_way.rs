//! A call that is under way: what has to be done if it is given up on.

use std::time::Instant;

use ampoule_audit::{CallOutcome, Verdict, WriteError};
use ampoule_quota::{CallFacts, Permit, QuotaError};
use ampoule_tools::{Call, CallContext, CallError, CallState, ToolResult};
use ampoule_untrusted::json;
use serde_json::{Map, Value};

use crate::known_servers::State;
use crate::records::{CallEnd, PolicyStatement, Subject, outcome_of};
use crate::shared::Shared;

/// A call that is under way.
pub(crate) struct UnderWay<'r> {
    run: &'r Shared,
    call: &'r Call,
    context: &'r CallContext,
    permit: Option<Permit>,
    /// When it was let pass; none before that, and once it is over.
    left: Option<Instant>,
}

/// A call is refused, since what quotas would tell can't be labelled.
fn untold(error: &std::io::Error) -> CallError {
    tracing::error!(%error, "the labels of quotas can't be stored");
    CallError::Denied(
        "the host can't store what this run has read, so the call can't be counted".to_owned(),
    )
}

impl<'r> UnderWay<'r> {
    pub(crate) fn new(run: &'r Shared, context: &'r CallContext) -> Self {
        Self {
            run,
            call: context.call(),
            context,
            permit: None,
            left: None,
        }
    }

    /// Counts it, if there is room for it in all quotas.
    pub(crate) fn count(&mut self, state: &State) -> Result<(), CallError> {
        let (run, call) = (self.run, self.call);
        let parts = run.parts();
        let Some(quotas) = &parts.quotas else {
            return Ok(());
        };
        let used_up = |exhausted: &QuotaError| {
            let (by, told) = (
                format!("quota: {}", exhausted.quota).into(),
                exhausted.to_string(),
            );
            let said = PolicyStatement {
                verdict: Verdict::Denied,
                by: Some(&by),
                fingerprint: state.policies.fingerprint(),
            };
            parts.note(|| run.whose.decided(Subject::of(call), said, &told));
            // That nothing is left says something of those who used it.
            match parts.spent.by(run.principal()) {
                Ok(carried) => run.reads(&carried),
                Err(error) => return untold(&error),
            }
            CallError::Denied(told)
        };
        if let Err(error) = parts.spent.add(run.principal(), &run.carried()) {
            return Err(untold(&error));
        }
        let of = CallFacts {
            server: &call.server,
            tool: &call.tool,
            classes: run.classes(call, state),
        };
        let permit = quotas.try_call(&run.counted(), &of);
        self.permit = Some(permit.map_err(|exhausted| used_up(&exhausted))?);
        Ok(())
    }

    /// It leaves: that is recorded before.
    pub(crate) fn leave(
        &mut self,
        arguments: &Map<String, Value>,
        said: PolicyStatement<'_>,
    ) -> Result<(), WriteError> {
        let (run, call) = (self.run, self.call);
        if let Some(log) = &run.parts().audit {
            let written = log.arguments(&call.server, &call.tool, arguments);
            log.write(&run.whose.asked(call, written, said, &run.labels()))?;
        }
        if let Some(permit) = &self.permit {
            permit.bytes(json::bytes_of(arguments.values(), u64::MAX));
        }
        run.seal.put(call, arguments);
        self.left = Some(Instant::now());
        Ok(())
    }

    /// It is over.
    pub(crate) fn over(mut self, answer: &Result<ToolResult, CallError>) {
        let (run, call) = (self.run, self.call);
        let state = answer
            .as_ref()
            .map_or_else(CallError::state, |_| CallState::Answered);
        let is_counted = self.permit.is_some() || run.parts().audit.is_some();
        let bytes = if is_counted {
            bytes_of(answer, u64::MAX)
        } else {
            0
        };
        match self.permit.take() {
            Some(permit) if state == CallState::NotSent => permit.give_back(),
            Some(permit) => permit.bytes(bytes),
            None => {}
        }
        let is_answered = answer.as_ref().is_ok_and(|result| !result.is_error);
        run.has_done(call, is_answered);
        self.ended(outcome_of(answer), bytes);
    }

    fn ended(&mut self, outcome: CallOutcome, bytes: u64) {
        if let Some(left) = self.left.take() {
            let (run, call) = (self.run, self.call);
            run.seal.forget(call);
            let ended = CallEnd {
                outcome,
                account: self.context.account(),
                bytes,
                took: left.elapsed(),
            };
            let of = || run.whose.came_to(call, ended);
            run.parts().note(of);
        }
    }
}

/// It was given up on, or denied.
impl Drop for UnderWay<'_> {
    fn drop(&mut self) {
        if let (Some(permit), None) = (self.permit.take(), self.left) {
            permit.give_back();
        }
        self.ended(CallOutcome::Cancelled, 0);
    }
}

/// About how many bytes an answer has; counted no further than to a little above `most`.
pub(crate) fn bytes_of(answer: &Result<ToolResult, CallError>, most: u64) -> u64 {
    match answer {
        Ok(result) => result.unparsed_bytes() + json::bytes_of(&result.content, most),
        Err(CallError::ResultTooLarge { bytes }) => *bytes,
        Err(error) => error.to_string().len() as u64,
    }
}
