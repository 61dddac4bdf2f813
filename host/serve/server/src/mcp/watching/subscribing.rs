//! Resources that a client wants to hear of, if it may read them.

use std::sync::Arc;
use std::time::Duration;

use rmcp::ErrorData;
use rmcp::model::{JsonObject, ResourceContents};
use tokio_util::task::AbortOnDropHandle;

use super::changes::Change;
use super::watcher::{ClientSubscription, Watcher};
use crate::mcp::asker::Asker;
use crate::mcp::client::Client;
use crate::mcp::offers::{OfferKind, failed};

/// Of how many resources one session, or one request, hears.
pub(super) const MOST: usize = 200;

/// How often a client is told, at most, that one resource has changed.
const PAUSE: Duration = Duration::from_millis(100);

/// How long an address may be, in bytes.
const MAX_ADDRESS_BYTES: usize = 8 << 10;

impl Client {
    /// Has a client hear of changes to a resource. The client has to be able to read the resource
    /// now: what decides that, and records it, decides here.
    pub(in crate::mcp) async fn subscribed(
        &self,
        watcher: &Watcher,
        address: &str,
        asker: &Asker,
    ) -> Result<(), ErrorData> {
        if watcher.subscriptions.lock().contains_key(address) {
            return Ok(());
        }
        if address.len() > MAX_ADDRESS_BYTES {
            let said = format!("an address has at most {MAX_ADDRESS_BYTES} bytes");
            return Err(ErrorData::invalid_params(said, None));
        }
        let full = |most: usize, whose: &str| {
            failed(format!(
                "{whose} has {most} subscriptions to resources, which is the limit: end one first"
            ))
        };
        let shares = &self.server.subscriptions;
        let share = shares.take(asker.principal());
        let share = share.ok_or_else(|| full(shares.most(), "this principal"))?;
        let (server, own) = self.server_of_resource(address, asker).await?;
        let mut arguments = JsonObject::new();
        arguments.insert("uri".to_owned(), (&*own).into());
        self.ask::<Vec<ResourceContents>>(&server, OfferKind::Read, &arguments, asker)
            .await?;
        let tools = self.server.tools_of(asker.principal(), asker.client());
        let tools = tools.map_err(|error| failed(error.to_string()))?;
        let found = tools.servers().find(|known| *known.name() == server);
        let found = found.ok_or_else(|| failed(format!("there is no server `{server}`")))?;
        let subscribing = found.binding().subscribe(&own, asker.principal());
        let Some(subscribed) = asker.given_up.run_until_cancelled(subscribing).await else {
            return Err(ErrorData::internal_error("cancelled", None));
        };
        let mut heard = subscribed.map_err(|error| failed(error.to_string()))?;
        let (changes, told) = (Arc::clone(&watcher.changes), Arc::<str>::from(address));
        let hears = tokio::spawn(async move {
            while heard.changed().await {
                changes.note(Change::Updated(Arc::clone(&told)));
                tokio::time::sleep(PAUSE).await;
            }
        });
        let subscription = ClientSubscription {
            _hears: AbortOnDropHandle::new(hears),
            _share: share,
        };
        let mut subscriptions = watcher.subscriptions.lock();
        if subscriptions.len() >= MOST && !subscriptions.contains_key(address) {
            return Err(full(MOST, "this session"));
        }
        subscriptions.insert(address.to_owned(), subscription);
        Ok(())
    }
}
