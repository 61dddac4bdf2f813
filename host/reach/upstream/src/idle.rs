//! What happens to a connection while nobody asks for it: it ends by itself, or is ended since
//! nobody has used it for long.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, timeout};

use super::connection::{Connection, ended};
use super::supervise::Supervisor;

/// How often is looked for uses is a part of how long there may be none, and at most this.
const LOOKS: u32 = 10;
const SELDOM: Duration = Duration::from_mins(1);

/// Watches a connection until it has ended. It does not hold it, for that would be a use.
///
/// Nobody notes when they use it: requests are counted anyway, so it is enough to see now and then
/// that there were none.
pub(super) fn watch(
    supervisor: Arc<Supervisor>,
    connection: &Connection,
    idle: Option<Duration>,
) -> impl Future<Output = ()> + Send + use<> {
    let (wire, process) = connection.parts();
    let (wire, process) = (Arc::clone(wire), process.cloned());
    async move {
        let (mut requests, mut last) = (wire.requests(), Instant::now());
        let look = idle.map_or(Duration::MAX, |idle| (idle / LOOKS).min(SELDOM));
        while timeout(look, wire.ended()).await.is_err() {
            let now = wire.requests();
            if now != requests || supervisor.is_used() {
                (requests, last) = (now, Instant::now());
            } else if let Some(idle) = idle
                && last.elapsed() >= idle
            {
                supervisor.end_unused(&wire, idle);
                // Somebody may have come first.
                last = Instant::now();
            }
        }
        let how = ended(&wire, process.as_ref()).await;
        supervisor.note_end(&wire, &how);
    }
}
