//! WASI for compiled guests, narrowed to what isolates may have: clocks, entropy, standard output
//! and error into the run's output, and the variables and folders that were granted. There is
//! nothing on standard input, and no network but HTTP requests that the run may have made: sockets
//! can be asked for, as the C library of every language does, and none is given.
//!
//! - `context`: what a run has of it
//! - `p2`, `p3`: the interfaces of WASI 0.2 and 0.3; `http`: those for HTTP requests
//! - `printed`: standard output and error; `world`: clocks and entropy

pub(crate) mod context;
pub(crate) mod http;
mod p2;
mod p3;
mod printed;
mod world;

use wasmtime::component::Linker;
use wasmtime_wasi::{WasiCtxView, WasiView};

use self::context::Wasi;
use super::state::RunState;

impl RunState {
    fn wasi(&mut self) -> &mut Wasi {
        let wasi = self.wasi.as_deref_mut();
        wasi.expect("a guest that imports WASI has it")
    }
}

impl WasiView for RunState {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        let Wasi { context, table, .. } = self.wasi();
        WasiCtxView {
            ctx: context,
            table,
        }
    }
}

/// Whether isolates have this interface, in this version.
pub(super) fn has(interface: &str, version: &str) -> bool {
    (version.starts_with("0.2.") && p2::INTERFACES.contains(&interface))
        || (version.starts_with("0.3.") && p3::INTERFACES.contains(&interface))
}

/// Whether isolates have this interface in some version.
pub(super) fn has_some(interface: &str) -> bool {
    p2::INTERFACES.contains(&interface) || p3::INTERFACES.contains(&interface)
}

/// Defines the interfaces of both versions.
pub(super) fn add_to_linker(linker: &mut Linker<RunState>) -> wasmtime::Result<()> {
    p2::add_to_linker(linker)?;
    p3::add_to_linker(linker)?;
    http::add_to_linker(linker)
}
