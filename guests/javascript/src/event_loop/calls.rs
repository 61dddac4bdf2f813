//! Calls that were started, and the promises that wait for them.

use rquickjs::{Ctx, Function, Object, Promise, Result, Value};
use rustc_hash::FxHashMap;

use crate::engine::error_without_stack;
use crate::host::{self, CallId, Completion, Failure, ToolId};
use crate::session::Session;

/// The calls under way.
#[derive(Default)]
pub(crate) struct Calls<'js> {
    pending: FxHashMap<CallId, Pending<'js>>,
}

struct Pending<'js> {
    tool: ToolId,
    resolve: Function<'js>,
    reject: Function<'js>,
}

impl Calls<'_> {
    /// Whether there are any.
    pub(super) fn under_way(&self) -> bool {
        !self.pending.is_empty()
    }
}

/// Starts a call; the promise settles when it has ended.
///
/// # Errors
///
/// There is not enough memory.
pub(crate) fn start<'js>(
    ctx: &Ctx<'js>,
    tool: ToolId,
    arguments: &str,
) -> Result<(CallId, Promise<'js>)> {
    let (promise, resolve, reject) = ctx.promise()?;
    let call = host::calls::start(tool, arguments);
    Session::of(ctx).calls.borrow_mut().pending.insert(
        call,
        Pending {
            tool,
            resolve,
            reject,
        },
    );
    Ok((call, promise))
}

/// Ends a call early: the host forgets it, and its promise is rejected with the reason. A call that has ended is left alone.
///
/// # Errors
///
/// There is not enough memory.
pub(crate) fn abort<'js>(ctx: &Ctx<'js>, call: CallId, reason: Value<'js>) -> Result<()> {
    let pending = Session::of(ctx).calls.borrow_mut().pending.remove(&call);
    let Some(pending) = pending else {
        return Ok(());
    };
    host::calls::cancel(call);
    pending.reject.call((reason,))
}

/// Settles the promise of a call that has ended.
///
/// # Errors
///
/// There is not enough memory.
pub(super) fn complete(ctx: &Ctx<'_>, completion: Completion) -> Result<()> {
    let pending = Session::of(ctx)
        .calls
        .borrow_mut()
        .pending
        .remove(&completion.call);
    let Some(pending) = pending else {
        return Ok(());
    };
    match completion.outcome {
        Ok(json) => match ctx.json_parse(json) {
            Ok(value) => pending.resolve.call((value,)),
            Err(_) => pending.reject.call((ctx.catch(),)),
        },
        Err(failure) => pending
            .reject
            .call((tool_error(ctx, pending.tool, failure)?,)),
    }
}

/// The error that a failed call is rejected with. It has no stack yet: it gets that of the line that awaits it.
///
/// # Errors
///
/// There is not enough memory.
pub(crate) fn tool_error<'js>(
    ctx: &Ctx<'js>,
    tool: ToolId,
    failure: Failure,
) -> Result<Object<'js>> {
    let session = Session::of(ctx);
    let tools = session.tools.borrow();
    let tools = tools
        .as_ref()
        .expect("the prelude is installed before a script runs");
    let error = error_without_stack(ctx, &tools.tool_error)?;
    let content = ctx.json_parse(failure.content).or_else(|_| {
        ctx.catch();
        ctx.json_parse("[]")
    })?;
    let name = host::tools::name_of(tool);
    tools.describe_error.call::<_, ()>((
        error.clone(),
        failure.message,
        name.server,
        name.tool,
        content,
    ))?;
    Ok(error)
}
