//! Wasmtime, set up for many short runs.
//!
//! - `shards`: an engine for each core
//! - `cost`: what an interpreter's fuel is counted by
//! - `ticker`: epochs, so that a component which computes lets others run too, and ends in time
//! - `cache`: compiled code, kept between processes

mod cache;
mod cost;
mod shards;
mod ticker;

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Weak};
use std::time::Duration;

use ampoule_fair::{BusyError, Place, Places, Principal};
use ampoule_limits::{Limit, Limits};
use ampoule_tools::Error;
use parking_lot::{Mutex, MutexGuard};
use wasmtime::component::Component;
use wasmtime::{
    Config, Enabled, InstanceAllocationStrategy, PoolingAllocationConfig, WasmFeatures,
};

use cache::{CodeCache, CodeInMemory};
pub use shards::Shards;
use ticker::Ticker;

/// Stack for WebAssembly code, in bytes; stops native recursion. A script must see its `RangeError`
/// first: for each byte of its own stack the interpreter takes up to 16.5 bytes of this one, in
/// `JSON.stringify` of what is nested. Python's C code takes more than 19 and less than 42, where
/// it frees what is nested.
pub const WASM_STACK_BYTES: usize = 32 * Limits::MOST_STACK_BYTES as usize;
/// Stack for host functions, above what WebAssembly has.
const HOST_STACK_BYTES: usize = 256 << 10;
/// Linear memory that a free slot keeps in physical memory, in bytes: enough for a usual script, so
/// that the next run takes no page faults there.
const RESIDENT_MEMORY_BYTES: usize = 4 << 20;
/// The same for tables.
const RESIDENT_TABLE_BYTES: usize = 1 << 20;
/// The same for stacks.
const RESIDENT_STACK_BYTES: usize = 64 << 10;
/// How many free slots keep physical memory after a burst of runs, in all shards together.
const WARM_SLOTS: usize = 100;
/// A snapshot that spans more is not mapped copy-on-write, but copied: far above any guest's.
const IMAGE_BYTES: u64 = 256 << 20;

/// By how much a memory can grow without being moved where address space is short, in bytes.
const GROWTH_BYTES: u64 = 16 << 20;
/// The guard behind such a memory, in bytes.
const GUARD_BYTES: u64 = 64 << 10;
/// How many core instances, and how many tables, a component may be made of.
const MOST_PARTS: u32 = 64;
/// How many linear memories a component may have.
const MOST_MEMORIES: u32 = 8;
/// A page of WebAssembly's memory, in bytes.
const WASM_PAGE_BYTES: u64 = 64 << 10;
/// Any guest has room for its first memory in the pool, in bytes. Ceilings below are kept by each
/// run's own count.
const LEAST_MEMORY_BYTES: u64 = 64 << 20;
/// The same for its first table.
const LEAST_TABLE_ELEMENTS: u64 = 20_000;
/// Proposals that Wasmtime has on by default, and no guest needs. What is not there can't be
/// attacked. (Several memories stay: code that connects the components within a component has
/// them.)
const UNUSED: WasmFeatures = WasmFeatures::THREADS
    .union(WasmFeatures::GC)
    .union(WasmFeatures::FUNCTION_REFERENCES)
    .union(WasmFeatures::EXCEPTIONS)
    .union(WasmFeatures::MEMORY64)
    .union(WasmFeatures::RELAXED_SIMD);

/// What the engine must be able to hold.
#[derive(Debug, Clone, Copy)]
pub struct Capacity {
    /// Isolates alive at once.
    pub isolates: u32,
    /// The largest linear memory of any run, in bytes.
    pub memory_bytes: u64,
    /// The largest table of any run.
    pub table_elements: u64,
}

/// What an engine is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Interpreters, which have an event loop of their own: without the component model's, a run
    /// takes less.
    Interpreters,
    /// Components of any make, with the component model's `async`.
    Components,
}

/// What a guest has from the start, at most for one of its parts.
#[derive(Debug, Clone, Copy, Default)]
pub struct Initial {
    /// Linear memory, in bytes.
    pub memory_bytes: u64,
    /// Elements of all tables.
    pub table_elements: u64,
}

