//! The runs that wait for a place, by principal, and the next one. Pure: it neither sleeps nor
//! wakes.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};
use std::task::Waker;
use std::time::Duration;

use crate::Principal;

/// The principal that something is for. All without a name count as one more.
pub(crate) type Owner = Option<Principal>;

/// Wakers to call once the line is not locked any more.
pub(crate) type Wakers = Vec<Waker>;

/// How many times as many places as it leaves free a principal may hold, for each unit of weight.
const HELD_PER_FREE: u64 = 3;
/// What holding a place costs at the least: where time is paused, too, principals alternate.
const LEAST_COST: Duration = Duration::from_micros(1);

/// How places are handed out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rule {
    /// To the principal that holds fewest; and some are kept for those that hold none.
    Reserved,
    /// To the principal that had them for the shortest time.
    ByTime,
    /// To the principal that had them least often.
    ByCount,
}

/// Places, those who have them and those who wait.
#[derive(Debug)]
pub(crate) struct Line {
    rule: Rule,
    all: u64,
    taken: u64,
    /// How many may wait.
    room: u64,
    waiting: u64,
    accounts: HashMap<Owner, Account>,
    /// The principals that wait, the next one first.
    order: BTreeMap<Rank, Owner>,
    /// What the principal had used that last got a place: a new principal begins there.
    floor: u64,
    tickets: u64,
    /// How many places were given back so far: whether anything continues.
    given_back: u64,
    /// For how long places were held lately.
    held_lately: Duration,
}

/// The least is next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    held: u64,
    used: u64,
    /// Of the one that has waited for longest. No two have the same.
    ticket: u64,
}

/// A principal that has places, or waits for some.
#[derive(Debug)]
struct Account {
    weight: u64,
    held: u64,
    /// What it has used for its weight, in nanoseconds.
    used: u64,
    waiting: BTreeMap<u64, Waiter>,
}

#[derive(Debug)]
struct Waiter {
    size: u64,
    waker: Waker,
}

impl Line {
    pub(crate) fn new(rule: Rule, all: u64, room: u64) -> Self {
        Self {
            rule,
            all,
            taken: 0,
            room,
            waiting: 0,
            accounts: HashMap::new(),
            order: BTreeMap::new(),
            floor: 0,
            tickets: 0,
            given_back: 0,
            held_lately: Duration::from_secs(1),
        }
    }

    pub(crate) fn all(&self) -> u64 {
        self.all
    }

    pub(crate) fn any_taken(&self) -> bool {
        self.taken > 0
    }

    /// How many are taken, and how many wait.
    pub(crate) fn load(&self) -> (u64, u64) {
        (self.taken, self.waiting)
    }

    /// Takes a place of that size where nobody has to wait.
    pub(crate) fn take_at_once(&mut self, owner: &Owner, size: u64) -> bool {
        let held = self.accounts.get(owner).map_or(0, |account| account.held);
        let may = self.order.is_empty() && self.may_take(owner, held, size);
        if may {
            self.give(owner, size, None);
        }
        may
    }

    /// Whether one more of them may wait.
    pub(crate) fn has_room(&self, owner: &Owner) -> bool {
        let waits = self.accounts.get(owner).map_or(0, Account::waits);
        within(self.room, self.waiting, owner, waits, 1)
    }

    /// Stands in the line: gives the ticket.
    pub(crate) fn join(&mut self, owner: &Owner, size: u64, waker: &Waker) -> u64 {
        let ticket = self.tickets;
        self.tickets += 1;
        self.waiting += 1;
        let waiter = Waiter {
            size,
            waker: waker.clone(),
        };
        self.change(owner, |account| account.waiting.insert(ticket, waiter));
        ticket
    }

    /// Whether this one waits; if so, `waker` is woken when it has its place.
    pub(crate) fn still_waits(&mut self, owner: &Owner, ticket: u64, waker: &Waker) -> bool {
        let account = self.accounts.get_mut(owner);
        let waiter = account.and_then(|account| account.waiting.get_mut(&ticket));
        if let Some(waiter) = waiter {
            waiter.waker.clone_from(waker);
            return true;
        }
        false
    }

