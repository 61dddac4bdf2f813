//! Functions of JavaScript that calls pass on their way.

use std::sync::Arc;

use ampoule_foreign::{Interceptor, PassingCall};
use futures::FutureExt;
use futures::future::BoxFuture;

use crate::desk::Shared;

/// Has Node's thread let calls pass: all of a run's layers, one in the other.
pub(crate) struct Layers(pub(crate) Arc<Shared>);

impl Interceptor for Layers {
    fn pass(&self, call: PassingCall) -> BoxFuture<'static, Result<String, String>> {
        self.0.pass(call).boxed()
    }
}
