//! The engine before any script: runtime, context and prelude, as the snapshot holds them.

use rquickjs::{Context, Result, Runtime};

use crate::web;

/// A QuickJS runtime with its one context, in which everything is defined that scripts may use.
pub struct Realm {
    runtime: Runtime,
    context: Context,
}

impl Realm {
    /// Builds the realm. Calls nothing of the host.
    ///
    /// # Errors
    ///
    /// The prelude threw, or there is not enough memory.
    pub fn new() -> Result<Self> {
        let runtime = Runtime::new()?;
        let context = Context::full(&runtime)?;
        context.with(|ctx| web::install(&ctx))?;
        Ok(Self { runtime, context })
    }

    /// The runtime.
    pub fn runtime(&self) -> &Runtime {
        &self.runtime
    }

    /// The context.
    pub fn context(&self) -> &Context {
        &self.context
    }
}
