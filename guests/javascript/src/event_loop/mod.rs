//! The event loop: jobs first, then timers that are due, then the calls that have ended; and all
//! over again until the script is. Where it has to wait it stops, and is run again.

mod calls;
mod rejections;

use rquickjs::{Ctx, Error, Result, Value};

pub(crate) use calls::{AnswerForm, Calls, abort, start, tool_error};
pub(crate) use rejections::{Rejections, track};

use crate::engine::{Job, run_job};
use crate::exit;
use crate::host::{self, Completion};
use crate::session::Session;
use crate::web::timers;

/// How many timers run before the loop looks for calls that have ended. Timers that set each other
/// would keep it from that.
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

/// Where the loop stands.
pub(crate) enum Turn<'js> {
    /// At the end.
    Ended(End<'js>),
    /// It goes on when a call has ended, or so many nanoseconds are over.
    Waits(Option<u64>),
}

/// Runs until what the program returned settles; if that is to nothing, until there is nothing left
/// to do; or until nothing can go on before something `arrived`: what is given here, when it is run
/// again.
///
/// # Errors
///
/// Something threw and nobody caught it; the context has the exception.
pub(crate) fn run<'js>(
    ctx: &Ctx<'js>,
    returned: &Value<'js>,
    arrived: Option<Vec<Completion>>,
) -> Result<Turn<'js>> {
    if let Some(completions) = arrived {
        complete(ctx, completions)?;
        run_timers(ctx, returned)?;
    }
    loop {
        run_jobs(ctx)?;
        let running = match settled(returned) {
            Some(value) => {
                let value = value?;
                if !value.is_undefined() {
                    return Ok(Turn::Ended(End::Returned(value)));
                }
                false
            }
            None => true,
        };
        match next(ctx, running)? {
            Next::Nothing if running => return Ok(Turn::Ended(End::Stuck)),
            Next::Nothing => return Ok(Turn::Ended(End::Finished)),
            Next::Timers => {}
            Next::Look(timeout) => {
                // That costs less than a step.
                let completions = host::calls::wait(Some(0));
                if completions.is_empty() && timeout != Some(0) {
                    return Ok(Turn::Waits(timeout));
                }
                complete(ctx, completions)?;
            }
            Next::Wait(timeout) => return Ok(Turn::Waits(timeout)),
        }
        run_timers(ctx, returned)?;
    }
}

/// What `await` would wait for: objects that are like promises become promises.
///
/// # Errors
///
/// The object's `then` threw.
pub(crate) fn awaited<'js>(ctx: &Ctx<'js>, value: Value<'js>) -> Result<Value<'js>> {
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

/// What the loop does when no job is left.
enum Next {
    /// Nothing can ever happen.
    Nothing,
    /// A timer is due.
    Timers,
    /// Calls may have ended. Otherwise time must pass, or one end.
    Look(Option<u64>),
    /// Time must pass.
    Wait(Option<u64>),
}

fn next(ctx: &Ctx<'_>, running: bool) -> Result<Next> {
    let calls = Session::of(ctx).calls.borrow().under_way();
    let due = timers::next_due(ctx)?;
    // Timers that hold nothing up count only while the program itself is waiting.
    let awaited = calls || timers::has_ref(ctx)? || (running && due.is_some());
    if !awaited {
        return Ok(Next::Nothing);
    }
    let timeout = due.map(|due| due.saturating_sub(host::elapsed_ns()));
    Ok(match timeout {
        timeout if calls => Next::Look(timeout),
        Some(0) => Next::Timers,
        timeout => Next::Wait(timeout),
    })
}

/// A turn begins: calls have ended.
fn complete(ctx: &Ctx<'_>, completions: Vec<Completion>) -> Result<()> {
    timers::begin_turn(ctx)?;
    for completion in completions {
        calls::complete(ctx, completion)?;
        run_jobs(ctx)?;
    }
    Ok(())
}

/// Runs the timers that are due. What has ended does nothing more, though more may be due.
fn run_timers<'js>(ctx: &Ctx<'js>, returned: &Value<'js>) -> Result<()> {
    for _ in 0..TIMERS_PER_TURN {
        if has_ended(returned) || !timers::run_next(ctx)? {
            break;
        }
        run_jobs(ctx)?;
    }
    Ok(())
}

/// Whether the program threw, or gave a value.
fn has_ended(returned: &Value<'_>) -> bool {
    settled(returned).is_some_and(|value| value.map_or(true, |value| !value.is_undefined()))
}

/// Runs jobs until there are none.
///
/// # Errors
///
/// One threw; or the program has asked for its end.
pub(crate) fn run_jobs(ctx: &Ctx<'_>) -> Result<()> {
    loop {
        exit::check(ctx)?;
        match run_job(ctx) {
            Job::Done => {}
            Job::None => return Ok(()),
            Job::Threw => return Err(Error::Exception),
        }
    }
}
