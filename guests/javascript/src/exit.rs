//! `exit()`: the script ends where it is. What stands behind it is not done, `finally` and `catch`
//! included; what was printed so far stays.
//!
//! The engine knows errors that no script catches, and unwinds everything for one. What it catches
//! itself nevertheless, such as an error of a promise's executor, would let the script go on to its
//! next `await`: meanwhile nothing that leaves the script is done, and the event loop ends there.

use std::cell::Cell;

use rquickjs::{Ctx, Error, Exception, IntoJs, Result, qjs};

thread_local! {
    /// Whether the program that runs has asked for its end.
    static OVER: Cell<bool> = const { Cell::new(false) };
}

/// A program begins.
pub(crate) fn begin() {
    OVER.set(false);
}

/// Whether the program has asked for its end.
pub(crate) fn is_over() -> bool {
    OVER.get()
}

/// Ends the program.
///
/// # Errors
///
/// Always: the error that nothing catches.
pub(crate) fn exit(ctx: Ctx<'_>) -> Result<()> {
    OVER.set(true);
    check(&ctx)
}

/// Whether something may be done that others see.
///
/// # Errors
///
/// The program has asked for its end: the error that nothing catches.
pub(crate) fn check(ctx: &Ctx<'_>) -> Result<()> {
    if is_over() { Err(unwind(ctx)) } else { Ok(()) }
}

fn unwind(ctx: &Ctx<'_>) -> Error {
    let made = Exception::from_message(ctx.clone(), "the script has called exit()");
    match made.and_then(|error| error.into_js(ctx)) {
        Ok(error) => {
            // SAFETY: Context and value are alive; the function only sets a mark in the value.
            unsafe { qjs::JS_SetUncatchableError(ctx.as_raw().as_ptr(), error.as_raw()) }
            ctx.throw(error)
        }
        Err(error) => error,
    }
}
