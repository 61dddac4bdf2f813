//! The event loop: jobs first, then timers that are due, then the calls that have ended; and all over again until the script is.

mod calls;
mod rejections;

use rquickjs::{Ctx, Error, Result, Value};

pub(crate) use calls::{Calls, abort, start, tool_error};
pub(crate) use rejections::{Rejections, track};

use crate::engine::{Job, run_job};
use crate::host;
use crate::session::Session;
use crate::web::timers;

/// How many timers run before the loop looks for calls that have ended. Timers that set each other would keep it from that.
const TIMERS_PER_TURN: usize = 64;

/// How a program ended that did not throw.
pub(crate) enum End<'js> {
    /// It returned this.
    Returned(Value<'js>),
    /// It returned nothing, and there is nothing left to do.
    Finished,
    /// It waits for a promise that nothing can settle.
    Stuck,
}

/// Runs until what the program returned settles; if that is to nothing, until there is nothing left to do.
///
/// # Errors
///
/// Something threw and nobody caught it; the context has the exception.
pub(crate) fn run<'js>(ctx: &Ctx<'js>, returned: Value<'js>) -> Result<End<'js>> {
    let returned = awaited(ctx, returned)?;
    loop {
        run_jobs(ctx)?;
        let running = match settled(&returned) {
            Some(value) => {
                let value = value?;
                if !value.is_undefined() {
                    return Ok(End::Returned(value));
                }
                false
            }
            None => true,
        };
        if !advance(ctx, &returned, running)? {
            return Ok(if running { End::Stuck } else { End::Finished });
        }
    }
}

/// What `await` would wait for: objects that are like promises become promises.
fn awaited<'js>(ctx: &Ctx<'js>, value: Value<'js>) -> Result<Value<'js>> {
    if !value.is_object() || value.is_promise() {
        return Ok(value);
    }
    let (promise, resolve, _) = ctx.promise()?;
    resolve.call::<_, ()>((value,))?;
    Ok(promise.into_value())
}

/// What a promise has settled to; another value is its own result.
fn settled<'js>(value: &Value<'js>) -> Option<Result<Value<'js>>> {
    match value.as_promise() {
        Some(promise) => promise.result(),
        None => Some(Ok(value.clone())),
    }
}

/// Waits for the next thing to happen and lets it, until the program has settled if it is `running`. False if nothing can.
fn advance<'js>(ctx: &Ctx<'js>, returned: &Value<'js>, running: bool) -> Result<bool> {
    let calls = Session::of(ctx).calls.borrow().under_way();
    let due = timers::next_due(ctx)?;
    // Timers that hold nothing up count only while the program itself is waiting.
    let awaited = calls || timers::has_ref(ctx)? || (running && due.is_some());
    if !awaited {
        return Ok(false);
    }
    let wait = due.map(|due| due.saturating_sub(host::elapsed_ns()));
    if calls || wait != Some(0) {
        let completions = host::calls::wait(wait);
        timers::begin_turn(ctx)?;
        for completion in completions {
            calls::complete(ctx, completion)?;
            run_jobs(ctx)?;
        }
    }
    for _ in 0..TIMERS_PER_TURN {
        if !timers::run_next(ctx)? {
            break;
        }
        run_jobs(ctx)?;
        // What has returned does nothing more, though more timers may be due.
        if running && settled(returned).is_some() {
            break;
        }
    }
    Ok(true)
}

/// Runs jobs until there are none.
pub(crate) fn run_jobs(ctx: &Ctx<'_>) -> Result<()> {
    loop {
        match run_job(ctx) {
            Job::Done => {}
            Job::None => return Ok(()),
            Job::Threw => return Err(Error::Exception),
        }
    }
}
