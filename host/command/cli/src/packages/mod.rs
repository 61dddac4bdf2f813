//! Packages that scripts can import: what `ampoule python` and `ampoule javascript` share.
//!
//! - `listed`: the packages of the configuration, and whether each can be used
//! - `change`: adds packages to the configuration, and removes them
//! - `download`: programs of the user's that download packages

mod change;
pub(super) mod download;
mod listed;

use ampoule::{Ecosystem, Package};
use ampoule_config::Config;

pub(super) use change::{Rm, add, read_or_new};
pub(super) use listed::{PackageState, list, states};

/// The configured packages of one language.
fn packages_of(of: Ecosystem, config: &Config) -> &[Package] {
    match of {
        Ecosystem::Python => &config.python.packages,
        Ecosystem::Npm => &config.javascript.packages,
    }
}

fn packages_in(of: Ecosystem, config: &mut Config) -> &mut Vec<Package> {
    match of {
        Ecosystem::Python => &mut config.python.packages,
        Ecosystem::Npm => &mut config.javascript.packages,
    }
}
