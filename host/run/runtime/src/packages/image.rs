//! A guest with packages in its memory.
//!
//! A run in an isolate of its own unpacks the packages and imports their modules: in Python by a
//! script of this crate, which compares each file with its digest, too; the JavaScript guest knows
//! how to. Nothing is granted to that run, and it has limits as any run has: a package that expands
//! without end, or a module that loops, ends there. The isolate's memory becomes the memory that
//! instances of a new component begin with, whose code is the guest's own.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

use ampoule_guests::Artifact;
use ampoule_isolate::{Check, Ending, MemoryPlace, Module, Outcome, Script, with_memory};
use ampoule_limits::Limit;
use ampoule_persistence::packages::{Ecosystem, Package, PackageFolder};
use ampoule_tools::Error;
use ampoule_untrusted::text;
use serde::Deserialize;
use serde_json::json;
use tokio::runtime::Handle;

use super::still_world::StillWorld;
use crate::data_guest::DataGuest;
use crate::guests::{GuestError, GuestKind, GuestOptions, PackagedGuest};
use crate::runtime::RuntimeBuilder;

const SCRIPT: &str = include_str!("image.py");
/// What stays in the memory: the finder of modules.
const IMPORTER: &str = include_str!("importer.py");
/// The name by which the script imports it.
const IMPORTER_NAME: &str = "ampoule_packages.py";
/// The script's name in messages.
const SCRIPT_NAME: &str = "packages.py";
/// The name of the program by which the JavaScript guest takes packages in.
const TAKES_IN: &str = "ampoule:packages";
/// What the host holds for the run that imports packages: their archives, on their way.
const HOST_BYTES: u64 = 256 << 20;

/// Which way of making the memory this is: another one makes another guest.
const MADE: &[u8] = b"1";
/// How much is shown of what the interpreter says of a package, in bytes: packages have run in it.
const MOST_SAID: usize = 1500;

/// The guest with packages, made when it is first needed.
pub(super) struct Image {
    of: Ecosystem,
    folder: PackageFolder,
    packages: Vec<Package>,
    /// What came of the import, once that is known.
    imported: Mutex<Option<ImportResult>>,
}

/// What both scripts print before they import something, with its name.
const IMPORTING: &str = "importing ";

/// The modules that could not be imported, each with the reason; or why nothing can be used. The same
/// packages fail again, so they are not tried again, unless chance was part of it.
type ImportResult = Result<Vec<String>, String>;

/// What the script says of the import.
#[derive(Deserialize)]
#[serde(untagged)]
enum ImportReport {
    Refused { refused: String, why: String },
    Imported { failures: BTreeMap<String, String> },
}

impl Image {
    pub(super) fn new(of: Ecosystem, folder: PackageFolder, packages: Vec<Package>) -> Self {
        Self {
            of,
            folder,
            packages,
            imported: Mutex::default(),
        }
    }

    fn known(&self) -> MutexGuard<'_, Option<ImportResult>> {
        self.imported.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn script(&self, archives: Vec<Vec<u8>>) -> Script {
        match self.of {
            Ecosystem::Python => self.python(archives),
            Ecosystem::Npm => {
                let script = Script::javascript("").named(TAKES_IN).check(Check::Off);
                let tarballs = self.packages.iter().zip(archives);
                tarballs.fold(script, |script, (package, tarball)| {
                    script.module(package.pinned(), Module::Bytes(tarball))
                })
            }
        }
    }

    fn python(&self, wheels: Vec<Vec<u8>>) -> Script {
        let about = |package: &Package| {
            json!({
                "name": package.name(),
                "version": package.version(),
                "file": package.digest(),
            })
        };
        let about: Vec<_> = self.packages.iter().map(about).collect();
        let script = Script::python(SCRIPT)
            .named(SCRIPT_NAME)
            .check(Check::Off)
            .env("packages", about)
            .module(IMPORTER_NAME, Module::Source(IMPORTER.to_owned()));
        let wheels = self.packages.iter().zip(wheels);
        wheels.fold(script, |script, (package, wheel)| {
            script.module(package.digest(), Module::Bytes(wheel))
        })
    }

    /// What the run could not import; or why it came to no end that can be used.
    fn report(&self, outcome: &Outcome) -> ImportResult {
        let why = match &outcome.ending {
            Ending::Returned(Some(value)) => match serde_json::from_str(value.get()) {
                Ok(ImportReport::Imported { failures }) => {
                    let failures = failures.iter();
                    return Ok(failures
                        .map(|(module, why)| not_imported(module, why))
                        .collect());
                }
                Ok(ImportReport::Refused { refused, why })
                    if self.packages.iter().any(|it| it.name() == refused) =>
                {
                    return Err(format!(
                        "the package `{refused}` can't be used: {}; if ampoule.toml has it, remove it: `ampoule {} rm {refused}`",
                        said(&why),
                        self.of.command()
                    ));
                }
                _ => "the interpreter did not say what it imported".to_owned(),
            },
            Ending::Limit(hit) => hit.to_string(),
            Ending::Threw(thrown) => format!("{}: {}", thrown.name, thrown.message),
            other => other.name().to_owned(),
        };
        let names: Vec<&str> = self.packages.iter().map(Package::name).collect();
        let mut message = format!(
            "the packages {} can't be imported: {}",
            names.join(", "),
            said(&why)
        );
        let lines = outcome.output.lines().iter().rev();
        let mut lines = lines.filter_map(|line| line.text.trim_end().strip_prefix(IMPORTING));
        if let Some(module) = lines.next() {
            message += &format!("; the import of `{}` was under way", said(module));
        }
        Err(message)
    }
}

