//! How many calls one server gets: at once, and in time. Both are shared between principals; of one
//! principal, calls are let through in the order in which they came.

use std::collections::VecDeque;
use std::time::Duration;

use ampoule_fair::{BusyError, Place, Places};
use ampoule_tools::Principal;
use parking_lot::Mutex;
use tokio::time::{Instant, sleep_until};

use super::options::{Rate, UpstreamOptions};

/// What every call to one server passes.
#[derive(Debug)]
pub struct Gate {
    turns: Places,
    rate: Option<RateLimit>,
}

impl Gate {
    /// That of a server with these options.
    pub fn new(options: &UpstreamOptions) -> Self {
        Self {
            turns: Places::new(options.concurrency.max(1)),
            rate: options.rate.map(RateLimit::new),
        }
    }

    /// Somebody's turn among the calls that are under way at once, within that time if there is one
    /// by then. It ends when it is dropped.
    ///
    /// # Errors
    ///
    /// [`BusyError`] where there is none.
    pub async fn turn(
        &self,
        whose: Option<&Principal>,
        within: Duration,
    ) -> Result<Place, BusyError> {
        self.turns.take(whose, 1, within).await
    }

    /// Waits until somebody's call may be sent without being one too many.
    pub async fn pace(&self, whose: Option<&Principal>) {
        if let Some(rate) = &self.rate {
            rate.wait(whose).await;
        }
    }
}

/// A rate, and when the last calls were sent: as many as it allows.
#[derive(Debug)]
struct RateLimit {
    rate: Rate,
    /// Whose turn it is waits until the next call may be sent. Who stops waiting leaves no trace.
    turn: Places,
    sent: Mutex<VecDeque<Instant>>,
}

impl RateLimit {
    fn new(rate: Rate) -> Self {
        Self {
            rate,
            turn: Places::one_by_one(),
            sent: Mutex::default(),
        }
    }

    async fn wait(&self, whose: Option<&Principal>) {
        // Who waits has a turn among the calls at once: all have room.
        let _turn = self.turn.wait(whose).await;
        let again = self.again();
        if let Some(again) = again {
            sleep_until(again).await;
        }
        let mut sent = self.sent.lock();
        if again.is_some() {
            sent.pop_front();
        }
        sent.push_back(Instant::now());
    }

    /// When the next call may be sent, if not at once.
    fn again(&self) -> Option<Instant> {
        let sent = self.sent.lock();
        let most = usize::from(self.rate.calls.get());
        let oldest = *sent.front().filter(|_| sent.len() >= most)?;
        // A time that no clock can express is as good as a day from now.
        let day = Duration::from_hours(24);
        Some(oldest.checked_add(self.rate.per).unwrap_or(oldest + day))
    }
}
