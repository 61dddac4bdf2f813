//! `ampoule:guest/calls`: starting calls and waiting for them.

use std::sync::Arc;
use std::time::Duration;

use ampoule_effort as effort;
use ampoule_tools::{CallOutcome, FailureKind, Form, ToolFailure};
use wasmtime::component::{ComponentType, Linker, LinkerInstance, Lower, WasmStr};
use wasmtime::{AsContextMut, StoreContextMut};

use crate::calls::CallId;
use crate::fuel;
use crate::parking::{Answer, Gate, IdleWait};
use crate::state::RunState;
use crate::world::Pass;

const INTERFACE: &str = "ampoule:guest/calls@0.1.0";

/// `ampoule:guest/values.failure-kind`
#[derive(ComponentType, Lower, Clone, Copy)]
#[component(enum)]
#[repr(u8)]
pub(crate) enum Kind {
    #[component(name = "failed")]
    Failed,
    #[component(name = "arguments")]
    Arguments,
    #[component(name = "denied")]
    Denied,
    #[component(name = "needs-sign-in")]
    NeedsSignIn,
    #[component(name = "not-reached")]
    NotReached,
    #[component(name = "refused")]
    Refused,
    #[component(name = "protocol")]
    Protocol,
    #[component(name = "timed-out")]
    TimedOut,
    #[component(name = "cancelled")]
    Cancelled,
    #[component(name = "lost")]
    Lost,
}

impl From<FailureKind> for Kind {
    fn from(kind: FailureKind) -> Self {
        match kind {
            FailureKind::Failed => Self::Failed,
            FailureKind::Arguments => Self::Arguments,
            FailureKind::Denied => Self::Denied,
            FailureKind::NeedsSignIn => Self::NeedsSignIn,
            FailureKind::NotReached => Self::NotReached,
            FailureKind::Refused => Self::Refused,
            FailureKind::Protocol => Self::Protocol,
            FailureKind::TimedOut => Self::TimedOut,
            FailureKind::Cancelled => Self::Cancelled,
            FailureKind::Lost => Self::Lost,
        }
    }
}

/// `ampoule:guest/calls.failure`
#[derive(ComponentType, Lower)]
#[component(record)]
pub(crate) struct Failure {
    kind: Kind,
    message: String,
    content: String,
    data: Option<String>,
}

impl From<ToolFailure> for Failure {
    fn from(failure: ToolFailure) -> Self {
        Self {
            kind: failure.kind.into(),
            message: failure.message,
            content: failure.content,
            data: failure.data,
        }
    }
}

/// `ampoule:guest/calls.failure` as it was before failures had data.
#[derive(ComponentType, Lower)]
#[component(record)]
struct FailureBeforeData {
    kind: Kind,
    message: String,
    content: String,
}

impl From<ToolFailure> for FailureBeforeData {
    fn from(failure: ToolFailure) -> Self {
        Self {
            kind: failure.kind.into(),
            message: failure.message,
            content: failure.content,
        }
    }
}

/// `ampoule:guest/calls.completion`
#[derive(ComponentType, Lower)]
#[component(record)]
pub(crate) struct Completion<F = Failure> {
    call: CallId,
    outcome: Result<String, F>,
}

impl<F> Completion<F> {
    pub(crate) fn into_outcome(self) -> Result<String, F> {
        self.outcome
    }
}

#[cfg(test)]
impl Completion {
    pub(crate) fn returned(call: CallId, json: &str) -> Self {
        let outcome = Ok(json.to_owned());
        Self { call, outcome }
    }
}

pub(super) fn add_to_linker(linker: &mut Linker<RunState>) -> wasmtime::Result<()> {
    let mut calls = linker.instance(INTERFACE)?;
    for (name, form) in [("start", Form::Script), ("start-whole", Form::Whole)] {
        calls.func_wrap(
            name,
            move |mut store: StoreContextMut<'_, RunState>, (tool, arguments): (u32, WasmStr)| {
                let text = arguments.to_str(&store)?;
                store.data().calls.admit(text.len() as u64)?;
                let arguments = text.into_owned();
                Ok((start(&mut store, tool, arguments, form)?,))
            },
        )?;
    }
    define_wait::<Failure>(&mut calls)?;
    calls.func_wrap_async(
        "cancel",
        |mut store: StoreContextMut<'_, RunState>, (call,): (CallId,)| {
            Box::new(async move {
                fuel::settle(&mut store, effort::REQUEST).await?;
                store.data_mut().calls.cancel(call);
                Ok(())
            })
        },
    )
}

/// Starts a call of a tool that the run has resolved, with arguments that were
/// [admitted](crate::calls::Calls::admit).
pub(crate) fn start(
    mut store: impl AsContextMut<Data = RunState>,
    tool: u32,
    arguments: String,
    form: Form,
) -> wasmtime::Result<CallId> {
    let mut store = store.as_context_mut();
    fuel::pay(&mut store, effort::REQUEST + arguments.len() as u64)?;
    let call = store.data_mut().start_call(tool, arguments, form)?;
    fuel::pay(&mut store, 0)?;
    store.data_mut().fuel_at_last_call = Some(store.get_fuel()?);
    Ok(call)
}

