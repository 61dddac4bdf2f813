//! The event loop: jobs first, then timers that are due, then the calls that have ended; and all over again until the script is.

mod calls;
mod rejections;

use rquickjs::promise::PromiseState;
use rquickjs::{Ctx, Error, Promise, Result, Value};

pub(crate) use calls::{Calls, abort, start};
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

/// Runs until the promise of the program settles; if that is to nothing, until there is nothing left to do.
///
/// # Errors
///
/// Something threw and nobody caught it; the context has the exception.
pub(crate) fn run<'js>(ctx: &Ctx<'js>, program: &Promise<'js>) -> Result<End<'js>> {
    loop {
        run_jobs(ctx)?;
        let running = match program.state() {
            PromiseState::Rejected => return Err(rejection(program)),
            PromiseState::Resolved => match program.result::<Value<'js>>() {
                Some(Ok(value)) if !value.is_undefined() => return Ok(End::Returned(value)),
                _ => false,
            },
            PromiseState::Pending => true,
        };
        if !advance(ctx, running)? {
            return Ok(if running { End::Stuck } else { End::Finished });
        }
    }
}

/// Waits for the next thing to happen and lets it. False if nothing can.
fn advance(ctx: &Ctx<'_>, running: bool) -> Result<bool> {
    let calls = Session::of(ctx).calls.borrow().under_way();
    let due = timers::next_due(ctx)?;
    // Timers that hold nothing up count only while the program itself is waiting.
    if !calls && !timers::has_ref(ctx)? && !(running && due.is_some()) {
        return Ok(false);
    }
    let wait = due.map(|due| due.saturating_sub(host::elapsed_ns()));
    if calls || wait != Some(0) {
        for completion in host::calls::wait(wait) {
            calls::complete(ctx, completion)?;
            run_jobs(ctx)?;
        }
    }
    for _ in 0..TIMERS_PER_TURN {
        if !timers::run_next(ctx)? {
            break;
        }
        run_jobs(ctx)?;
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

/// Throws what a promise was rejected with.
fn rejection(promise: &Promise<'_>) -> Error {
    promise
        .result::<Value<'_>>()
        .and_then(Result::err)
        .unwrap_or(Error::Exception)
}
