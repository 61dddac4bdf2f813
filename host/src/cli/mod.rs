//! The command line: one file for each subcommand.
//!
//! - `run`: a script, once; `serve`: the MCP server; `tools`: what scripts may call; `demo_server`: a server to try
//! - `warm`: compiles the guests ahead of the first run; `waiting`: what is said while that takes
//! - `setup`: from the configuration to a runtime, the same for all of them
//! - `cost`: what a run would have cost a model in tokens

mod code;
mod cost;
mod exit;
mod generate;
mod run;
mod serve;
mod setup;
mod tools;
mod waiting;
mod warm;

use std::io::IsTerminal;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use tracing_subscriber::EnvFilter;

use exit::Failure;

/// Runs scripts that language models write, each in a fresh sandbox whose only way out is the MCP tools that it was granted.
#[derive(Debug, Parser)]
#[command(name = "ampoule", version, propagate_version = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Run(run::Run),
    Serve(serve::Serve),
    Tools(tools::Tools),
    Generate(generate::Generate),
    Warm(warm::Warm),
    /// Serves a made-up business over MCP on standard input and output, to try Ampoule or any MCP client on.
    ///
    /// Customers, orders, products and tickets are the same at every start; changes last as long as the server.
    DemoServer,
}

/// Runs the command that the process's arguments name.
pub fn main() -> ExitCode {
    let cli = Cli::parse();
    log_to_stderr();
    let runtime = match crate::executor() {
        Ok(runtime) => runtime,
        Err(error) => return Failure::host(&error).report(),
    };
    let ended = runtime.block_on(async {
        match cli.command {
            Command::Run(run) => run.execute().await,
            Command::Serve(serve) => serve.execute().await,
            Command::Tools(tools) => tools.execute().await,
            Command::Generate(generate) => generate.execute().await,
            Command::Warm(warm) => warm.execute().await,
            Command::DemoServer => crate::demo::serve_stdio()
                .await
                .map(|()| ExitCode::SUCCESS)
                .map_err(|error| Failure::host(&error)),
        }
    });
    // Reading standard input can't be interrupted, so nothing waits for a thread that still does.
    runtime.shutdown_background();
    ended.unwrap_or_else(|failure| failure.report())
}

/// Standard output belongs to results, and to the protocol in `serve`.
fn log_to_stderr() {
    let filter = EnvFilter::try_from_env("AMPOULE_LOG")
        .unwrap_or_else(|_| EnvFilter::new("warn,rmcp=error"));
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal())
        .with_target(false)
        .without_time()
        .init();
}
