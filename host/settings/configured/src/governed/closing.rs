//! How what governs runs ends.

use std::sync::Arc;
use std::time::{Duration, Instant};

use ampoule_audit::Log;
use tokio::task::spawn_blocking;

use super::Governed;

/// How long what is being given up may still use the audit log.
const LAST_USES: Duration = Duration::from_secs(2);

/// Ends: what was used of quotas is kept, the log gets its last signature, once nothing uses it any
/// more, and what is left of it is passed on. Let go of the runtime before.
pub async fn closed(governed: Option<Governed>) {
    let Some(governed) = governed else { return };
    let Governed {
        governance,
        webhook,
        previews: _,
        _forwards: forwards,
        _watching: watching,
    } = governed;
    let log = governance.audit().cloned();
    let quotas = governance.quotas().cloned();
    // What it waits for needs this thread.
    let closed = spawn_blocking(move || {
        drop((governance, webhook, watching));
        // Whoever drops them keeps what was used; others may have them as long as the process is there.
        if let Some(Err(shared)) = quotas.map(Arc::try_unwrap)
            && let Err(error) = shared.exchange()
        {
            tracing::warn!(%error, "what was used of quotas is not kept");
        }
        let closed = log.map_or(Ok(()), last);
        // A system that does not answer keeps nobody from the signature.
        drop(forwards);
        closed
    });
    match closed.await {
        Ok(Ok(())) => {}
        Ok(Err(why)) => tracing::warn!("the audit log was not closed: {why}"),
        Err(error) => tracing::warn!(%error, "the audit log was not closed"),
    }
}

/// Closes a log once nobody else has it: runs and tasks that were given up end in their own time.
fn last(mut log: Arc<Log>) -> Result<(), String> {
    let given_up = Instant::now() + LAST_USES;
    loop {
        log = match Arc::try_unwrap(log) {
            Ok(log) => return log.close().map_err(|problem| problem.to_string()),
            Err(log) if Instant::now() >= given_up => {
                drop(log);
                return Err("something still uses it".to_owned());
            }
            Err(log) => log,
        };
        std::thread::sleep(Duration::from_millis(2));
    }
}
