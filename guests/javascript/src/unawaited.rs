//! Promises that were not awaited: those that are used as values, and those of calls whose answers
//! nothing took.

use rquickjs::{Ctx, Exception, Function, Object, Result, Value};
use rustc_hash::FxHashSet;

use crate::engine::address;
use crate::host::{self, Level};
use crate::session::Session;
use crate::thrown::UnawaitedCall;
use crate::{prelude, thrown};

const PRELUDE: &str = include_str!("../prelude/unawaited.js");

/// Of how many tools calls are told that nobody awaited.
const TOLD: usize = 8;

/// What the prelude gives back.
pub(crate) struct Unawaited<'js> {
    /// The prototype of promises that settled before anyone listened: it tells when somebody does.
    pub(crate) unheard: Object<'js>,
    /// `toJSON` of all promises, for scripts. Results hold promises.
    pub(crate) to_json: Function<'js>,
}

/// Gives promises what they lack, before the snapshot.
pub(crate) fn install(ctx: &Ctx<'_>) -> Result<()> {
    let native = Object::new(ctx.clone())?;
    native.set("refuse", Function::new(ctx.clone(), refuse)?)?;
    native.set("heard", Function::new(ctx.clone(), heard)?)?;
    let made: Object<'_> = prelude::evaluate(ctx, "unawaited", PRELUDE)?.call((native,))?;
    let unawaited = Unawaited {
        unheard: made.get("unheard")?,
        to_json: made.get("toJSON")?,
    };
    // Set once: a session begins with a realm.
    let _ = Session::of(ctx).unawaited.set(unawaited);
    Ok(())
}

/// Throws that a promise was used as a value, and what to write.
fn refuse<'js>(ctx: Ctx<'js>, promise: Value<'js>, why: String) -> Result<()> {
    let message = match call_of(&ctx, &promise) {
        Some(call) => format!(
            "{} was not awaited, so {why}: write {}",
            call.name(1),
            call.awaited()
        ),
        None => format!(
            "a promise was not awaited, so {why}: write `await` before the call that gives it"
        ),
    };
    Err(Exception::throw_type(&ctx, &message))
}

/// The call that a promise waits for, if it is of one that is under way or that nobody listened to.
pub(crate) fn call_of<'js>(ctx: &Ctx<'js>, promise: &Value<'js>) -> Option<UnawaitedCall> {
    let session = Session::of(ctx);
    let tool = session.calls.borrow().tool_of(promise)?;
    Some(thrown::unawaited_call(&session.modules.borrow(), tool))
}

fn heard<'js>(ctx: Ctx<'js>, promise: Value<'js>) {
    Session::of(&ctx).calls.borrow_mut().heard(&promise);
}

/// Tells of the calls that nobody awaited, at the end of a program that returned, and cancels those
/// that are under way.
///
/// # Errors
///
/// There is not enough memory.
pub(crate) fn tell(ctx: &Ctx<'_>) -> Result<()> {
    let session = Session::of(ctx);
    if session.calls.borrow().all_heard() {
        return Ok(());
    }
    let cancelled = session.calls.borrow_mut().take_under_way();
    // A rejection shows whether anybody listens; nothing of the program runs any more.
    session.rejections.borrow_mut().take();
    for pending in &cancelled {
        pending.leave(ctx)?;
    }
    let unheard = session.rejections.borrow_mut().take_promises();
    let unheard: FxHashSet<_> = unheard.iter().map(address).collect();
    let cancelled = cancelled
        .into_iter()
        .filter(|pending| unheard.contains(&address(pending.promise())));
    let cancelled: Vec<_> = cancelled
        .inspect(|pending| host::calls::cancel(pending.call))
        .map(|pending| pending.tool)
        .collect();
    let ended = session.calls.borrow_mut().take_unheard();
    let modules = session.modules.borrow();
    for (mut tools, fate) in [
        (ended, "nothing has the answer"),
        (
            cancelled,
            "the script ended before the answer: it may or may not have been done",
        ),
    ] {
        for _ in 0..TOLD {
            let Some(&tool) = tools.first() else { break };
            let all = tools.len();
            tools.retain(|other| *other != tool);
            let call = thrown::unawaited_call(&modules, tool);
            let count = all - tools.len();
            let were = if count == 1 { "was" } else { "were" };
            let text = format!(
                "Warning: {} {were} never awaited, and {fate}. Write {}.",
                call.name(count),
                call.awaited(),
            );
            host::write(Level::Warn, &text);
        }
        if !tools.is_empty() {
            let text = format!("Warning: {} more calls were never awaited.", tools.len());
            host::write(Level::Warn, &text);
        }
    }
    Ok(())
}
