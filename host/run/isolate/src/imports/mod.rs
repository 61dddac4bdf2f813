//! What guests may import of `ampoule:guest`: one file for each interface of `wit/`.
//!
//! The functions are defined by hand and not by `bindgen!`, since strings that come from a guest
//! must be looked at before they are copied: [`WasmStr`] is a string still in the guest's memory.
//! The linker checks their types against the WIT of each guest.

mod calls;
mod checks;
mod clock;
mod console;
mod files;
mod random;
mod tools;

use wasmtime::StoreContextMut;
use wasmtime::component::{Linker, WasmStr};

pub(crate) use calls::{Completion, give_no_data, note_answers, start, wait, wait_for_any};
pub(crate) use tools::resolve;

use super::state::RunState;

/// The interfaces that every guest may import, and the only ones but for [`checks`].
pub(super) const INTERFACES: [&str; 6] = [
    "ampoule:guest/tools",
    "ampoule:guest/calls",
    "ampoule:guest/console",
    "ampoule:guest/clock",
    "ampoule:guest/random",
    "ampoule:guest/files",
];

/// Defines all of the [`INTERFACES`].
pub(crate) fn add_to_linker(linker: &mut Linker<RunState>) -> wasmtime::Result<()> {
    calls::add_to_linker(linker)?;
    clock::add_to_linker(linker)?;
    console::add_to_linker(linker)?;
    files::add_to_linker(linker)?;
    random::add_to_linker(linker)?;
    tools::add_to_linker(linker)
}

/// Defines what interpreters import besides.
pub(crate) fn add_for_interpreters(linker: &mut Linker<RunState>) -> wasmtime::Result<()> {
    checks::add_to_linker(linker)
}

/// Names and queries of more bytes than this are cut: no name is that long.
const NAME_BYTES: usize = 4096;

/// Counts what the guest is about to be shown: the host has it until then, and copies it.
fn show(store: &StoreContextMut<'_, RunState>, bytes: u64) -> wasmtime::Result<()> {
    drop(store.data().held.hold(bytes)?);
    spend(store, bytes)
}

/// Counts what the host has looked at or copied.
fn spend(store: &StoreContextMut<'_, RunState>, bytes: u64) -> wasmtime::Result<()> {
    let run = store.data();
    let spent = run.effort.spend(bytes);
    Ok(spent.map_err(|_| run.limits.out_of_fuel())?)
}

/// Copies a name out of the guest.
fn name(store: &StoreContextMut<'_, RunState>, text: &WasmStr) -> wasmtime::Result<String> {
    let text = text.to_str(store)?;
    // What is cut off was looked at, too.
    spend(store, text.len().saturating_sub(NAME_BYTES) as u64)?;
    Ok(bounded(&text).to_owned())
}

/// A name, as far as it is looked at.
pub(crate) fn bounded(name: &str) -> &str {
    &name[..name.floor_char_boundary(NAME_BYTES)]
}
