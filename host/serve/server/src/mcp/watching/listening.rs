//! A request that stays open, by which clients hear of changes since 2026-07-28.

use std::sync::Arc;

use futures::{FutureExt, StreamExt};
use rmcp::model::{InitializeResult, SubscriptionFilter};
use rmcp::service::{SubscriptionContext, SubscriptionSendError};
use rmcp::{ErrorData, ServerHandler};
use tokio_util::sync::CancellationToken;

use super::lists::Since;
use super::shares::Share;
use super::subscribing::MOST;
use super::watcher::Watcher;
use crate::mcp::asker::Asker;
use crate::mcp::client::Client;
use crate::mcp::offers::failed;

/// How many resources are subscribed to at once.
const AT_ONCE: usize = 8;

/// What a request will hear of. Clones are the same.
#[derive(Clone)]
pub(crate) struct Listening {
    info: InitializeResult,
    accepted: SubscriptionFilter,
    watcher: Arc<Watcher>,
    /// Cancelled when the server stops, or the client is gone.
    over: CancellationToken,
    _share: Arc<Share>,
}

impl Client {
    /// What a request hears of that asks for this. What the client may not read, or its server does
    /// not tell of, is not among it.
    pub(crate) async fn listening(
        &self,
        wanted: &SubscriptionFilter,
        asker: &Asker,
        over: CancellationToken,
    ) -> Result<Listening, ErrorData> {
        let shares = &self.server.streams;
        let share = shares.take(asker.principal()).ok_or_else(|| {
            failed(format!(
                "this principal has {} requests that listen, which is the limit: end one first",
                shares.most()
            ))
        })?;
        let watcher = Arc::<Watcher>::default();
        let info = ServerHandler::get_info(self);
        let mut accepted = wanted.supported_by(&info.capabilities);
        if let Some(addresses) = accepted.resource_subscriptions.take() {
            let subscribing: Vec<_> = addresses
                .into_iter()
                .take(MOST)
                .map(|address| self.heard(&watcher, address, asker).boxed())
                .collect();
            let subscribed = futures::stream::iter(subscribing).buffered(AT_ONCE);
            let subscribed: Vec<_> = subscribed.filter_map(std::future::ready).collect().await;
            accepted.resource_subscriptions = Some(subscribed).filter(|it| !it.is_empty());
        }
        let lists = [
            accepted.tools_list_changed,
            accepted.prompts_list_changed,
            accepted.resources_list_changed,
        ];
        if lists.contains(&Some(true)) {
            watcher.watch_lists(&self.server, asker, Since::Now);
        }
        Ok(Listening {
            info,
            accepted,
            watcher,
            over,
            _share: Arc::new(share),
        })
    }
}

impl Client {
    /// The resource, if the client hears of it.
    async fn heard(&self, watcher: &Watcher, address: String, asker: &Asker) -> Option<String> {
        match self.subscribed(watcher, &address, asker).await {
            Ok(()) => Some(address),
            Err(error) => {
                tracing::debug!(%address, why = %error.message, "a client gets no changes to a resource");
                None
            }
        }
    }
}

impl ServerHandler for Listening {
    fn get_info(&self) -> InitializeResult {
        self.info.clone()
    }

    fn accepted_subscription_filter(&self, _: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        Some(self.accepted.clone())
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        loop {
            let change = tokio::select! {
                () = context.cancelled() => return Ok(()),
                () = self.over.cancelled() => return Ok(()),
                change = self.watcher.changes.next() => change,
            };
            match context.sink().send(change.notification()).await {
                // The client did not ask for this one.
                Ok(()) | Err(SubscriptionSendError::NotificationNotAccepted(_)) => {}
                Err(_) => return Ok(()),
            }
        }
    }
}
