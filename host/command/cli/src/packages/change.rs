//! Packages in `ampoule.toml`: added, and removed.

use std::path::Path;
use std::process::ExitCode;

use ampoule::{Ecosystem, GuestKind, Language, Package, Runtime};
use ampoule_config::Config;
use ampoule_config::edit::{self, Edit};
use ampoule_untrusted::text;
use clap::Args;

use super::{packages_in, packages_of};
use crate::changes::{file, make, read};
use crate::exit::Failure;
use crate::output::Output;
use crate::setup::{self, Setup};
use crate::stop_signal::{self, Cancellation};
use crate::streams;

/// Removes packages from ampoule.toml.
///
/// Packages that only the removed ones needed stay: name them, too.
#[derive(Debug, Args)]
pub(crate) struct Rm {
    /// The packages' names.
    #[arg(required = true, value_name = "PACKAGE")]
    packages: Vec<String>,
}

impl Rm {
    pub(crate) async fn execute(
        self,
        setup: &Setup,
        of: Ecosystem,
        output: Output,
    ) -> Result<ExitCode, Failure> {
        let names = &self.packages;
        let file = file(setup)?;
        let config = read(&file)?;
        let before = packages_of(of, &config);
        for name in names {
            if !before.iter().any(|package| package.is_called(name)) {
                return Err(Failure::usage(format!(
                    "unknown package `{}`: `ampoule {}` lists those of the configuration",
                    text::one_line(name),
                    of.command()
                )));
            }
        }
        let mut left = config.clone();
        let goes = |package: &Package| names.iter().any(|name| package.is_called(name));
        packages_in(of, &mut left).retain(|package| !goes(package));
        if let Err(failure) = try_out(&left, of).await {
            // Where the packages can't be imported as they are, taking some out is how that is fixed.
            match try_out(&config, of).await {
                Ok(()) => return Err(failure),
                Err(_) => failure.warn(),
            }
        }
        make(&edit_of(&file, before, &left, of)?, output)
    }
}

/// Adds packages to the configuration that was read, once they can be imported.
pub(crate) async fn add(
    file: &Path,
    config: Config,
    added: Vec<Package>,
    of: Ecosystem,
    output: Output,
) -> Result<ExitCode, Failure> {
    let mut changed = config.clone();
    let before = packages_of(of, &config);
    *packages_in(of, &mut changed) = merged(before, added)?;
    try_out(&changed, of).await?;
    make(&edit_of(file, before, &changed, of)?, output)
}

/// The configuration to add packages to: that of the file, if it is there.
pub(crate) fn read_or_new(file: &Path) -> Result<Config, Failure> {
    match file.exists() {
        true => read(file),
        false => Ok(Config::default()),
    }
}

/// The packages that were there with those that are added, which come in place of others of their
/// names.
fn merged(before: &[Package], added: Vec<Package>) -> Result<Vec<Package>, Failure> {
    let differs = |new: &&Package| {
        let mut old = before.iter().filter(|old| old.pinned() == new.pinned());
        old.any(|old| old.digest() != new.digest())
    };
    if let Some(new) = added.iter().find(differs) {
        let of = new.ecosystem();
        return Err(Failure::usage(format!(
            "the {} of {} has another digest than ampoule.toml says; to use the new one, remove the package first: `ampoule {} rm {}`",
            of.archive(),
            new.pinned(),
            of.command(),
            new.name()
        )));
    }
    let stays = |old: &&Package| added.iter().all(|new| new.name() != old.name());
    let mut packages: Vec<Package> = before.iter().filter(stays).cloned().collect();
    packages.extend(added);
    packages.sort();
    Ok(packages)
}

/// The edit that writes the packages of one language, unless they are others by now than `before`.
fn edit_of(
    file: &Path,
    before: &[Package],
    config: &Config,
    of: Ecosystem,
) -> Result<Edit, Failure> {
    // The edit is of what the file has by now, and is made only while that is so.
    let edit = edit::set_packages(file, of, packages_of(of, config));
    let edit = edit.map_err(Failure::usage)?;
    if packages_of(of, &read_or_new(file)?) != before {
        return Err(Failure::usage(format!(
            "the packages in {} have changed meanwhile: run the command again",
            file.display()
        )));
    }
    Ok(edit)
}

/// Imports the packages that a configuration has of one language, and compiles its interpreter with
/// them.
async fn try_out(config: &Config, of: Ecosystem) -> Result<(), Failure> {
    if packages_of(of, config).is_empty() {
        return Ok(());
    }
    let runtime = ampoule_configured::interpreters(setup::builder(), config)?.build()?;
    let trying = imported(runtime.clone(), of);
    let tried = stop_signal::until_stopped(runtime, Cancellation::default(), trying).await;
    match tried {
        Ok(tried) => tried,
        Err(_) => Err(Failure::usage("stopped; nothing was changed")),
    }
}

async fn imported(runtime: Runtime, of: Ecosystem) -> Result<(), Failure> {
    let language = match of {
        Ecosystem::Python => Language::Python,
        Ecosystem::Npm => Language::JavaScript,
    };
    let mut told: Vec<String> = Vec::new();
    // Each guest of the language imports them by itself, and may have other modules.
    for guest in guests(&runtime, language) {
        let waiting = streams::err().waiting();
        waiting.compiling(format_args!("{guest} with its packages"));
        let warmed = runtime.warm(guest).await;
        drop(waiting);
        warmed?;
        for failure in runtime.try_packages(guest).await? {
            if !told.contains(&failure) {
                streams::err().warning(&failure);
                told.push(failure);
            }
        }
    }
    Ok(())
}

/// The guests of a language that a runtime has.
fn guests(runtime: &Runtime, language: Language) -> Vec<GuestKind> {
    let of_language = |guest: &GuestKind| guest.interpreter() == language.interpreter();
    runtime.guest_kinds().filter(of_language).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_bytes_of_the_same_version_do_not_take_the_place_of_what_was_added() {
        let package = |version, digit: &str| Package::new("one", version, &digit.repeat(64));
        let package = |version, digit| package(version, digit).unwrap();
        let before = [package("1", "0")];
        let same = merged(&before, vec![package("1", "0")]).unwrap();
        assert_eq!(same, before);
        let newer = merged(&before, vec![package("2", "1")]).unwrap();
        assert_eq!(newer, [package("2", "1")]);
        let other = merged(&before, vec![package("1", "1")]).unwrap_err();
        assert!(other.message().contains("another digest"), "{other:?}");
    }

    #[test]
    fn packages_that_have_changed_meanwhile_stay() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("ampoule.toml");
        let package = |name| Package::new(name, "1", &"0".repeat(64)).unwrap();
        let mut config = Config::default();
        config.python.packages = vec![package("one")];
        let change = |before: &[Package], config: &Config| {
            let edit = edit_of(&file, before, config, Ecosystem::Python)?;
            make(&edit, Output::default())
        };
        change(&[], &config).unwrap();
        let before = std::fs::read_to_string(&file).unwrap();
        config.python.packages = vec![package("two")];
        change(&[], &config).unwrap_err();
        assert_eq!(std::fs::read_to_string(&file).unwrap(), before);
        change(&[package("one")], &config).unwrap();
        assert_ne!(std::fs::read_to_string(&file).unwrap(), before);
    }
}
