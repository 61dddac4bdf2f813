//! Fuel: paying with it for what the host computes for a run, and sharing out the time to use it.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::Poll;

use ampoule_limits::LimitError;
use wasmtime::{AsContextMut, Store, UpdateDeadline};

use super::gauge::Gauge;
use super::state::RunState;

/// How much fuel code may use before it lets others run, and its fuel is written down: a function
/// that loops keeps the count to itself. Some hundred microseconds' worth. In components, whose
/// instructions may be slow ones, epochs interrupt besides.
const SLICE: u64 = 500_000;

/// What a run has used since it last gave way, as far as the host sees. To the engine, a slice
/// begins anew whenever the host takes its share of the fuel: code that asks the host for something
/// again and again would never come to the end of one.
#[derive(Default)]
pub(crate) struct Slice {
    used: u64,
    /// How much fuel there was when the host last looked; not known before it did.
    left: Option<u64>,
}

impl Slice {
    /// So much is left, and so much of it when the host has taken its share.
    fn look(&mut self, left: u64, then: u64) {
        let before = self.left.replace(then).unwrap_or(left);
        self.used += before.saturating_sub(then);
    }

    /// Whether others are to run now.
    fn is_over(&mut self) -> bool {
        let over = self.used >= SLICE;
        if over {
            self.used = 0;
        }
        over
    }
}

impl RunState {
    /// What the host has computed for it that is not paid yet, in units of fuel.
    pub(crate) fn debt(&mut self) -> u64 {
        self.debt = self.debt.saturating_add(self.effort.take_spent());
        self.debt
    }

    /// The same, which the caller pays.
    pub(crate) fn take_debt(&mut self) -> u64 {
        self.debt();
        std::mem::take(&mut self.debt)
    }

    /// Counts what the host is about to compute for it.
    ///
    /// # Errors
    ///
    /// The limit, if there is no fuel for that.
    pub(crate) fn spend(&self, units: u64) -> Result<(), LimitError> {
        let spent = self.effort.spend(units);
        spent.map_err(|_| self.limits.out_of_fuel())
    }
}

/// [Pays](pay), and lets others run if the run has used its slice. For imports of interpreters,
/// which a script may ask for again and again without ever waiting.
pub(super) async fn settle(
    mut store: impl AsContextMut<Data = RunState>,
    units: u64,
) -> wasmtime::Result<()> {
    pay(&mut store, units)?;
    if store.as_context_mut().data_mut().slice.is_over() {
        let mut gave = false;
        poll_fn(|context| {
            if std::mem::replace(&mut gave, true) {
                return Poll::Ready(());
            }
            context.waker().wake_by_ref();
            Poll::Pending
        })
        .await;
    }
    Ok(())
}

/// Gives a run its fuel, and has it let others run.
pub(super) fn share(store: &mut Store<RunState>) -> wasmtime::Result<()> {
    store.set_fuel(store.data().limits.fuel)?;
    store.fuel_async_yield_interval(Some(SLICE))?;
    store.set_epoch_deadline(1);
    // Of one that only computes, this shows how much it has used. One that has the host compute,
    // and imports nothing that is paid for at once, ends here when it has no fuel for that. The
    // fuel itself can't be taken here: the code that was interrupted keeps the count to itself.
    store.epoch_deadline_callback(|mut store| {
        let fuel = store.get_fuel()?;
        let run = store.data_mut();
        let Some(left) = fuel.checked_sub(run.debt()) else {
            return Err(run.limits.out_of_fuel().into());
        };
        run.effort.allow(left);
        run.gauge(left);
        Ok(UpdateDeadline::Yield(1))
    });
    Ok(())
}

/// Has an interpreter compute. Whenever it lets others run, it has used a slice more.
pub(super) async fn in_slices<T>(gauge: Gauge, computing: impl Future<Output = T>) -> T {
    let mut computing = pin!(computing);
    poll_fn(|context| {
        let polled = computing.as_mut().poll(context);
        if polled.is_pending() {
            gauge.add_fuel(SLICE);
        }
        polled
    })
    .await
}

/// Pays for so much, and for what the host has computed for the run since this was last called.
/// What is left may be spent from here on.
///
/// # Errors
///
/// The limit, if there is less fuel than that.
pub(super) fn pay(
    mut store: impl AsContextMut<Data = RunState>,
    units: u64,
) -> wasmtime::Result<()> {
    let mut store = store.as_context_mut();
    let fuel = store.get_fuel()?;
    let run = store.data_mut();
    let owed = run.take_debt().saturating_add(units);
    let left = fuel.saturating_sub(owed);
    run.effort.allow(left);
    run.slice.look(fuel, left);
    run.gauge(left);
    let hit = (owed > fuel).then(|| run.limits.out_of_fuel());
    store.set_fuel(left)?;
    match hit {
        Some(hit) => Err(hit.into()),
        None => Ok(()),
    }
}
