//! Functions of C as tools.

use std::ffi::{CString, c_char, c_void};

use ampoule_foreign::{Fault, Reply, ToolCall, Tools};

use crate::text::{read, told};

/// The tools of one server, for any number of runs.
#[expect(non_camel_case_types, reason = "it is C's name for it")]
pub struct ampoule_tools {
    pub(crate) tools: Tools,
}

/// A call that waits for its answer: ampoule_call_answer or ampoule_call_fail, once.
#[expect(non_camel_case_types, reason = "it is C's name for it")]
pub struct ampoule_call {
    reply: Reply,
}

/// Carries out a call of `tool`, whose arguments are a JSON object that was checked against the
/// tool's schema. Both texts are there until it returns. It is called by threads of the runtime, or by
/// one that is in ampoule_runtime_run, by several at once; other runs wait while it does, so what
/// takes longer than a millisecond answers `call` later, from any thread.
#[expect(non_camel_case_types, reason = "it is C's name for it")]
pub type ampoule_callback = Option<
    unsafe extern "C" fn(
        context: *mut c_void,
        tool: *const c_char,
        arguments: *const c_char,
        call: *mut ampoule_call,
    ),
>;

/// Gets the context when no function will be called with it again.
#[expect(non_camel_case_types, reason = "it is C's name for it")]
pub type ampoule_release = Option<unsafe extern "C" fn(context: *mut c_void)>;

/// The context of C, and the function to release it.
struct Context {
    context: *mut c_void,
    release: ampoule_release,
}

// SAFETY: it is not read here, and the header says that other threads get it.
unsafe impl Send for Context {}
// SAFETY: the same.
unsafe impl Sync for Context {}

impl Context {
    fn get(&self) -> *mut c_void {
        self.context
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        if let Some(release) = self.release {
            // SAFETY: it is C's own, and nothing is called with the context after this.
            unsafe { release(self.context) };
        }
    }
}

/// Tools that scripts call as `server.tool`, by a function that gets `context` back. `tools` is a
/// JSON array as MCP has it: each with `name`, `description`, `inputSchema`, and `outputSchema` if it
/// promises one. `release`, unless it is NULL, is called with the context when the tools are freed
/// and no run uses them, by whichever thread was the last; or at once, where there is a
/// fault. To be freed by ampoule_tools_free.
///
/// # Safety
///
/// The texts are ended by zeros; the functions do as their types say, and may be called by any
/// thread; `fault` is NULL, or can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ampoule_tools_new(
    server: *const c_char,
    tools: *const c_char,
    callback: ampoule_callback,
    context: *mut c_void,
    release: ampoule_release,
    fault: *mut *mut c_char,
) -> *mut ampoule_tools {
    let context = Context { context, release };
    let made = || {
        let callback = callback.ok_or_else(|| Fault::usage("`callback` is NULL"))?;
        // SAFETY: the caller says so.
        let (server, tools) = unsafe { (read("`server`", server)?, read("`tools`", tools)?) };
        let carry = move |call: ToolCall, reply: Reply| {
            let tool = CString::new(call.name.as_bytes());
            let (Ok(tool), Ok(arguments)) = (tool, CString::new(call.arguments)) else {
                return reply.answer(Err("a name with a zero can't be passed to C".to_owned()));
            };
            let call = Box::into_raw(Box::new(ampoule_call { reply }));
            // SAFETY: it is C's own; the texts are there until it returns.
            unsafe { callback(context.get(), tool.as_ptr(), arguments.as_ptr(), call) };
        };
        let tools = Tools::by_callback(server, tools, carry)?;
        Ok(Box::into_raw(Box::new(ampoule_tools { tools })))
    };
    // SAFETY: the caller says so.
    unsafe { told(fault, made) }
}

/// Frees tools. Runs that have them keep them.
///
/// # Safety
///
/// They are NULL, or were made by ampoule_tools_new, and are freed once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ampoule_tools_free(tools: *mut ampoule_tools) {
    if !tools.is_null() {
        // SAFETY: the caller says that it was boxed.
        drop(unsafe { Box::from_raw(tools) });
    }
}

/// Answers a call with a JSON value. The call is gone after that.
///
/// # Safety
///
/// The call has not been answered; `json` is ended by a zero.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ampoule_call_answer(call: *mut ampoule_call, json: *const c_char) {
    // SAFETY: the caller says so.
    let answer = unsafe { read("the answer", json) };
    let answer = answer.map(str::to_owned).map_err(|why| why.message);
    // SAFETY: the same.
    unsafe { answered(call, answer) };
}

/// Answers a call with a failure: the script catches a ToolError with this message. The call is gone
/// after that.
///
/// # Safety
///
/// The call has not been answered; `message` is ended by a zero.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ampoule_call_fail(call: *mut ampoule_call, message: *const c_char) {
    // SAFETY: the caller says so.
    let message = unsafe { read("the message", message) };
    let message = message.map_or_else(|why| why.message, str::to_owned);
    // SAFETY: the same.
    unsafe { answered(call, Err(message)) };
}

/// Whether the call was cancelled: the run ended, or its script cancelled the call. It must be
/// answered nevertheless.
///
/// # Safety
///
/// The call has not been answered.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ampoule_call_is_cancelled(call: *const ampoule_call) -> bool {
    // SAFETY: the caller says so.
    unsafe { call.as_ref() }.is_none_or(|call| call.reply.is_cancelled())
}

/// # Safety
///
/// The call has not been answered.
unsafe fn answered(call: *mut ampoule_call, answer: Result<String, String>) {
    if !call.is_null() {
        // SAFETY: it was boxed, and is not there any more for C.
        unsafe { Box::from_raw(call) }.reply.answer(answer);
    }
}
