//! A typed call: from a component's values to a tool, and back.

use std::sync::Arc;

use ampoule_effort as effort;
use ampoule_limits::Limit;
use ampoule_projection::wit::{Package, Signature};
use ampoule_tools::{CallOutcome, FailureKind, ToolFailure};
use ampoule_values::{
    Answer, DecodeError, EncodeError, ErrorFields, PackageValues as _, ToolErrorRecord,
    memory_bytes,
};
use wasmtime::StoreContextMut;
use wasmtime::component::types::ComponentFunc;
use wasmtime::component::{Accessor, Val};

use crate::calls::EndedCall;
use crate::fuel;
use crate::parking::IdleWait;
use crate::state::RunState;
use crate::under_way::AwaitedCall;

/// A function that a component imports. Cheap to clone.
#[derive(Clone)]
pub(super) struct Function {
    package: Arc<Package>,
    /// Its place in the package.
    place: usize,
    /// Its tool's place among those that the component imports.
    tool: u32,
    /// What the component knows of errors.
    errors: ErrorFields,
}

/// A call that was started, or has failed before it could be.
enum CallStart {
    Call(AwaitedCall),
    Failed(Val),
}

impl Function {
    /// One that a component imports with this type, which was found to be the tool's.
    pub(super) fn new(
        package: Arc<Package>,
        name: &str,
        built: &ComponentFunc,
        tool: usize,
    ) -> wasmtime::Result<Self> {
        let place = package
            .place(name)
            .ok_or_else(|| wasmtime::Error::msg(format!("unknown function `{name}`")))?;
        let errors = ErrorFields::of(built)
            .ok_or_else(|| wasmtime::Error::msg(format!("`{name}` has no `tool-error`")))?;
        Ok(Self {
            package,
            place,
            tool: u32::try_from(tool)?,
            errors,
        })
    }

    fn signature(&self) -> &Signature {
        self.package.signature(self.place)
    }

    /// Carries out a call of an `async` function: the component continues meanwhile.
    pub(super) async fn call_concurrent(
        self,
        store: &Accessor<RunState>,
        parameters: &[Val],
        results: &mut [Val],
    ) -> wasmtime::Result<()> {
        let started = store.with(|mut access| -> wasmtime::Result<_> {
            let started = self.start(access.data_mut(), parameters)?;
            fuel::pay(&mut access, effort::REQUEST)?;
            Ok(started)
        })?;
        results[0] = match started {
            CallStart::Failed(value) => value,
            CallStart::Call(call) => {
                let alive = store.with(|mut access| access.data_mut().idle_wait.clone());
                let ended = IdleWait::waiting(alive.as_ref(), call.ended()).await;
                store.with(|mut access| -> wasmtime::Result<_> {
                    let value = self.settle(access.data_mut(), ended)?;
                    fuel::pay(&mut access, 0)?;
                    Ok(value)
                })?
            }
        };
        Ok(())
    }

    /// Carries out a call of a function that is not `async`: the component waits.
    pub(super) async fn call(
        self,
        mut store: StoreContextMut<'_, RunState>,
        parameters: &[Val],
        results: &mut [Val],
    ) -> wasmtime::Result<()> {
        let started = self.start(store.data_mut(), parameters)?;
        fuel::pay(&mut store, effort::REQUEST)?;
        results[0] = match started {
            CallStart::Failed(value) => value,
            CallStart::Call(call) => {
                let alive = store.data().idle_wait.clone();
                let ended = IdleWait::waiting(alive.as_ref(), call.ended()).await;
                self.settle(store.data_mut(), ended)?
            }
        };
        fuel::pay(&mut store, 0)
    }

    fn start(&self, run: &mut RunState, parameters: &[Val]) -> wasmtime::Result<CallStart> {
        // Wasmtime has copied them, and keeps them for as long as the call takes.
        let bytes = parameters.iter().map(memory_bytes).sum();
        let values = run.held.hold(bytes)?;
        run.spend(bytes)?;
        let allowed = run.limits.argument_bytes;
        match self
            .package
            .arguments(self.signature(), parameters, allowed)
        {
            Ok(arguments) => {
                // Values become text.
                run.spend(effort::BYTE * arguments.len() as u64)?;
                let call = run.start_awaited(self.tool, arguments, values)?;
                Ok(CallStart::Call(call))
            }
            Err(EncodeError::TooLarge { bytes }) => {
                Err(Limit::ArgumentBytes.hit(bytes, &run.limits).into())
            }
            Err(EncodeError::Mismatch(mismatch)) => {
                let message = format!("the arguments can't be sent: {mismatch}");
                run.refuse_call(self.tool, &message)?;
                let failure = ToolFailure::new(FailureKind::Arguments, message);
                Ok(CallStart::Failed(self.failed(run, &failure)?))
            }
        }
    }

    /// What the function returns.
    fn settle(&self, run: &mut RunState, ended: EndedCall) -> wasmtime::Result<Val> {
        let (outcome, _held) = run.settle(ended)?;
        let json = match outcome {
            CallOutcome::Value(json) => json,
            CallOutcome::Failure(failure) => return self.failed(run, &failure),
            CallOutcome::TooLarge { bytes } => {
                return Err(Limit::ResultBytes.hit(bytes, &run.limits).into());
            }
        };
        run.spend(effort::BYTE * json.len() as u64)?;
        let answer = match self.signature().promises_structure() {
            true => Answer::Structured(&json),
            false => Answer::Content(&json),
        };
        match self
            .package
            .result(self.signature(), answer, run.held.left())
        {
            Ok(value) => Ok(Val::Result(Ok(Some(Box::new(value))))),
            Err(DecodeError::Mismatch(mismatch)) => {
                let message =
                    format!("the tool's result does not match its declaration: {mismatch}");
                self.failed(run, &ToolFailure::new(FailureKind::Protocol, message))
            }
            Err(DecodeError::TooLarge { .. }) => {
                let more = run.limits.host_bytes + 1;
                Err(Limit::HostBytes.hit(more, &run.limits).into())
            }
        }
    }

    /// The `err` of the function's result.
    fn failed(&self, run: &RunState, failure: &ToolFailure) -> wasmtime::Result<Val> {
        let allowed = run.held.left();
        let told = ToolErrorRecord {
            kind: failure.kind.name(),
            message: &failure.message,
            content: &failure.content,
            data: failure.data.as_deref(),
        };
        // Without its blocks, an error still has its message and its data.
        let bare = ToolErrorRecord {
            content: "[]",
            ..told
        };
        let error = told.value(self.errors, allowed);
        match error.or_else(|_| bare.value(self.errors, allowed)) {
            Ok(error) => Ok(Val::Result(Err(Some(Box::new(error))))),
            Err(DecodeError::TooLarge { .. }) => {
                let more = run.limits.host_bytes + 1;
                Err(Limit::HostBytes.hit(more, &run.limits).into())
            }
            Err(DecodeError::Mismatch(mismatch)) => Err(mismatch.into()),
        }
    }
}
