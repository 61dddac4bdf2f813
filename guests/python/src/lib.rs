//! Ampoule's Python guest: CPython as a WebAssembly component, which runs one script in each
//! instance.
//!
//! CPython and the C library are dynamic libraries that somebody else built; this crate is the one
//! that they are linked with into a single module. It is thin: what scripts see is written in
//! Python, in `lib`.
//!
//! - `guest`: the component's export, and the initialisation before the snapshot
//! - `interpreter`: CPython, started without a file system
//! - `library`: the standard library and `lib`, as frozen modules in memory
//! - `native`: the module `_ampoule`, by which the Python half reaches the host
//! - `objects`: the memory of Python's objects; `brief`: of what is looked at before a run
//! - `globals`: names at the top of a script
//! - `instead`: functions that are faster than CPython's own, and the C library's
//! - `json`: from JSON to Python's objects, and back
//! - `generators`: generators of random numbers, begun anew
//! - `attributes`: keys of objects as their attributes
//! - `written`: the calls that a script writes, before anything of it runs
//! - `calls`: waiting for calls, and sleeping meanwhile
//! - `system`: what the C library asks of a system: clocks and entropy are the host's, and the rest
//!   is not there
//! - `compression`: CPython's modules for bzip2, LZMA and Zstandard
//! - `compile`: from a module's source to its code, when the guest is built

mod attributes;
mod bindings;
#[path = "../../brief.rs"]
mod brief;
mod calls;
mod compile;
mod compression;
mod generators;
mod globals;
mod guest;
mod host;
mod instead;
mod interpreter;
mod json;
#[path = "../../lasting_tools.rs"]
mod lasting_tools;
mod library;
#[cfg(target_family = "wasm")]
#[path = "../../memory.rs"]
mod memory;
mod native;
mod objects;
mod stillness;
mod system;
mod written;

#[cfg(target_family = "wasm")]
use std::alloc::System;

/// The C library's heap, but for what is allocated briefly.
#[cfg(target_family = "wasm")]
#[global_allocator]
static HEAP: brief::Heap<System> = brief::Heap(System);
