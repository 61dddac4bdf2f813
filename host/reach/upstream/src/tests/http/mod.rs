//! What an upstream does with servers that are reached by HTTP.

mod credentials;
mod faults;
mod genuine;
mod http2;
mod lists;
mod mirrored;
mod proxies;
mod server;
mod slow;
mod streams;
mod tls;
mod traces;
mod transports;

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use crate::{RemoteServer, Upstream, UpstreamOptions};

/// An upstream of the server at this address.
fn remote(url: &str) -> Arc<Upstream> {
    upstream(RemoteServer::new(url).unwrap())
}

fn upstream(server: RemoteServer) -> Arc<Upstream> {
    let options = UpstreamOptions {
        start_timeout: Duration::from_secs(20),
        ..UpstreamOptions::default()
    };
    Arc::new(Upstream::remote("far", server, options))
}

/// The text of a result's only block.
fn text(result: &ampoule_tools::ToolResult) -> &str {
    match &result.content[..] {
        [block] => block["text"].as_str().unwrap(),
        other => panic!("{other:?}"),
    }
}

fn method(body: &Value) -> &str {
    body["method"].as_str().unwrap_or_default()
}
