//! When the client goes away.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, ReadBuf};
use tokio_util::sync::{CancellationToken, DropGuard};

/// What is read from a client, until there is no more: from then on nobody waits for an answer.
pub(super) struct FromClient<R> {
    read: R,
    left: Option<DropGuard>,
}

impl<R> FromClient<R> {
    /// Cancels `left` when the client goes away.
    pub(super) fn new(read: R, left: CancellationToken) -> Self {
        Self {
            read,
            left: Some(left.drop_guard()),
        }
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for FromClient<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let (before, room) = (buffer.filled().len(), buffer.remaining());
        let read = ready!(Pin::new(&mut self.read).poll_read(context, buffer));
        if read.is_err() || (room > 0 && buffer.filled().len() == before) {
            self.left = None;
        }
        Poll::Ready(read)
    }
}
