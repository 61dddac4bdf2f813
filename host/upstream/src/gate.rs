//! How many calls one server gets: at once, and in time. Both let calls through in the order in
//! which they came.

use std::collections::VecDeque;
use std::time::Duration;

use tokio::sync::{Mutex, Semaphore, SemaphorePermit};
use tokio::time::{Instant, sleep_until};

use super::options::{Rate, UpstreamOptions};

/// What every call to one server passes.
#[derive(Debug)]
pub(super) struct Gate {
    turns: Semaphore,
    rate: Option<Paced>,
}

/// A turn among the calls that are under way at once. It ends when this is dropped.
pub(super) type Turn<'a> = SemaphorePermit<'a>;

impl Gate {
    pub(super) fn new(options: &UpstreamOptions) -> Self {
        let most = options.concurrency.clamp(1, Semaphore::MAX_PERMITS);
        Self {
            turns: Semaphore::new(most),
            rate: options.rate.map(Paced::new),
        }
    }

    /// A turn, within that time if there is one by then.
    pub(super) async fn turn(&self, within: Duration) -> Option<Turn<'_>> {
        if let Ok(turn) = self.turns.try_acquire() {
            return Some(turn);
        }
        let turn = tokio::time::timeout(within, self.turns.acquire()).await;
        turn.ok()?.ok()
    }

    /// Waits until a call may be sent without being one too many.
    pub(super) async fn pace(&self) {
        if let Some(rate) = &self.rate {
            rate.wait().await;
        }
    }
}

/// A rate, and when the last calls were sent: as many as it allows.
#[derive(Debug)]
struct Paced {
    rate: Rate,
    /// Who waits holds the lock, which is handed on in order. Who stops waiting leaves no trace.
    sent: Mutex<VecDeque<Instant>>,
}

impl Paced {
    fn new(rate: Rate) -> Self {
        let sent = Mutex::default();
        Self { rate, sent }
    }

    async fn wait(&self) {
        let mut sent = self.sent.lock().await;
        if sent.len() >= usize::from(self.rate.calls.get())
            && let Some(oldest) = sent.front()
        {
            // A time that no clock can express is as good as a day from now.
            let again = oldest.checked_add(self.rate.per);
            sleep_until(again.unwrap_or_else(|| *oldest + Duration::from_hours(24))).await;
            sent.pop_front();
        }
        sent.push_back(Instant::now());
    }
}
