//! Files of Cedar: `[policies]`.

use std::path::PathBuf;

use super::Keys;
use crate::ConfigError;
use crate::keys::governance::POLICIES;
use crate::read::Table;
use crate::server::{self, Surroundings};

/// Files of Cedar. The default is the folder `policies` beside the configuration, if there is one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PoliciesConfig {
    /// `folder`: where they are.
    pub folder: Option<PathBuf>,
    /// `fallback`: whether what no policy permits is allowed, if that is said.
    pub allow_by_default: Option<bool>,
}

pub(super) fn read(
    table: &Table<'_>,
    around: Surroundings<'_>,
) -> Result<PoliciesConfig, ConfigError> {
    let mut keys = Keys::only(table, POLICIES);
    let config = PoliciesConfig {
        folder: keys.find("folder", |folder| server::path(folder, around)),
        allow_by_default: keys.find("fallback", |it| {
            it.choice(&[("allow", true), ("deny", false)])
        }),
    };
    keys.done(config)
}
