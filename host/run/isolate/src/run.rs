//! One run: from a Store and an instance to the outcome.

use std::pin::pin;

use ampoule_fair::Place;
use ampoule_fair::turns::SlicedFuture;
use ampoule_limits::{Limit, LimitError, millis};
use ampoule_tools::Error;
use serde_json::value::RawValue;
use wasmtime::{Store, Trap};

use super::fuel;
use super::outcome::{Ending, InterruptedError, Outcome, Thrown, TrapError};
use super::output::Level;
use super::parking::ResumeError;
use super::setup::RunSetup;
use super::state::RunState;
use super::usage::Usage;
use super::vessel::Vessel;
use super::work::{Work, uninstantiated};
use crate::engine::Engine;
use crate::script::{Language, meant};

/// An isolate with everything but its instance.
pub struct ReadyRun<'guest> {
    work: Work<'guest>,
    /// What the host holds of it for the run, in bytes.
    bytes: u64,
    vessel: Vessel,
}

impl<'guest> ReadyRun<'guest> {
    /// Work in a Store of its own, on the engine of its guest. The run's clock starts now. What a
    /// caller wrote for it has that many bytes.
    ///
    /// # Errors
    ///
    /// A request error if the run can't be given what it wants, such as a folder.
    pub fn new(
        engine: &Engine,
        slot: Place,
        work: Work<'guest>,
        bytes: u64,
        setup: RunSetup,
    ) -> Result<Self, Error> {
        let mut store = Store::new(engine.wasmtime(), RunState::new(setup));
        store.limiter(|run| &mut run.memory);
        fuel::share(&mut store).map_err(|error| Error::host("fuel can't be set", error))?;
        let work = work.furnish(&mut store)?;
        Ok(Self {
            work,
            bytes,
            vessel: Vessel::isolate(store, slot),
        })
    }

    /// A run that was parked, by this process or another, which has no isolate until it wakes.
    pub fn parked(work: Work<'guest>, setup: RunSetup) -> Self {
        let mut run = RunState::new(setup);
        work.adapt(&mut run);
        Self {
            work,
            // Its program is in its memory.
            bytes: 0,
            vessel: Vessel::parked(run),
        }
    }

    /// Makes the instance, and drops it.
    ///
    /// # Errors
    ///
    /// Host faults, and request errors if the limits have no room for the guest.
    pub async fn instantiate(mut self) -> Result<(), Error> {
        let store = self.vessel.store().map_err(uninstantiated)?;
        self.work.instantiate(store).await.map_err(uninstantiated)
    }

    /// Runs it to its end, or until it is cancelled.
    ///
    /// # Errors
    ///
    /// Host faults. Whatever the guest does is an [`Outcome`].
    pub async fn run(self, cancelled: impl Future<Output = ()>) -> Result<Outcome, Error> {
        let Self {
            work,
            bytes,
            mut vessel,
        } = self;
        let run = vessel.run();
        let (limits, deadline) = (run.limits, run.deadline.clone());
        let language = work.language();
        let principal = run.effort.principal().cloned();
        let ended = match run.held.add(bytes) {
            Ok(()) => {
                let entered = pin!(work.enter(&mut vessel));
                tokio::select! {
                    biased;
                    ended = SlicedFuture::new(entered, principal) => Ok(ended),
                    () = deadline.passed() => Err(None),
                    () = cancelled => Err(Some(Ending::Cancelled)),
                }
            }
            Err(hit) => Ok(Ok(Err(hit.into()))),
        };
        let run = vessel.run_mut();
        run.effort.end();
        let ending = match ended {
            Ok(ended) => match ended? {
                Ok(Ok(value)) => returned(run, value),
                Ok(Err(thrown)) => threw(run, thrown, language),
                Err(error) => broken_off(run, &error, language),
            },
            Err(Some(cancelled)) => cancelled,
            Err(None) => Ending::Limit(Limit::WallTime.hit(millis(run.wall_used()), &limits)),
        };
        let unfinished_lines = run.wasi.as_ref().map_or(Ok(()), |wasi| wasi.finish());
        let ending = match (ending, unfinished_lines) {
            (Ending::Returned(_), Err(hit)) => Ending::Limit(hit),
            (ending, _) => ending,
        };
        Ok(account(vessel, ending))
    }
}

/// A run that came to its end by itself: its value counts as output.
fn returned(run: &RunState, value: Option<String>) -> Ending {
    let Some(value) = value else {
        return Ending::Returned(None);
    };
    if let Err(hit) = run.feed.count(value.len() as u64) {
        return Ending::Limit(hit);
    }
    match RawValue::from_string(value) {
        Ok(value) => Ending::Returned(Some(value)),
        Err(error) => trapped(format!("the value that it returned is not JSON: {error}")),
    }
}

