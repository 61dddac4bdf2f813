//! Ampoule beside containers and other sandboxes: the same scripts, in one run.
//!
//! `cargo xtask compare` starts it. Each peer is a small program behind one line protocol, its
//! driver, which makes sandboxes and measures them in the peer's own language.
//!
//! - `peers`: who is compared; `setup`: how each comes here; `workloads`, `data`: what they do
//! - `protocol`: what a driver is asked; `driver`: one of them, running; `drivers`: those in Rust,
//!   the others are files in `peers`
//! - `measure`: the rounds; `memory`; `results`, `statistics`: what came of them; `report`

mod data;
mod driver;
mod drivers;
mod measure;
mod memory;
mod peers;
mod protocol;
mod report;
mod results;
mod setup;
mod statistics;
mod workloads;

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use clap::{Parser, Subcommand};

use self::measure::Extent;
use self::report::Report;
use self::setup::SetupFolder;

/// Runs the same scripts in Ampoule and in other sandboxes, and says how they fare.
#[derive(Parser)]
#[command(name = "cargo xtask compare")]
struct Cli {
    #[command(subcommand)]
    part: Option<Part>,
    /// Only these peers, and Ampoule in process. `--list` names all.
    #[arg(long, value_delimiter = ',')]
    peers: Vec<String>,
    /// Only these workloads.
    #[arg(long, value_delimiter = ',')]
    workloads: Vec<String>,
    /// One short round: whether everything works, not how fast it is.
    #[arg(long)]
    quick: bool,
    /// How many rounds. Three take about half an hour on two cores.
    #[arg(long, default_value_t = 3)]
    rounds: usize,
    /// The folder for set-ups, which are kept, and for the report.
    #[arg(long)]
    folder: Option<PathBuf>,
    /// Names the peers and the workloads, and does nothing.
    #[arg(long)]
    list: bool,
    /// Keeps the report in the repository, and writes its tables and a plot into the documents.
    #[arg(long, conflicts_with_all = ["peers", "workloads"])]
    write: bool,
    /// Writes the report that is kept into the documents once more, and measures nothing.
    #[arg(long)]
    render: bool,
}

/// What this program is to itself.
#[derive(Subcommand)]
enum Part {
    #[command(hide = true)]
    Driver {
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        words: Vec<String>,
    },
    #[command(hide = true)]
    Server { data: PathBuf, gate: PathBuf },
}

#[expect(clippy::print_stdout, reason = "that is what it is for")]
fn main() -> Result<()> {
    let cli = Cli::parse();
    match &cli.part {
        Some(Part::Driver { words }) => return drivers::drive(words),
        Some(Part::Server { data, gate }) => return drivers::server::serve(data, gate),
        None => {}
    }
    if cli.list {
        for peer in peers::all() {
            println!("{:<22}{}", peer.id, peer.title);
        }
        println!();
        for workload in &workloads::ALL {
            println!("{:<22}{}", workload.id, workload.title);
        }
        return Ok(());
    }
    if cli.render {
        return Report::kept(&repository())?.publish(&repository());
    }
    let folder = match &cli.folder {
        Some(folder) => folder.clone(),
        None => repository().join("target/compare"),
    };
    let place = SetupFolder::new(std::path::absolute(folder)?)?;
    let extent = Extent {
        rounds: if cli.quick { 1 } else { cli.rounds.max(1) },
        budget_ms: if cli.quick { 50 } else { 700 },
        window_ms: if cli.quick { 200 } else { 2000 },
        cores: std::thread::available_parallelism().map_or(1, usize::from),
    };
    let peers = chosen(
        peers::all(),
        &cli.peers,
        |peer| peer.id,
        |peer| peer.id.starts_with("ampoule-"),
    )?;
    let workloads = chosen(
        workloads::ALL.iter(),
        &cli.workloads,
        |workload| workload.id,
        |_| false,
    )?;
    let results = measure::measure(&place, &peers, &workloads, &extent)?;
    let folder = place.folder.join("report");
    let report = Report::new(&results, &command(&cli));
    report.write(&folder)?;
    println!("{}", report.table());
    println!("{}", folder.join("report.md").display());
    if cli.write {
        report.publish(&repository())?;
    }
    Ok(())
}

/// Those that are named, or all; and those that are always there.
fn chosen<'a, T>(
    all: impl Iterator<Item = &'a T> + Clone,
    names: &[String],
    id: impl Fn(&T) -> &str,
    always: impl Fn(&T) -> bool,
) -> Result<Vec<&'a T>> {
    for name in names {
        if !all.clone().any(|one| id(one) == name) {
            bail!("unknown name `{name}`: `--list` lists the names");
        }
    }
    let wanted =
        |one: &&T| names.is_empty() || always(one) || names.iter().any(|name| name == id(one));
    Ok(all.filter(wanted).collect())
}

/// How this was started, for the report.
fn command(cli: &Cli) -> String {
    let mut command = "cargo xtask compare".to_owned();
    for (name, values) in [("peers", &cli.peers), ("workloads", &cli.workloads)] {
        if !values.is_empty() {
            command.push_str(&format!(" --{name} {}", values.join(",")));
        }
    }
    match cli.quick {
        true => command.push_str(" --quick"),
        false => command.push_str(&format!(" --rounds {}", cli.rounds)),
    }
    if cli.write {
        command.push_str(" --write");
    }
    command
}

fn repository() -> PathBuf {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut folders = package.ancestors();
    let found = folders.find(|folder| folder.join("Cargo.lock").exists());
    found.unwrap_or(package).to_owned()
}

/// Tells how far it is.
#[expect(clippy::print_stderr, reason = "a task tells how far it is")]
fn say(what: &str) {
    eprintln!("compare: {what}");
}
