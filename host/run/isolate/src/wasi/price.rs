//! What uses of WASI cost, in units of fuel.

use ampoule_effort as effort;
use wasmtime_wasi::cli::{WasiCliCtxView, WasiCliView as _};
use wasmtime_wasi::filesystem::{WasiFilesystemCtxView, WasiFilesystemView as _};

use crate::state::RunState;

/// For each use.
pub(super) const USE: u64 = effort::REQUEST;
/// For each use of a stream of WASI 0.2, which may be a file's.
pub(super) const STREAM: u64 = 16 * USE;
/// For each use of a file or a folder: another thread is woken, and asks the system.
pub(super) const FILE: u64 = 80 * USE;

impl RunState {
    /// Counts what the host does for the run where no error can be given. If there is no fuel for
    /// it, the run ends when its fuel is looked at next: within an epoch, and when it returns.
    pub(super) fn owe(&self, units: u64) {
        let _ = self.effort.spend(units);
    }
}

/// What a run has of files, for one use.
pub(super) fn files(run: &mut RunState) -> WasiFilesystemCtxView<'_> {
    run.owe(FILE);
    run.filesystem()
}

/// What a run has of a program's surroundings, to be copied.
pub(super) fn environment(run: &mut RunState) -> WasiCliCtxView<'_> {
    let bytes = run.wasi().environment_bytes;
    run.owe(bytes);
    run.cli()
}
