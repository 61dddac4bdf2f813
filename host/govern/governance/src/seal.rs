//! Whether what was let pass is what leaves.
//!
//! Nothing should stand between the layer and the binding. What does so all the same must not make a
//! person's consent, or a policy's, one to something else.

use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use ampoule_tools::{Call, CallContext, CallError, Layer, Next, ToolResult};
use futures::FutureExt;
use futures::future::{BoxFuture, ready};
use parking_lot::Mutex;
use rustc_hash::FxHashMap;
use serde_json::{Map, Value};

use crate::shared::Shared;

/// What was let pass, and has not left yet.
#[derive(Default)]
pub(crate) struct Seal {
    pub(crate) is_used: AtomicBool,
    /// Keyed for this run alone.
    hasher: RandomState,
    passed: Mutex<FxHashMap<u32, u64>>,
}

impl Seal {
    fn hash(&self, call: &Call, arguments: &Map<String, Value>) -> u64 {
        self.hasher.hash_one((&call.server, &call.tool, arguments))
    }

    /// A call may leave, once, as it is.
    pub(crate) fn put(&self, call: &Call, arguments: &Map<String, Value>) {
        if self.is_used.load(Relaxed) {
            let hash = self.hash(call, arguments);
            self.passed.lock().insert(call.number, hash);
        }
    }

    /// A call is over, or will not leave.
    pub(crate) fn forget(&self, call: &Call) {
        if self.is_used.load(Relaxed) {
            self.passed.lock().remove(&call.number);
        }
    }

    fn is_whole(&self, call: &Call, arguments: &Map<String, Value>) -> bool {
        let passed = self.passed.lock().remove(&call.number);
        passed == Some(self.hash(call, arguments))
    }
}

/// The innermost layer.
pub(crate) struct InnermostLayer(pub(crate) Arc<Shared>);

impl Layer for InnermostLayer {
    fn call<'a>(
        &'a self,
        arguments: Map<String, Value>,
        context: CallContext,
        next: Next<'a>,
    ) -> BoxFuture<'a, Result<ToolResult, CallError>> {
        // Where nothing is decided, nothing is let pass.
        if self.0.is_free || self.0.seal.is_whole(context.call(), &arguments) {
            return next.call(arguments, context);
        }
        let told = "this call was not made: its arguments were changed after it was allowed, which is a fault of the host";
        tracing::error!(call = ?context.call(), "a call was changed after it was allowed");
        ready(Err(CallError::Denied(told.to_owned()))).boxed()
    }
}
