//! What an engine can hold, and what a guest has from the start.

use ampoule_limits::Limit;
use wasmtime::component::Component;

/// A page of WebAssembly's memory, in bytes.
const WASM_PAGE_BYTES: u64 = 64 << 10;

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
    pub(super) fn check(&self, initial: Initial) -> Result<(), String> {
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
