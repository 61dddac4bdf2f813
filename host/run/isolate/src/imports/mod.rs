//! What guests may import of `ampoule:guest`: one file for each interface of `wit/`, and `price`:
//! what a run pays for texts that it is shown, or that are taken from it.
//!
//! The functions are defined by hand and not by `bindgen!`, since strings that come from a guest
//! must be looked at before they are copied: [`WasmStr`](wasmtime::component::WasmStr) is a string
//! still in the guest's memory. The linker checks their types against the WIT of each guest.

mod calls;
mod checks;
mod clock;
mod console;
mod files;
mod price;
mod random;
mod tools;

use wasmtime::component::Linker;

pub(crate) use calls::{Completion, give_no_data, note_answers, start, wait, wait_for_any};
pub(crate) use price::bounded;
pub(crate) use random::RANDOM_BYTE;
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
