//! The files of a run, while it is parked. What may have to copy them is done where nobody else waits.

use std::sync::Arc;

use ampoule_workspace::{Files, FilesSnapshot, Memory};
use parking_lot::Mutex;
use tokio::task::spawn_blocking;
use wasmtime::Store;

use super::backend::{ParkingBackend, ParkingError};
use super::resume_error::ResumeError;
use crate::files::{NO_WORKSPACE, OwnFiles};
use crate::memory::Snapshot;
use crate::state::RunState;

/// Keeps them as they are; it counts once that is [said](settle).
pub(super) async fn keep(
    backend: &dyn ParkingBackend,
    files: &Arc<Files>,
) -> Result<FilesSnapshot, ParkingError> {
    let mark = backend.mark().await?;
    let kept = apart(files, move |files| {
        let kept = files.keep(&mark);
        if kept.is_err() {
            files.settle(false);
        }
        kept
    });
    let kept = kept
        .await
        .map_err(|error| ParkingError(error.to_string()))?;
    kept.map_err(|problem| ParkingError(format!("its files: {}", problem.advice_or_text())))
}

/// Says whether they are kept now.
pub(super) async fn settle(files: &Arc<Files>, are_kept: bool) -> wasmtime::Result<()> {
    apart(files, move |files| files.settle(are_kept)).await
}

/// Gives a run what was kept of its files.
pub(super) async fn restore(
    files: Option<&Arc<Files>>,
    kept: FilesSnapshot,
) -> wasmtime::Result<()> {
    let stranded =
        |why: &str| ResumeError(format!("the parked run can't resume: its files: {why}"));
    let files = files.ok_or_else(|| stranded("this run has no files"))?;
    let restored = apart(files, move |files| files.restore(kept)).await?;
    Ok(restored.map_err(|problem| stranded(&problem.advice_or_text()))?)
}

/// A snapshot with the files that the run has in memory, if it has any.
pub(super) async fn with_own(
    own: Option<Arc<Mutex<Memory>>>,
    snapshot: Snapshot,
) -> wasmtime::Result<Snapshot> {
    let Some(own) = own else {
        return Ok(snapshot);
    };
    let with_files = spawn_blocking(move || snapshot.with_files(&own.lock().keep())).await;
    with_files.map_err(wasmtime::Error::from)
}

/// Gives a run the files that it had in memory.
pub(super) async fn restore_own(
    store: &mut Store<RunState>,
    snapshot: Snapshot,
) -> wasmtime::Result<()> {
    if snapshot.files().is_none() {
        return Ok(());
    }
    let room = store.data_mut().memory.room_for_files();
    let restored = spawn_blocking(move || {
        let kept = snapshot.files().unwrap_or_default();
        Memory::restore(kept, room, NO_WORKSPACE)
    });
    let restored = restored.await?.map_err(|problem| {
        let why = problem.advice_or_text();
        ResumeError(format!("the parked run can't resume: its files: {why}"))
    })?;
    store.data_mut().own_files = OwnFiles::of(restored);
    Ok(())
}

async fn apart<T: Send + 'static>(
    files: &Arc<Files>,
    work: impl FnOnce(&Files) -> T + Send + 'static,
) -> wasmtime::Result<T> {
    let files = Arc::clone(files);
    let done = spawn_blocking(move || work(&files)).await;
    done.map_err(wasmtime::Error::from)
}
