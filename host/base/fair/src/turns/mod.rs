//! Turns: as much computes for runs at once as there are cores, so that what else arrives waits for
//! little.
//!
//! A run that nobody is named for begins to compute without asking, and most are done or wait for
//! something before their first slice is over. One that continues takes turns with the others that
//! do: they stand here, and not in Tokio's queues, where new requests, timers and results would
//! stand behind them. What waits has no turn.
//!
//! A turn goes to the principal that has computed for the shortest time, for its weight. Where a
//! principal is named, its runs ask before they begin, too: many that begin at once would be as
//! many slices in front of the others.

use std::num::NonZero;
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock};
use std::task::{Context, Poll, Wake, Waker, ready};
use std::thread;
use std::time::Duration;

use parking_lot::{Mutex, MutexGuard};
use tokio::time::{Sleep, sleep};

use crate::line::Owner;
use crate::places::wake;
use crate::{Place, Places, Principal};

static TURNS: LazyLock<Places> = LazyLock::new(|| {
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    Places::by_time(cores)
});

/// After how long without any turn given back no run waits for one: the holder of the turns is not
/// asked to continue, as where one task holds a run that it does not poll while it waits for
/// another.
const STALL: Duration = Duration::from_millis(100);

/// A turn, for what computes elsewhere and is not a future. It lasts until it is dropped. None
/// where nobody gives one back.
pub async fn take(owner: Option<&Principal>) -> Option<Place> {
    let mut waiting = pin!(TURNS.wait(owner));
    loop {
        let seen = TURNS.line().given_back();
        tokio::select! {
            biased;
            turn = &mut waiting => return turn.ok(),
            () = sleep(STALL) => {}
        }
        if TURNS.line().given_back() == seen {
            return None;
        }
    }
}

/// A future that computes in slices: between two of them it is pending, and has woken itself.
pub struct SlicedFuture<F> {
    sliced: F,
    turns: Places,
    owner: Owner,
    turn: Turn,
    /// While it waits: how many turns had been given back, and when it looks again.
    stall: Option<(u64, Pin<Box<Sleep>>)>,
    slice: Arc<Slice>,
}

/// Whether it may compute.
#[derive(Clone, Copy)]
enum Turn {
    /// It has just begun, or has waited for something.
    Begins,
    /// It stands in the line.
    Waits {
        ticket: u64,
        /// It has not computed yet since it began.
        begins: bool,
        /// It was given a turn, and let go first whatever stood in Tokio's queue then.
        gave_way: bool,
    },
}

/// Tells slices that are over from waiting.
struct Slice {
    under_way: AtomicBool,
    over: AtomicBool,
    task: Mutex<Waker>,
}

impl<F: Future + Unpin> SlicedFuture<F> {
    /// Work that takes turns with others once it takes longer than a slice; and before, where it is
    /// somebody's.
    pub fn new(sliced: F, owner: Option<Principal>) -> Self {
        Self::at(TURNS.clone(), sliced, owner)
    }

    fn at(turns: Places, sliced: F, owner: Owner) -> Self {
        Self {
            sliced,
            turns,
            owner,
            turn: Turn::Begins,
            stall: None,
            slice: Arc::new(Slice {
                under_way: AtomicBool::new(false),
                over: AtomicBool::new(false),
                task: Mutex::new(Waker::noop().clone()),
            }),
        }
    }
}

