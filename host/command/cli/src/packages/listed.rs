//! The configured packages, and whether each can be used.

use std::process::ExitCode;

use ampoule::{Ecosystem, Package};
use ampoule_config::Config;
use ampoule_untrusted::text;
use serde_json::{Value, json};

use super::packages_of;
use crate::exit::Failure;
use crate::output::Output;
use crate::setup::Setup;
use crate::streams;

/// Lists the packages of one language.
pub(crate) fn list(of: Ecosystem, setup: &Setup, output: Output) -> Result<ExitCode, Failure> {
    let config = setup.read()?;
    let states = states(&config, of)?;
    let out = streams::out();
    if output.as_json {
        let documents: Vec<Value> = states.iter().map(PackageState::document).collect();
        out.line(format_args!("{:#}", Value::from(documents)));
    } else {
        states
            .iter()
            .for_each(|state| out.line(out.wrapped(&state.said(), "", "  ")));
        if states.is_empty() {
            let command = of.command();
            streams::err().note(format_args!(
                "no packages; `ampoule {command} add NAME` adds one"
            ));
        }
    }
    match states.iter().all(|state| state.problem.is_none()) {
        true => Ok(ExitCode::SUCCESS),
        false => Ok(ExitCode::FAILURE),
    }
}

/// A configured package, and whether its archive can be used.
pub(crate) struct PackageState {
    package: Package,
    pub(crate) problem: Option<String>,
}

/// The state of each package of one language: its archive is read, and compared with its digest.
pub(crate) fn states(config: &Config, of: Ecosystem) -> Result<Vec<PackageState>, Failure> {
    let packages = packages_of(of, config);
    // Where there is none, no folder is needed.
    if packages.is_empty() {
        return Ok(Vec::new());
    }
    let folder = ampoule_configured::package_folder(config, of)?;
    let state = |package: &Package| PackageState {
        package: package.clone(),
        problem: folder.archive(package).err().map(|error| error.to_string()),
    };
    Ok(packages.iter().map(state).collect())
}

impl PackageState {
    /// Where it is from.
    pub(crate) fn ecosystem(&self) -> Ecosystem {
        self.package.ecosystem()
    }

    /// A line about it.
    pub(crate) fn said(&self) -> String {
        let (name, version) = (self.package.name(), self.package.version());
        match &self.problem {
            None => format!("{name} {version}"),
            Some(problem) => format!("{name} {version}: {}", text::one_line(problem)),
        }
    }

    pub(crate) fn document(&self) -> Value {
        json!({
            "name": self.package.name(),
            "version": self.package.version(),
            "sha256": self.package.digest(),
            "problem": self.problem,
        })
    }
}
