//! From the configuration to the parts of a runtime, the same for the command and for other
//! languages.
//!
//! - `servers`: servers as bindings; `accounts`: the default account of one; `undo`: what takes calls back; `apis`: HTTP APIs; `disabled`: servers with faulty entries
//! - `sign_ins`: sign-ins to servers; `per_principal`: servers to which each principal signs in
//! - `component_tools`: components that are tools
//! - `lasting`: what is stored of runs, and for runs; `outbound`: HTTP requests of scripts;
//!   `search`: the model of searches; `packages`: packages of pip and npm, numpy and pandas
//! - [`governed`]: the checks between a grant and a call

// Connections of principals are made by futures within futures, deeper than the compiler looks by default.
#![recursion_limit = "256"]

mod accounts;
mod apis;
mod component_tools;
mod disabled;
pub mod governed;
mod lasting;
mod outbound;
mod packages;
mod per_principal;
mod search;
mod servers;
mod sign_ins;
mod undo;

use std::path::PathBuf;
use std::sync::Arc;

use ampoule::{Binding, Check, Limits, RuntimeBuilder, cache_folder};
use ampoule_config::Config;

pub use ampoule_openapi::{ApiStatus, missing_credentials};
use disabled::DisabledServer;
pub use lasting::workspaces;
pub use packages::{data_guest, package_folder};
pub use per_principal::Principals;
pub use search::model;
pub use servers::{
    Server, exchanges_tokens, has_sign_in, is_per_principal, server, watched_server,
};
pub use sign_ins::{sign_in, sign_in_of, signed_in, signed_in_of, store_of_principals};

/// Why a configuration can't be used. Displays as a sentence.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    /// Its text is wrong. The sentence names the key.
    #[error("{0}")]
    Configuration(String),
    /// The host is at fault: a folder, a disk.
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

/// Sets up the configuration in a runtime, except [servers] and [governance](governed): limits,
/// stored things, HTTP requests.
///
/// # Errors
///
/// [`SetupError`] if a folder or a rule can't be used.
pub fn given(builder: RuntimeBuilder, config: &Config) -> Result<RuntimeBuilder, SetupError> {
    let mut builder = interpreters(builder, config)?;
    builder = lasting::given(builder, config)?;
    builder = outbound::given(builder, config)?;
    builder = search::given(builder, config);
    builder = component_tools::given(builder, config);
    if let Some(most) = config.isolates {
        builder = builder.isolates(most.get());
    }
    if let Some(wait) = config.slot_wait {
        builder = builder.slot_wait(wait);
    }
    if !config.runs.check {
        builder = builder.check(Check::Off);
    }
    Ok(builder)
}

/// Sets up what interpreters depend on: limits, packages, numpy and pandas. Nothing else is opened.
///
/// # Errors
///
/// [`SetupError`] if there is no folder for packages.
pub fn interpreters(
    builder: RuntimeBuilder,
    config: &Config,
) -> Result<RuntimeBuilder, SetupError> {
    let builder = builder
        .ceilings(config.ceilings.over(Limits::default_ceilings()))
        .limits(config.limits.over(Limits::default()));
    packages::given(builder, config)
}

/// Where what is known of servers is kept between processes.
pub fn cache_of_servers() -> Option<PathBuf> {
    Some(cache_folder()?.join("servers"))
}

/// The configured servers. None of them is started yet; a server with a faulty entry keeps its
/// place, and reports the problem.
pub fn servers(config: &Config) -> Vec<Arc<dyn Binding>> {
    servers_for(config, None)
}

/// The same. Where there are principals, each of them signs in to servers by themselves, except
/// where the configuration says that all share one account.
pub fn servers_for(config: &Config, principals: Option<&Principals>) -> Vec<Arc<dyn Binding>> {
    let cache = cache_of_servers();
    let servers = config.servers.iter();
    let servers = servers.map(|(name, server)| {
        servers::binding(name.clone(), server.clone(), cache.clone(), principals)
    });
    let disabled = DisabledServer::all(&config.disabled).into_iter();
    let disabled = disabled.map(|one| Arc::new(one) as Arc<dyn Binding>);
    servers.chain(disabled).collect()
}
