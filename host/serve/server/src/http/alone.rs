//! Routes that are served alone, for browsers on this machine.

use std::sync::Arc;

use axum::Router;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use super::connection::{self, Arrival, ConnectionUse, Patience};
use super::listen::{AcceptedStream, EXHAUSTED, Listener};

/// Serves routes that check names by themselves, until the future is dropped.
pub(super) async fn serve(listener: Listener, router: Router, most: usize) {
    let patience = Patience::default();
    let connections = Arc::new(Semaphore::new(most));
    let gone = CancellationToken::new();
    let _gone = gone.clone().drop_guard();
    loop {
        let Ok(place) = Arc::clone(&connections).acquire_owned().await else {
            return;
        };
        let stream = match listener.accept().await {
            Ok(AcceptedStream::Tcp(stream, _)) => stream,
            Ok(AcceptedStream::Unix(_)) => continue,
            Err(error) => {
                tracing::warn!(%error, "a browser can't be answered");
                tokio::time::sleep(EXHAUSTED).await;
                continue;
            }
        };
        let local = stream.local_addr().ok().map(|it| it.ip().to_canonical());
        let arrival = Arrival {
            local,
            busy: ConnectionUse::new(patience),
        };
        let (router, gone) = (router.clone(), gone.clone());
        tokio::spawn(async move {
            let _place = place;
            let closing = CancellationToken::new();
            let serving = connection::serve(stream, false, router, arrival, closing);
            gone.run_until_cancelled(serving).await;
        });
    }
}
