//! From the configuration to what a runtime is made of, the same for the command and for other
//! languages.
//!
//! - `servers`: servers as upstreams; `disabled`: those whose entries are faulty
//! - `lasting`: what is kept of runs, and for them; `outbound`: HTTP requests of scripts

mod disabled;
mod lasting;
mod outbound;
mod servers;

use ampoule::{Limits, RuntimeBuilder, cache_folder};
use ampoule_config::Config;

use disabled::Disabled;
pub use servers::{sign_in, signed_in, tls, upstream};

/// What is configured, and can't be used. Displays as a sentence that names the key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Unusable(String);

impl Unusable {
    fn new(why: impl Into<String>) -> Self {
        Self(why.into())
    }
}

/// Gives a runtime all that is configured of it: limits, what is kept, HTTP requests, servers. None
/// of them is started yet. One whose entry is faulty has its place, and says there what is wrong.
///
/// # Errors
///
/// [`Unusable`] if a folder or a rule can't be used.
pub fn given(builder: RuntimeBuilder, config: &Config) -> Result<RuntimeBuilder, Unusable> {
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
    Ok(given_servers(builder, config))
}

/// Gives a runtime the servers that are configured, and no more.
pub fn given_servers(builder: RuntimeBuilder, config: &Config) -> RuntimeBuilder {
    let cache = cache_folder().map(|folder| folder.join("servers"));
    let servers = config.servers.iter();
    let bindings =
        servers.map(|(name, server)| servers::binding(name.clone(), server.clone(), cache.clone()));
    let builder = bindings.fold(builder, |builder, binding| builder.binding(binding));
    let disabled = Disabled::all(&config.disabled).into_iter();
    disabled.fold(builder, |builder, disabled| builder.binding(disabled))
}
