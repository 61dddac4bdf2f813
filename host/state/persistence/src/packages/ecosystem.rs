//! Where packages are from.

/// Where packages are from: their form, and the language that has them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Ecosystem {
    /// Wheels, for Python.
    Python,
    /// Tarballs of npm, for JavaScript and TypeScript.
    Npm,
}

impl Ecosystem {
    /// The command that adds its packages, and the table of the configuration that has them.
    pub fn command(self) -> &'static str {
        match self {
            Self::Python => "python",
            Self::Npm => "javascript",
        }
    }

    /// What a package's archive is called.
    pub fn archive(self) -> &'static str {
        match self {
            Self::Python => "wheel",
            Self::Npm => "tarball",
        }
    }

    /// What the name of an archive's file ends in.
    pub(super) fn ending(self) -> &'static str {
        match self {
            Self::Python => "whl",
            Self::Npm => "tgz",
        }
    }

    /// What stands between a name and its version.
    pub(super) fn between(self) -> &'static str {
        match self {
            Self::Python => "==",
            Self::Npm => "@",
        }
    }
}
