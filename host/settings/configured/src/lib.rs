//! From the configuration to what a runtime is made of, the same for the command and for other
//! languages.
//!
//! - `servers`: servers as upstreams; `disabled`: those whose entries are faulty
//! - `lasting`: what is kept of runs, and for them; `outbound`: HTTP requests of scripts
//! - [`governed`]: what stands between a grant and a call

mod disabled;
pub mod governed;
mod lasting;
mod outbound;
mod servers;

use std::sync::Arc;

use ampoule::{Binding, Limits, RuntimeBuilder, cache_folder};
use ampoule_config::Config;

use disabled::Disabled;
pub use lasting::workspaces;
pub use servers::{sign_in, signed_in, upstream};

/// What is configured can't be used. Displays as a sentence.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    /// As it is written. The sentence names the key.
    #[error("{0}")]
    Configuration(String),
    /// As the host is: a folder, a disk.
    #[error(transparent)]
    Host(Box<dyn std::error::Error + Send + Sync>),
}

impl SetupError {
    fn new(why: impl Into<String>) -> Self {
        Self::Configuration(why.into())
    }

    fn host(why: impl std::error::Error + Send + Sync + 'static) -> Self {
        Self::Host(Box::new(why))
    }
}

/// Gives a runtime what is configured of it, but for the [servers] and for what [governs](governed) calls: limits,
/// what is kept, HTTP requests.
///
/// # Errors
///
/// [`SetupError`] if a folder or a rule can't be used.
pub fn given(builder: RuntimeBuilder, config: &Config) -> Result<RuntimeBuilder, SetupError> {
    let mut builder = builder
        .ceilings(config.ceilings.over(Limits::default_ceilings()))
        .limits(config.limits.over(Limits::default()));
    builder = lasting::given(builder, config)?;
    builder = outbound::given(builder, config)?;
    if let Some(most) = config.isolates {
        builder = builder.isolates(most.get());
    }
    if let Some(wait) = config.slot_wait {
        builder = builder.slot_wait(wait);
    }
    Ok(builder)
}

/// The servers that are configured. None of them is started yet; one whose entry is faulty has its
/// place, and says there what is wrong.
pub fn servers(config: &Config) -> Vec<Arc<dyn Binding>> {
    let cache = cache_folder().map(|folder| folder.join("servers"));
    let servers = config.servers.iter();
    let servers =
        servers.map(|(name, server)| servers::binding(name.clone(), server.clone(), cache.clone()));
    let disabled = Disabled::all(&config.disabled).into_iter();
    let disabled = disabled.map(|one| Arc::new(one) as Arc<dyn Binding>);
    servers.chain(disabled).collect()
}
