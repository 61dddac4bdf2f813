//! From the configuration to a runtime, the same for all subcommands.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::Args;
use tokio::signal::unix::{SignalKind, signal};

use super::exit::Failure;
use crate::binding::Grant;
use crate::config::{Config, LimitsConfig, ServerConfig};
use crate::isolate::Limits;
use crate::runtime::{Runtime, cache_folder};
use crate::upstream::{ServerCommand, Upstream};

/// The name of the demo server, where nothing is configured.
const DEMO: &str = "demo";

/// Where the configuration is.
#[derive(Debug, Args)]
pub(super) struct Setup {
    /// The configuration. Default: ampoule.toml in this folder, else in the user's configuration folder, else the demo server alone.
    #[arg(long, value_name = "FILE", global = true)]
    config: Option<PathBuf>,
}

impl Setup {
    /// The runtime that is configured. No server is started yet.
    pub(super) fn runtime(&self) -> Result<Runtime, Failure> {
        let mut config = Config::find(self.config.as_deref())
            .map_err(|error| Failure::usage(error.to_string()))?;
        if config.source.is_none() {
            let demo = demo_server()?;
            config.servers.insert(DEMO.to_owned(), demo);
            let note =
                "no ampoule.toml: scripts may call the built-in server `demo`, a made-up business";
            writeln!(io::stderr(), "ampoule: {note}")?;
        }
        let cache = cache_folder().map(|folder| folder.join("servers"));
        let upstreams = config.servers.iter().map(|(name, server)| {
            Upstream::stdio(
                name.as_str(),
                server.command.clone(),
                server.options(cache.clone()),
            )
        });
        let builder = Runtime::builder()
            .ceilings(limits(Limits::default_ceilings(), &config.ceilings))
            .limits(limits(Limits::default(), &config.limits));
        Ok(upstreams
            .fold(builder, |builder, upstream| builder.binding(upstream))
            .build()?)
    }
}

/// This program, as the demo server.
fn demo_server() -> Result<ServerConfig, Failure> {
    let program = std::env::current_exe()?;
    let command = ServerCommand::new(program).args(["demo-server"]);
    Ok(ServerConfig {
        command,
        call_timeout: None,
        start_timeout: None,
    })
}

/// These limits, with those that are configured in place of theirs.
fn limits(mut limits: Limits, configured: &LimitsConfig) -> Limits {
    fn set<T: Copy>(limit: &mut T, configured: Option<T>) {
        if let Some(configured) = configured {
            *limit = configured;
        }
    }
    set(&mut limits.fuel, configured.fuel);
    set(&mut limits.wall_time, configured.wall_time);
    set(&mut limits.memory_bytes, configured.memory_bytes);
    set(&mut limits.table_elements, configured.table_elements);
    set(&mut limits.stack_bytes, configured.stack_bytes);
    set(&mut limits.host_bytes, configured.host_bytes);
    set(&mut limits.output_bytes, configured.output_bytes);
    set(&mut limits.calls, configured.calls);
    set(&mut limits.calls_at_once, configured.calls_at_once);
    set(&mut limits.argument_bytes, configured.argument_bytes);
    set(&mut limits.result_bytes, configured.result_bytes);
    limits
}

/// The size of the definitions of all granted tools that are known by now, as JSON.
pub(super) fn definition_bytes(runtime: &Runtime, grant: &Grant) -> u64 {
    let servers = runtime.catalog().servers().iter();
    let tools = servers.filter_map(|server| Some((server, server.binding().known_tools()?)));
    tools
        .flat_map(|(server, tools)| {
            let granted = tools
                .iter()
                .filter(|tool| grant.allows(server.name(), &tool.name));
            // A definition that came as JSON can be written as JSON.
            granted
                .map(|tool| serde_json::to_string(tool).map_or(0, |json| json.len() as u64))
                .collect::<Vec<_>>()
        })
        .sum()
}

/// Ends when the process is told to stop.
pub(super) async fn stopped() {
    let told = |kind| async move {
        match signal(kind) {
            Ok(mut signal) => drop(signal.recv().await),
            Err(error) => {
                tracing::warn!(%error, "the signal can't be heard");
                std::future::pending().await
            }
        }
    };
    tokio::select! {
        () = told(SignalKind::interrupt()) => {}
        () = told(SignalKind::terminate()) => {}
    }
}