    /// Takes a place at once, free or not, where others wait and this principal neither waits nor
    /// has one: nobody has used less.
    pub(crate) fn take_as_newcomer(&mut self, owner: &Owner) -> bool {
        let is_first = !self.order.is_empty() && !self.accounts.contains_key(owner);
        if is_first {
            self.give(owner, 1, None);
        }
        is_first
    }

    /// Gives this one its place even if none is free: where it is the next, and its principal has
    /// none.
    pub(crate) fn take_beyond(&mut self, owner: &Owner, ticket: u64) -> bool {
        let is_next = self.order.keys().next().map(|rank| rank.ticket) == Some(ticket);
        let holds_none = self.accounts.get(owner).is_some_and(|it| it.held == 0);
        if is_next && holds_none {
            self.give(owner, 1, Some(ticket));
        }
        is_next && holds_none
    }

    /// Gives this one a place, free or not, if none was given back since `seen`: the run that has
    /// them does nothing with them.
    pub(crate) fn take_if_stalled(&mut self, owner: &Owner, ticket: u64, seen: u64) -> bool {
        let waits = |account: &Account| account.waiting.contains_key(&ticket);
        if !self.accounts.get(owner).is_some_and(waits) {
            // It was given one meanwhile.
            return true;
        }
        let stalled = self.given_back == seen;
        if stalled {
            self.give(owner, 1, Some(ticket));
            // One at a time.
            self.given_back += 1;
        }
        stalled
    }

    /// How many places were given back so far.
    pub(crate) fn given_back(&self) -> u64 {
        self.given_back
    }

    /// The holder of this ticket does not want its place any more, if it waits or has it.
    pub(crate) fn leave(&mut self, owner: &Owner, ticket: u64, size: u64) -> Wakers {
        let waits = |account: &Account| account.waiting.contains_key(&ticket);
        if !self.accounts.get(owner).is_some_and(waits) {
            return self.give_back(owner, size, Duration::ZERO);
        }
        self.waiting -= 1;
        self.change(owner, |account| account.waiting.remove(&ticket));
        self.hand_out()
    }

    /// A place is free again that was held for so long.
    pub(crate) fn give_back(&mut self, owner: &Owner, size: u64, held: Duration) -> Wakers {
        self.end(owner, size, held);
        self.hand_out()
    }

    /// Hands out what is free to those who are next. Who is next and has no room yet keeps the
    /// others waiting: else what is large would never have its turn.
    pub(crate) fn hand_out(&mut self) -> Wakers {
        let mut wakers = Wakers::new();
        while let Some(owner) = self.order.values().next().cloned() {
            let Some(account) = self.accounts.get(&owner) else {
                break;
            };
            let Some((&ticket, waiter)) = account.waiting.first_key_value() else {
                break;
            };
            let (held, size) = (account.held, waiter.size);
            if !self.may_take(&owner, held, size) {
                break;
            }
            wakers.extend(self.give(&owner, size, Some(ticket)));
        }
        wakers
    }

    /// After how long a place for this principal may be free.
    pub(crate) fn again(&self, owner: &Owner) -> Duration {
        let (held, waits) = match self.accounts.get(owner) {
            Some(account) => (account.held, account.waits()),
            None => (0, 0),
        };
        self.held_lately.saturating_mul(clamped(waits + 1)) / clamped(held)
    }

    fn may_take(&self, owner: &Owner, held: u64, size: u64) -> bool {
        match self.rule {
            Rule::Reserved => within(self.all, self.taken, owner, held, size),
            Rule::ByTime | Rule::ByCount => self.taken + size <= self.all,
        }
    }

    /// Gives a place, to the one with this ticket if it waited.
    fn give(&mut self, owner: &Owner, size: u64, ticket: Option<u64>) -> Option<Waker> {
        self.taken += size;
        let (used, waiter) = self.change(owner, |account| {
            account.held += size;
            let waiter = ticket.and_then(|ticket| account.waiting.remove(&ticket));
            (account.used, waiter)
        });
        self.floor = self.floor.max(used);
        let waiter = waiter?;
        self.waiting -= 1;
        Some(waiter.waker)
    }

