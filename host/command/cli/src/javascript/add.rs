//! `ampoule javascript add`.

use std::process::ExitCode;

use ampoule::Ecosystem;
use clap::Args;

use super::npm::Request;
use crate::changes::file;
use crate::exit::Failure;
use crate::output::Output;
use crate::packages::{add, read_or_new};
use crate::setup::Setup;

/// Downloads packages and those that they need, and adds them to ampoule.toml.
///
/// npm downloads the tarballs, and runs no script of a package. It reads your own settings, such as
/// ~/.npmrc, and prints the registry that it asks; a project's .npmrc does not count.
/// Ampoule keeps the tarballs by their digests, and imports them once in an isolate. If that fails,
/// nothing is added.
#[derive(Debug, Args)]
pub(super) struct Add {
    /// The packages, such as `dayjs` or `dayjs@1.11.23`, or files of tarballs.
    #[arg(required = true, value_name = "PACKAGE")]
    packages: Vec<String>,
}

impl Add {
    pub(super) async fn execute(self, setup: &Setup, output: Output) -> Result<ExitCode, Failure> {
        let file = file(setup)?;
        let config = read_or_new(&file)?;
        let folder = ampoule_configured::package_folder(&config, Ecosystem::Npm)?;
        let request = Request {
            packages: &self.packages,
            kept: &config.javascript.packages,
            folder: &folder,
        };
        let mut added = Vec::new();
        for tarball in request.download().await? {
            let kept = folder.keep_tarball(&tarball.name, &tarball.version, &tarball.bytes);
            added.push(kept.map_err(|error| Failure::usage(error.to_string()))?);
        }
        add(&file, config, added, Ecosystem::Npm, output).await
    }
}
