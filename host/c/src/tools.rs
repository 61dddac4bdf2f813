//! Functions of C as tools.

use std::ffi::{CString, c_char, c_void};

use ampoule_foreign::{Reply, ToolCall, Tools};

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
/// tool's schema. Both texts are there until it returns. It is called on threads of the runtime, by
/// several at once, and must not block for long: what takes longer answers `call` later, from any
/// thread.
#[expect(non_camel_case_types, reason = "it is C's name for it")]
pub type ampoule_callback = extern "C" fn(
    context: *mut c_void,
    tool: *const c_char,
    arguments: *const c_char,
    call: *mut ampoule_call,
);

/// What C gave to get back.
#[derive(Clone, Copy)]
struct Context(*mut c_void);

// SAFETY: it is not looked at here, and C is told that other threads get it.
unsafe impl Send for Context {}
// SAFETY: the same.
unsafe impl Sync for Context {}

impl Context {
    fn get(self) -> *mut c_void {
        self.0
    }
}

/// Tools that scripts call as `server.tool`, by a function that gets `context` back. `tools` is a
/// JSON array as MCP has it: each with `name`, `description`, `inputSchema`, and `outputSchema` if it
/// promises one. NULL, and a fault, if they can't be had.
///
/// # Safety
///
/// The texts are ended by zeros; `context` may be given to several threads as long as the tools, or
/// a run that has them, are there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ampoule_tools_new(
    server: *const c_char,
    tools: *const c_char,
    callback: ampoule_callback,
    context: *mut c_void,
    fault: *mut *mut c_char,
) -> *mut ampoule_tools {
    let context = Context(context);
    let carry = move |call: ToolCall, reply: Reply| {
        let tool = CString::new(call.name.as_bytes());
        let (Ok(tool), Ok(arguments)) = (tool, CString::new(call.arguments)) else {
            return reply.answer(Err("its name can't be told to C".to_owned()));
        };
        let call = Box::into_raw(Box::new(ampoule_call { reply }));
        callback(context.get(), tool.as_ptr(), arguments.as_ptr(), call);
    };
    // SAFETY: whoever calls says so.
    let server = unsafe { read("`server`", server) };
    // SAFETY: the same.
    let tools = unsafe { read("`tools`", tools) };
    let made = server.and_then(|server| Tools::by_callback(server, tools?, carry));
    let made = made.map(|tools| Box::into_raw(Box::new(ampoule_tools { tools })));
    // SAFETY: whoever calls says so.
    unsafe { told(made, fault) }
}

/// Lets go of tools. Runs that have them keep them.
///
/// # Safety
///
/// They are NULL, or were made by ampoule_tools_new, and are freed once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ampoule_tools_free(tools: *mut ampoule_tools) {
    if !tools.is_null() {
        // SAFETY: it was boxed, says whoever calls.
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
    // SAFETY: whoever calls says so.
    let answer = unsafe { read("the answer", json) };
    let answer = answer.map(str::to_owned).map_err(|why| why.message);
    // SAFETY: it was boxed, and is not there any more for C.
    unsafe { Box::from_raw(call) }.reply.answer(answer);
}

/// Answers a call with a failure: the script catches a ToolError with this message. The call is gone
/// after that.
///
/// # Safety
///
/// The call has not been answered; `message` is ended by a zero.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ampoule_call_fail(call: *mut ampoule_call, message: *const c_char) {
    // SAFETY: whoever calls says so.
    let message = unsafe { read("the message", message) };
    let message = message.map_or_else(|why| why.message, str::to_owned);
    // SAFETY: it was boxed, and is not there any more for C.
    unsafe { Box::from_raw(call) }.reply.answer(Err(message));
}

/// Whether nobody waits for the answer any more. It must be given nevertheless.
///
/// # Safety
///
/// The call has not been answered.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ampoule_call_is_cancelled(call: *const ampoule_call) -> bool {
    // SAFETY: whoever calls says so.
    unsafe { (*call).reply.is_cancelled() }
}
