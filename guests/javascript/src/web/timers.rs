//! Timers: which callbacks are due when. The event loop asks here how long it may sleep, and runs
//! what is due, one at a time, so that it can run the microtasks between.

use std::cell::RefCell;
use std::collections::BTreeMap;

use rquickjs::{Ctx, Exception, Function, JsLifetime, Object, Result};

use crate::host;

const NANOS_PER_MS: u64 = 1_000_000;

/// When a timer runs, and which of several comes first: nanoseconds since the run began, then the
/// order of starting.
type Due = (u64, u64);

/// One timer that was started and not stopped.
struct Timer<'js> {
    id: u32,
    callback: Function<'js>,
    delay_ns: u64,
    repeats: bool,
    /// Whether the run waits for it.
    is_ref: bool,
}

/// The timers of a context that were started and not stopped.
#[derive(Default)]
struct Queue<'js> {
    waiting: BTreeMap<Due, Timer<'js>>,
    dues: BTreeMap<u32, Due>,
    /// How many of those waiting the run waits for.
    refs: usize,
    /// The repeating timer whose callback is running, unless that stopped it.
    running: Option<Timer<'js>>,
    last_id: u32,
    last_sequence: u64,
    /// The time that all timers of one turn of the event loop count from, as in Node: of two that a
    /// callback starts, the one with the shorter delay runs first, however long the callback takes.
    turn_ns: Option<u64>,
}

/// The queue, as the context keeps it.
#[derive(Default)]
struct Timers<'js>(RefCell<Queue<'js>>);

// SAFETY: the only lifetime is that of the callbacks, which `Changed` replaces.
unsafe impl<'js> JsLifetime<'js> for Timers<'js> {
    type Changed<'to> = Timers<'to>;
}

impl<'js> Queue<'js> {
    fn now_ns(&mut self) -> u64 {
        *self.turn_ns.get_or_insert_with(host::elapsed_ns)
    }

    fn insert(&mut self, timer: Timer<'js>) {
        self.last_sequence += 1;
        let due = (
            self.now_ns().saturating_add(timer.delay_ns),
            self.last_sequence,
        );
        self.refs += usize::from(timer.is_ref);
        self.dues.insert(timer.id, due);
        self.waiting.insert(due, timer);
    }

    fn remove(&mut self, id: u32) -> Option<Timer<'js>> {
        let due = self.dues.remove(&id)?;
        let timer = self.waiting.remove(&due)?;
        self.refs -= usize::from(timer.is_ref);
        Some(timer)
    }

    fn take_running(&mut self, id: u32) -> Option<Timer<'js>> {
        self.running.take_if(|timer| timer.id == id)
    }

    /// The timer, while it waits or its callback runs.
    fn find(&mut self, id: u32) -> Option<&mut Timer<'js>> {
        match self.dues.get(&id) {
            Some(due) => self.waiting.get_mut(due),
            None => self.running.as_mut().filter(|timer| timer.id == id),
        }
    }

    /// Takes the first timer, if it is due by now.
    fn take_due(&mut self) -> Option<Timer<'js>> {
        self.turn_ns = None;
        let now_ns = self.now_ns();
        let (&(due_ns, _), first) = self.waiting.first_key_value()?;
        let id = first.id;
        if due_ns > now_ns {
            return None;
        }
        self.remove(id)
    }
}

/// Does something with the context's timers.
fn with<'js, T>(ctx: &Ctx<'js>, action: impl FnOnce(&mut Queue<'js>) -> T) -> Result<T> {
    match ctx.userdata::<Timers<'js>>() {
        Some(timers) => Ok(action(&mut timers.0.borrow_mut())),
        None => Err(Exception::throw_internal(ctx, "this context has no timers")),
    }
}

/// Adds the functions of this module, and an empty queue to the context.
pub(super) fn register(native: &Object<'_>) -> Result<()> {
    let ctx = native.ctx();
    if ctx.store_userdata(Timers::default()).is_err() {
        return Err(Exception::throw_internal(ctx, "timers are in use"));
    }
    native.set("startTimer", Function::new(ctx.clone(), start)?)?;
    native.set("stopTimer", Function::new(ctx.clone(), stop)?)?;
    native.set("restartTimer", Function::new(ctx.clone(), restart)?)?;
    native.set("isTimerRef", Function::new(ctx.clone(), is_ref)?)?;
    native.set("setTimerRef", Function::new(ctx.clone(), set_ref)?)?;
    Ok(())
}

