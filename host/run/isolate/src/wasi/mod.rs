//! WASI for compiled guests, narrowed to what isolates may have: clocks, entropy, standard output
//! and error into the run's output, and the variables and folders that were granted. There is
//! nothing on standard input, and no network but HTTP requests that the run may have made: sockets
//! can be asked for, as the C library of every language does, and none is given.
//!
//! Wasmtime's own functions copy what a guest shows them, and keep it, within no limit but that of
//! one call. Those that would hold much, or take a thread for long, are [replaced](link::replace).
//!
//! - `context`: what a run has of it; `price`: what its uses cost; `account`: who pays for them;
//!   `link`: how functions are replaced
//! - `p2`, `p3`: the interfaces of WASI 0.2 and 0.3; `http`: those for HTTP requests
//! - `files`: the folders that were granted; `streams`: the output streams of WASI 0.2
//! - `output`: standard output and error; `random`: entropy; `world`: clocks

mod account;
pub(crate) mod context;
mod files;
pub(crate) mod http;
mod link;
mod output;
mod p2;
mod p3;
mod price;
mod random;
mod streams;
#[cfg(test)]
mod tests;
mod world;

use std::sync::Arc;

use wasmtime::component::Linker;
use wasmtime_wasi::{WasiCtxView, WasiView};

use self::account::Account;
use self::context::Wasi;
use super::state::RunState;

impl RunState {
    fn wasi(&mut self) -> &mut Wasi {
        let wasi = self.wasi.as_deref_mut();
        wasi.expect("a guest that imports WASI has it")
    }

    /// What its uses of WASI count towards.
    pub(super) fn account(&self) -> Account {
        Account {
            held: Arc::clone(&self.held),
            limits: self.limits,
            effort: self.effort.clone(),
        }
    }
}

impl WasiView for RunState {
    /// To be called for each use: the run owes for it.
    fn ctx(&mut self) -> WasiCtxView<'_> {
        self.owe(price::USE);
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
    random::add_to_linker(linker)?;
    streams::replace(linker)?;
    files::replace(linker)?;
    http::add_to_linker(linker)
}
