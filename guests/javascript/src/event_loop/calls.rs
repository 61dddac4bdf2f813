//! Calls that were started, and the promises that wait for them.

use rquickjs::{Ctx, IntoJs, Object, Promise, Result, Value};
use rustc_hash::FxHashMap;

use crate::answers;
use crate::engine::{self, address, error_without_stack};
use crate::exit;
use crate::host::{self, CallId, Completion, Failure, FailureKind, ToolId};
use crate::json;
use crate::lasting;
use crate::session::Session;
use crate::tools::throw_unknown;

/// What is said of a call whose run of a session did not wait for it.
const LEFT: &str = "the session's run that made this call ended without waiting for it: its answer is lost, and it may or may \
                    not have been done. Call the tool again, and `await` it.";

/// How many calls that ended unheard are remembered: each keeps its answer.
const UNHEARD_LIMIT: usize = 256;

/// The calls under way, and those that ended before anyone listened.
#[derive(Default)]
pub(crate) struct Calls<'js> {
    pending: FxHashMap<CallId, Pending<'js>>,
    /// Tools and promises, by the promises' addresses.
    unheard: FxHashMap<usize, Unheard<'js>>,
}

struct Unheard<'js> {
    call: CallId,
    tool: ToolId,
    /// Kept, for its address says which it is.
    _promise: Promise<'js>,
}

/// A call under way.
pub(crate) struct Pending<'js> {
    pub(crate) call: CallId,
    pub(crate) tool: ToolId,
    promise: Promise<'js>,
}

impl<'js> Pending<'js> {
    /// Ends the promise with a reason. Whoever waits for it goes on with the next job.
    pub(crate) fn reject(&self, reason: &Value<'js>) {
        engine::reject(&self.promise, reason);
    }

    /// Ends the promise of a call that its program did not wait for, and says so to a later program of
    /// the session.
    ///
    /// # Errors
    ///
    /// There is not enough memory.
    pub(crate) fn leave(&self, ctx: &Ctx<'js>) -> Result<()> {
        if !lasting::lasts(ctx) {
            self.reject(&Value::new_undefined(ctx.clone()));
            return Ok(());
        }
        let failure = Failure {
            kind: FailureKind::Lost,
            message: LEFT.to_owned(),
            content: "[]".to_owned(),
            data: None,
        };
        let error = tool_error(ctx, self.tool, failure)?;
        self.reject(error.as_value());
        Ok(())
    }

    pub(crate) fn promise(&self) -> &Value<'js> {
        self.promise.as_value()
    }
}

impl<'js> Calls<'js> {
    /// Whether there are any.
    pub(crate) fn under_way(&self) -> bool {
        !self.pending.is_empty()
    }

    /// Whether none is under way, and somebody listened to each that has ended.
    pub(crate) fn all_heard(&self) -> bool {
        self.pending.is_empty() && self.unheard.is_empty()
    }

    /// The tool of the call that a promise stands for, unless it ended and was heard.
    pub(crate) fn tool_of(&self, promise: &Value<'js>) -> Option<ToolId> {
        if let Some(unheard) = self.unheard.get(&address(promise)) {
            return Some(unheard.tool);
        }
        let mut pending = self.pending.values();
        let found = pending.find(|pending| pending.promise.as_value() == promise);
        found.map(|pending| pending.tool)
    }

    /// Somebody listens to a promise after all.
    pub(crate) fn heard(&mut self, promise: &Value<'js>) {
        self.unheard.remove(&address(promise));
    }

    /// The tools of the calls that ended and that nobody listened to, oldest first.
    pub(crate) fn take_unheard(&mut self) -> Vec<ToolId> {
        let mut all: Vec<_> = self.unheard.drain().map(|(_, unheard)| unheard).collect();
        all.sort_by_key(|unheard| unheard.call);
        all.into_iter().map(|unheard| unheard.tool).collect()
    }

    /// The calls under way, oldest first.
    pub(crate) fn take_under_way(&mut self) -> Vec<Pending<'js>> {
        let mut all: Vec<_> = self.pending.drain().map(|(_, pending)| pending).collect();
        all.sort_by_key(|pending| pending.call);
        all
    }
}

/// How much of a call's answer its promise gives.
#[derive(Clone, Copy)]
pub(crate) enum AnswerForm {
    /// Its value.
    Value,
    /// All of it, as an object.
    Whole,
}

/// Starts a call; the promise settles when it has ended.
///
/// # Errors
///
/// The run was not granted the tool, which an earlier one of the session had; the script has ended;
/// or there is not enough memory.
pub(crate) fn start<'js>(
    ctx: &Ctx<'js>,
    tool: ToolId,
    arguments: &str,
    form: AnswerForm,
) -> Result<(CallId, Promise<'js>)> {
    exit::check(ctx)?;
    let promise = engine::new_promise(ctx)?;
    let call = match form {
        AnswerForm::Value => host::calls::start(tool, arguments),
        AnswerForm::Whole => host::calls::start_whole(tool, arguments),
    };
    let call = call.map_err(|unknown| throw_unknown(ctx, &unknown))?;
    Session::of(ctx).calls.borrow_mut().pending.insert(
        call,
        Pending {
            call,
            tool,
            promise: promise.clone(),
        },
    );
    Ok((call, promise))
}

/// Ends a call early: the host forgets it, and its promise is rejected with the reason. A call that
/// has ended is left alone.
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
    pending.reject(&reason);
    Ok(())
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
        Ok(json) => {
            let bytes = json.len();
            match json::parse(ctx, json) {
                Ok(value) => {
                    answers::note(ctx, pending.tool, bytes, &value);
                    engine::resolve(&pending.promise, &value);
                    // Where somebody listens, there is a job now.
                    if engine::has_jobs(ctx) {
                        Ok(())
                    } else {
                        watch(ctx, pending)
                    }
                }
                Err(_) => {
                    pending.reject(&ctx.catch());
                    Ok(())
                }
            }
        }
        Err(failure) => {
            let error = tool_error(ctx, pending.tool, failure)?;
            pending.reject(error.as_value());
            Ok(())
        }
    }
}

/// Remembers a call that ended before anyone listened.
fn watch<'js>(ctx: &Ctx<'js>, ended: Pending<'js>) -> Result<()> {
    let session = Session::of(ctx);
    let unheard = &mut session.calls.borrow_mut().unheard;
    if unheard.len() >= UNHEARD_LIMIT {
        return Ok(());
    }
    let Pending {
        call,
        tool,
        promise,
        ..
    } = ended;
    promise.set_prototype(Some(&session.unawaited().unheard))?;
    unheard.insert(
        address(&promise),
        Unheard {
            call,
            tool,
            _promise: promise,
        },
    );
    Ok(())
}

/// The error that a failed call is rejected with. It has no stack yet: it gets that of the line
/// that awaits it.
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
    let content = json::parse(ctx, failure.content).or_else(|_| {
        ctx.catch();
        json::parse(ctx, "[]".to_owned())
    })?;
    let data = match failure.data {
        Some(text) => Some(document(ctx, text)?),
        None => None,
    };
    let name = host::tools::name_of(tool);
    tools.describe_error.call::<_, ()>((
        error.clone(),
        failure.message,
        host::kind_name(failure.kind),
        name.server,
        name.tool,
        content,
        data,
    ))?;
    Ok(error)
}

/// The value of a JSON document; where it can't be read, its text.
fn document<'js>(ctx: &Ctx<'js>, text: String) -> Result<Value<'js>> {
    let value = json::parse(ctx, text.clone());
    value.or_else(|_| {
        ctx.catch();
        text.into_js(ctx)
    })
}