impl PackagedGuest for Image {
    fn packages(&self) -> &[Package] {
        &self.packages
    }

    fn name(&self, of: &Artifact) -> String {
        let mut name = blake3::Hasher::new();
        let parts: &[&[u8]] = match self.of {
            Ecosystem::Python => &[of.identity(), SCRIPT.as_bytes(), IMPORTER.as_bytes()],
            Ecosystem::Npm => &[of.identity()],
        };
        for part in [MADE].iter().chain(parts) {
            name.update(blake3::hash(part).as_bytes());
        }
        for package in &self.packages {
            name.update(package.to_string().as_bytes());
            name.update(b"\n");
        }
        name.finalize().to_hex().to_string()
    }

    fn component(&self, of: &Artifact, options: &GuestOptions) -> Result<Vec<u8>, GuestError> {
        if let Some(Err(why)) = &*self.known() {
            return Err(unusable(why));
        }
        let archives = self.folder.archives(&self.packages).map_err(unusable)?;
        let place = MemoryPlace::default();
        let running = run(self.script(archives), of, place.clone(), options);
        let outcome = Handle::current().block_on(running);
        let outcome = outcome.map_err(unusable)?;
        let imported = self.report(&outcome);
        if ends_so_again(&outcome.ending) {
            *self.known() = Some(imported.clone());
        }
        imported.map_err(unusable)?;
        let memory = place.take();
        let memory = memory.ok_or_else(|| unusable("the memory with the packages is gone"))?;
        with_memory(&of.component()?, &memory).map_err(unusable)
    }

    fn failures(&self, of: &Artifact, options: &GuestOptions) -> Result<Vec<String>, GuestError> {
        if self.known().is_none() {
            self.component(of, options)?;
        }
        let imported = self.known().clone();
        let imported = imported.ok_or_else(|| unusable("it is not known what was imported"))?;
        imported.map_err(unusable)
    }
}

/// Runs the script in a guest, and in a runtime that has nothing else.
async fn run(
    script: Script,
    of: &Artifact,
    place: MemoryPlace,
    options: &GuestOptions,
) -> Result<Outcome, Error> {
    let mut limits = options.limits;
    limits.host_bytes = limits.host_bytes.max(HOST_BYTES);
    let builder = RuntimeBuilder::default()
        .code_cache(options.code_cache.clone())
        .portable_code(options.portable_code)
        .limits(limits)
        .ceilings(limits)
        .isolates(1);
    let (kind, builder) = match of {
        Artifact::Embedded(_) => (script.language().into(), builder),
        Artifact::File(file) => {
            let guest = DataGuest::of(file.clone());
            (GuestKind::PythonData, builder.python_data(guest))
        }
    };
    let isolate = builder.build()?.isolate(script).world(StillWorld);
    isolate.in_guest(kind).leaving_memory(place).run().await
}

/// Whether the same run would end in the same way: what depends on the clock, or on somebody who stops
/// it, need not.
fn ends_so_again(ending: &Ending) -> bool {
    match ending {
        Ending::Limit(hit) => hit.limit != Limit::WallTime,
        Ending::Cancelled | Ending::Interrupted(_) => false,
        _ => true,
    }
}

fn not_imported(module: &str, why: &str) -> String {
    format!("`{}` can't be imported: {}", said(module), said(why))
}

/// What the interpreter says, on one line that is not too long.
fn said(text: &str) -> Cow<'_, str> {
    text::one_line(&text[..text.floor_char_boundary(MOST_SAID)])
}

fn unusable(why: impl fmt::Display) -> GuestError {
    GuestError::Packages(why.to_string())
}

#[cfg(test)]
mod tests {
    use ampoule_limits::LimitError;

    use super::*;

    #[test]
    fn an_import_that_the_clock_or_somebody_ended_is_tried_again() {
        let hit = |limit| {
            Ending::Limit(LimitError {
                limit,
                used: 2,
                allowed: 1,
            })
        };
        assert!(ends_so_again(&hit(Limit::Fuel)) && ends_so_again(&hit(Limit::Memory)));
        assert!(ends_so_again(&Ending::Returned(None)));
        assert!(!ends_so_again(&hit(Limit::WallTime)));
        assert!(!ends_so_again(&Ending::Cancelled));
    }
}
