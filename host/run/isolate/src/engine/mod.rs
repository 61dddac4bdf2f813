//! Wasmtime, set up for many short runs.
//!
//! - `setup`: how Wasmtime is set up; `capacity`: what an engine can hold
//! - `shards`: an engine for each core
//! - `cost`: what an interpreter's fuel is counted by
//! - `ticker`: epochs, so that a component which computes lets others run too, and ends in time
//! - `cache`: compiled code, kept between processes

mod cache;
mod capacity;
mod cost;
mod setup;
mod shards;
mod ticker;

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Weak};
use std::time::Duration;

use ampoule_fair::{BusyError, Place, Places, Principal};
use ampoule_tools::Error;
use parking_lot::{Mutex, MutexGuard};
use wasmtime::InstanceAllocationStrategy;
use wasmtime::component::Component;

use cache::{CodeCache, CodeInMemory};
pub use capacity::{Capacity, Initial};
pub use cost::marked_loops;
pub use setup::{Kind, WASM_STACK_BYTES};
use setup::{config, on_demand, pool};
pub use shards::Shards;
use ticker::Ticker;

/// What all engines of a runtime share.
pub struct Engines {
    capacity: Capacity,
    /// Of the isolates that may be alive at once. Epochs pass for as long as one is taken.
    places: Places,
    ticker: Ticker,
    cache: Option<CodeCache>,
    uncached: Arc<Mutex<CodeInMemory>>,
    /// Code is compiled for any processor of this machine's architecture.
    portable: bool,
    turns: Turns,
    /// One, for a thread that compiles a component: that takes all cores for as long as it lasts.
    compiling: Places,
}

impl Engines {
    /// Engines that keep compiled code in `cache`, or keep none.
    pub fn new(capacity: Capacity, cache: Option<&Path>) -> Result<Self, Error> {
        let places = Places::new(capacity.isolates as usize);
        let cache = cache.and_then(|folder| match CodeCache::open(folder) {
            Ok(cache) => Some(cache),
            Err(error) => {
                tracing::warn!(folder = %folder.display(), %error, "compiled code is not cached, so each start compiles again");
                None
            }
        });
        Ok(Self {
            capacity,
            ticker: Ticker::start(places.clone())?,
            places,
            cache,
            uncached: Arc::default(),
            portable: false,
            turns: Turns::default(),
            compiling: Places::by_time(1),
        })
    }

    /// Whether code is compiled for any processor of this machine's architecture, rather than for
    /// this machine's own: then it can be taken to another machine.
    #[must_use]
    pub fn portable(self, portable: bool) -> Self {
        Self { portable, ..self }
    }

    /// Makes an engine. The epochs of one for components pass while isolates are alive.
    pub fn engine(&self, kind: Kind) -> Result<Engine, Error> {
        let pooled = InstanceAllocationStrategy::Pooling(pool(&self.capacity, kind));
        let config = config(kind, self.portable)
            .map_err(|error| Error::host("code can't be compiled for this machine", error))?;
        let wasmtime = match wasmtime::Engine::new(config.clone().allocation_strategy(pooled)) {
            Ok(engine) => engine,
            // Where address space is short, such as under `ulimit -v`, runs are slower but no less
            // safe.
            Err(error) => {
                tracing::warn!(%error, "no pool of isolates; each run allocates its own memory, which is slower");
                wasmtime::Engine::new(&on_demand(config))
                    .map_err(|error| Error::host("WebAssembly can't run on this machine", error))?
            }
        };
        if kind == Kind::Components {
            self.ticker.drive(wasmtime.clone());
        }
        Ok(Engine {
            wasmtime,
            capacity: self.capacity,
            cache: self.cache.clone(),
            uncached: Arc::clone(&self.uncached),
            turns: self.turns.clone(),
            compiling: self.compiling.clone(),
        })
    }

    /// Waits for somebody's place for one isolate with that many linear memories.
    ///
    /// # Errors
    ///
    /// Too many places stay taken for as long as `wait`, or too many wait already.
    pub async fn place(
        &self,
        whose: Option<&Principal>,
        memories: u32,
        wait: Duration,
    ) -> Result<Place, BusyError> {
        let place = self.places.take(whose, memories as usize, wait).await?;
        self.ticker.rouse();
        Ok(place)
    }

    /// How many places are taken, and how many runs wait for one.
    pub fn load(&self) -> (u64, u64) {
        self.places.load()
    }
}

/// Wasmtime's engine with its compiled code. Cheap to clone.
#[derive(Clone)]
pub struct Engine {
    wasmtime: wasmtime::Engine,
    capacity: Capacity,
    cache: Option<CodeCache>,
    uncached: Arc<Mutex<CodeInMemory>>,
    turns: Turns,
    compiling: Places,
}

