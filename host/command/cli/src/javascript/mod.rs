//! `ampoule javascript`: packages of npm that scripts can import.
//!
//! - `add`: adds packages to the configuration
//! - `npm`: has tarballs downloaded, by the user's own npm; `lock`: what npm found that is needed

mod add;
mod lock;
mod npm;

use std::process::ExitCode;

use ampoule::Ecosystem;
use clap::{Args, Subcommand};

use crate::exit::{self, Failure};
use crate::output::Output;
use crate::packages::{self, Rm};
use crate::setup::Setup;

/// Lists, adds and removes packages of npm that scripts in JavaScript and TypeScript can import.
///
/// `add` and `rm` write them to ampoule.toml with their versions and digests, and import them once.
/// No run and no script adds a package.
#[derive(Debug, Args)]
#[command(name = "javascript", after_help = exit::JAVASCRIPT_HELP)]
pub(super) struct JavaScript {
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
    /// Lists the packages, and checks their tarballs (the default).
    Ls,
    Add(add::Add),
    Rm(Rm),
}

impl JavaScript {
    pub(super) async fn execute(self) -> Result<ExitCode, Failure> {
        match self.task {
            None | Some(Task::Ls) => packages::list(Ecosystem::Npm, &self.setup, self.output),
            Some(Task::Add(add)) => add.execute(&self.setup, self.output).await,
            Some(Task::Rm(rm)) => rm.execute(&self.setup, Ecosystem::Npm, self.output).await,
        }
    }
}