impl Initial {
    /// What a component begins with.
    pub fn of(component: &Component) -> Self {
        let needed = component.resources_required();
        needed.map_or_else(Self::default, |needed| Self {
            memory_bytes: needed
                .max_initial_memory_size
                .map_or(0, |pages| pages.saturating_mul(WASM_PAGE_BYTES)),
            table_elements: needed.max_initial_table_size.unwrap_or(0),
        })
    }
}

impl Capacity {
    /// A ceiling below what a guest has from the start would end every run of it.
    fn check(&self, initial: Initial) -> Result<(), String> {
        let pairs = [
            (Limit::Memory, self.memory_bytes, initial.memory_bytes),
            (
                Limit::TableElements,
                self.table_elements,
                initial.table_elements,
            ),
        ];
        for (limit, ceiling, needed) in pairs {
            let unit = limit.unit();
            if needed > ceiling {
                return Err(format!(
                    "ceilings.{limit} is {ceiling} {unit}; the guest alone takes {needed}"
                ));
            }
        }
        Ok(())
    }
}

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

fn config(kind: Kind, portable: bool) -> wasmtime::Result<Config> {
    let mut config = Config::new();
    if portable {
        // Of a target that is named, nothing is looked up on this machine.
        config.target(&target_lexicon::Triple::host().to_string())?;
    }
    config
        .wasm_features(UNUSED, false)
        .consume_fuel(true)
        .wasm_component_model_async(kind == Kind::Components)
        .concurrency_support(kind == Kind::Components)
        .max_wasm_stack(WASM_STACK_BYTES)
        .async_stack_size(WASM_STACK_BYTES + HOST_STACK_BYTES)
        .memory_guaranteed_dense_image_size(IMAGE_BYTES)
        // Nobody reads the guests' WebAssembly frames: what would tell of them is not made, nor kept.
        // Windows has to unwind them.
        .wasm_backtrace_max_frames(None)
        .generate_address_map(false)
        .native_unwind_info(cfg!(windows));
    match kind {
        Kind::Interpreters => config.operator_cost(cost::marks()),
        Kind::Components => config.epoch_interruption(true),
    };
    Ok(config)
}

/// Address space is short, so a memory takes little more of it than it has, and moves when it
/// grows.
fn on_demand(mut config: Config) -> Config {
    config
        .allocation_strategy(InstanceAllocationStrategy::OnDemand)
        .memory_reservation(0)
        .memory_reservation_for_growth(GROWTH_BYTES)
        .memory_guard_size(GUARD_BYTES);
    config
}

fn pool(capacity: &Capacity, kind: Kind) -> PoolingAllocationConfig {
    // One more, in which the memory of new instances is looked at, however many runs there are.
    let isolates = capacity.isolates.saturating_add(1);
    let parts = match kind {
        Kind::Interpreters => 4,
        Kind::Components => MOST_PARTS,
    };
    let most = |ceiling: u64, least| usize::try_from(ceiling.max(least)).unwrap_or(usize::MAX);
    let warm_slots = u32::try_from(WARM_SLOTS.div_ceil(shards::count())).unwrap_or(u32::MAX);
    let mut pool = PoolingAllocationConfig::new();
    pool.total_component_instances(isolates)
        .total_core_instances(isolates.saturating_mul(parts))
        .total_memories(isolates.max(MOST_MEMORIES))
        .total_tables(isolates.saturating_mul(parts))
        // Each takes two of the mappings that a process may have.
        .total_stacks(isolates)
        .max_unused_warm_slots(warm_slots.min(isolates))
        .max_core_instances_per_component(MOST_PARTS)
        .max_tables_per_component(MOST_PARTS)
        .max_memories_per_component(MOST_MEMORIES)
        .max_component_instance_size(1 << 20)
        .max_core_instance_size(1 << 20)
        .table_elements(most(capacity.table_elements, LEAST_TABLE_ELEMENTS))
        .max_memory_size(most(capacity.memory_bytes, LEAST_MEMORY_BYTES))
        .linear_memory_keep_resident(RESIDENT_MEMORY_BYTES)
        .table_keep_resident(RESIDENT_TABLE_BYTES)
        .async_stack_keep_resident(RESIDENT_STACK_BYTES)
        .pagemap_scan(Enabled::Auto);
    pool
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
}
