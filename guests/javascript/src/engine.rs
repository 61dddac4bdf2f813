//! The few things that are needed of QuickJS and that `rquickjs` has no way for, each behind a safe
//! function.

use std::ffi::CString;
use std::mem::ManuallyDrop;

use rquickjs::object::Property;
use rquickjs::{Ctx, Error, Exception, Object, Promise, Result, Value, qjs};

/// How a job ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Job {
    /// It ran.
    Done,
    /// It threw; the error is the context's pending exception.
    Threw,
    /// There was none.
    None,
}

/// Runs the next job: what goes on after an `await`, or a microtask.
pub(crate) fn run_job(ctx: &Ctx<'_>) -> Job {
    let mut context = std::ptr::null_mut();
    // SAFETY: The context is alive, and so is its runtime.
    let ran = unsafe {
        qjs::JS_ExecutePendingJob(qjs::JS_GetRuntime(ctx.as_raw().as_ptr()), &raw mut context)
    };
    match ran {
        0 => Job::None,
        1.. => Job::Done,
        _ => Job::Threw,
    }
}

/// Lets go of the jobs that wait, without running them.
pub(crate) fn forget_jobs(ctx: &Ctx<'_>) {
    // SAFETY: The context is alive.
    unsafe { ampoule_forget_jobs(ctx.as_raw().as_ptr()) }
}

/// Whether a job waits.
pub(crate) fn has_jobs(ctx: &Ctx<'_>) -> bool {
    // SAFETY: The context is alive, and so is its runtime.
    unsafe { qjs::JS_IsJobPending(qjs::JS_GetRuntime(ctx.as_raw().as_ptr())) }
}

unsafe extern "C" {
    fn ampoule_forget_jobs(context: *mut qjs::JSContext);
    fn ampoule_promise_new(context: *mut qjs::JSContext) -> qjs::JSValue;
    fn ampoule_promise_resolve(
        context: *mut qjs::JSContext,
        promise: qjs::JSValue,
        value: qjs::JSValue,
    );
    fn ampoule_promise_reject(
        context: *mut qjs::JSContext,
        promise: qjs::JSValue,
        reason: qjs::JSValue,
    );
}

/// A promise that no script can settle.
///
/// # Errors
///
/// There is not enough memory.
pub(crate) fn new_promise<'js>(ctx: &Ctx<'js>) -> Result<Promise<'js>> {
    // SAFETY: The context is alive; the result is checked.
    unsafe { checked(ctx, ampoule_promise_new(ctx.as_raw().as_ptr()))?.get() }
}

/// Resolves a promise that [`new_promise`] gave, and that is not resolved: to what the value is, or
/// becomes, if that is like a promise itself.
pub(crate) fn resolve<'js>(promise: &Promise<'js>, value: &Value<'js>) {
    let context = promise.ctx().as_raw().as_ptr();
    // SAFETY: All three are alive, and nothing is taken.
    unsafe { ampoule_promise_resolve(context, promise.as_raw(), value.as_raw()) }
}

/// Rejects a promise that [`new_promise`] gave, and that is not resolved.
pub(crate) fn reject<'js>(promise: &Promise<'js>, reason: &Value<'js>) {
    let context = promise.ctx().as_raw().as_ptr();
    // SAFETY: All three are alive, and nothing is taken.
    unsafe { ampoule_promise_reject(context, promise.as_raw(), reason.as_raw()) }
}

/// What tells an object from all others, as long as it is alive.
pub(crate) fn address(object: &Value<'_>) -> usize {
    // SAFETY: Looks at the pointer alone.
    unsafe { qjs::JS_VALUE_GET_PTR(object.as_raw()) as usize }
}

/// Measures the script's stack from here.
pub(crate) fn set_stack(ctx: &Ctx<'_>, bytes: usize) {
    update_stack(ctx);
    // SAFETY: The context is alive, and so is its runtime; the function only sets fields of it.
    unsafe {
        let runtime = qjs::JS_GetRuntime(ctx.as_raw().as_ptr());
        qjs::JS_SetMaxStackSize(runtime, bytes as _);
    }
}

/// Measures it from here, as large as it was.
pub(crate) fn update_stack(ctx: &Ctx<'_>) {
    // SAFETY: As above.
    unsafe { qjs::JS_UpdateStackTop(qjs::JS_GetRuntime(ctx.as_raw().as_ptr())) }
}

/// Evaluates a strict script, whose first line has the number `first_line`.
///
/// # Errors
///
/// The text does not compile, or throws.
pub(crate) fn evaluate_script<'js>(
    ctx: &Ctx<'js>,
    text: &mut String,
    name: &str,
    first_line: i32,
) -> Result<Value<'js>> {
    let flags = qjs::JS_EVAL_TYPE_GLOBAL | qjs::JS_EVAL_FLAG_STRICT;
    evaluate(ctx, text, name, first_line, flags)
}

