//! Tasks of this repository; see `cargo xtask --help`.
//!
//! - `building`: the workspace's programs, which tasks start
//! - `test`: sets up what the tests need, and runs them

mod building;
mod test;

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

fn main() -> anyhow::Result<()> {
    match Cli::parse().task {
        Task::Guests { check: true, .. } => building::guests(["--check"]),
        Task::Guests {
            profile: Some(out), ..
        } => building::guests(["--profile".as_ref(), std::path::absolute(out)?.as_os_str()]),
        Task::Guests { .. } => building::guests::<&str>([]),
        Task::Component { package, out } => {
            building::programs()?;
            building::component(&std::path::absolute(package)?, &std::path::absolute(out)?)
        }
        Task::Test => test::run(),
    }
}

/// Tells how far a task is.
#[expect(clippy::print_stderr, reason = "a task tells how far it is")]
fn say(what: &str) {
    eprintln!("xtask: {what}");
}
