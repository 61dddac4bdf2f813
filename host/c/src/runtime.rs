//! The runtime.

use std::ffi::c_char;
use std::slice;
use std::sync::{Mutex, mpsc};

use ampoule_foreign::{Fault, RunOptions, Runtime, RuntimeOptions, Tools};

use crate::run::ampoule_run;
use crate::text::{given, read, told};
use crate::tools::ampoule_tools;

/// What a process has once: the engine, the guests that it compiled, and threads that runs are on.
#[expect(non_camel_case_types, reason = "it is C's name for it")]
pub struct ampoule_runtime {
    runtime: Runtime,
}

/// A runtime of options, a JSON object: `limits`, `ceilings`, `isolates`, `config`, `servers`,
/// `sessions` and more, as in the documentation; `{}` for none. NULL, and a fault as JSON
/// (`kind`, `message`), if it can't be had; `fault` may be NULL.
///
/// # Safety
///
/// `options` is ended by a zero; `fault` is NULL, or can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ampoule_runtime_new(
    options: *const c_char,
    fault: *mut *mut c_char,
) -> *mut ampoule_runtime {
    // SAFETY: whoever calls says so.
    let options = unsafe { read("`options`", options) };
    let options = options.and_then(RuntimeOptions::from_json);
    let runtime = options.and_then(|options| Runtime::new(&options));
    let runtime = runtime.map(|runtime| Box::into_raw(Box::new(ampoule_runtime { runtime })));
    // SAFETY: whoever calls says so.
    unsafe { told(runtime, fault) }
}

/// Runs a script to its end, and gives its outcome as JSON. `options` is a JSON object: `code`,
/// and `language`, `grant`, `limits`, `env`, `session` and more, as in the documentation. `tools` are so
/// many of its own; all of them are granted. To be freed by ampoule_string_free. NULL, and a fault, if
/// it has no outcome.
///
/// # Safety
///
/// The runtime and the tools are not freed; `options` is ended by a zero; `fault` is NULL, or can be
/// written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ampoule_runtime_run(
    runtime: *const ampoule_runtime,
    options: *const c_char,
    tools: *const *const ampoule_tools,
    tools_count: usize,
    fault: *mut *mut c_char,
) -> *mut c_char {
    // SAFETY: whoever calls says so.
    let (runtime, tools) = unsafe { (&(*runtime).runtime, list(tools, tools_count)) };
    // SAFETY: the same.
    let options = unsafe { run_options(options) };
    let outcome = options.and_then(|options| runtime.run_here(options, &tools, || true));
    // SAFETY: the same.
    unsafe { told(outcome.map(given), fault) }
}

/// Starts a script: to listen to it, and to cancel it. As ampoule_runtime_run otherwise. To be freed
/// by ampoule_run_free.
///
/// # Safety
///
/// As for ampoule_runtime_run.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ampoule_runtime_start(
    runtime: *const ampoule_runtime,
    options: *const c_char,
    tools: *const *const ampoule_tools,
    tools_count: usize,
    fault: *mut *mut c_char,
) -> *mut ampoule_run {
    // SAFETY: whoever calls says so.
    let (runtime, tools) = unsafe { (&(*runtime).runtime, list(tools, tools_count)) };
    // SAFETY: the same.
    let options = unsafe { run_options(options) };
    let started = options.and_then(|options| start(runtime, options, &tools));
    // SAFETY: the same.
    unsafe { told(started.map(|run| Box::into_raw(Box::new(run))), fault) }
}

fn start(runtime: &Runtime, options: RunOptions, tools: &[Tools]) -> Result<ampoule_run, Fault> {
    let (end, outcome) = mpsc::channel();
    // Whoever let go of the run does not hear of its end.
    let run = runtime.start(options, tools, move |outcome| drop(end.send(outcome)))?;
    let events = Mutex::new(run.events());
    Ok(ampoule_run {
        run,
        events,
        outcome: Mutex::new(outcome),
    })
}

/// The declarations of tools in a language (`typescript`, `javascript`, `python`), as a model is to read
/// them. To be freed by ampoule_string_free. NULL, and a fault, if there is no such language.
///
/// # Safety
///
/// As for ampoule_runtime_run.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ampoule_runtime_declarations(
    runtime: *const ampoule_runtime,
    language: *const c_char,
    tools: *const *const ampoule_tools,
    tools_count: usize,
    fault: *mut *mut c_char,
) -> *mut c_char {
    // SAFETY: whoever calls says so.
    let (runtime, tools) = unsafe { (&(*runtime).runtime, list(tools, tools_count)) };
    // SAFETY: the same.
    let language = unsafe { read("`language`", language) };
    let declarations = language.and_then(|language| runtime.declarations(language, None, &tools));
    // SAFETY: the same.
    unsafe { told(declarations.map(given), fault) }
}

/// Ends all runs, and lets go of threads and servers; waits for them a few seconds at most.
///
/// # Safety
///
/// The runtime is not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ampoule_runtime_close(runtime: *const ampoule_runtime) {
    // SAFETY: whoever calls says so.
    unsafe { (*runtime).runtime.close() };
}

/// Lets go of a runtime. It is there until its last run is over; ampoule_runtime_close ends them.
///
/// # Safety
///
/// It is NULL, or was made by ampoule_runtime_new, and is freed once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ampoule_runtime_free(runtime: *mut ampoule_runtime) {
    if !runtime.is_null() {
        // SAFETY: it was boxed, says whoever calls.
        drop(unsafe { Box::from_raw(runtime) });
    }
}

/// # Safety
///
/// As for [`read`].
unsafe fn run_options(options: *const c_char) -> Result<RunOptions, Fault> {
    // SAFETY: whoever calls says so.
    RunOptions::from_json(unsafe { read("`options`", options) }?)
}

/// # Safety
///
/// There are so many, none of them freed.
unsafe fn list(tools: *const *const ampoule_tools, count: usize) -> Vec<Tools> {
    if tools.is_null() {
        return Vec::new();
    }
    // SAFETY: whoever calls says so.
    let tools = unsafe { slice::from_raw_parts(tools, count) };
    // SAFETY: the same.
    let each = tools.iter().map(|one| unsafe { (**one).tools.clone() });
    each.collect()
}