impl<F> SlicedFuture<F> {
    /// A turn; or none, where it needs none.
    fn poll_turn(&mut self, context: &mut Context<'_>) -> Poll<Option<Place>> {
        let (ticket, begins, gave_way) = match self.turn {
            Turn::Begins if self.owner.is_none() => return Poll::Ready(None),
            Turn::Begins => {
                if self.turns.line().take_as_newcomer(&self.owner) {
                    return Poll::Ready(Some(self.turn()));
                }
                // It gives way before it asks: others may have come whom nobody has seen yet.
                context.waker().wake_by_ref();
                let ticket = self.stand(context.waker());
                self.turn = Turn::Waits {
                    ticket,
                    begins: true,
                    gave_way: false,
                };
                return Poll::Pending;
            }
            Turn::Waits {
                ticket,
                begins,
                gave_way,
            } => (ticket, begins, gave_way),
        };
        let mut line = self.turns.line();
        let was_given = !line.still_waits(&self.owner, ticket, context.waker());
        let wakers = line.hand_out();
        let waits = line.still_waits(&self.owner, ticket, context.waker())
            && !(begins && line.take_beyond(&self.owner, ticket));
        drop(line);
        wake(wakers);
        let waits = waits && !self.takes_where_nobody_goes_on(ticket, context);
        // What a task hands its turn to may come next in Tokio's queue, and so on, one after the
        // other: whatever has arrived goes first.
        let gives_way = was_given && !gave_way;
        if !waits && !gives_way {
            self.turn = Turn::Begins;
            self.stall = None;
            return Poll::Ready(Some(self.turn()));
        }
        if gives_way {
            context.waker().wake_by_ref();
        }
        self.turn = Turn::Waits {
            ticket,
            begins: false,
            gave_way: gives_way,
        };
        Poll::Pending
    }

    /// Takes a turn in spite of all if none has been given back for long; else it is woken to look
    /// again.
    fn takes_where_nobody_goes_on(&mut self, ticket: u64, context: &mut Context<'_>) -> bool {
        loop {
            let seen = self.turns.line().given_back();
            let (since, looks) = self
                .stall
                .get_or_insert_with(|| (seen, Box::pin(sleep(STALL))));
            if looks.as_mut().poll(context).is_pending() {
                return false;
            }
            let since = *since;
            self.stall = None;
            let mut line = self.turns.line();
            if line.take_if_stalled(&self.owner, ticket, since) {
                return true;
            }
        }
    }

    /// Stands in the line for the next slice, and ends its turn.
    fn go_on(&mut self, turn: Option<Place>, context: &mut Context<'_>) {
        let waker = context.waker();
        let ticket = self.stand(waker);
        // The next run is woken, which may be this one: then it stands behind what has arrived.
        drop(turn);
        let mut line = self.turns.line();
        let wakers = line.hand_out();
        let waits = line.still_waits(&self.owner, ticket, waker);
        drop(line);
        wake(wakers);
        let waits = waits && !self.takes_where_nobody_goes_on(ticket, context);
        self.turn = Turn::Waits {
            ticket,
            begins: false,
            gave_way: !waits,
        };
    }

    /// The turn that it was given.
    fn turn(&self) -> Place {
        Place::new(&self.turns, self.owner.clone(), 1)
    }

    fn stand(&self, waker: &Waker) -> u64 {
        self.turns.line().join(&self.owner, 1, waker)
    }
}

impl<F: Future + Unpin> Future for SlicedFuture<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let run = &mut *self;
        let turn = ready!(run.poll_turn(context));
        let polled = run.slice.begin(context.waker(), |context| {
            Pin::new(&mut run.sliced).poll(context)
        });
        if polled.is_pending() && run.slice.is_over() {
            run.go_on(turn, context);
            // A thread that was woken to serve somebody may stand behind this one.
            thread::yield_now();
        }
        polled
    }
}

impl<F> Drop for SlicedFuture<F> {
    fn drop(&mut self) {
        if let Turn::Waits { ticket, .. } = self.turn {
            let wakers = self.turns.line().leave(&self.owner, ticket, 1);
            wake(wakers);
        }
    }
}

impl Slice {
    fn begin<T>(self: &Arc<Self>, task: &Waker, slice: impl FnOnce(&mut Context<'_>) -> T) -> T {
        self.task().clone_from(task);
        self.over.store(false, Ordering::SeqCst);
        self.under_way.store(true, Ordering::SeqCst);
        let ended = slice(&mut Context::from_waker(&Waker::from(Arc::clone(self))));
        self.under_way.store(false, Ordering::SeqCst);
        ended
    }

    /// Whether it was woken while it was under way, as by itself. A wake that comes later goes to
    /// the task.
    fn is_over(&self) -> bool {
        self.over.load(Ordering::SeqCst)
    }

    fn task(&self) -> MutexGuard<'_, Waker> {
        self.task.lock()
    }
}

impl Wake for Slice {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.over.store(true, Ordering::SeqCst);
        if !self.under_way.load(Ordering::SeqCst) {
            self.task().wake_by_ref();
        }
    }
}

#[cfg(test)]
mod tests;
