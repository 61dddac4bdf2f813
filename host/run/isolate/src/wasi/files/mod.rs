//! The folders that a run was granted. Wasmtime's own functions list a folder and read a file of
//! WASI 0.3 on a thread for each, and as many at once as a guest asks for: the process has some
//! hundred such threads for all runs. These take turns, look at a path before they copy it, and
//! have the run pay.
//!
//! - `calls`: the functions of WASI 0.3 that ask for one thing; `streams`: its reading and writing
//! - `listing`: the entries of a folder; `listings`: as both versions give them

mod calls;
mod listing;
mod listings;
mod streams;

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use wasmtime::component::Linker;

use crate::state::RunState;

/// The interface of WASI 0.2, in the version that Wasmtime defines.
const OLD: &str = "wasi:filesystem/types@0.2.12";
/// The same of WASI 0.3.
const NEW: &str = "wasi:filesystem/types@0.3.0";

/// Replaces what would take much memory, or many threads.
pub(super) fn replace(linker: &mut Linker<RunState>) -> wasmtime::Result<()> {
    calls::replace(linker)?;
    streams::replace(linker)?;
    listings::replace(linker)
}

/// A turn to use files, once there is one.
async fn turn(turns: Arc<Semaphore>) -> Option<OwnedSemaphorePermit> {
    // They are never closed.
    turns.acquire_owned().await.ok()
}

/// Has a thread use a file, when it is the run's turn. Once it began, it has its turn to its end,
/// whether or not anybody waits for it.
async fn use_file<T: Send + 'static>(
    turns: Arc<Semaphore>,
    work: impl FnOnce() -> T + Send + 'static,
) -> wasmtime::Result<T> {
    let turn = turn(turns).await;
    let done = tokio::task::spawn_blocking(move || {
        let _turn = turn;
        work()
    });
    Ok(done.await?)
}
