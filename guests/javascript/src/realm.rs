//! The engine before any script: runtime, context and prelude, as the snapshot holds them.

use oxc_allocator::Allocator;
use rquickjs::{Context, Object, Result, Runtime};

use crate::bindings::exports::ampoule::guest::script::{Checking, Program, Progress};
use crate::event_loop;
use crate::modules::ModuleLoader;
use crate::session::Session;
use crate::{intrinsics, json, lasting, program, random, tools, unawaited, web};

/// How much a script allocates before cycles of garbage are looked for: that goes through all of
/// the prelude, too.
const GARBAGE_BYTES: usize = 4 << 20;

/// A program of the usual kind.
const WARM_UP: &str = "interface Item { name: string; price: number }
const items: Item[] = [{ name: 'a', price: 1 }, { name: 'b', price: 2 }];
async function total(list: Item[]): Promise<number> {
  return list.reduce((sum: number, item: Item): number => sum + item.price, 0);
}
const [sum] = await Promise.all([total(items)]);
return [sum, `${items[1].name}`] as const;";

/// A QuickJS runtime with its one context, in which everything is defined that scripts may use. It
/// serves one program.
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
            json::install(&ctx)?;
            let shared = web::install(&ctx)?;
            intrinsics::install(&ctx, &shared)?;
            // Set once: a realm is made once.
            let _ = Session::of(&ctx).node.set(shared.get("modules")?);
            unawaited::install(&ctx)?;
            tools::install(&ctx, &shared)?;
            random::install(&ctx)?;
            lasting::install(&ctx, &shared)?;
            ctx.globals().set("env", Object::new(ctx.clone())?)
        })?;
        let mut realm = Self {
            context,
            allocator: Allocator::default(),
        };
        realm.warm_up();
        Ok(realm)
    }

    /// Runs a program to nowhere, so that what the engine and the parser set up when they are first
    /// used is there before the snapshot. Calls nothing of the host.
    fn warm_up(&mut self) {
        let program = Program {
            name: "main.ts".to_owned(),
            source: WARM_UP.to_owned(),
            modules: Vec::new(),
            env: String::new(),
            strings: String::new(),
            stack_bytes: u32::MAX,
            checking: Checking::Off,
        };
        let progress = program::start(self, program);
        debug_assert!(
            matches!(&progress, Progress::Ended(Ok(Some(value))) if value == "[3,\"b\"]")
        );
        self.allocator = Allocator::default();
        self.context.with(|ctx| Session::of(&ctx).modules.take());
        self.collect();
    }

    /// Frees garbage, and looks for more only when as much was allocated as a run may.
    pub(crate) fn collect(&self) {
        self.runtime().run_gc();
        let used = self.runtime().memory_usage().malloc_size as usize;
        self.runtime().set_gc_threshold(used + GARBAGE_BYTES);
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
