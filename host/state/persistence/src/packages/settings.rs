//! What an operator chooses: `[python]` and `[javascript]`.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::de::Error;
use serde::{Deserialize, Deserializer};

use super::ecosystem::Ecosystem;
use super::package::{MOST_PACKAGES, Package};

/// Python: packages that scripts can import beside the standard library, which `ampoule python add`
/// writes; and numpy and pandas.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct PythonSettings {
    /// Packages of pure Python, those that others need included, each with its version and the
    /// digest of its wheel, as in pip's requirements. At most 100.
    #[serde(deserialize_with = "wheels")]
    #[schemars(with = "Vec<String>")]
    pub packages: Vec<Package>,
    /// The folder of the wheels. Default: `ampoule/packages` in the user's folder of data.
    #[serde(deserialize_with = "ampoule_fields::path")]
    pub folder: Option<PathBuf>,
    /// Whether scripts have numpy and pandas, where the guest that has them is there.
    /// Default: `true`.
    pub data: bool,
    /// The file of that guest. Default: `ampoule-python-data.wasm.zst` beside the program, or in
    /// `share/ampoule` beside the program's folder.
    #[serde(deserialize_with = "ampoule_fields::path")]
    pub data_guest: Option<PathBuf>,
}

impl Default for PythonSettings {
    fn default() -> Self {
        Self {
            packages: Vec::new(),
            folder: None,
            data: true,
            data_guest: None,
        }
    }
}

/// JavaScript and TypeScript: packages of npm that scripts can import. `ampoule javascript add` writes
/// them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct JavaScriptSettings {
    /// Packages of npm, those that others need included, each with its version and the digest of its
    /// tarball. At most 100.
    #[serde(deserialize_with = "tarballs")]
    #[schemars(with = "Vec<String>")]
    pub packages: Vec<Package>,
    /// The folder of the tarballs. Default: `ampoule/packages` in the user's folder of data.
    #[serde(deserialize_with = "ampoule_fields::path")]
    pub folder: Option<PathBuf>,
}

fn wheels<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Package>, D::Error> {
    packages(deserializer, Ecosystem::Python)
}

fn tarballs<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Package>, D::Error> {
    packages(deserializer, Ecosystem::Npm)
}

fn packages<'de, D: Deserializer<'de>>(
    deserializer: D,
    of: Ecosystem,
) -> Result<Vec<Package>, D::Error> {
    let texts: Vec<String> = ampoule_fields::texts(deserializer)?;
    if texts.len() > MOST_PACKAGES {
        let many = format!("there are more than {MOST_PACKAGES} packages");
        return Err(D::Error::custom(many));
    }
    let mut packages: Vec<Package> = Vec::new();
    for text in texts {
        let package = of.package(&text).map_err(D::Error::custom)?;
        if packages.iter().any(|other| other.name() == package.name()) {
            let twice = format!("the package `{}` is named twice", package.name());
            return Err(D::Error::custom(twice));
        }
        packages.push(package);
    }
    Ok(packages)
}
