//! CPython, started without a file system: it finds its modules in memory.

use std::mem::MaybeUninit;

use pyo3::ffi;

use crate::compression;
use crate::library::Library;
use crate::native::_ampoule;

/// How far CPython is started.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// As far as compiling a source goes, which needs no module.
    Core,
    /// All of it.
    Main,
}

/// Starts CPython with these modules.
pub(crate) fn start(library: Library) {
    pyo3::append_to_inittab!(_ampoule);
    compression::register();
    // SAFETY: nobody else reads the variable: the interpreter does not run yet.
    unsafe { ffi::PyImport_FrozenModules = library.leak() };
    begin(Phase::Main);
}

/// Starts so much of CPython that it can compile.
pub(crate) fn start_core() {
    begin(Phase::Core);
}

fn begin(phase: Phase) {
    let mut earlier = MaybeUninit::uninit();
    // SAFETY: the function fills the configuration in, which then is initialised.
    unsafe {
        ffi::PyPreConfig_InitIsolatedConfig(earlier.as_mut_ptr());
        let mut earlier = earlier.assume_init();
        // Else names of files, and what is in `os.environ`, must be ASCII.
        earlier.utf8_mode = 1;
        succeeded(ffi::Py_PreInitialize(&raw const earlier));
    }
    let mut config = MaybeUninit::uninit();
    // SAFETY: the function fills the configuration in, which then is initialised; it is given to
    // CPython before it is dropped.
    unsafe {
        ffi::PyConfig_InitIsolatedConfig(config.as_mut_ptr());
        let mut config = config.assume_init();
        // Strings keep their hashes, and the snapshot is full of strings: the seed is a constant,
        // and so each build gives the same bytes.
        config.use_hash_seed = 1;
        config.hash_seed = 0;
        config.site_import = 0;
        config.write_bytecode = 0;
        config.install_signal_handlers = 0;
        config.pathconfig_warnings = 0;
        config.module_search_paths_set = 1;
        config.buffered_stdio = 0;
        config._init_main = (phase == Phase::Main).into();
        succeeded(ffi::Py_InitializeFromConfig(&raw const config));
    }
}

/// Ends the process, which is the isolate, with what is wrong.
///
/// # Safety
///
/// CPython gave it just now.
unsafe fn succeeded(status: ffi::PyStatus) {
    // SAFETY: as whoever calls says.
    unsafe {
        if ffi::PyStatus_Exception(status) != 0 {
            ffi::Py_ExitStatusException(status);
        }
    }
}
