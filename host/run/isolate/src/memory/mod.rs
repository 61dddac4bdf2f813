//! The memory of an interpreter's instance, which between two steps is all of its state.
//!
//! What differs between a run that waits, or has ended, and a new instance is a few dozen pages. Put
//! into another new instance of the same guest, in any process, on any machine, they make it
//! continue where the run left off.
//!
//! - `snapshot`: those pages, and how they are written
//! - `image`: the memory of new instances; `component`: a component whose instances begin with other memory

mod component;
mod image;
mod snapshot;

use std::sync::Arc;

use parking_lot::Mutex;
use wasmtime::Store;
use wasmtime::component::{Component, ComponentExportIndex, Instance, TypedFunc, WasmList};

pub use component::with_memory;
pub(super) use image::Image;
pub use image::ImagePlace;
pub use snapshot::{Snapshot, SnapshotError};

use super::pages::candidates;
use super::state::RunState;

/// The interface of a memory.
pub(super) const MEMORY: &str = "ampoule:guest/memory@0.1.0";
/// A page of WebAssembly, in bytes.
const WASM_PAGE_BYTES: u32 = 64 << 10;

/// Where a guest has the functions of its memory.
#[derive(Clone)]
pub(super) struct MemoryExports {
    size: ComponentExportIndex,
    grow: ComponentExportIndex,
    take: ComponentExportIndex,
    expect_patch: ComponentExportIndex,
    patch: ComponentExportIndex,
}

impl MemoryExports {
    /// Those of a component; none where it lacks one.
    pub(super) fn of(component: &Component) -> Option<Self> {
        let memory = component.get_export_index(None, MEMORY)?;
        let function = |name| component.get_export_index(Some(&memory), name);
        Some(Self {
            size: function("size")?,
            grow: function("grow")?,
            take: function("take")?,
            expect_patch: function("expect-patch")?,
            patch: function("patch")?,
        })
    }
}

/// Where all of the memory of a run is put that returned, for [`with_memory`].
#[derive(Clone, Default)]
pub struct MemoryPlace(Arc<Mutex<Option<Vec<u8>>>>);

impl MemoryPlace {
    /// The memory, if the run returned.
    pub fn take(&self) -> Option<Vec<u8>> {
        self.0.lock().take()
    }

    pub(super) fn put(&self, memory: Vec<u8>) {
        *self.0.lock() = Some(memory);
    }
}

/// The memory of one instance.
pub(super) struct Memory {
    size: TypedFunc<(), (u32,)>,
    grow: TypedFunc<(u32,), (bool,)>,
    take: TypedFunc<(u32, u32), (WasmList<u8>,)>,
    expect_patch: TypedFunc<(), ()>,
    patch: TypedFunc<(&'static [u8],), ()>,
}

impl Memory {
    /// That of an instance.
    pub(super) fn of(
        store: &mut Store<RunState>,
        instance: &Instance,
        exports: &MemoryExports,
    ) -> wasmtime::Result<Self> {
        Ok(Self {
            size: instance.get_typed_func(&mut *store, exports.size)?,
            grow: instance.get_typed_func(&mut *store, exports.grow)?,
            take: instance.get_typed_func(&mut *store, exports.take)?,
            expect_patch: instance.get_typed_func(&mut *store, exports.expect_patch)?,
            patch: instance.get_typed_func(&mut *store, exports.patch)?,
        })
    }

    /// All of it, of an instance that has run nothing; kept for the next that asks.
    pub(super) async fn image(
        &self,
        store: &mut Store<RunState>,
        place: &ImagePlace,
    ) -> wasmtime::Result<Arc<Image>> {
        if let Some(image) = place.get() {
            return Ok(image);
        }
        // It is made for all runs, so none of them pays.
        let fuel = store.get_fuel()?;
        let all = self.where_it_lies(store).await?;
        let image = Image::new(all.as_le_slice(&*store).to_vec());
        store.set_fuel(fuel)?;
        if let Some(pages) = &mut store.data_mut().pages {
            pages.were_read();
        }
        Ok(place.set(image))
    }

    /// All of it.
    pub(super) async fn all(&self, store: &mut Store<RunState>) -> wasmtime::Result<Vec<u8>> {
        let all = self.where_it_lies(store).await?;
        Ok(all.as_le_slice(&*store).to_vec())
    }

    /// All of it, to be looked at where it lies. It is not a result of a call, however large.
    async fn where_it_lies(&self, store: &mut Store<RunState>) -> wasmtime::Result<WasmList<u8>> {
        let (size,) = self.size.call_async(&mut *store, ()).await?;
        let usual = store.hostcall_fuel();
        store.set_hostcall_fuel(usize::MAX);
        let taken = self.take.call_async(&mut *store, (0, size)).await;
        store.set_hostcall_fuel(usual);
        Ok(taken?.0)
    }

    /// What differs from a new instance. It is looked at where it lies; only that is copied.
    pub(super) async fn changed(
        &self,
        store: &mut Store<RunState>,
        new: &Image,
    ) -> wasmtime::Result<Snapshot> {
        let all = self.where_it_lies(store).await?;
        let now = all.as_le_slice(&*store);
        Ok(Snapshot::of(now, new, candidates(now)))
    }

    /// Makes a new instance's memory what another's was.
    pub(super) async fn restore(
        &self,
        store: &mut Store<RunState>,
        changed: &Snapshot,
    ) -> wasmtime::Result<()> {
        let mut patches = changed.patches()?;
        let (size,) = self.size.call_async(&mut *store, ()).await?;
        let missing = patches
            .size()
            .saturating_sub(size)
            .div_ceil(WASM_PAGE_BYTES);
        if missing > 0 && !self.grow.call_async(&mut *store, (missing,)).await?.0 {
            return Err(wasmtime::Error::msg("there is no room for its memory"));
        }
        while let Some(patch) = patches.next_patch()? {
            self.expect_patch.call_async(&mut *store, ()).await?;
            self.patch.call_async(&mut *store, (patch,)).await?;
            store.data_mut().put_back += patch.len();
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
