//! Work that blocks: reading folders, mostly.

use tokio::task::spawn_blocking;

use crate::ConsoleError;

/// Does work where threads may wait.
///
/// # Errors
///
/// Those of the work; a fault of the host if it panicked.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, ConsoleError> + Send + 'static,
) -> Result<T, ConsoleError> {
    let done = spawn_blocking(work).await;
    done.unwrap_or_else(|error| Err(ConsoleError::host(&error)))
}
