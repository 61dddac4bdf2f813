//! Leaving the stack that a call begins on.

use std::future::poll_fn;
use std::mem;
use std::task::Poll;

/// What follows is on the stack of the thread that does it. A call begins on the stack of the
/// WebAssembly that makes it, which some code takes for used up: what looks for the thread's own, as
/// interpreters do, and what refuses to go deep where little seems to be left.
///
/// Whoever carries calls out polls them there once, and leaves what is not done then to a task.
pub async fn on_own_stack() {
    let mut has_left = false;
    // Unlike tokio's yielding, this does not ask the system for news first: a call has waited for
    // nothing yet.
    poll_fn(|context| {
        if mem::replace(&mut has_left, true) {
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}
