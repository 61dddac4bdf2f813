//! A run that is under way.

use std::ffi::c_char;
use std::ptr;
use std::sync::mpsc::Receiver;
use std::sync::{Mutex, PoisonError};

use ampoule_foreign::{Events, Fault, Run};

use crate::text::{given, told};

/// A run that is under way.
#[expect(non_camel_case_types, reason = "it is C's name for it")]
pub struct ampoule_run {
    pub(crate) run: Run,
    pub(crate) events: Mutex<Events>,
    pub(crate) outcome: Mutex<Receiver<Result<String, Fault>>>,
}

/// What tells the run apart from all others; it is in each event. To be freed by
/// ampoule_string_free.
///
/// # Safety
///
/// The run is not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ampoule_run_id(run: *const ampoule_run) -> *mut c_char {
    // SAFETY: whoever calls says so.
    given(unsafe { (*run).run.id() })
}

/// Waits for the next event, and gives it as JSON; NULL once the run is over and all have been given.
/// To be freed by ampoule_string_free. Not for threads of the runtime, on which tools are called.
///
/// # Safety
///
/// The run is not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ampoule_run_next_event(run: *const ampoule_run) -> *mut c_char {
    // SAFETY: whoever calls says so.
    let events = unsafe { &(*run).events };
    let mut events = events.lock().unwrap_or_else(PoisonError::into_inner);
    events.next_here().map_or(ptr::null_mut(), given)
}

/// Waits until the run is over, and gives its outcome as JSON: once. To be freed by
/// ampoule_string_free. NULL, and a fault, if it has none. Not for threads of the runtime, on which
/// tools are called.
///
/// # Safety
///
/// The run is not freed; `fault` is NULL, or can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ampoule_run_outcome(
    run: *const ampoule_run,
    fault: *mut *mut c_char,
) -> *mut c_char {
    // SAFETY: whoever calls says so.
    let outcome = unsafe { &(*run).outcome };
    let outcome = outcome.lock().unwrap_or_else(PoisonError::into_inner);
    let given_before = |_| Err(Fault::usage("the run's outcome was given before"));
    let outcome = outcome.recv().unwrap_or_else(given_before);
    // SAFETY: whoever calls says so.
    unsafe { told(outcome.map(given), fault) }
}

/// Ends the run: its outcome says `cancelled`, with what it printed and used until then. One that is
/// over stays as it is.
///
/// # Safety
///
/// The run is not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ampoule_run_cancel(run: *const ampoule_run) {
    // SAFETY: whoever calls says so.
    unsafe { (*run).run.cancel() };
}

/// Lets go of a run, and cancels it if it is not over.
///
/// # Safety
///
/// It is NULL, or was started here, is freed once, and no other thread waits for it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ampoule_run_free(run: *mut ampoule_run) {
    if !run.is_null() {
        // SAFETY: it was boxed, says whoever calls.
        let run = unsafe { Box::from_raw(run) };
        run.run.cancel();
    }
}
