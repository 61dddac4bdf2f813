//! The process that Ampoule's threads are in. A fork copies memory, and no threads: what waits for
//! one of them in the child would wait for ever.

use std::process::id;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use crate::Fault;

/// The process that made the first runtime; zero before that.
static FIRST: AtomicU32 = AtomicU32::new(0);

/// Says that this process has a runtime.
///
/// # Errors
///
/// A process that it was forked from had one, whose threads are not here.
pub(crate) fn enter() -> Result<(), Fault> {
    let own = id();
    match FIRST.compare_exchange(0, own, Relaxed, Relaxed) {
        Ok(_) => Ok(()),
        Err(first) if first == own => Ok(()),
        Err(_) => Err(forked()),
    }
}

/// Whether this process is a fork of the one that has the runtimes. What waits for a run there would
/// wait for ever.
pub fn is_forked() -> bool {
    FIRST.load(Relaxed) != id()
}

/// Says that the threads of this process's runtimes are here.
///
/// # Errors
///
/// It is a [fork](is_forked).
pub fn unforked() -> Result<(), Fault> {
    match is_forked() {
        true => Err(forked()),
        false => Ok(()),
    }
}

fn forked() -> Fault {
    Fault::closed(
        "this process was forked from one with an Ampoule runtime, whose threads a fork does not have: \
make the first runtime after the fork, or start processes by `spawn`",
    )
}
