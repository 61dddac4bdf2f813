//! Waiting for calls, and sleeping meanwhile. Both wait in the same place, and what has ended
//! during a sleep is kept for whoever waits next.

use std::cell::RefCell;

use crate::bindings::ampoule::guest::calls::Completion;
use crate::bindings::ampoule::guest::tools::UnknownName;
use crate::host;

thread_local! {
    static ENDED: RefCell<Vec<Completion>> = const { RefCell::new(Vec::new()) };
}

/// Starts a call, as `calls.start` does.
pub(crate) fn start(tool: u32, arguments: &str, whole: bool) -> Result<u32, UnknownName> {
    let (call, end) = host::call(tool, arguments, whole)?;
    if let Some(end) = end {
        ENDED.with_borrow_mut(|ended| ended.push(end));
    }
    Ok(call)
}

/// Waits as `calls.wait` does. Before the run, no call has ended yet when that is looked at, as in
/// most runs.
pub(crate) fn wait(timeout: Option<u64>) -> Vec<Completion> {
    if timeout == Some(0) && !host::started() {
        return Vec::new();
    }
    let mut ended = ENDED.take();
    if ended.is_empty() {
        return host::wait(timeout);
    }
    ended.extend(host::wait(Some(0)));
    ended
}

/// Forgets what has ended, as the run has.
pub(crate) fn end() {
    ENDED.take();
}

/// Cancels as `calls.cancel` does.
pub(crate) fn cancel(call: u32) {
    ENDED.with_borrow_mut(|ended| ended.retain(|completion| completion.call != call));
    host::cancel(call);
}

/// Waits until a time on the run's clock, in nanoseconds.
pub(crate) fn sleep_until(deadline: u64) {
    loop {
        let left = deadline.saturating_sub(host::elapsed());
        if left == 0 {
            return;
        }
        let ended = host::wait(Some(left));
        ENDED.with_borrow_mut(|kept| kept.extend(ended));
    }
}
