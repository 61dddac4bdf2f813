//! The packages that scripts can import, and the guest of Python with numpy and pandas.

use std::path::{Path, PathBuf};

use ampoule::{DataGuest, Ecosystem, PackageFolder, RuntimeBuilder};
use ampoule_config::Config;

use super::SetupError;
use super::lasting::{nowhere, placed};

/// Where wheels and tarballs are, in the user's folder of data.
const PACKAGES: &str = "packages";

/// The folder of the configured packages' wheels, or tarballs.
///
/// # Errors
///
/// [`SetupError`] if no folder is configured, and the user has none for data.
pub fn package_folder(config: &Config, of: Ecosystem) -> Result<PackageFolder, SetupError> {
    let named = match of {
        Ecosystem::Python => &config.python.folder,
        Ecosystem::Npm => &config.javascript.folder,
    };
    let folder = placed(named, PACKAGES);
    folder
        .map(PackageFolder::new)
        .ok_or_else(|| nowhere(of.command()))
}

/// Sets up the configured packages in a runtime.
pub(super) fn given(
    builder: RuntimeBuilder,
    config: &Config,
) -> Result<RuntimeBuilder, SetupError> {
    let mut builder = with_data(builder, config);
    let (python, npm) = (&config.python.packages, &config.javascript.packages);
    if !python.is_empty() {
        builder =
            builder.python_packages(package_folder(config, Ecosystem::Python)?, python.clone());
    }
    if !npm.is_empty() {
        builder = builder.javascript_packages(package_folder(config, Ecosystem::Npm)?, npm.clone());
    }
    Ok(builder)
}

/// The guest with numpy and pandas, if there is one: its file is configured, or beside the program.
///
/// # Errors
///
/// [`SetupError`] if there is such a file, and it can't be used.
pub fn data_guest(config: &Config) -> Result<Option<DataGuest>, SetupError> {
    let python = &config.python;
    let path: Option<PathBuf> = match (&python.data_guest, python.data) {
        (_, false) => None,
        (Some(path), true) => Some(path.clone()),
        (None, true) => DataGuest::beside_the_program(),
    };
    path.as_deref().map(open).transpose()
}

fn open(path: &Path) -> Result<DataGuest, SetupError> {
    let problem =
        |error| SetupError::new(format!("python.data-guest: {}: {error}", path.display()));
    DataGuest::open(path).map_err(problem)
}

/// Sets it up in a runtime. Without one that can be used, scripts have neither: it restricts nothing.
fn with_data(builder: RuntimeBuilder, config: &Config) -> RuntimeBuilder {
    match data_guest(config) {
        Ok(Some(guest)) => builder.python_data(guest),
        Ok(None) => builder,
        Err(error) => {
            tracing::warn!(%error, "scripts have neither numpy nor pandas");
            builder
        }
    }
}
