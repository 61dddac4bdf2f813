//! The engine before any script: runtime, context and prelude, as the snapshot holds them.

use oxc_allocator::Allocator;
use rquickjs::{Context, Object, Result, Runtime};

use crate::event_loop;
use crate::modules::ModuleLoader;
use crate::session::Session;
use crate::{random, tools, web};

/// A QuickJS runtime with its one context, in which everything is defined that scripts may use. It serves one program.
pub struct Realm {
    pub(crate) context: Context,
    /// Where sources are parsed.
    pub(crate) allocator: Allocator,
}

impl Realm {
    /// Builds the realm. Calls nothing of the host.
    ///
    /// # Errors
    ///
    /// The prelude threw, or there is not enough memory.
    pub fn new() -> Result<Self> {
        let runtime = Runtime::new()?;
        runtime.set_max_stack_size(0);
        runtime.set_loader(ModuleLoader, ModuleLoader);
        runtime.set_host_promise_rejection_tracker(Some(Box::new(event_loop::track)));
        let context = Context::full(&runtime)?;
        context.with(|ctx| {
            Session::install(&ctx);
            web::install(&ctx)?;
            tools::install(&ctx)?;
            random::install(&ctx)?;
            ctx.globals().set("env", Object::new(ctx.clone())?)
        })?;
        Ok(Self {
            context,
            allocator: Allocator::default(),
        })
    }

    /// The context.
    pub fn context(&self) -> &Context {
        &self.context
    }

    /// The runtime.
    pub fn runtime(&self) -> &Runtime {
        self.context.runtime()
    }
}
