//! Toolkits: the option `--toolkit`, and toolkits as the server takes them.

use std::collections::BTreeMap;

use ampoule::{Grant, GrantedTools, Toolkit};
use ampoule_config::{ToolkitConfig, Toolkits, toolkit_of};
use ampoule_server::{Exposure, Server};
use ampoule_untrusted::text::one_line;
use clap::Args;
use tokio::sync::watch;

use super::exit::Failure;
use super::setup::exposure;
use super::streams;

/// The toolkit that narrows a command's tools.
#[derive(Debug, Default, Clone, Args)]
pub(super) struct ToolkitOption {
    /// The toolkit that narrows the tools, by its name in `[toolkits]`. Default: none.
    #[arg(long, value_name = "NAME", global = true)]
    toolkit: Option<String>,
}

impl ToolkitOption {
    /// Its name, and what is configured of it, if one is chosen.
    pub(super) fn chosen<'t>(
        &'t self,
        toolkits: &'t Toolkits,
    ) -> Result<Option<(&'t str, &'t ToolkitConfig)>, Failure> {
        let Some(name) = self.toolkit.as_deref() else {
            return Ok(None);
        };
        let found = toolkit_of(toolkits, name);
        let found =
            found.map_err(|why| Failure::usage(format!("--toolkit {}: {why}", one_line(name))))?;
        Ok(Some((name, found)))
    }

    /// A grant as far as the chosen toolkit has it.
    pub(super) fn narrow(&self, grant: Grant, toolkits: &Toolkits) -> Result<Grant, Failure> {
        Ok(match self.chosen(toolkits)? {
            Some((name, toolkit)) => grant.within(Toolkit::new(name, toolkit.tools.clone())),
            None => grant,
        })
    }
}

/// Warns of the patterns of a toolkit that match no tool.
pub(super) fn warn_of_idle(tools: &GrantedTools) {
    let name = tools.toolkit().map_or("", |name| name);
    for idle in tools.idle_toolkit_patterns() {
        streams::err().warning(format!("[toolkits.{name}] tools: {}", idle.message));
    }
}

/// Toolkits as the server takes them. `usual`: how tools are shown where a toolkit says nothing else.
pub(super) fn offered(
    toolkits: Toolkits,
    usual: &Exposure,
) -> BTreeMap<String, ampoule_server::Toolkit> {
    let toolkits = toolkits.into_iter();
    toolkits
        .map(|(name, toolkit)| (name.to_string(), of_server(toolkit, usual)))
        .collect()
}

/// One of them.
pub(super) fn of_server(toolkit: ToolkitConfig, usual: &Exposure) -> ampoule_server::Toolkit {
    let ToolkitConfig {
        tools,
        description,
        exposure: own,
    } = toolkit;
    ampoule_server::Toolkit {
        tools,
        description,
        lists_used: own.as_ref().is_none_or(|own| own.hot.unwrap_or(true)),
        exposure: own.map_or_else(|| usual.clone(), exposure),
    }
}

/// Gives the server the toolkits of the configuration whenever they change.
pub(super) async fn reload(
    server: Server,
    mut toolkits: watch::Receiver<Toolkits>,
    usual: Exposure,
) {
    while toolkits.changed().await.is_ok() {
        let now = toolkits.borrow_and_update().clone();
        if let Err(error) = server.set_toolkits(offered(now, &usual)) {
            tracing::error!(%error, "the changed toolkits can't be used; the old ones stay");
        }
    }
}
