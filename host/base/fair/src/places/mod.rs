//! Places that are held for a while.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use parking_lot::{Mutex, MutexGuard};
use tokio::time::Instant;

use crate::Principal;
use crate::line::{Line, Owner, Rule, Wakers};

/// How many may wait for a place at once.
const ROOM: u64 = 10_000;
/// The least and the longest time after which a client that is not let in may try again.
const AGAIN: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(60));

/// So many places, shared between principals. Cheap to clone.
///
/// A principal with a name leaves a part of the places free, for principals that hold none; and a
/// part of the room to wait. A run without a principal may take all of them.
#[derive(Clone)]
pub struct Places(Arc<Mutex<Line>>);

/// A place, given back when it is dropped.
#[must_use = "a place is given back when this is dropped"]
pub struct Place {
    places: Places,
    owner: Owner,
    size: u64,
    since: Instant,
}

/// No place was to be had.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{}", if *waited { "no place was free in time" } else { "too many wait already" })]
pub struct BusyError {
    /// After how long there may be one: whole seconds, up to a minute.
    pub again: Duration,
    /// Whether it waited for one for as long as it might; else too many wait already.
    pub waited: bool,
}

impl Places {
    /// So many places. They go to the principal that holds fewest for its weight; among those, to
    /// the one that had them for the shortest time.
    pub fn new(all: usize) -> Self {
        Self::by(Rule::Reserved, all as u64, ROOM)
    }

    /// So many places of which none is kept free for others: they are held for a short time, by
    /// those who are limited otherwise, and all may wait. They go to the principal that had them
    /// for the shortest time, for its weight.
    pub fn by_time(all: usize) -> Self {
        Self::by(Rule::ByTime, all as u64, u64::MAX)
    }

    /// The same with one place, which goes to the principal that had it least often.
    pub fn one_by_one() -> Self {
        Self::by(Rule::ByCount, 1, u64::MAX)
    }

    pub(crate) fn by(rule: Rule, all: u64, room: u64) -> Self {
        Self(Arc::new(Mutex::new(Line::new(rule, all, room))))
    }

    /// A place as large as that, once there is one; no larger than all places together.
    ///
    /// # Errors
    ///
    /// There was none for as long as `within`; or too many wait for one already.
    pub async fn take(
        &self,
        owner: Option<&Principal>,
        size: usize,
        within: Duration,
    ) -> Result<Place, BusyError> {
        // Most need not wait, and are spared the timer.
        match self.begin(owner, size) {
            Ok(place) => Ok(place),
            Err(waiting) => {
                let placed = tokio::time::timeout(within, waiting).await;
                placed.unwrap_or_else(|_| Err(self.busy(&owner.cloned(), true)))
            }
        }
    }

    /// The same for those who wait as long as it takes.
    ///
    /// # Errors
    ///
    /// Too many wait for one already.
    pub async fn wait(&self, owner: Option<&Principal>) -> Result<Place, BusyError> {
        match self.begin(owner, 1) {
            Ok(place) => Ok(place),
            Err(waiting) => waiting.await,
        }
    }

    fn begin(&self, owner: Option<&Principal>, size: usize) -> Result<Place, PlaceRequest> {
        let owner = owner.cloned();
        let mut line = self.line();
        let size = (size as u64).clamp(1, line.all().max(1));
        if line.take_at_once(&owner, size) {
            drop(line);
            return Ok(Place::new(self, owner, size));
        }
        Err(PlaceRequest {
            places: self.clone(),
            owner,
            size,
            ticket: None,
        })
    }

    /// Whether any place is taken.
    pub fn any_taken(&self) -> bool {
        self.line().any_taken()
    }

    /// How many are taken, and how many wait for one.
    pub fn load(&self) -> (u64, u64) {
        self.line().load()
    }

    pub(crate) fn line(&self) -> MutexGuard<'_, Line> {
        self.0.lock()
    }

    fn busy(&self, owner: &Owner, waited: bool) -> BusyError {
        let again = self.line().again(owner).clamp(AGAIN.0, AGAIN.1);
        let again = Duration::from_secs_f64(again.as_secs_f64().ceil());
        BusyError { again, waited }
    }
}

impl Place {
    pub(crate) fn new(places: &Places, owner: Owner, size: u64) -> Self {
        Self {
            places: places.clone(),
            owner,
            size,
            since: Instant::now(),
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let held = self.since.elapsed();
        let wakers = self.places.line().give_back(&self.owner, self.size, held);
        wake(wakers);
    }
}

/// What may run here takes locks of its own: ours is not held meanwhile.
pub(crate) fn wake(wakers: Wakers) {
    for waker in wakers {
        waker.wake();
    }
}

/// Stands in the line. Dropped before it has its place, it leaves.
struct PlaceRequest {
    places: Places,
    owner: Owner,
    size: u64,
    ticket: Option<u64>,
}

impl Future for PlaceRequest {
    type Output = Result<Place, BusyError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let this = &mut *self;
        let mut line = this.places.line();
        let ticket = match this.ticket {
            Some(ticket) => ticket,
            None if line.has_room(&this.owner) => {
                line.join(&this.owner, this.size, context.waker())
            }
            None => {
                drop(line);
                return Poll::Ready(Err(this.places.busy(&this.owner, false)));
            }
        };
        this.ticket = Some(ticket);
        let wakers = line.hand_out();
        let waits = line.still_waits(&this.owner, ticket, context.waker());
        drop(line);
        wake(wakers);
        if waits {
            return Poll::Pending;
        }
        this.ticket = None;
        let place = Place::new(&this.places, this.owner.clone(), this.size);
        Poll::Ready(Ok(place))
    }
}

impl Drop for PlaceRequest {
    fn drop(&mut self) {
        if let Some(ticket) = self.ticket {
            let wakers = self.places.line().leave(&self.owner, ticket, self.size);
            wake(wakers);
        }
    }
}

impl fmt::Debug for Places {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Places").field(&*self.line()).finish()
    }
}

impl fmt::Debug for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Place({})", self.size)
    }
}

#[cfg(test)]
mod tests;
