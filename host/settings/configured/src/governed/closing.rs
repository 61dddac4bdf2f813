//! The end of governance.

use std::sync::Arc;
use std::time::{Duration, Instant};

use ampoule_audit::Log;
use tokio::task::spawn_blocking;

use super::GovernanceSetup;

/// How long cancelled work may still use the audit log.
const LAST_USES: Duration = Duration::from_secs(2);

/// Ends governance: stores the use of quotas, signs the end of the log once nothing uses the log
/// any more, and passes its rest on. Drop the runtime before.
pub async fn closed(governed: Option<GovernanceSetup>) {
    let Some(governed) = governed else { return };
    let GovernanceSetup {
        governance,
        webhook,
        previews: _,
        toolkits: _,
        _forwards: forwards,
        _watching: watching,
    } = governed;
    let log = governance.audit().cloned();
    let quotas = governance.quotas().cloned();
    // What it waits for needs this thread.
    let closed = spawn_blocking(move || {
        drop((governance, webhook, watching));
        // The last owner stores the use when it drops them; others may have them as long as the process
        // lives.
        if let Some(Err(shared)) = quotas.map(Arc::try_unwrap)
            && let Err(error) = shared.exchange()
        {
            tracing::warn!(%error, "can't store the use of quotas");
        }
        let closed = log.map_or(Ok(()), last);
        // A system that does not answer does not delay the signature.
        drop(forwards);
        closed
    });
    match closed.await {
        Ok(Ok(())) => {}
        Ok(Err(why)) => tracing::warn!("the audit log was not closed: {why}"),
        Err(error) => tracing::warn!(%error, "the audit log was not closed"),
    }
}

/// Closes a log once nothing else has it: cancelled runs and tasks end in their own time.
fn last(mut log: Arc<Log>) -> Result<(), String> {
    let given_up = Instant::now() + LAST_USES;
    loop {
        log = match Arc::try_unwrap(log) {
            Ok(log) => return log.close().map_err(|problem| problem.to_string()),
            Err(log) if Instant::now() >= given_up => {
                drop(log);
                return Err("a run still uses it".to_owned());
            }
            Err(log) => log,
        };
        std::thread::sleep(Duration::from_millis(2));
    }
}
