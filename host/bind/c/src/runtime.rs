//! The runtime.

use std::ffi::c_char;
use std::slice;
use std::sync::{Mutex, mpsc};

use ampoule_foreign::{Fault, GrantOptions, RunOptions, Runtime, RuntimeOptions, Tools};

use crate::run::ampoule_run;
use crate::text::{given, pointed, read, told};
use crate::tools::ampoule_tools;

/// A runtime, usually one in a process: the engine, the compiled guests, and the threads of runs.
#[expect(non_camel_case_types, reason = "it is C's name for it")]
pub struct ampoule_runtime {
    runtime: Runtime,
}

/// A runtime of options, a JSON object: `limits`, `ceilings`, `isolates`, `config`, `servers`,
/// `sessions` and more, as in docs/guides/c.md; `{}` for none. NULL, and a fault, if it can't be
/// made. To be freed by ampoule_runtime_free.
///
/// # Safety
///
/// `options` is ended by a zero; `fault` is NULL, or can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ampoule_runtime_new(
    options: *const c_char,
    fault: *mut *mut c_char,
) -> *mut ampoule_runtime {
    let runtime = || {
        // SAFETY: the caller says so.
        let options = unsafe { read("`options`", options) }?;
        let runtime = Runtime::new(&RuntimeOptions::from_json(options)?)?;
        Ok(Box::into_raw(Box::new(ampoule_runtime { runtime })))
    };
    // SAFETY: the caller says so.
    unsafe { told(fault, runtime) }
}

/// Runs a script to its end, and returns its outcome as JSON. `options` is a JSON object: `code`,
/// or `call` for one call without a script, and `language`, `grant`, `limits`, `env`, `session` and more, as in docs/guides/c.md. `tools` are so
/// many of its own, all of which it may call; NULL and 0 for none. To be freed by
/// ampoule_string_free. NULL, and a fault, if it has no outcome.
///
/// # Safety
///
/// The runtime and the tools are not freed; `options` is ended by a zero; `fault` is NULL, or can be
/// written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ampoule_runtime_run(
    runtime: *const ampoule_runtime,
    options: *const c_char,
    tools: *const *mut ampoule_tools,
    tools_count: usize,
    fault: *mut *mut c_char,
) -> *mut c_char {
    let outcome = || {
        // SAFETY: the caller says so.
        let (runtime, options, tools) = unsafe { asked(runtime, options, tools, tools_count) }?;
        runtime.run_here(options, &tools, &[], || true).map(given)
    };
    // SAFETY: the caller says so.
    unsafe { told(fault, outcome) }
}

/// Starts a script, to listen to it and to cancel it: otherwise as ampoule_runtime_run. To be freed
/// by ampoule_run_free.
///
/// # Safety
///
/// As for ampoule_runtime_run.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ampoule_runtime_start(
    runtime: *const ampoule_runtime,
    options: *const c_char,
    tools: *const *mut ampoule_tools,
    tools_count: usize,
    fault: *mut *mut c_char,
) -> *mut ampoule_run {
    let run = || {
        // SAFETY: the caller says so.
        let (runtime, options, tools) = unsafe { asked(runtime, options, tools, tools_count) }?;
        let run = start(runtime, options, &tools)?;
        Ok(Box::into_raw(Box::new(run)))
    };
    // SAFETY: the caller says so.
    unsafe { told(fault, run) }
}

fn start(runtime: &Runtime, options: RunOptions, tools: &[Tools]) -> Result<ampoule_run, Fault> {
    let (end, outcome) = mpsc::channel();
    // A freed run does not report its end.
    let run = runtime.start(options, tools, &[], move |outcome| drop(end.send(outcome)))?;
    let events = Mutex::new(run.events());
    Ok(ampoule_run {
        run,
        events,
        outcome: Mutex::new(outcome),
    })
}

/// The declarations of tools in a language (`typescript`, `javascript`, `python`), for a model: of
/// `tools`, and of the `granted` tools of the runtime's servers, a JSON object: `grant`, such as
/// `github.get_*, time`, and the `principal` and `groups` that it is granted to; NULL for none of
/// these. To be freed by ampoule_string_free. NULL, and a fault, for an unknown language or server.
///
/// # Safety
///
/// As for ampoule_runtime_run.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ampoule_runtime_declarations(
    runtime: *const ampoule_runtime,
    language: *const c_char,
    granted: *const c_char,
    tools: *const *mut ampoule_tools,
    tools_count: usize,
    fault: *mut *mut c_char,
) -> *mut c_char {
    let declarations = || {
        // SAFETY: the caller says so.
        let (runtime, tools) =
            unsafe { (pointed("`runtime`", runtime)?, list(tools, tools_count)?) };
        // SAFETY: the same.
        let language = unsafe { read("`language`", language) }?;
        let granted = match granted.is_null() {
            true => None,
            // SAFETY: the same.
            false => Some(GrantOptions::from_json(unsafe {
                read("`granted`", granted)
            }?)?),
        };
        let declarations = runtime.runtime.declarations(language, granted, &tools);
        declarations.map(given)
    };
    // SAFETY: the caller says so.
    unsafe { told(fault, declarations) }
}

/// Ends all runs, and releases threads and servers; waits for them a few seconds at most. Runs that
/// it ended have no outcome, but a fault of the kind `closed`.
///
/// # Safety
///
/// The runtime is not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ampoule_runtime_close(runtime: *const ampoule_runtime) {
    // SAFETY: the caller says so.
    if let Some(runtime) = unsafe { runtime.as_ref() } {
        runtime.runtime.close();
    }
}

/// Frees a runtime. It lives until its last run is over; ampoule_runtime_close ends its runs.
///
/// # Safety
///
/// It is NULL, or was made by ampoule_runtime_new, is freed once, and no other thread uses it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ampoule_runtime_free(runtime: *mut ampoule_runtime) {
    if !runtime.is_null() {
        // SAFETY: the caller says that it was boxed.
        drop(unsafe { Box::from_raw(runtime) });
    }
}

/// The options of a run.
///
/// # Safety
///
/// As for [`ampoule_runtime_run`].
unsafe fn asked<'a>(
    runtime: *const ampoule_runtime,
    options: *const c_char,
    tools: *const *mut ampoule_tools,
    tools_count: usize,
) -> Result<(&'a Runtime, RunOptions, Vec<Tools>), Fault> {
    // SAFETY: the caller says so.
    let (runtime, options, tools) = unsafe {
        (
            pointed("`runtime`", runtime)?,
            read("`options`", options)?,
            list(tools, tools_count)?,
        )
    };
    Ok((&runtime.runtime, RunOptions::from_json(options)?, tools))
}

/// # Safety
///
/// There are so many, none of them freed.
unsafe fn list(tools: *const *mut ampoule_tools, count: usize) -> Result<Vec<Tools>, Fault> {
    if count == 0 {
        return Ok(Vec::new());
    }
    if tools.is_null() {
        return Err(Fault::usage("`tools` is NULL"));
    }
    // SAFETY: the caller says so.
    let tools = unsafe { slice::from_raw_parts(tools, count) };
    // SAFETY: the same.
    let each = |one: &*mut ampoule_tools| unsafe { pointed("one of `tools`", *one) };
    let tools = tools.iter().map(|one| Ok(each(one)?.tools.clone()));
    tools.collect()
}
