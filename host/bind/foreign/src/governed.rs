//! What governs the runs of a runtime, as its configuration says.

use std::sync::Arc;

use ampoule::Binding;
use ampoule_config::Config;
use ampoule_configured::SetupError;
use ampoule_configured::governed::{Channels, Governed, Runs, apart, governed, known};

use crate::{FolderOptions, RuntimeOptions};

/// What a configuration says of who may do what; none if nothing. This program asks nobody itself.
/// Must be called within a Tokio runtime.
pub(crate) fn of(
    options: &RuntimeOptions,
    config: &Config,
    servers: &[Arc<dyn Binding>],
) -> Result<Option<Governed>, SetupError> {
    // Those of the configuration are looked at where the rest is.
    for (name, FolderOptions { path, writable }) in &options.folders {
        apart(config, path, &format!("folders.{name}"), *writable)?;
    }
    if let Some(folder) = &options.workspaces {
        apart(config, folder, "workspaces", true)?;
    }
    let asked = |_: &_| Ok::<_, SetupError>(Channels::default());
    governed(config, known(config, servers), Runs::OfProgram, asked)
}