impl Engine {
    /// Wasmtime's own engine.
    pub fn wasmtime(&self) -> &wasmtime::Engine {
        &self.wasmtime
    }

    /// Compiles a component, or takes its code from the cache. Takes long: not for async code.
    pub fn compile(&self, component: &[u8]) -> wasmtime::Result<Component> {
        self.compile_named(component, || Ok(component.into()))
    }

    /// The same for a component that takes work to have, and is distinguished from others by
    /// `name`.
    pub fn compile_named<'a>(
        &self,
        name: &[u8],
        component: impl FnOnce() -> wasmtime::Result<Cow<'a, [u8]>>,
    ) -> wasmtime::Result<Component> {
        let compile = || self.wasmtime.precompile_component(&component()?);
        let key = cache::key(&self.wasmtime, name);
        // Shards need the same code, and the second finds what the first has made.
        let turn = self.turns.of(&key);
        let _turn = turn.lock();
        match &self.cache {
            Some(cache) => cache.component(&self.wasmtime, &key, compile),
            None => {
                let kept = lock(&self.uncached).get(&key);
                let code = match kept {
                    Some(code) => code,
                    None => {
                        // Before what has been kept is locked: others need that.
                        let compiled = compile()?;
                        lock(&self.uncached).keep(key, compiled)
                    }
                };
                code.load(&self.wasmtime)
            }
        }
    }

    /// The place of a thread that compiles a client's component: one at a time on all engines, and
    /// whose turn it is goes by how long each had it.
    pub fn compiling(&self) -> &Places {
        &self.compiling
    }

    /// How many bytes the code of a component of this name has, where it is there already.
    pub fn code_bytes(&self, name: &[u8]) -> Option<u64> {
        let key = cache::key(&self.wasmtime, name);
        match &self.cache {
            Some(cache) => cache.bytes(&key),
            None => lock(&self.uncached).get(&key).map(|code| code.bytes()),
        }
    }

    /// Where compiled code is kept, if it is.
    pub fn code_folder(&self) -> Option<&Path> {
        self.cache.as_ref().map(CodeCache::path)
    }

    /// Whether runs can have what a guest has from the start; else why not.
    pub fn room_for(&self, initial: Initial) -> Result<(), String> {
        self.capacity.check(initial)
    }
}

/// Which threads compile: the same code is compiled by one at a time, and other code meanwhile.
#[derive(Clone, Default)]
struct Turns(Arc<Mutex<HashMap<String, Weak<Mutex<()>>>>>);

impl Turns {
    fn of(&self, key: &str) -> Arc<Mutex<()>> {
        let mut turns = lock(&self.0);
        if let Some(turn) = turns.get(key).and_then(Weak::upgrade) {
            return turn;
        }
        turns.retain(|_, turn| turn.strong_count() > 0);
        let turn = Arc::default();
        turns.insert(key.to_owned(), Arc::downgrade(&turn));
        turn
    }
}

fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn portable_code_is_other_code_and_runs_here() {
        let capacity = Capacity {
            isolates: 1,
            memory_bytes: 1 << 20,
            table_elements: 1,
        };
        let folder = tempfile::tempdir().expect("a folder");
        let component = wat::parse_str("(component)").expect("a component");
        for portable in [false, true] {
            let engines = Engines::new(capacity, Some(folder.path())).expect("engines");
            let engines = engines.portable(portable);
            let engine = engines.engine(Kind::Interpreters).expect("an engine");
            assert_eq!(engine.code_bytes(&component), None, "the other one's");
            // Wasmtime compares what it was compiled for with this processor.
            engine.compile(&component).expect("code");
            assert!(engine.code_bytes(&component).is_some());
        }
    }

    #[test]
    fn proposals_that_no_guest_needs_are_refused() {
        let capacity = Capacity {
            isolates: 1,
            memory_bytes: 1 << 20,
            table_elements: 1,
        };
        let engines = Engines::new(capacity, None).expect("engines");
        for kind in [Kind::Interpreters, Kind::Components] {
            let engine = engines.engine(kind).expect("an engine");
            let compiled = |module: &str| {
                let text = format!("(component (core module {module}))");
                engine.compile(&wat::parse_str(text).expect("a component"))
            };
            compiled("(memory 1)").expect("what each guest has");
            for module in [
                "(memory 1 1 shared)",
                "(memory i64 1)",
                "(type (struct))",
                "(type $f (func)) (func (param (ref $f)))",
                "(tag)",
                "(func (param v128 v128) (result v128) (i8x16.relaxed_swizzle (local.get 0) (local.get 1)))",
            ] {
                assert!(compiled(module).is_err(), "{kind:?}: {module}");
            }
        }
    }
}
