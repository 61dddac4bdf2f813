//! The wheels and tarballs that are kept.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use ampoule_store::folder::{OTHERS_WRITE, PrivateFolder};
use ring::digest::{SHA256, digest};

use super::error::PackageError;
use super::package::{MOST_PACKAGES, Package};
use super::wheel_name::WheelName;

/// How large all archives of a configuration may be together, in bytes.
pub const MOST_BYTES: u64 = 64 << 20;

/// A folder of wheels, and of npm's tarballs, that only its owner can write. It is made when one is
/// kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackageFolder(PathBuf);

impl PackageFolder {
    /// The archives of this folder.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self(folder.into())
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Keeps a wheel under its digest.
    ///
    /// # Errors
    ///
    /// It is too large, or the folder can't be written.
    pub fn keep_wheel(&self, wheel: &WheelName, bytes: &[u8]) -> Result<Package, PackageError> {
        fits(wheel.name(), bytes.len() as u64)?;
        let package = Package::new(wheel.name(), wheel.version(), &sha256(bytes))?;
        self.put(package, bytes)
    }

    /// Keeps a tarball of npm under its digest.
    ///
    /// # Errors
    ///
    /// As for [`keep_wheel`](Self::keep_wheel); or name or version are not what they must be.
    pub fn keep_tarball(
        &self,
        name: &str,
        version: &str,
        bytes: &[u8],
    ) -> Result<Package, PackageError> {
        fits(name, bytes.len() as u64)?;
        self.put(Package::npm(name, version, &sha256(bytes))?, bytes)
    }

    /// Refuses more packages than there may be.
    ///
    /// # Errors
    ///
    /// [`PackageError::TooMany`].
    pub fn check_number(packages: usize) -> Result<(), PackageError> {
        match packages > MOST_PACKAGES {
            true => Err(PackageError::TooMany(packages)),
            false => Ok(()),
        }
    }

    /// Reads files that were downloaded, to be kept.
    ///
    /// # Errors
    ///
    /// They are too large together, or the disk's.
    pub fn read(files: &[PathBuf]) -> Result<Vec<Vec<u8>>, PackageError> {
        let mut total = 0;
        let read = files.iter().map(|file| {
            let mut bytes = Vec::new();
            let file = fs::File::open(file)?;
            file.take(MOST_BYTES + 1 - total).read_to_end(&mut bytes)?;
            total += bytes.len() as u64;
            fits("all packages together", total).map(|()| bytes)
        });
        read.collect()
    }

    fn put(&self, package: Package, bytes: &[u8]) -> Result<Package, PackageError> {
        let folder = PrivateFolder::open(&self.0, OTHERS_WRITE)?;
        let name = file_of(&package);
        folder.draft(&name, || {})?.keep(&name, bytes)?;
        Ok(package)
    }

    /// The wheel or tarball of a package: the very bytes whose digest the package has.
    ///
    /// # Errors
    ///
    /// [`PackageError::Missing`], [`PackageError::Altered`], or the disk's.
    pub fn archive(&self, package: &Package) -> Result<Vec<u8>, PackageError> {
        let missing = |error: io::Error| match error.kind() {
            io::ErrorKind::NotFound => PackageError::Missing {
                of: package.ecosystem(),
                package: package.pinned(),
                folder: self.0.clone(),
            },
            _ => PackageError::Disk(error),
        };
        if !self.0.exists() {
            return Err(missing(io::ErrorKind::NotFound.into()));
        }
        let folder = PrivateFolder::open(&self.0, OTHERS_WRITE)?;
        let file = folder.file(&file_of(package)).map_err(missing)?;
        let mut bytes = Vec::new();
        file.take(MOST_BYTES + 1).read_to_end(&mut bytes)?;
        match sha256(&bytes) == package.digest() {
            true => Ok(bytes),
            false => Err(PackageError::Altered {
                of: package.ecosystem(),
                package: package.pinned(),
                folder: self.0.clone(),
                file: file_of(package),
            }),
        }
    }

    /// The wheels or tarballs of packages, in their order.
    ///
    /// # Errors
    ///
    /// As for [`archive`](Self::archive); or they are too many, or too large together.
    pub fn archives(&self, packages: &[Package]) -> Result<Vec<Vec<u8>>, PackageError> {
        Self::check_number(packages.len())?;
        let mut total = 0;
        let read = packages.iter().map(|package| {
            let archive = self.archive(package)?;
            total += archive.len() as u64;
            fits("all packages together", total).map(|()| archive)
        });
        read.collect()
    }
}

fn fits(what: &str, bytes: u64) -> Result<(), PackageError> {
    match bytes > MOST_BYTES {
        true => Err(PackageError::TooLarge {
            what: what.to_owned(),
            bytes,
        }),
        false => Ok(()),
    }
}

fn file_of(package: &Package) -> String {
    format!("{}.{}", package.digest(), package.ecosystem().ending())
}

fn sha256(bytes: &[u8]) -> String {
    let digest = digest(&SHA256, bytes);
    digest
        .as_ref()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}
