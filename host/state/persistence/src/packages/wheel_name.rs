//! What a wheel's file name tells.

use super::error::PackageError;
use super::package::{is_version, normalized};

/// A wheel of pure Python, by the name of its file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WheelName {
    name: String,
    version: String,
}

impl WheelName {
    /// Reads the name of a wheel's file.
    ///
    /// # Errors
    ///
    /// [`PackageError::FileName`], or [`PackageError::Compiled`] if it is not of pure Python 3.
    pub fn of(file: &str) -> Result<Self, PackageError> {
        let wrong = || PackageError::FileName(file.chars().take(200).collect());
        let stem = file.strip_suffix(".whl").ok_or_else(wrong)?;
        let parts: Vec<&str> = stem.split('-').collect();
        let (name, version, [python, abi, platform]) = match parts[..] {
            [name, version, python, abi, platform] => (name, version, [python, abi, platform]),
            // With the number of a build.
            [name, version, _, python, abi, platform] => (name, version, [python, abi, platform]),
            _ => return Err(wrong()),
        };
        let name = normalized(name).filter(|_| is_version(version));
        let name = name.ok_or_else(wrong)?;
        let is_pure =
            python.split('.').any(|tag| tag == "py3") && abi == "none" && platform == "any";
        match is_pure {
            true => Ok(Self {
                name,
                version: version.to_owned(),
            }),
            false => Err(PackageError::Compiled {
                file: file.to_owned(),
                tag: format!("{python}-{abi}-{platform}"),
            }),
        }
    }

    /// The package's name, as indexes of packages compare names.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its version.
    pub fn version(&self) -> &str {
        &self.version
    }
}