/// Evaluates a script that is strict only if it says so.
///
/// # Errors
///
/// The text does not compile, or throws.
pub(crate) fn evaluate_sloppy_script<'js>(
    ctx: &Ctx<'js>,
    text: &mut String,
    name: &str,
) -> Result<Value<'js>> {
    evaluate(ctx, text, name, 1, qjs::JS_EVAL_TYPE_GLOBAL)
}

/// Evaluates the program's main ES module, whose first line has the number `first_line`, and gives
/// its namespace and the promise of its end.
///
/// # Errors
///
/// The text does not compile, or what it imports is not there.
pub(crate) fn evaluate_main_module<'js>(
    ctx: &Ctx<'js>,
    text: &mut String,
    name: &str,
    first_line: i32,
) -> Result<(Object<'js>, Promise<'js>)> {
    let flags =
        qjs::JS_EVAL_TYPE_MODULE | qjs::JS_EVAL_FLAG_STRICT | qjs::JS_EVAL_FLAG_COMPILE_ONLY;
    let module = ManuallyDrop::new(evaluate(ctx, text, name, first_line, flags)?).as_raw();
    let context = ctx.as_raw().as_ptr();
    // SAFETY: A module that was compiled is a value that points to its definition, which the
    // context keeps. Evaluating takes the value; each result is checked before it is used.
    unsafe {
        let definition = qjs::JS_VALUE_GET_PTR(module).cast();
        let meta = checked(ctx, qjs::JS_GetImportMeta(context, definition))?;
        meta.get::<Object<'js>>()?.set("main", true)?;
        let promise = checked(ctx, qjs::JS_EvalFunction(context, module))?;
        let namespace = checked(ctx, qjs::JS_GetModuleNamespace(context, definition))?;
        Ok((namespace.get()?, promise.get()?))
    }
}

fn evaluate<'js>(
    ctx: &Ctx<'js>,
    text: &mut String,
    name: &str,
    first_line: i32,
    flags: u32,
) -> Result<Value<'js>> {
    let name = CString::new(name)?;
    let mut options = qjs::JSEvalOptions {
        version: qjs::JS_EVAL_OPTIONS_VERSION as _,
        eval_flags: flags as _,
        filename: name.as_ptr(),
        line_num: first_line,
    };
    text.push('\0');
    // SAFETY: The text ends in a zero byte, which its length leaves out; text, name and options
    // outlive the call.
    let value = unsafe {
        checked(
            ctx,
            qjs::JS_Eval2(
                ctx.as_raw().as_ptr(),
                text.as_ptr().cast(),
                (text.len() - 1) as _,
                &raw mut options,
            ),
        )
    };
    text.pop();
    value
}

/// Makes an owned value of what a QuickJS function returned.
///
/// # Safety
///
/// The value is the caller's, of this context, and not used again.
pub(crate) unsafe fn checked<'js>(ctx: &Ctx<'js>, value: qjs::JSValue) -> Result<Value<'js>> {
    // SAFETY: The caller's promise.
    if unsafe { qjs::JS_IsException(value) } {
        return Err(Error::Exception);
    }
    // SAFETY: The caller's promise.
    Ok(unsafe { Value::from_raw(ctx.clone(), value) })
}

/// A new error with a prototype, as `new` would make it, but without a stack: it gets one where it
/// is first thrown. So an error that comes from outside shows the line that awaited it.
///
/// # Errors
///
/// There is not enough memory.
pub(crate) fn error_without_stack<'js>(
    ctx: &Ctx<'js>,
    prototype: &Object<'js>,
) -> Result<Object<'js>> {
    let sample = Exception::from_message(ctx.clone(), "")?;
    // SAFETY: Both objects are alive, and the class is that of an error.
    unsafe {
        let class = qjs::JS_GetClassID(sample.as_object().as_raw());
        checked(
            ctx,
            qjs::JS_NewObjectProtoClass(ctx.as_raw().as_ptr(), prototype.as_raw(), class),
        )?
        .get()
    }
}

/// Throws an error with a prototype, without a stack.
pub(crate) fn throw_without_stack<'js>(
    ctx: &Ctx<'js>,
    prototype: &Object<'js>,
    message: &str,
) -> Error {
    let made = || -> Result<Object<'js>> {
        let error = error_without_stack(ctx, prototype)?;
        error.prop("message", Property::from(message).writable().configurable())?;
        Ok(error)
    };
    match made() {
        Ok(error) => ctx.throw(error.into_value()),
        Err(error) => error,
    }
}

#[cfg(test)]
mod tests;