fn start<'js>(ctx: Ctx<'js>, callback: Function<'js>, delay_ms: u32, repeats: bool) -> Result<u32> {
    with(&ctx, |queue| {
        queue.last_id = queue.last_id.wrapping_add(1);
        queue.insert(Timer {
            id: queue.last_id,
            callback,
            delay_ns: u64::from(delay_ms) * NANOS_PER_MS,
            repeats,
            is_ref: true,
        });
        queue.last_id
    })
}

fn stop(ctx: Ctx<'_>, id: u32) -> Result<()> {
    // Dropped outside: the end of a callback may run code that uses the queue.
    with(&ctx, |queue| (queue.remove(id), queue.take_running(id))).map(drop)
}

/// Lets the delay begin anew. False if the timer has run or was stopped.
fn restart(ctx: Ctx<'_>, id: u32) -> Result<bool> {
    with(&ctx, |queue| match queue.remove(id) {
        Some(timer) => {
            queue.insert(timer);
            true
        }
        None => queue.find(id).is_some(),
    })
}

fn is_ref(ctx: Ctx<'_>, id: u32) -> Result<bool> {
    with(&ctx, |queue| {
        queue.find(id).is_some_and(|timer| timer.is_ref)
    })
}

fn set_ref(ctx: Ctx<'_>, id: u32, is_ref: bool) -> Result<()> {
    with(&ctx, |queue| {
        let Some(timer) = queue.find(id) else { return };
        let was_ref = std::mem::replace(&mut timer.is_ref, is_ref);
        if queue.dues.contains_key(&id) {
            queue.refs = queue.refs + usize::from(is_ref) - usize::from(was_ref);
        }
    })
}

/// Begins a new turn of the event loop: timers count from what the clock shows then.
///
/// # Errors
///
/// The context was not set up by [`super::install`].
pub(crate) fn begin_turn(ctx: &Ctx<'_>) -> Result<()> {
    with(ctx, |queue| queue.turn_ns = None)
}

/// When the next timer is due, in nanoseconds since the run began.
///
/// # Errors
///
/// The context was not set up by [`super::install`].
pub(crate) fn next_due(ctx: &Ctx<'_>) -> Result<Option<u64>> {
    with(ctx, |queue| {
        queue.waiting.first_key_value().map(|(due, _)| due.0)
    })
}

/// Whether there is a timer that the run must wait for.
///
/// # Errors
///
/// The context was not set up by [`super::install`].
pub(crate) fn has_ref(ctx: &Ctx<'_>) -> Result<bool> {
    with(ctx, |queue| queue.refs > 0)
}

/// Forgets all timers, and says how many there were that the run would have waited for.
pub(crate) fn forget(ctx: &Ctx<'_>) -> usize {
    let forgotten = with(ctx, |queue| {
        queue.dues.clear();
        queue.turn_ns = None;
        // Dropped outside, as above.
        (
            std::mem::take(&mut queue.refs),
            std::mem::take(&mut queue.waiting),
            queue.running.take(),
        )
    });
    forgotten.map_or(0, |(refs, ..)| refs)
}

/// Runs the first timer that is due, if there is one, and says whether there was. The caller runs
/// the microtasks next.
///
/// # Errors
///
/// The callback threw.
pub(crate) fn run_next(ctx: &Ctx<'_>) -> Result<bool> {
    let Some(timer) = with(ctx, Queue::take_due)? else {
        return Ok(false);
    };
    let callback = timer.callback.clone();
    if timer.repeats {
        with(ctx, |queue| queue.running = Some(timer))?;
    }
    let outcome = callback.call::<_, ()>(());
    with(ctx, |queue| {
        if let Some(timer) = queue.running.take() {
            queue.insert(timer);
        }
    })?;
    outcome.map(|()| true)
}
