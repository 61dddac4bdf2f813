//! A server for MCP's conformance suite: `conformance-server COMMAND ARGUMENTS…`. It serves over
//! HTTP what the server behind it has, and prints its address.
//!
//! Ampoule itself offers two tools of its own, and no others. This offers those of one upstream, as
//! they are, so that the suite sees what becomes of results, errors, progress, logs and questions
//! on their way through Ampoule: everything goes through `Upstream`, as the calls of a script do.

#![expect(clippy::print_stdout, reason = "it prints its address")]
#![expect(deprecated, reason = "lines for the log are for older clients")]

mod asked;
mod passing;

use std::sync::Arc;

use ampoule_tools::{Abilities, Binding};
use ampoule_upstream::{ServerCommand, Upstream, UpstreamOptions};
use anyhow::{Context, Result};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};

use self::passing::{Passed, Passing};

#[tokio::main]
async fn main() -> Result<()> {
    let mut command = std::env::args().skip(1);
    let program = command
        .next()
        .context("conformance-server COMMAND ARGUMENTS…")?;
    let command = ServerCommand::new(program).args(command);
    let options = UpstreamOptions {
        roots: vec!["/test/root".to_owned()],
        ..UpstreamOptions::default()
    };
    let upstream = Upstream::stdio("upstream", command, options);
    upstream.can_be_answered(everything());
    let passed = Arc::new(Passed::to(upstream));
    let service = StreamableHttpService::new(
        move || Ok(Passing::new(Arc::clone(&passed))),
        Arc::new(LocalSessionManager::default()),
        StreamableHttpServerConfig::default(),
    );
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    println!("http://{}/mcp", listener.local_addr()?);
    let router = axum::Router::new().nest_service("/mcp", service);
    axum::serve(listener, router).await?;
    Ok(())
}

/// What some client may be able to answer. What is asked is held against what the one can whose
/// request it is for.
fn everything() -> Abilities {
    let mut abilities = Abilities::default();
    abilities.form = true;
    abilities.url = true;
    abilities.sampling = true;
    abilities
}
