//! How Wasmtime is set up: its features, its stacks, and the pool of its isolates.

use ampoule_limits::Limits;
use wasmtime::{
    Config, Enabled, InstanceAllocationStrategy, PoolingAllocationConfig, WasmFeatures,
};

use super::capacity::Capacity;
use super::{cost, shards};

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

/// What an engine is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Interpreters, which have an event loop of their own: without the component model's, a run
    /// takes less.
    Interpreters,
    /// Components of any make, with the component model's `async`.
    Components,
}

/// The configuration of an engine, but for how it allocates.
pub(super) fn config(kind: Kind, portable: bool) -> wasmtime::Result<Config> {
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
        // Nobody reads the guests' WebAssembly frames: what would describe them is not made, nor
        // kept. Windows has to unwind them.
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
pub(super) fn on_demand(mut config: Config) -> Config {
    config
        .allocation_strategy(InstanceAllocationStrategy::OnDemand)
        .memory_reservation(0)
        .memory_reservation_for_growth(GROWTH_BYTES)
        .memory_guard_size(GUARD_BYTES);
    config
}

/// Room for as many isolates as may be alive at once, made once.
pub(super) fn pool(capacity: &Capacity, kind: Kind) -> PoolingAllocationConfig {
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
