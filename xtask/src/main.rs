//! Tasks of this repository; see `cargo xtask --help`.

mod guests;

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
    },
}

fn main() -> anyhow::Result<()> {
    match Cli::parse().task {
        Task::Guests { check: false } => guests::build(),
        Task::Guests { check: true } => guests::check(),
    }
}
