//! Governance of a runtime's runs, from its configuration.

use std::sync::Arc;

use ampoule::Binding;
use ampoule_config::Config;
use ampoule_configured::SetupError;
use ampoule_configured::governed::{Channels, GovernanceSetup, Runs, apart, governed, known};

use crate::{FolderOptions, RuntimeOptions};

/// The governance of a configuration; none if it has none. This program itself asks for no
/// approvals. Must be called within a Tokio runtime.
pub(crate) fn of(
    options: &RuntimeOptions,
    config: &Config,
    servers: &[Arc<dyn Binding>],
) -> Result<Option<GovernanceSetup>, SetupError> {
    // The configuration's servers are checked with the rest.
    for (name, FolderOptions { path, writable }) in &options.folders {
        apart(config, path, &format!("folders.{name}"), *writable)?;
    }
    if let Some(folder) = &options.workspaces {
        apart(config, folder, "workspaces", true)?;
    }
    let asked = |_: &_| Ok::<_, SetupError>(Channels::default());
    governed(config, known(config, servers), Runs::OfProgram, asked)
}
