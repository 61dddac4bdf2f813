//! `ampoule python`: packages that scripts in Python can import.
//!
//! - `add`: adds packages to the configuration
//! - `pip`: has wheels downloaded, by the user's own pip

mod add;
mod pip;

use std::process::ExitCode;

use ampoule::Ecosystem;
use clap::{Args, Subcommand};

use crate::exit::{self, Failure};
use crate::output::Output;
use crate::packages::{self, Rm};
use crate::setup::Setup;

/// Lists, adds and removes packages that scripts in Python can import.
///
/// Packages are wheels of pure Python. `add` and `rm` write them to ampoule.toml with their
/// versions and digests, and import them once. No run and no script adds a package.
#[derive(Debug, Args)]
#[command(after_help = exit::PYTHON_HELP)]
pub(super) struct Python {
    #[command(subcommand)]
    task: Option<Task>,
    #[command(flatten)]
    output: Output,
    #[command(flatten)]
    setup: Setup,
}

/// The actions on packages.
#[derive(Debug, Subcommand)]
enum Task {
    /// Lists the packages, and checks their wheels (the default).
    Ls,
    Add(add::Add),
    Rm(Rm),
}

impl Python {
    pub(super) async fn execute(self) -> Result<ExitCode, Failure> {
        match self.task {
            None | Some(Task::Ls) => packages::list(Ecosystem::Python, &self.setup, self.output),
            Some(Task::Add(add)) => add.execute(&self.setup, self.output).await,
            Some(Task::Rm(rm)) => {
                rm.execute(&self.setup, Ecosystem::Python, self.output)
                    .await
            }
        }
    }
}
