//! Static linking of dynamic libraries: from modules that share a memory and a table to one module.
//!
//! CPython comes as such libraries. Linked as a component, each would be an instance of its own,
//! and every run would connect some thirty of them through a thousand exports; as one module it is
//! instantiated like any other, its table is known when it is compiled, and its calls are direct.
//!
//! - [`library`]: a library, read
//! - [`layout`]: where its data and functions are in the module
//! - [`symbols`]: what the names that it imports stand for
//! - [`replacement`]: functions of a library that the guest has better ones for
//! - [`emit`]: the module, written
//!
//! The format is the tool conventions' "Dynamic Linking"
//! (<https://github.com/WebAssembly/tool-conventions/blob/main/DynamicLinking.md>).

mod emit;
mod layout;
mod library;
mod replacement;
mod symbols;

use anyhow::{Result, ensure};
use wasmparser::ExternalKind;

use super::FunctionNames;
use emit::Emitter;
use layout::Layout;
use library::Library;
use symbols::Symbols;

/// The exported function that does what loading the libraries does: it fills in addresses and calls
/// constructors.
pub(super) const LOADER: &str = "load-libraries";

/// The stack in linear memory, in bytes.
#[derive(Clone, Copy)]
pub(super) struct Stack {
    pub(super) bytes: u32,
    /// How much of it there is for code that asks how much there is.
    pub(super) told: u32,
}

/// Links libraries, the first of which is the guest: the exports of a library that `is_export` names
/// are the module's.
///
/// What belongs to the system (`wasi:...`) is defined by the guest as `wasi:...#function`; what it
/// leaves out traps. A function of a library is replaced where the guest exports `instead:NAME`.
pub(super) fn link(
    libraries: &[(&str, &[u8])],
    stack: Stack,
    is_export: impl Fn(&str, &str) -> bool,
    names: FunctionNames,
) -> Result<Vec<u8>> {
    let parsed: Result<Vec<_>> = libraries
        .iter()
        .map(|(name, bytes)| Library::parse(name, bytes))
        .collect();
    let libraries = parsed?;
    let layout = Layout::of(&libraries, stack);
    let symbols = Symbols::resolve(&libraries, &layout)?;
    let loading = [
        symbols.starts()?,
        symbols.exported(&["__wasm_apply_data_relocs"])?,
        symbols.exported(&["_initialize", "__wasm_call_ctors"])?,
    ]
    .concat();
    ensure!(!libraries.is_empty(), "there is nothing to link");
    let mut exports = Vec::new();
    for (library, it) in libraries.iter().enumerate() {
        for (name, (kind, index)) in &it.exports {
            if *kind == ExternalKind::Func && is_export(&it.name, name) {
                exports.push((*name, symbols.function(library, *index)?));
            }
        }
    }
    exports.sort();
    let roots = exports.iter().map(|(_, function)| function).chain(&loading);
    let functions = symbols.reachable(roots.cloned())?;
    Emitter::new(&libraries, &layout, &symbols, functions, names).module(&exports, LOADER, &loading)
}
