//! Why something can't be done with a package.

use std::io;
use std::path::PathBuf;

use super::ecosystem::Ecosystem;
use super::folder::MOST_BYTES;
use super::package::MOST_PACKAGES;

/// Why something can't be done with a package. Displays as a sentence for the operator.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PackageError {
    /// It is not written as packages are.
    #[error(
        "this is not a package with its digest, such as `tabulate==0.9.0 --hash=sha256:…`; `ampoule python add NAME` writes it"
    )]
    Form,
    /// It is not written as packages of npm are.
    #[error(
        "this is not a package with its digest, such as `dayjs@1.11.23 --hash=sha256:…`; `ampoule javascript add NAME` writes it"
    )]
    NpmForm,
    /// A file is not named as wheels are.
    #[error("`{0}` is not named as a wheel is: NAME-VERSION-PYTHON-ABI-PLATFORM.whl")]
    FileName(String),
    /// It is compiled for a platform, or for another Python.
    #[error(
        "the wheel {file} is for `{tag}`, so it has compiled parts or is for another Python; only wheels of pure Python (`py3-none-any`) can be used"
    )]
    Compiled {
        /// The wheel's file.
        file: String,
        /// Its tag.
        tag: String,
    },
    /// A wheel, or all of them, are larger than they may be.
    #[error("{what} has {bytes} bytes; there is room for {MOST_BYTES}")]
    TooLarge {
        /// Which wheel.
        what: String,
        /// How large it is.
        bytes: u64,
    },
    /// There are more packages than there may be.
    #[error(
        "there are {0} packages with those that others need; at most {MOST_PACKAGES} can be used"
    )]
    TooMany(usize),
    /// An archive is not there.
    #[error(
        "the {archive} of {package} is not in {folder}; run `ampoule {command} add {package}` on this machine", archive = .of.archive(), command = .of.command(), folder = .folder.display()
    )]
    Missing {
        /// Where it is from.
        of: Ecosystem,
        /// Its name and version.
        package: String,
        /// Where it should be.
        folder: PathBuf,
    },
    /// An archive is not the one that was added.
    #[error(
        "the {archive} of {package} in {folder} has another digest than the configuration says; remove the file {file}, and run `ampoule {command} add {package}` again", archive = .of.archive(), command = .of.command(), folder = .folder.display()
    )]
    Altered {
        /// Where it is from.
        of: Ecosystem,
        /// Its name and version.
        package: String,
        /// Where it is.
        folder: PathBuf,
        /// Its file there.
        file: String,
    },
    /// The disk, or the folder.
    #[error("the packages' folder can't be used: {0}")]
    Disk(#[from] io::Error),
}
