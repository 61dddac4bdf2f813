//! `ampoule python add`.

use std::path::PathBuf;
use std::process::ExitCode;

use ampoule::{Ecosystem, Package, WheelName};
use clap::Args;

use super::pip::{Request, wheels_in};
use crate::changes::file;
use crate::exit::Failure;
use crate::output::Output;
use crate::packages::{add, read_or_new};
use crate::setup::Setup;

/// Downloads packages and those that they need, and adds them to ampoule.toml.
///
/// pip downloads the wheels: `python3 -m pip`, with your index and settings. Ampoule keeps the
/// wheels by their digests, and imports them once in an isolate. If that fails, nothing is added.
#[derive(Debug, Args)]
pub(super) struct Add {
    /// The packages, such as `tabulate` or `tabulate==0.9.0`, or files of wheels.
    #[arg(required = true, value_name = "PACKAGE")]
    packages: Vec<String>,
    /// A folder of wheels to take the packages from, instead of an index.
    #[arg(long, value_name = "FOLDER")]
    from: Option<PathBuf>,
}

impl Add {
    pub(super) async fn execute(self, setup: &Setup, output: Output) -> Result<ExitCode, Failure> {
        let file = file(setup)?;
        let config = read_or_new(&file)?;
        let folder = ampoule_configured::package_folder(&config, Ecosystem::Python)?;
        let there = config.python.packages.iter();
        let request = Request {
            packages: &self.packages,
            from: self.from.as_deref(),
            kept: there.filter(|it| !self.names(it)).collect(),
            folder: &folder,
        };
        let download = request.download().await?;
        let mut added = Vec::new();
        for wheel in wheels_in(&download)? {
            let kept = folder.keep_wheel(&wheel.name, &wheel.bytes);
            added.push(kept.map_err(|error| Failure::usage(error.to_string()))?);
        }
        add(&file, config, added, Ecosystem::Python, output).await
    }

    /// Whether a package is among those that are to be added.
    fn names(&self, package: &Package) -> bool {
        let ends_name = |letter: char| !letter.is_ascii_alphanumeric() && !"-_.".contains(letter);
        self.packages.iter().any(|named| {
            let file = named.rsplit('/').next().unwrap_or_default();
            match WheelName::of(file) {
                Ok(wheel) => package.is_called(wheel.name()),
                Err(_) => package.is_called(named.split(ends_name).next().unwrap_or_default()),
            }
        })
    }
}
