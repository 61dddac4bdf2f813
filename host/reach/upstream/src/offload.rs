//! Texts of servers, read where that keeps nobody waiting.

/// How much is read within about 100 µs, in bytes.
pub(super) const AT_ONCE: usize = 64 * 1024;

/// Reads a text of that many bytes: a long one off the async threads, of which there may be only
/// one.
pub(super) async fn read<T: Send + 'static>(
    bytes: usize,
    work: impl FnOnce() -> T + Send + 'static,
) -> T {
    if bytes <= AT_ONCE {
        return work();
    }
    match tokio::task::spawn_blocking(work).await {
        Ok(read) => read,
        Err(failed) => match failed.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            // The runtime is ending, and this task with it.
            Err(_) => std::future::pending().await,
        },
    }
}
