//! What comes with a request, and what an answer holds until it is read.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes, HttpBody};
use futures::StreamExt;
use hyper::body::{Frame, SizeHint};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout_at};

use super::connection::Patience;
use crate::requests::{REQUEST_BYTES, kibibytes};

/// What is reserved at once, in bytes.
const STEP_BYTES: u64 = 64 << 10;

/// Why what comes with a request can't be had.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Unread {
    TooLong,
    TooSlow,
    /// Others take up all the room.
    NoRoom,
    /// It ended early.
    Broken,
}

/// How much is held for the requests of all clients.
#[derive(Debug, Clone)]
pub(super) struct Room(Arc<Semaphore>);

/// Part of that.
#[derive(Debug)]
pub(super) struct Taken(OwnedSemaphorePermit);

impl Room {
    pub(super) fn new(bytes: u64) -> Self {
        Self(Arc::new(Semaphore::new(kibibytes(bytes) as usize)))
    }

    /// Takes room for a request.
    pub(super) fn take(&self) -> Result<Taken, Unread> {
        self.permits(REQUEST_BYTES).map(Taken)
    }

    /// Takes more for the same.
    pub(super) fn add(&self, taken: &mut Taken, bytes: u64) -> Result<(), Unread> {
        taken.0.merge(self.permits(bytes)?);
        Ok(())
    }

    fn permits(&self, bytes: u64) -> Result<OwnedSemaphorePermit, Unread> {
        let room = Arc::clone(&self.0).try_acquire_many_owned(kibibytes(bytes));
        room.map_err(|_| Unread::NoRoom)
    }
}

/// Reads what comes with a request: at most `most` bytes, for which room is taken as they arrive.
pub(super) async fn read(
    body: Body,
    (most, patience): (usize, Patience),
    (room, taken): (&Room, &mut Taken),
) -> Result<Vec<u8>, Unread> {
    if body.size_hint().lower() > most as u64 {
        return Err(Unread::TooLong);
    }
    let end = Instant::now() + patience.message;
    let mut pieces = body.into_data_stream();
    let (mut text, mut reserved) = (Vec::new(), 0);
    loop {
        let pause = end.min(Instant::now() + patience.pause);
        let next = timeout_at(pause, pieces.next());
        let piece: Bytes = match next.await.map_err(|_| Unread::TooSlow)? {
            None => return Ok(text),
            Some(piece) => piece.map_err(|_| Unread::Broken)?,
        };
        if piece.len() > most - text.len() {
            return Err(Unread::TooLong);
        }
        let needed = (text.len() + piece.len()) as u64;
        if needed > reserved {
            let more = (needed - reserved).max(STEP_BYTES);
            room.add(taken, more)?;
            reserved += more;
        }
        text.extend_from_slice(&piece);
    }
}

/// An answer, and what is given back once it has been read, or nobody reads it any more.
pub(super) struct Held<T> {
    answer: Body,
    _until_read: T,
}

impl<T: Send + Unpin + 'static> Held<T> {
    pub(super) fn until_read(answer: Body, until_read: T) -> Body {
        Body::new(Self {
            answer,
            _until_read: until_read,
        })
    }
}

impl<T: Unpin> HttpBody for Held<T> {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.answer).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.answer.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.answer.size_hint()
    }
}
