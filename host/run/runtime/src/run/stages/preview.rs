//! A run that is tried first: a dry run of the same, and a person who approves what that would have
//! done.

use std::ops::ControlFlow;

use ampoule_isolate::{Ending, Outcome};
use ampoule_tools::Error;
use futures::FutureExt;
use futures::future::BoxFuture;

use super::governed::run_start;
use super::{Cancellation, never_begun, step};
use crate::governed::ExecutionMode;
use crate::run::draft::Draft;
use crate::run::isolate::Isolate;

/// The dry run of a run, if there is to be one.
pub(in crate::run) struct Preparation(Option<Box<DryRun>>);

struct DryRun {
    isolate: Isolate,
    mode: ExecutionMode,
}

impl Isolate {
    /// Tries it first: calls of tools that do not say that they only read are recorded instead of
    /// made, with an example of what their tools' schemas say for an answer, or an error. A person
    /// approves the plan; then it runs, and of what may change something makes exactly these calls,
    /// in this order. What is tried leaves nothing: no session, no file, no skill. If it does not
    /// come to its end, that is the outcome, and nothing was done. Needs governance that asks people.
    pub fn preview(mut self) -> Self {
        self.request.stages.governed.is_previewed = true;
        self
    }

    /// Runs it within another run.
    fn nested(self) -> BoxFuture<'static, Result<Outcome, Error>> {
        self.run().boxed()
    }
}

impl Preparation {
    /// Makes the dry run, if the run is to be tried first.
    ///
    /// # Errors
    ///
    /// Nothing would keep its calls from being made.
    pub(super) fn of(isolate: &Isolate) -> Result<Self, Error> {
        if !isolate.request.stages.governed.is_previewed {
            return Ok(Self(None));
        }
        let Some(governor) = isolate.runtime.governor() else {
            let told =
                "a run can't be tried first here: no governance is set up, so nobody can be asked";
            return Err(Error::request(told));
        };
        let mode = governor.dry_run();
        Ok(Self(Some(Box::new(DryRun {
            isolate: isolate.dry_run(mode.clone()),
            mode,
        }))))
    }

    /// Tries the run, and has a person approve what it would do. Breaks off with the outcome if that is
    /// all there is to it.
    pub(super) async fn open(
        self,
        draft: &mut Draft,
        session: Option<&str>,
        cancelled: &mut impl Cancellation,
    ) -> Result<ControlFlow<Outcome>, Error> {
        step("opens", "preview");
        let Some(dry_run) = self.0 else {
            return Ok(ControlFlow::Continue(()));
        };
        tokio::select! {
            biased;
            tried = Box::pin(dry_run.tried(draft, session)) => tried,
            () = cancelled => Ok(ControlFlow::Break(never_begun())),
        }
    }
}

impl DryRun {
    async fn tried(
        self,
        draft: &mut Draft,
        session: Option<&str>,
    ) -> Result<ControlFlow<Outcome>, Error> {
        let mut outcome = self.isolate.nested().await?;
        if !matches!(outcome.ending, Ending::Returned(_)) {
            // What it recorded was not made.
            (outcome.call_log, outcome.undo) = (None, None);
            return Ok(ControlFlow::Break(outcome));
        }
        // The dry run was checked, with the same tools.
        draft.code.leave_out_check();
        let runtime = draft.runtime.clone();
        if let Some(governor) = runtime.governor() {
            let start = run_start(draft, session);
            if let Some(approved) = governor.approve(start, self.mode).await? {
                draft.mode = approved;
            }
        }
        Ok(ControlFlow::Continue(()))
    }
}