/// Has `wait` give failures without data, for a component that was built before there was any.
pub(crate) fn give_no_data(linker: &mut Linker<RunState>) -> wasmtime::Result<()> {
    linker.allow_shadowing(true);
    let defined = define_wait::<FailureBeforeData>(&mut linker.instance(INTERFACE)?);
    linker.allow_shadowing(false);
    defined
}

fn define_wait<F>(calls: &mut LinkerInstance<'_, RunState>) -> wasmtime::Result<()>
where
    F: From<ToolFailure> + ComponentType + Lower + Send + Sync + 'static,
{
    calls.func_wrap_async(
        "wait",
        |mut store: StoreContextMut<'_, RunState>, (timeout,): (Option<u64>,)| {
            Box::new(async move {
                let kept_back = (timeout != Some(0)).then(|| kept_back(store.data()));
                if let Some(gate) = kept_back.flatten() {
                    gate.beyond().await?;
                }
                Ok((wait::<F>(&mut store, timeout).await?,))
            })
        },
    )
}

/// What keeps calls back, where it may: a script that waits in the middle of a function, where
/// nothing of it can be kept, has them leave without that.
fn kept_back(run: &RunState) -> Option<Arc<Gate>> {
    let started = CallId::try_from(run.calls.started()).unwrap_or(CallId::MAX);
    let gate = run.gate.clone();
    gate.filter(|gate| gate.keeps_back(started))
}

/// Waits until a call has ended, at most so many nanoseconds, and takes all that have.
pub(crate) async fn wait<F: From<ToolFailure>>(
    mut store: impl AsContextMut<Data = RunState>,
    timeout: Option<u64>,
) -> wasmtime::Result<Vec<Completion<F>>> {
    fuel::pay(&mut store, effort::REQUEST)?;
    let mut context = store.as_context_mut();
    let run = context.data_mut();
    let timeout = timeout.map(Duration::from_nanos);
    let ended = match run.world.expected()? {
        Some(expected) => run.take(&expected).await?,
        None => {
            let passes = match run.calls.any_ended() {
                true => Pass::Ends,
                false => run.world.pass(timeout),
            };
            match passes {
                Pass::Waits => {
                    let idle_wait = run.idle_wait.clone();
                    IdleWait::waiting(idle_wait.as_ref(), wait_for_any(run, timeout)).await;
                }
                Pass::Ends => run.calls.next_ended().await,
                Pass::Over => {}
            }
            note_answers(run).await;
            run.take_ended()?
        }
    };
    let taken: Vec<CallId> = ended.iter().map(|completion| completion.call).collect();
    run.world.taken(&taken);
    fuel::settle(&mut store, 0).await?;
    note_failed_blocks(&mut store, &ended)?;
    if !taken.is_empty() {
        let mut context = store.as_context_mut();
        context.data_mut().fuel_at_last_call = Some(context.get_fuel()?);
    }
    Ok(given(ended))
}

/// Keeps what failed calls gave besides text, in case the script throws such an error.
fn note_failed_blocks(
    mut store: impl AsContextMut<Data = RunState>,
    ended: &[crate::calls::Completion],
) -> wasmtime::Result<()> {
    let mut context = store.as_context_mut();
    let run = context.data_mut();
    let most = run.feed.allowed();
    let mut read = 0;
    for completion in ended {
        if let CallOutcome::Failure(failure) = &completion.outcome {
            read += run.failed_blocks.add(failure, most, &run.held);
        }
    }
    match read {
        0 => Ok(()),
        read => fuel::pay(&mut context, effort::BYTE * read),
    }
}

/// What is known of the ends of calls is kept before the guest knows of it.
pub(crate) async fn note_answers(run: &mut RunState) {
    let Some(gate) = run.gate.clone().filter(|gate| gate.is_kept()) else {
        return;
    };
    run.calls.have_ended();
    for (call, outcome) in run.calls.unnoted() {
        gate.answered(call, || Answer::of(outcome)).await;
    }
    run.calls.noted();
}

/// Waits until a call has ended, or the time is over.
pub(crate) async fn wait_for_any(run: &mut RunState, timeout: Option<Duration>) {
    match timeout {
        Some(Duration::ZERO) => {}
        // Where the time is over, taking what has ended is all that is left to do.
        Some(timeout) if run.calls.pending() => {
            drop(tokio::time::timeout(timeout, run.calls.next_ended()).await)
        }
        Some(timeout) => tokio::time::sleep(timeout).await,
        None => run.calls.next_ended().await,
    }
}

/// Ended calls, as the guest gets them.
fn given<F: From<ToolFailure>>(ended: Vec<crate::calls::Completion>) -> Vec<Completion<F>> {
    ended
        .into_iter()
        .map(|completion| Completion {
            call: completion.call,
            outcome: match completion.outcome {
                CallOutcome::Value(json) => Ok(json),
                CallOutcome::Failure(failure) => Err(failure.into()),
                // What is too large has ended the run before.
                CallOutcome::TooLarge { bytes } => Err(ToolFailure::too_large(bytes).into()),
            },
        })
        .collect()
}
