//! Since 2026-07-28, servers only tell of changes who asked for it, for as long as that request is
//! not answered.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use ampoule_tools::Abilities;
use serde_json::{Map, Value, json};
use tokio::time::{Instant, sleep};

use super::backoff::Backoff;
use super::handshake::Era;
use super::pending::Answer;
use super::wire::Wire;

/// A subscription that lasted this long was a good one.
const LASTING: Duration = Duration::from_secs(10);

/// Listens for changes to the list of tools for as long as the connection lasts. A server may end a
/// subscription in between: it is asked again, less and less often.
pub(super) async fn listen(wire: Arc<Wire>) {
    let filter = json!({ "toolsListChanged": true });
    let mut params = Map::from_iter([("notifications".to_owned(), filter)]);
    let capabilities = || wire.client.capabilities_of(Abilities::default());
    let meta: Option<Value> = Era::Stateless.meta(capabilities);
    params.extend(meta.map(|meta| ("_meta".to_owned(), meta)));
    let mut backoff = Backoff::default();
    loop {
        let began = Instant::now();
        let Ok(mut sent) = wire.request("subscriptions/listen", &params, 0) else {
            return;
        };
        match sent.answer().await {
            Err(_) => return,
            Ok(Answer::Refused(refusal)) => {
                tracing::debug!(server = %wire.server, why = refusal.text, "the server does not report changes to its list of tools");
                return;
            }
            // It is over, and what changes until the next one is not told.
            Ok(_) => wire.changes.fetch_add(1, Ordering::Release),
        };
        drop(sent);
        if began.elapsed() >= LASTING {
            backoff.reset();
        }
        let pause = backoff.fail();
        tokio::select! {
            () = sleep(pause) => {}
            () = wire.ended() => return,
        }
    }
}
