//! Bodies of requests, and what an answer holds until it is read.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes, HttpBody};
use futures::StreamExt;
use hyper::body::{Frame, SizeHint};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout_at};

use super::connection::Patience;
use crate::mcp::requests::{REQUEST_BYTES, kibibytes};

/// What is reserved at once, in bytes.
const STEP_BYTES: u64 = 64 << 10;

/// Why the body of a request can't be read.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum BodyError {
    TooLong,
    TooSlow,
    /// Other requests take up all the room.
    NoRoom,
    /// It ended early.
    Broken,
}

/// How much is held for the requests of all clients.
#[derive(Debug, Clone)]
pub(super) struct Room(Arc<Semaphore>);

/// Part of that.
#[derive(Debug)]
pub(super) struct Reservation(OwnedSemaphorePermit);

impl Room {
    pub(super) fn new(bytes: u64) -> Self {
        Self(Arc::new(Semaphore::new(kibibytes(bytes) as usize)))
    }

    /// Takes room for a request.
    pub(super) fn take(&self) -> Result<Reservation, BodyError> {
        self.permits(REQUEST_BYTES).map(Reservation)
    }

    /// Takes more for the same.
    pub(super) fn add(&self, reservation: &mut Reservation, bytes: u64) -> Result<(), BodyError> {
        reservation.0.merge(self.permits(bytes)?);
        Ok(())
    }

    fn permits(&self, bytes: u64) -> Result<OwnedSemaphorePermit, BodyError> {
        let room = Arc::clone(&self.0).try_acquire_many_owned(kibibytes(bytes));
        room.map_err(|_| BodyError::NoRoom)
    }
}

/// The body of a request.
pub(super) struct BoundedBody {
    pub(super) body: Body,
    /// How long it may be, in bytes.
    pub(super) most: usize,
    pub(super) patience: Patience,
}

/// Reads the body of a request, and takes room for it as it arrives.
pub(super) async fn read(
    bounded: BoundedBody,
    room: &Room,
    reservation: &mut Reservation,
) -> Result<Vec<u8>, BodyError> {
    let BoundedBody {
        body,
        most,
        patience,
    } = bounded;
    if body.size_hint().lower() > most as u64 {
        return Err(BodyError::TooLong);
    }
    let end = Instant::now() + patience.message;
    let mut pieces = body.into_data_stream();
    let (mut text, mut reserved) = (Vec::new(), 0);
    loop {
        let pause = end.min(Instant::now() + patience.pause);
        let next = timeout_at(pause, pieces.next());
        let piece: Bytes = match next.await.map_err(|_| BodyError::TooSlow)? {
            None => return Ok(text),
            Some(piece) => piece.map_err(|_| BodyError::Broken)?,
        };
        if piece.len() > most - text.len() {
            return Err(BodyError::TooLong);
        }
        let needed = (text.len() + piece.len()) as u64;
        if needed > reserved {
            let more = (needed - reserved).max(STEP_BYTES);
            room.add(reservation, more)?;
            reserved += more;
        }
        text.extend_from_slice(&piece);
    }
}

/// An answer, and what is released once the answer has been read, or its reader is gone.
pub(super) struct UntilRead<T> {
    answer: Body,
    _until_read: T,
}

impl<T: Send + Unpin + 'static> UntilRead<T> {
    pub(super) fn body(answer: Body, until_read: T) -> Body {
        Body::new(Self {
            answer,
            _until_read: until_read,
        })
    }
}

impl<T: Unpin> HttpBody for UntilRead<T> {
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
