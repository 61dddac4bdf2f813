//! What building guests takes: the tasks' command line, and that of the program that does it.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

/// Building guests.
#[derive(Debug, Subcommand)]
pub enum Task {
    /// Builds the guests for WebAssembly, and keeps them in guests/dist.
    Guests(Guests),
    /// Builds a crate in Rust as a component, by what this machine has for WebAssembly.
    Component(Component),
}

/// Ampoule's own guests.
#[derive(Debug, Args)]
pub struct Guests {
    /// Builds one of them into target/guests, and keeps nothing.
    #[arg(long, value_name = "GUEST", conflicts_with_all = ["check", "profile"])]
    pub build: Option<Kind>,
    /// Says whether those that are kept were built from these sources, by tools that are here.
    #[arg(long)]
    pub check: bool,
    /// Builds them again for that, which takes minutes, and compares them byte for byte.
    #[arg(long, requires = "check")]
    pub rebuild: bool,
    /// Writes the Python guest, with its functions' names, to this file alone.
    #[arg(long, value_name = "FILE", conflicts_with = "check")]
    pub profile: Option<PathBuf>,
}

/// A guest.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Kind {
    /// JavaScript and TypeScript.
    #[value(name = "javascript")]
    JavaScript,
    /// Python.
    Python,
    /// Python with numpy and pandas.
    PythonData,
}

/// Another crate.
#[derive(Debug, Args)]
pub struct Component {
    /// The crate's folder.
    pub package: PathBuf,
    /// The file to write.
    pub out: PathBuf,
}
