//! One run: from a Store and an instance to the outcome.

use std::sync::Arc;

use serde_json::value::RawValue;
use wasmtime::{Store, Trap};

use super::event::Listener;
use super::guest::{Guest, Program};
use super::limits::{Limit, LimitHit, Limits, millis};
use super::outcome::{Ending, Outcome, Thrown, Trapped};
use super::output::Level;
use super::state::RunState;
use super::usage::Usage;
use crate::binding::GrantedTools;
use crate::engine::Slot;
use crate::error::Error;
use crate::runtime::Runtime;
use crate::script::{Language, Script};

/// How the guest's side ended: what `run` gave, or the error that broke it off.
type Ended = wasmtime::Result<Result<Option<String>, Thrown>>;

/// An isolate with everything but its instance.
pub(super) struct Prepared<'runtime> {
    guest: &'runtime Guest,
    store: Store<RunState>,
    /// Given back after the Store, with its memory, is gone.
    _slot: Slot,
}

impl<'runtime> Prepared<'runtime> {
    /// Waits for the guest to be compiled and for a slot. The run's clock starts after that.
    pub(super) async fn new(
        runtime: &'runtime Runtime,
        language: Language,
        limits: Limits,
        tools: Arc<GrantedTools>,
        listener: Option<Listener>,
    ) -> Result<Self, Error> {
        let shard = runtime.shard().await?;
        let guest = shard.guest(language).await?;
        let slot = runtime.slot().await?;
        let state = RunState::new(limits, tools, listener);
        let mut store = Store::new(shard.engine().wasmtime(), state);
        store.limiter(|run| &mut run.memory);
        store
            .set_fuel(limits.fuel)
            .map_err(|error| Error::host("fuel can't be set", error))?;
        // What the guest may show to the host in one call: whatever it has. The imports look at its length before they copy it.
        store.set_hostcall_fuel(usize::try_from(limits.memory_bytes).unwrap_or(usize::MAX));
        store.epoch_deadline_async_yield_and_update(1);
        store.set_epoch_deadline(1);
        Ok(Self {
            guest,
            store,
            _slot: slot,
        })
    }

    pub(super) async fn instantiate(mut self) -> Result<(), Error> {
        let instance = self.guest.instantiate(&mut self.store).await;
        instance.map(drop).map_err(uninstantiated)
    }

    pub(super) async fn run(mut self, script: Script) -> Result<Outcome, Error> {
        let (limits, started) = (self.store.data().limits, self.store.data().started);
        let ended = match self.store.data().held.add(script.bytes()) {
            Ok(()) => tokio::time::timeout(limits.wall_time, self.enter(script)).await,
            Err(hit) => Ok(Ok(Err(hit.into()))),
        };
        let ending = match ended {
            Ok(ended) => match ended? {
                Ok(Ok(value)) => returned(&mut self.store, value),
                Ok(Err(thrown)) => threw(&mut self.store, thrown),
                Err(error) => broken_off(&self.store, &error),
            },
            Err(_) => Ending::Limit(Limit::WallTime.hit(millis(started.elapsed()), &limits)),
        };
        Ok(account(self.store, ending))
    }

    async fn enter(&mut self, script: Script) -> Result<Ended, Error> {
        let run = match self.guest.instantiate(&mut self.store).await {
            Ok(run) => run,
            Err(error) if is_the_runs_own(&self.store, &error) => return Ok(Err(error)),
            Err(error) => return Err(uninstantiated(error)),
        };
        let program = Program::new(script, self.store.data().limits.stack_bytes);
        Ok(match run.call_async(&mut self.store, (program,)).await {
            Ok((result,)) => Ok(result),
            Err(error) => Err(error),
        })
    }
}

/// A run that came to its end by itself: its value counts as output.
fn returned(store: &mut Store<RunState>, value: Option<String>) -> Ending {
    let Some(value) = value else {
        return Ending::Returned(None);
    };
    let run = store.data_mut();
    if let Err(hit) = run.output.count(value.len() as u64, &run.limits) {
        return Ending::Limit(hit);
    }
    match RawValue::from_string(value) {
        Ok(value) => Ending::Returned(Some(value)),
        Err(error) => trapped(format!("the value that it returned is no JSON: {error}")),
    }
}

/// A script that was denied memory, and did not get over that, has hit the limit: what it throws then depends on where it was.
/// Any other error is told in any case, cut to a length that does not matter, and counts as output.
fn threw(store: &mut Store<RunState>, mut thrown: Thrown) -> Ending {
    let run = store.data_mut();
    if let Some(hit) = run.memory.denied(&run.limits) {
        return Ending::Limit(hit);
    }
    thrown.cut();
    run.output.add(thrown.bytes());
    Ending::Threw(thrown)
}

fn uninstantiated(error: wasmtime::Error) -> Error {
    Error::host("the guest can't be instantiated", error)
}

/// Whether the run's limits kept its instance from being made, and not a want of the host's.
fn is_the_runs_own(store: &Store<RunState>, error: &wasmtime::Error) -> bool {
    let run = store.data();
    error.is::<LimitHit>() || error.is::<Trap>() || run.memory.denied(&run.limits).is_some()
}

/// A run that a trap or a limit broke off.
fn broken_off(store: &Store<RunState>, error: &wasmtime::Error) -> Ending {
    let limits = &store.data().limits;
    if let Some(hit) = error.downcast_ref::<LimitHit>() {
        return Ending::Limit(*hit);
    }
    match (
        error.downcast_ref::<Trap>(),
        store.data().memory.denied(limits),
    ) {
        (Some(Trap::OutOfFuel), _) => Ending::Limit(Limit::Fuel.hit(limits.fuel, limits)),
        (Some(Trap::StackOverflow), _) => {
            Ending::Limit(Limit::Stack.hit(limits.stack_bytes, limits))
        }
        // An interpreter that gets no memory gives up. So does an instance whose memory is too large from the start.
        (Some(Trap::UnreachableCodeReached) | None, Some(hit)) => Ending::Limit(hit),
        (Some(trap), _) => trapped(trap.to_string()),
        // A guest that made up an id, or passed what is no text.
        (None, None) => trapped(format!("{error:#}")),
    }
}

fn trapped(message: String) -> Ending {
    Ending::Trapped(Trapped { message })
}

/// The outcome, with what was used, and a word on calls that nobody waited for.
fn account(mut store: Store<RunState>, ending: Ending) -> Outcome {
    let fuel_left = store.get_fuel().unwrap_or(0);
    let run = store.data_mut();
    let abandoned = run.calls.finish();
    if matches!(ending, Ending::Returned(_)) && abandoned > 0 {
        let were = if abandoned == 1 {
            "call was"
        } else {
            "calls were"
        };
        let note = format!(
            "{abandoned} {were} still under way when the script ended, and got cancelled; await every call"
        );
        // Where there is no room for the note, the script's own output matters more.
        let _ = run.write(Level::Warn, &note);
    }
    let usage = Usage {
        fuel: run.limits.fuel.saturating_sub(fuel_left),
        wall_time: run.started.elapsed(),
        peak_memory_bytes: run.memory.peak_memory(),
        peak_host_bytes: run.held.peak(),
        output_bytes: run.output.bytes(),
        calls: run.calls.take_usage(),
    };
    Outcome {
        ending,
        output: run.output.take(),
        usage,
    }
}