/// A script that was denied memory, and did not get over that, has hit the limit: what it throws
/// then depends on where it was. Any other error is reported in any case, cut to a length that does
/// not matter, and counts as output.
fn threw(run: &mut RunState, mut thrown: Thrown, language: Option<Language>) -> Ending {
    // Python says so where that was the reason.
    let may_lack_memory = language != Some(Language::Python) || thrown.is_caused_by("MemoryError");
    if let (true, Some(hit)) = (may_lack_memory, run.memory.denied(&run.limits)) {
        return Ending::Limit(hit);
    }
    if let Some(language) = language {
        meant::explain_name(&mut thrown, language);
    }
    run.error_content = run.failed_blocks.told_by(&thrown);
    thrown.cut();
    run.feed.add(thrown.bytes());
    let blocks = run.error_content.iter().map(|block| block.get().len());
    // Without room for them, the text of the error has to do.
    if run.feed.count(blocks.sum::<usize>() as u64).is_err() {
        run.error_content.clear();
    }
    Ending::Threw(thrown)
}

/// A run that a trap or a limit cut short.
fn broken_off(run: &RunState, error: &wasmtime::Error, language: Option<Language>) -> Ending {
    let limits = &run.limits;
    if let Some(ResumeError(message)) = error.downcast_ref() {
        let message = message.clone();
        return Ending::Interrupted(InterruptedError { message });
    }
    if let Some(hit) = error.downcast_ref::<LimitError>() {
        return Ending::Limit(*hit);
    }
    match (error.downcast_ref::<Trap>(), run.memory.denied(limits)) {
        (Some(Trap::OutOfFuel), _) => Ending::Limit(Limit::Fuel.hit(limits.fuel, limits)),
        (Some(Trap::StackOverflow), _) => {
            Ending::Limit(Limit::Stack.hit(limits.stack_bytes, limits))
        }
        // An interpreter that gets no memory gives up. So does an instance whose memory is too
        // large from the start.
        (Some(Trap::UnreachableCodeReached) | None, Some(hit)) => Ending::Limit(hit),
        (Some(trap), _) => trapped(match language {
            Some(language) => format!(
                "{trap}, in the interpreter of {}; its last output may say why",
                language.title()
            ),
            None => trap.to_string(),
        }),
        (None, None) if shows_too_much(error) => {
            Ending::Limit(Limit::HostBytes.hit(limits.host_bytes + 1, limits))
        }
        // A guest that made up an id, or passed what is not text.
        (None, None) => trapped(format!("{error:#}")),
    }
}

/// Whether a guest passed more in one call than the host may copy. Wasmtime's error for that has no
/// type to recognise it by.
pub(super) fn shows_too_much(error: &wasmtime::Error) -> bool {
    error
        .root_cause()
        .to_string()
        .contains("fuel allocated for hostcalls")
}

fn trapped(message: String) -> Ending {
    Ending::Trapped(TrapError { message })
}

/// What is said of a run that continued without end until it hit a limit.
fn endless(run: &RunState, limit: Limit) -> Vec<String> {
    let since = match run.fuel_at_last_call {
        Some(fuel) if fuel > run.limits.fuel / 2 => Some("after its last call of a tool"),
        None if run.calls.started() == 0 => Some("without a call of a tool"),
        _ => None,
    };
    let computed = since.filter(|_| limit == Limit::Fuel).map(|since| {
        format!(
            "most of the fuel was used {since}, by code that only computes: \
             look for a loop there whose condition never changes"
        )
    });
    let waits_or_computes = matches!(limit, Limit::Fuel | Limit::WallTime | Limit::Calls);
    let repeated = run.calls.repeated().filter(|_| waits_or_computes);
    computed.into_iter().chain(repeated).collect()
}

/// The outcome, with what was used, and a note on calls that the script did not await.
fn account(mut vessel: Vessel, ending: Ending) -> Outcome {
    let fuel_left = vessel.fuel_left();
    let run = vessel.run_mut();
    let fuel_left = fuel_left.saturating_sub(run.take_debt());
    run.gauge(fuel_left);
    if let Ending::Limit(hit) = &ending {
        for note in endless(run, hit.limit) {
            // As below.
            let _ = run.feed.write(Level::Warn, &note);
        }
    }
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
        let _ = run.feed.write(Level::Warn, &note);
    }
    let fuel = run.limits.fuel.saturating_sub(fuel_left);
    if let Some(pages) = run.pages.take() {
        pages.give_back(run.memory.memory_bytes(), fuel, run.put_back);
    }
    let (call_log, undo) = match &ending {
        Ending::Returned(_) => (None, None),
        _ => (run.calls.log(), run.calls.undo_offer()),
    };
    let usage = Usage {
        fuel,
        wall_time: run.wall_used(),
        peak_memory_bytes: run.memory.peak_memory(),
        peak_host_bytes: run.held.peak(),
        output_bytes: run.feed.bytes(),
        parked: run.parked,
        calls: run.calls.take_usage(),
    };
    let (output, emitted) = run.feed.take_output();
    Outcome {
        ending,
        error_content: std::mem::take(&mut run.error_content),
        output,
        emitted,
        usage,
        call_log,
        undo,
        session: None,
        record: None,
        withheld: None,
        carried: None,
    }
}
