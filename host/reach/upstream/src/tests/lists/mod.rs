//! The list of tools.
//!
//! - `pages`: lists of many pages, or of too many
//! - `mistakes`: servers without a list, and tools in it that are not as they should be
//! - `changes`: when a list that is known is asked for again
//! - `kept`: what is kept of it for later processes

mod changes;
mod kept;
mod mistakes;
mod pages;

use std::sync::Arc;

use ampoule_projection::Tool;
use ampoule_tools::Binding;
use serde_json::{Value, json};

use crate::testing::{Fake, Fakes, upstream};
use crate::{Upstream, UpstreamOptions};

fn tool(name: &str) -> Value {
    json!({ "name": name, "inputSchema": { "type": "object" } })
}

fn names(tools: &[Tool]) -> Vec<&str> {
    tools.iter().map(|tool| tool.name.as_str()).collect()
}

fn listing(upstream: &Arc<Upstream>) -> tokio::task::JoinHandle<Arc<[Tool]>> {
    let upstream = Arc::clone(upstream);
    tokio::spawn(async move { upstream.tools().await.unwrap() })
}

async fn listed(tools: Value) -> (Arc<Upstream>, Fakes, Fake, Arc<[Tool]>) {
    let (upstream, mut fakes) = upstream(UpstreamOptions::default());
    let asking = listing(&upstream);
    let mut fake = fakes.session().await;
    let request = fake.recv().await;
    fake.answer(&request, json!({ "tools": tools })).await;
    let tools = asking.await.unwrap();
    (upstream, fakes, fake, tools)
}

/// The server says that its list has changed.
async fn change(fake: &mut Fake) {
    let changed = json!({ "jsonrpc": "2.0", "method": "notifications/tools/list_changed" });
    fake.send(changed).await;
}

/// Waits until the client has read what it was sent: it answers a ping after that, and asks nothing
/// before.
async fn all_is_read(fake: &mut Fake) {
    fake.send(json!({ "jsonrpc": "2.0", "id": "read", "method": "ping" }))
        .await;
    assert_eq!(fake.recv().await["id"], "read");
}
