//! What calls of a run pass on their way out, where the run may be parked.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};

use ampoule_tools::{CallContext, CallError, Departure, Layer, Next, ToolResult};
use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::{Map, Value};
use tokio::sync::{Mutex, MutexGuard, watch};

use super::backend::{Note, ParkingBackend, ParkingError};
use super::journal::Answer;
use crate::calls::CallId;
use crate::under_way::Repetition;

/// As long as nothing of a run is kept, each of its calls passes.
const NOTHING_KEPT: CallId = CallId::MAX;

/// Keeps calls back that can't be repeated, until what asked for them is kept, and their leaving is
/// noted. A run that was never parked has no such calls.
pub(crate) struct Gate {
    backend: Arc<dyn ParkingBackend>,
    /// What is kept has the calls below this one.
    covered: watch::Sender<CallId>,
    /// One thing at a time: what is kept, or noted, is true when it is written.
    order: Mutex<()>,
}

impl Gate {
    pub(crate) fn new(backend: Arc<dyn ParkingBackend>) -> Self {
        Self {
            backend,
            covered: watch::Sender::new(NOTHING_KEPT),
            order: Mutex::new(()),
        }
    }

    /// The innermost layer of a call: what the others do, such as asking a person, is done again
    /// where another process resumes the run.
    pub(crate) fn layer(self: &Arc<Self>, again: &Repetition) -> impl Layer + use<> {
        GateLayer {
            gate: Arc::clone(self),
            repeatable: again.repeatable,
            passed: Arc::clone(&again.passed),
        }
    }

    /// Waits until a call may leave, and notes that it does.
    async fn pass(
        &self,
        call: CallId,
        repeatable: bool,
        passed: &AtomicBool,
    ) -> Result<(), ParkingError> {
        if repeatable {
            passed.store(true, SeqCst);
            return Ok(());
        }
        let mut covered = self.covered.subscribe();
        // There is a sender as long as this waits.
        let _ = covered.wait_for(|covered| *covered > call).await;
        let _order = self.order.lock().await;
        if self.is_kept() {
            self.backend.note(Note::Sent(call)).await?;
        }
        passed.store(true, SeqCst);
        Ok(())
    }

    /// Takes back that a call has passed: it waits, and nothing of it has left.
    async fn hold_back(&self, call: CallId, passed: &AtomicBool) {
        let _order = self.order.lock().await;
        if !passed.swap(false, SeqCst) || !self.is_kept() {
            return;
        }
        if let Err(error) = self.backend.note(Note::HeldBack(call)).await {
            // After a kill, the script gets the error that it is unknown.
            tracing::warn!(%error, "it can't be recorded that a call has not left");
        }
    }

    /// Whether something of the run is kept.
    pub(crate) fn is_kept(&self) -> bool {
        *self.covered.borrow() != NOTHING_KEPT
    }

    /// Whether calls may wait here, of which that many were started.
    pub(crate) fn keeps_back(&self, started: CallId) -> bool {
        *self.covered.borrow() < started
    }

    /// Nothing leaves, and nothing is noted, until this is dropped.
    pub(crate) async fn hold(&self) -> MutexGuard<'_, ()> {
        self.order.lock().await
    }

    /// What is kept has that many calls.
    pub(crate) fn cover(&self, started: CallId) {
        self.covered.send_replace(started);
    }

    /// Notes how a call ended, if anything is kept.
    pub(crate) async fn answered(&self, call: CallId, answer: impl FnOnce() -> Answer) {
        let _order = self.order.lock().await;
        if !self.is_kept() {
            return;
        }
        if let Err(error) = self.backend.note(Note::Answered(call, answer())).await {
            // After a kill, the script gets the error that it is unknown.
            tracing::warn!(%error, "the end of a call can't be recorded");
        }
    }

    /// The run continues in the middle of a function, where nothing can be kept. Its calls leave.
    pub(crate) async fn beyond(&self) -> Result<(), ParkingError> {
        let _order = self.order.lock().await;
        self.backend.note(Note::Beyond).await?;
        self.covered.send_replace(NOTHING_KEPT);
        Ok(())
    }

    /// Nothing is kept from now on.
    pub(crate) async fn forget(&self) -> Result<(), ParkingError> {
        self.backend.forget().await?;
        self.covered.send_replace(NOTHING_KEPT);
        Ok(())
    }
}

/// One call, on its way past the gate.
struct GateLayer {
    gate: Arc<Gate>,
    repeatable: bool,
    passed: Arc<AtomicBool>,
}

impl Layer for GateLayer {
    fn call<'a>(
        &'a self,
        arguments: Map<String, Value>,
        context: CallContext,
        next: Next<'a>,
    ) -> BoxFuture<'a, Result<ToolResult, CallError>> {
        async move {
            let leaving = LeavingCall {
                gate: Arc::clone(&self.gate),
                repeatable: self.repeatable,
                passed: Arc::clone(&self.passed),
                context: context.clone(),
            };
            leaving.leave().await?;
            next.call(arguments, context.departing(Arc::new(leaving)))
                .await
        }
        .boxed()
    }
}

/// A call that has come to the gate, and may come back to it.
struct LeavingCall {
    gate: Arc<Gate>,
    repeatable: bool,
    passed: Arc<AtomicBool>,
    context: CallContext,
}

impl Departure for LeavingCall {
    fn hold_back(&self) -> BoxFuture<'_, ()> {
        let call = self.context.call().number;
        self.gate.hold_back(call, &self.passed).boxed()
    }

    fn leave(&self) -> BoxFuture<'_, Result<(), CallError>> {
        async move {
            let call = self.context.call().number;
            let repeatable = self.repeatable || self.context.is_repeatable();
            let passed = self.gate.pass(call, repeatable, &self.passed).await;
            passed.map_err(|why| CallError::NotReached(format!("the call can't be made: {why}")))
        }
        .boxed()
    }
}

impl fmt::Debug for LeavingCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LeavingCall")
            .field("context", &self.context)
            .field("passed", &self.passed)
            .finish_non_exhaustive()
    }
}
