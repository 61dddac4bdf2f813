//! The memory of an interpreter's instance, which between two steps is all of its state.
//!
//! What differs between a waiting run and a new instance is a few dozen pages. Put into another new
//! instance of the same guest, in any process, on any machine, they make it continue where the run
//! left off.

use serde::{Deserialize, Serialize};
use wasmtime::Store;
use wasmtime::component::{Instance, TypedFunc, WasmList};

use super::state::RunState;

/// The interface of a memory.
pub(super) const MEMORY: &str = "ampoule:guest/memory@0.1.0";
/// What is compared, and kept, as one unit.
const PAGE_BYTES: usize = 4096;
/// A page of WebAssembly, in bytes.
const WASM_PAGE_BYTES: u32 = 64 << 10;

/// The memory of one instance.
pub(super) struct Memory {
    size: TypedFunc<(), (u32,)>,
    grow: TypedFunc<(u32,), (bool,)>,
    take: TypedFunc<(u32, u32), (WasmList<u8>,)>,
    seek: TypedFunc<(u32,), ()>,
    put: TypedFunc<(&'static [u8],), ()>,
}

/// All of the memory of an instance that has run nothing.
pub(super) struct Image(Vec<u8>);

/// Where the memory of an instance differs from that of a new one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Changed {
    /// How large it is, in bytes.
    size: u32,
    /// Pages that lie one after the other, and the address of the first.
    ranges: Vec<(u32, Vec<u8>)>,
}

impl Memory {
    /// That of an instance.
    pub(super) fn of(store: &mut Store<RunState>, instance: &Instance) -> wasmtime::Result<Self> {
        let memory = instance.get_export_index(&mut *store, None, MEMORY);
        let mut function = |name: &str| {
            instance
                .get_export_index(&mut *store, memory.as_ref(), name)
                .ok_or_else(|| wasmtime::Error::msg(format!("the guest has no `{MEMORY}#{name}`")))
        };
        let size = function("size")?;
        let grow = function("grow")?;
        let take = function("take")?;
        let seek = function("seek")?;
        let put = function("put")?;
        Ok(Self {
            size: instance.get_typed_func(&mut *store, size)?,
            grow: instance.get_typed_func(&mut *store, grow)?,
            take: instance.get_typed_func(&mut *store, take)?,
            seek: instance.get_typed_func(&mut *store, seek)?,
            put: instance.get_typed_func(&mut *store, put)?,
        })
    }

    /// All of it.
    pub(super) async fn image(&self, store: &mut Store<RunState>) -> wasmtime::Result<Image> {
        let (size,) = self.size.call_async(&mut *store, ()).await?;
        let (all,) = self.take.call_async(&mut *store, (0, size)).await?;
        Ok(Image(all.as_le_slice(&*store).to_vec()))
    }

    /// What differs from a new instance. It is looked at where it lies; only that is copied.
    pub(super) async fn changed(
        &self,
        store: &mut Store<RunState>,
        new: &Image,
    ) -> wasmtime::Result<Changed> {
        let (size,) = self.size.call_async(&mut *store, ()).await?;
        let (all,) = self.take.call_async(&mut *store, (0, size)).await?;
        let ranges = differing(all.as_le_slice(&*store), &new.0);
        Ok(Changed { size, ranges })
    }

    /// Makes a new instance's memory what another's was.
    pub(super) async fn restore(
        &self,
        store: &mut Store<RunState>,
        changed: &Changed,
    ) -> wasmtime::Result<()> {
        let (size,) = self.size.call_async(&mut *store, ()).await?;
        let missing = changed.size.saturating_sub(size).div_ceil(WASM_PAGE_BYTES);
        if !self.grow.call_async(&mut *store, (missing,)).await?.0 {
            return Err(wasmtime::Error::msg("there is no room for its memory"));
        }
        for (start, bytes) in &changed.ranges {
            self.seek.call_async(&mut *store, (*start,)).await?;
            self.put.call_async(&mut *store, (bytes,)).await?;
        }
        Ok(())
    }
}

/// The ranges of pages in which `now` is not what `new` was; behind its end, that was zeros.
fn differing(now: &[u8], new: &[u8]) -> Vec<(u32, Vec<u8>)> {
    const ZEROS: [u8; PAGE_BYTES] = [0; PAGE_BYTES];
    let mut ranges: Vec<(u32, Vec<u8>)> = Vec::new();
    let before = new.chunks(PAGE_BYTES).chain(std::iter::repeat(&ZEROS[..]));
    for (index, (page, before)) in now.chunks(PAGE_BYTES).zip(before).enumerate() {
        if page == before {
            continue;
        }
        let start = (index * PAGE_BYTES) as u32;
        match ranges.last_mut() {
            Some((first, bytes)) if *first + bytes.len() as u32 == start => {
                bytes.extend_from_slice(page);
            }
            _ => ranges.push((start, page.to_vec())),
        }
    }
    ranges
}

#[cfg(test)]
mod tests;
