//! Promises that were rejected while nobody listened.

use rquickjs::{Ctx, Value};

use crate::session::Session;

/// Rejected promises that nobody has listened to so far, each with its reason.
#[derive(Default)]
pub(crate) struct Rejections<'js> {
    list: Vec<(Value<'js>, Value<'js>)>,
}

impl<'js> Rejections<'js> {
    /// Notes a rejection; or, with `handled`, that somebody listens after all.
    pub(crate) fn note(&mut self, promise: Value<'js>, reason: Value<'js>, handled: bool) {
        if handled {
            self.list.retain(|(rejected, _)| *rejected != promise);
        } else {
            self.list.push((promise, reason));
        }
    }

    /// The reasons, oldest first.
    pub(crate) fn take(&mut self) -> Vec<Value<'js>> {
        let all = std::mem::take(&mut self.list);
        all.into_iter().map(|(_, reason)| reason).collect()
    }

    /// The promises, oldest first.
    pub(crate) fn take_promises(&mut self) -> Vec<Value<'js>> {
        let all = std::mem::take(&mut self.list);
        all.into_iter().map(|(promise, _)| promise).collect()
    }
}

/// What QuickJS calls for each rejection.
pub(crate) fn track<'js>(ctx: Ctx<'js>, promise: Value<'js>, reason: Value<'js>, handled: bool) {
    Session::of(&ctx)
        .rejections
        .borrow_mut()
        .note(promise, reason, handled);
}
