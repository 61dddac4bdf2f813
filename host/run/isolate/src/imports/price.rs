//! What a run pays for texts that it is shown, or that are taken from it.

use wasmtime::StoreContextMut;
use wasmtime::component::WasmStr;

use crate::state::RunState;

/// Names and queries of more bytes than this are cut: no name is that long.
const NAME_BYTES: usize = 4096;

/// Counts what the guest is about to be shown: the host has it until then, and copies it.
pub(super) fn show(store: &StoreContextMut<'_, RunState>, bytes: u64) -> wasmtime::Result<()> {
    drop(store.data().held.hold(bytes)?);
    spend(store, bytes)
}

/// Counts what the host has looked at or copied.
pub(super) fn spend(store: &StoreContextMut<'_, RunState>, bytes: u64) -> wasmtime::Result<()> {
    Ok(store.data().spend(bytes)?)
}

/// Copies a name out of the guest.
pub(super) fn name(
    store: &StoreContextMut<'_, RunState>,
    text: &WasmStr,
) -> wasmtime::Result<String> {
    let text = text.to_str(store)?;
    // What is cut off was looked at, too.
    spend(store, text.len().saturating_sub(NAME_BYTES) as u64)?;
    Ok(bounded(&text).to_owned())
}

/// A name, as far as it is looked at.
pub(crate) fn bounded(name: &str) -> &str {
    &name[..name.floor_char_boundary(NAME_BYTES)]
}
