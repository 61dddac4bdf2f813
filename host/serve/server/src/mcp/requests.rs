//! The active requests of a client: which ids are taken, and how much is held for them.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use parking_lot::{Mutex, MutexGuard};
use rmcp::model::RequestId;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};

/// What counts for a request beside its text, in bytes: its task, and its answer until the client
/// reads it.
pub(crate) const REQUEST_BYTES: u64 = 32 << 10;
/// The least that may be held for all requests together, in bytes.
const LEAST_ROOM_BYTES: u64 = 256 << 20;
/// How many messages of the largest size may be active at once.
const LARGEST_AT_ONCE: u64 = 4;
/// How many ids of cancelled requests stay taken. Their runs have ended long before as many more
/// are cancelled.
const CANCELLED_REMEMBERED: usize = 1000;

/// The active requests.
pub(crate) struct Requests {
    taken: Mutex<KnownIds>,
    room: Arc<Semaphore>,
    room_bytes: u64,
    /// How many of those are under way that are answered at once.
    brief: watch::Sender<usize>,
}

#[derive(Default)]
struct KnownIds {
    under_way: HashMap<RequestId, Reservation>,
    cancelled: VecDeque<RequestId>,
}

/// What is held for a request until its answer is written.
pub(crate) struct Reservation {
    _room: OwnedSemaphorePermit,
    _brief: Option<BriefRequest>,
}

/// A request that is answered at once.
struct BriefRequest(watch::Sender<usize>);

impl Drop for BriefRequest {
    fn drop(&mut self) {
        self.0.send_modify(|brief| *brief -= 1);
    }
}

/// Why a request is refused.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum AdmissionError {
    /// Another has this id.
    SameId,
    /// Other requests hold all bytes of the limit.
    NoRoom(u64),
}

impl Requests {
    /// For messages of at most that many bytes.
    pub(crate) fn new(most: usize) -> Self {
        let room_bytes = room_bytes(most);
        Self {
            taken: Mutex::default(),
            room: Arc::new(Semaphore::new(kibibytes(room_bytes) as usize)),
            room_bytes,
            brief: watch::Sender::new(0),
        }
    }

    /// Takes up a request for which that many bytes are held. `brief`: it is answered at once.
    pub(crate) fn begin(
        &self,
        id: &RequestId,
        bytes: u64,
        brief: bool,
    ) -> Result<(), AdmissionError> {
        let mut taken = self.taken();
        if taken.under_way.contains_key(id) || taken.cancelled.contains(id) {
            return Err(AdmissionError::SameId);
        }
        let room = kibibytes(bytes.saturating_add(REQUEST_BYTES));
        let room = Arc::clone(&self.room)
            .try_acquire_many_owned(room)
            .map_err(|_| AdmissionError::NoRoom(self.room_bytes))?;
        let brief = brief.then(|| {
            self.brief.send_modify(|brief| *brief += 1);
            BriefRequest(self.brief.clone())
        });
        let held = Reservation {
            _room: room,
            _brief: brief,
        };
        taken.under_way.insert(id.clone(), held);
        Ok(())
    }

    /// Ends a request that is answered now: its id is free, and what is held goes once the answer
    /// is written.
    pub(crate) fn end(&self, id: &RequestId) -> Option<Reservation> {
        self.taken().under_way.remove(id)
    }

    /// Ends a request that gets no answer; returns whether it was active. Its run may continue for
    /// a moment, so its id stays taken.
    pub(crate) fn cancel(&self, id: &RequestId) -> bool {
        let mut taken = self.taken();
        let was_there = taken.under_way.remove(id).is_some();
        if was_there {
            taken.cancelled.push_back(id.clone());
            if taken.cancelled.len() > CANCELLED_REMEMBERED {
                taken.cancelled.pop_front();
            }
        }
        was_there
    }

    /// Waits until those that are answered at once have been.
    pub(crate) async fn brief_ones_done(&self) {
        // It has no end while its sender is here.
        let _ = self.brief.subscribe().wait_for(|brief| *brief == 0).await;
    }

    fn taken(&self) -> MutexGuard<'_, KnownIds> {
        self.taken.lock()
    }
}

/// How much may be held for all requests together, in bytes, where a message may have `most`.
pub(crate) fn room_bytes(most: usize) -> u64 {
    LEAST_ROOM_BYTES.max(LARGEST_AT_ONCE * most as u64)
}

pub(crate) fn kibibytes(bytes: u64) -> u32 {
    u32::try_from(bytes.div_ceil(1024)).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;

    use super::*;

    fn id(number: i64) -> RequestId {
        RequestId::Number(number)
    }

    #[test]
    fn an_id_is_free_again_once_its_request_is_answered_and_not_where_it_was_cancelled() {
        let requests = Requests::new(1 << 20);
        requests.begin(&id(1), 0, false).unwrap();
        assert_eq!(
            requests.begin(&id(1), 0, false),
            Err(AdmissionError::SameId)
        );
        requests
            .begin(&RequestId::String("1".into()), 0, false)
            .unwrap();
        assert!(requests.end(&id(1)).is_some());
        requests.begin(&id(1), 0, false).unwrap();
        assert!(requests.cancel(&id(1)) && !requests.cancel(&id(1)));
        assert_eq!(
            requests.begin(&id(1), 0, false),
            Err(AdmissionError::SameId)
        );
        assert!(requests.end(&id(1)).is_none());
    }

    #[test]
    fn what_is_held_is_bounded_and_given_back_once_the_answer_is_written() {
        let requests = Requests::new(16 << 20);
        let most = 256 << 20;
        let large = most / 2 - REQUEST_BYTES;
        requests.begin(&id(1), large, false).unwrap();
        requests.begin(&id(2), large, false).unwrap();
        assert_eq!(
            requests.begin(&id(3), 0, false),
            Err(AdmissionError::NoRoom(most))
        );
        let written = requests.end(&id(1));
        assert_eq!(
            requests.begin(&id(3), 0, false),
            Err(AdmissionError::NoRoom(most))
        );
        drop(written);
        requests.begin(&id(3), 0, false).unwrap();
        assert!(requests.cancel(&id(2)));
        requests.begin(&id(4), large, false).unwrap();
    }

    #[test]
    fn the_end_waits_for_brief_ones_alone() {
        let requests = Requests::new(1 << 20);
        requests.begin(&id(1), 0, false).unwrap();
        requests.begin(&id(2), 0, true).unwrap();
        assert_eq!(requests.brief_ones_done().now_or_never(), None);
        drop(requests.end(&id(2)));
        assert_eq!(requests.brief_ones_done().now_or_never(), Some(()));
    }
}
