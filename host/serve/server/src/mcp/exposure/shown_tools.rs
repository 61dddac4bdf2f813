//! What a principal's model sees of the tools without a search, for an operator.

use std::path::PathBuf;

use ampoule::Principal;
use ampoule_tools::{GrantedTools, ResolvedTool};
use serde::Serialize;

use super::direct::{name_of, unfit_names};
use super::{Exposure, Standing};
use crate::mcp::wording;
use crate::runs::tool_usage::ToolUsage;

/// What a principal's model sees of the tools without a search: tools as `server.tool`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct ShownTools {
    /// Those that are tools of their own.
    pub direct: Vec<String>,
    /// Those whose signatures are in the description of `execute_code`. The most used come after those
    /// that the configuration lists.
    pub listed: Vec<String>,
    /// How many tokens these signatures take together.
    pub tokens: usize,
    /// How many tools only a search shows, or the description names without a signature.
    pub others: usize,
}

impl ShownTools {
    /// Those of the granted tools, as far as they are known without starting a server. The folder is the
    /// one in which a server [remembers tools](crate::Server::remember_tools).
    pub fn of(
        granted: &GrantedTools,
        exposure: &Exposure,
        used: Option<PathBuf>,
        principal: Option<&Principal>,
    ) -> Self {
        let exposure = exposure.clone().among(granted);
        let hot = used.map_or_else(Vec::new, |folder| ToolUsage::new(folder).hot(principal));
        let text = wording::tools(granted, &exposure, &hot);
        let known: Vec<_> = granted
            .servers()
            .flat_map(|server| granted.known_tools_of(server).unwrap_or_default())
            .collect();
        let is_direct = |tool: &&ResolvedTool| exposure.standing(tool) == Standing::Direct;
        let unfit = unfit_names(known.iter().filter(is_direct));
        let direct = known.iter().filter(is_direct);
        let direct = direct.filter(|tool| !unfit.contains(&name_of(tool)));
        let direct: Vec<String> = direct
            .map(|tool| format!("{}.{}", tool.server(), tool.name()))
            .collect();
        Self {
            others: known.len() - direct.len() - text.signed.len(),
            direct,
            listed: text.signed,
            tokens: text.signed_tokens,
        }
    }
}
