//! Layers: what stands between a run and a binding.

use std::sync::Arc;

use futures::future::BoxFuture;
use serde_json::{Map, Value};

use crate::{Binding, CallContext, CallError, ToolResult};

/// Something that every call passes on its way to its binding, and its answer on its way back: it
/// may look at them, count them, change them, answer itself, ask somebody, or
/// [deny](CallError::Denied) the call.
///
/// A call that gets here is granted and within the run's limits, and its arguments are what the
/// tool's schema allows. What a layer makes of arguments is not checked against the schema again.
/// Dropping the future cancels the call.
pub trait Layer: Send + Sync + 'static {
    /// Passes a call on to `next`, or does not.
    ///
    /// # Errors
    ///
    /// [`CallError`] if there is no result.
    fn call<'a>(
        &'a self,
        arguments: Map<String, Value>,
        context: CallContext,
        next: Next<'a>,
    ) -> BoxFuture<'a, Result<ToolResult, CallError>>;
}

/// Layers, the outermost first. Cheap to clone.
#[derive(Clone, Default)]
pub struct Layers(Arc<[Arc<dyn Layer>]>);

impl Layers {
    /// These, with another one inside of them.
    #[must_use]
    pub fn with(&self, layer: impl Layer) -> Self {
        let layer: Arc<dyn Layer> = Arc::new(layer);
        Self(self.0.iter().cloned().chain([layer]).collect())
    }

    /// These, with another one around them.
    #[must_use]
    pub fn within(&self, layer: impl Layer) -> Self {
        let layer: Arc<dyn Layer> = Arc::new(layer);
        Self([layer].into_iter().chain(self.0.iter().cloned()).collect())
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The way through all of them to a binding's tool. Calls of a run take it by themselves.
    pub fn before<'a>(&'a self, binding: &'a dyn Binding, tool: &'a str) -> Next<'a> {
        Next {
            layers: &self.0,
            binding,
            tool,
        }
    }
}

/// The rest of a call's way: the layers that are further in, and the binding.
pub struct Next<'a> {
    layers: &'a [Arc<dyn Layer>],
    binding: &'a dyn Binding,
    tool: &'a str,
}

impl<'a> Next<'a> {
    /// The name of the tool that is called, of a server that had not told of it when the call was made:
    /// see [`Binding::learn`]. Nothing is called.
    ///
    /// # Errors
    ///
    /// Why it can't be found out.
    #[doc(hidden)]
    pub async fn learn(&self, context: &CallContext) -> Result<Option<Arc<str>>, CallError> {
        self.binding.learn(self.tool, context).await
    }

    /// Passes the call on.
    pub fn call(
        self,
        arguments: Map<String, Value>,
        context: CallContext,
    ) -> BoxFuture<'a, Result<ToolResult, CallError>> {
        match self.layers {
            [outermost, layers @ ..] => outermost.call(arguments, context, Self { layers, ..self }),
            [] => {
                context.leave();
                self.binding.call(self.tool, arguments, context)
            }
        }
    }
}