    fn end(&mut self, owner: &Owner, size: u64, held: Duration) {
        self.taken -= size;
        self.given_back += 1;
        if !held.is_zero() {
            self.held_lately = (self.held_lately * 7 + held) / 8;
        }
        let cost = match self.rule {
            Rule::Reserved | Rule::ByTime => held.max(LEAST_COST),
            Rule::ByCount => Duration::from_secs(1),
        };
        let cost = u64::try_from(cost.as_nanos()).unwrap_or(u64::MAX);
        self.change(owner, |account| {
            account.held -= size;
            let cost = cost.saturating_mul(size) / account.weight;
            account.used = account.used.saturating_add(cost);
        });
    }

    /// Changes a principal's account, and keeps the order. An account that nobody needs is gone.
    fn change<T>(&mut self, owner: &Owner, change: impl FnOnce(&mut Account) -> T) -> T {
        let by_held = self.rule == Rule::Reserved;
        let mut entry = match self.accounts.entry(owner.clone()) {
            Entry::Occupied(entry) => entry,
            Entry::Vacant(entry) => entry.insert_entry(Account::of(owner, self.floor)),
        };
        let account = entry.get_mut();
        if let Some(rank) = account.rank(by_held) {
            self.order.remove(&rank);
        }
        let changed = change(account);
        match account.rank(by_held) {
            Some(rank) => {
                self.order.insert(rank, owner.clone());
            }
            None if account.held == 0 => {
                entry.remove();
            }
            None => {}
        }
        changed
    }
}

/// Whether one who has so much of what all share may have more. Who is named leaves some of it
/// free: who holds none finds a place, for as long as others are fewer than places.
fn within(all: u64, taken: u64, owner: &Owner, held: u64, more: u64) -> bool {
    let Some(left) = all.checked_sub(taken + more) else {
        return false;
    };
    owner.as_ref().is_none_or(|principal| {
        let share = HELD_PER_FREE * u64::from(principal.weight().get());
        held == 0 || held + more <= share.saturating_mul(left)
    })
}

fn clamped(count: u64) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX).max(1)
}

impl Account {
    fn of(owner: &Owner, used: u64) -> Self {
        let weight = owner.as_ref().map_or(1, |it| u64::from(it.weight().get()));
        Self {
            weight,
            held: 0,
            used,
            waiting: BTreeMap::new(),
        }
    }

    fn waits(&self) -> u64 {
        self.waiting.len() as u64
    }

    /// Its place in the order, if it waits.
    fn rank(&self, by_held: bool) -> Option<Rank> {
        let (&ticket, _) = self.waiting.first_key_value()?;
        let held = if by_held { self.held } else { 0 };
        Some(Rank {
            // In parts of a place that are fine enough for any weight.
            held: (held << u16::BITS) / self.weight,
            used: self.used,
            ticket,
        })
    }
}

#[cfg(test)]
impl Line {
    /// Whether nothing is left of those who came.
    pub(crate) fn is_empty(&self) -> bool {
        self.taken == 0 && self.waiting == 0 && self.accounts.is_empty() && self.order.is_empty()
    }

    /// What holds after each step, counted anew.
    pub(crate) fn check(&self) {
        let held = |account: &Account| account.held;
        assert_eq!(self.accounts.values().map(held).sum::<u64>(), self.taken);
        assert!(self.taken <= self.all && self.waiting <= self.room);
        let waits = self.accounts.values().map(Account::waits);
        assert_eq!(waits.sum::<u64>(), self.waiting);
        let by_held = self.rule == Rule::Reserved;
        let ranks = self.accounts.iter().filter_map(|(owner, account)| {
            assert!(account.held > 0 || account.waits() > 0, "{owner:?}");
            Some((account.rank(by_held)?, owner.clone()))
        });
        let order: BTreeMap<_, _> = ranks.collect();
        assert_eq!(order, self.order);
        let Some((rank, owner)) = order.first_key_value() else {
            return;
        };
        let account = &self.accounts[owner];
        let size = account.waiting[&rank.ticket].size;
        assert!(!self.may_take(owner, account.held, size), "{self:?}");
    }
}
