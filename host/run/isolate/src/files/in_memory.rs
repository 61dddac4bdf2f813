//! What a run has of files in memory.

use std::sync::Arc;

use ampoule_workspace::Memory;
use parking_lot::Mutex;
use tokio::runtime::Handle;

use crate::meter::Meter;

/// What may be let go of where other tasks wait for the thread: bytes, or files and folders.
const AT_ONCE: (u64, u64) = (1 << 20, 1_000);

/// The answer to a run that looks for a file in its working folder, where that is in memory.
pub(crate) const NO_WORKSPACE: &str = "this run has no workspace: its working folder is in memory, empty at first and gone at the end. Read other files with a granted tool, if one can; `ampoule run --workspace FOLDER`, or `[workspace]` in ampoule.toml, gives runs files that last";

/// The files that a run has in memory. Most runs have none, so they are made when the first is asked
/// for.
#[derive(Default)]
pub(crate) struct OwnFiles(Option<Arc<Mutex<Memory>>>);

impl OwnFiles {
    /// Those that were kept.
    pub(crate) fn of(memory: Memory) -> Self {
        Self(Some(Arc::new(Mutex::new(memory))))
    }

    pub(crate) fn get(&mut self, meter: &mut Meter) -> Arc<Mutex<Memory>> {
        let memory = self.0.get_or_insert_with(|| {
            let memory = Memory::new(meter.room_for_files(), NO_WORKSPACE);
            Arc::new(Mutex::new(memory))
        });
        Arc::clone(memory)
    }

    /// They, if there are any.
    pub(crate) fn there(&self) -> Option<&Arc<Mutex<Memory>>> {
        self.0.as_ref()
    }

    /// The run has no isolate, and they are kept elsewhere.
    pub(crate) fn leave(&mut self) {
        let Some(memory) = self.0.take() else { return };
        // Where something is still done with them, they go when that is done.
        let Some((bytes, count)) = memory.try_lock().map(|mut memory| memory.let_go()) else {
            return;
        };
        let is_large = bytes > AT_ONCE.0 || count > AT_ONCE.1;
        if let (true, Ok(tokio)) = (is_large, Handle::try_current()) {
            tokio.spawn_blocking(move || drop(memory));
        }
    }
}

impl Drop for OwnFiles {
    fn drop(&mut self) {
        self.leave();
    }
}
