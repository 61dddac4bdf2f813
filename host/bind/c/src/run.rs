//! An active run.

use std::ffi::c_char;
use std::ptr;
use std::sync::mpsc::Receiver;
use std::sync::{Mutex, PoisonError};

use ampoule_foreign::{Events, Fault, Run, is_forked, unforked, waited};

use crate::text::{given, pointed, told};

/// An active run.
#[expect(non_camel_case_types, reason = "it is C's name for it")]
pub struct ampoule_run {
    pub(crate) run: Run,
    pub(crate) events: Mutex<Events>,
    pub(crate) outcome: Mutex<Receiver<Result<String, Fault>>>,
}

/// The run's id, which is in each of its events. To be freed by ampoule_string_free.
///
/// # Safety
///
/// The run is not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ampoule_run_id(run: *const ampoule_run) -> *mut c_char {
    // SAFETY: the caller says so.
    let run = unsafe { run.as_ref() };
    run.map_or(ptr::null_mut(), |run| given(run.run.id()))
}

/// Waits for the next event, and returns it as JSON; NULL once the run is over and all events have
/// been returned. Events are kept from the run's start; of more than a thousand, the oldest are
/// lost. To be freed by ampoule_string_free.
///
/// # Safety
///
/// The run is not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ampoule_run_next_event(run: *const ampoule_run) -> *mut c_char {
    // SAFETY: the caller says so.
    let Some(run) = (unsafe { run.as_ref() }) else {
        return ptr::null_mut();
    };
    if is_forked() {
        return ptr::null_mut();
    }
    let mut events = run.events.lock().unwrap_or_else(PoisonError::into_inner);
    events.next_here().map_or(ptr::null_mut(), given)
}

/// Waits until the run is over, and returns its outcome as JSON: once. To be freed by
/// ampoule_string_free. NULL, and a fault, if it has none.
///
/// # Safety
///
/// The run is not freed; `fault` is NULL, or can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ampoule_run_outcome(
    run: *const ampoule_run,
    fault: *mut *mut c_char,
) -> *mut c_char {
    let outcome = || {
        // SAFETY: the caller says so.
        let run = unsafe { pointed("`run`", run) }?;
        unforked()?;
        let outcome = run.outcome.lock().unwrap_or_else(PoisonError::into_inner);
        let given_before = |_| Err(Fault::usage("the run's outcome was taken before"));
        let outcome = waited(|| outcome.recv()).unwrap_or_else(given_before);
        outcome.map(given)
    };
    // SAFETY: the caller says so.
    unsafe { told(fault, outcome) }
}

/// Cancels the run: its outcome says `cancelled`, with its output and usage so far. A run that is
/// over stays as it is.
///
/// # Safety
///
/// The run is not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ampoule_run_cancel(run: *const ampoule_run) {
    // SAFETY: the caller says so.
    if let Some(run) = unsafe { run.as_ref() }
        && !is_forked()
    {
        run.run.cancel();
    }
}

/// Frees a run, and cancels it if it is not over.
///
/// # Safety
///
/// It is NULL, or was started here, is freed once, and no other thread waits for it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ampoule_run_free(run: *mut ampoule_run) {
    if run.is_null() {
        return;
    }
    // SAFETY: the same.
    unsafe { ampoule_run_cancel(run) };
    // SAFETY: the caller says that it was boxed.
    drop(unsafe { Box::from_raw(run) });
}
