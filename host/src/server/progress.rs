//! Progress of a run, for clients that would otherwise give up waiting.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::RequestContext;
use rmcp::{Peer, RoleServer};

use crate::isolate::Event;

/// How often a client is told.
const INTERVAL: Duration = Duration::from_secs(1);

/// Tells a client, each second, how far a run is, if the client asked to be told.
pub(super) struct Progress {
    client: Option<(Peer<RoleServer>, ProgressToken)>,
    calls: Arc<Calls>,
}

#[derive(Default)]
struct Calls {
    started: AtomicU64,
    ended: AtomicU64,
}

impl Progress {
    pub(super) fn of(context: &RequestContext<RoleServer>) -> Self {
        let client = context
            .meta
            .get_progress_token()
            .map(|token| (context.peer.clone(), token));
        Self {
            client,
            calls: Arc::default(),
        }
    }

    /// Listens to the run.
    pub(super) fn listener(&self) -> impl FnMut(Event<'_>) + Send + 'static {
        let calls = Arc::clone(&self.calls);
        move |event| match event {
            Event::CallStarted { .. } => drop(calls.started.fetch_add(1, Relaxed)),
            Event::CallEnded(_) => drop(calls.ended.fetch_add(1, Relaxed)),
            Event::Output(_) => {}
        }
    }

    /// Waits for the run, and tells of it meanwhile.
    pub(super) async fn while_waiting<T>(&self, run: impl Future<Output = T>) -> T {
        let Some((client, token)) = &self.client else {
            return run.await;
        };
        let telling = async {
            let mut seconds = 0_u32;
            loop {
                tokio::time::sleep(INTERVAL).await;
                seconds += 1;
                let (started, ended) = (
                    self.calls.started.load(Relaxed),
                    self.calls.ended.load(Relaxed),
                );
                let progress = ProgressNotificationParam::new(token.clone(), seconds.into())
                    .with_message(format!(
                        "running for {seconds} s; {ended} of {started} calls done"
                    ));
                if client.notify_progress(progress).await.is_err() {
                    std::future::pending::<()>().await;
                }
            }
        };
        tokio::select! {
            ended = run => ended,
            () = telling => unreachable!("it tells until the run has ended"),
        }
    }
}
