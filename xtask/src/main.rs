//! Tasks of this repository; see `cargo xtask --help`.

mod guests;
mod test;

use std::env;
use std::path::PathBuf;

use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(name = "cargo xtask", about = "Tasks of the Ampoule repository")]
struct Cli {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Builds the guests for WebAssembly, and keeps them in guests/dist.
    Guests {
        /// Builds them elsewhere, and compares them with what is kept.
        #[arg(long)]
        check: bool,
        /// Writes the Python guest, with its functions' names, to this file alone.
        #[arg(long, value_name = "FILE", conflicts_with = "check")]
        profile: Option<PathBuf>,
    },
    /// Builds a crate in Rust as a component, by what this machine has for WebAssembly.
    Component {
        /// The crate's folder.
        package: PathBuf,
        /// The file to write.
        out: PathBuf,
    },
    /// Sets up what the tests need, and runs them all. Tests that can't run are named; in CI they fail.
    Test,
}

/// The repository's folder.
fn repository() -> PathBuf {
    // A task may run from another folder; cargo tells where the package is.
    let package = env::var_os("CARGO_MANIFEST_DIR")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
    package
        .parent()
        .expect("xtask is in the repository")
        .to_owned()
}

fn main() -> anyhow::Result<()> {
    match Cli::parse().task {
        Task::Guests { check: true, .. } => guests::check(),
        Task::Guests {
            profile: Some(out), ..
        } => guests::profile(&std::path::absolute(out)?),
        Task::Guests { .. } => guests::build(),
        Task::Component { package, out } => {
            guests::component(&std::path::absolute(package)?, &std::path::absolute(out)?)
        }
        Task::Test => test::run(),
    }
}
