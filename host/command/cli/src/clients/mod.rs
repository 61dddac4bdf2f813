//! `ampoule clients`: other MCP clients on this machine.
//!
//! - `install`: Ampoule in a client's configuration, and out of it
//! - `import`: uses a client's servers here, too

mod import;
mod install;

use std::process::ExitCode;

use clap::{Args, Subcommand};

use crate::exit::Failure;
use crate::setup::Setup;

/// Adds Ampoule to other MCP clients, and uses their servers.
#[derive(Debug, Args)]
pub(super) struct Clients {
    #[command(subcommand)]
    task: Task,
    #[command(flatten)]
    setup: Setup,
}

#[derive(Debug, Subcommand)]
enum Task {
    Install(install::Install),
    Uninstall(install::Uninstall),
    Import(import::Import),
}

impl Clients {
    pub(super) fn execute(self) -> Result<ExitCode, Failure> {
        match self.task {
            Task::Install(install) => install.execute(&self.setup),
            Task::Uninstall(uninstall) => uninstall.execute(),
            Task::Import(import) => import.execute(&self.setup),
        }
    }
}
