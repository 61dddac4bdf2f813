//! How tools are shown to the models of clients of `ampoule serve`: `[exposure]`.

use std::num::NonZeroU32;

use ampoule_fields::Quantity;
use ampoule_projection::names::{PatternText, ToolPattern};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer};

/// How tools are shown to clients' models. A pattern is a server, `server.tool` or `server.get_*`;
/// the first list with a pattern for a tool counts. What clients may call stays the same.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct ExposureConfig {
    /// Tools that clients list as tools of their own, named `server__tool`, with their schemas.
    #[serde(deserialize_with = "patterns")]
    #[schemars(with = "Vec<String>")]
    pub direct: Vec<ToolPattern>,
    /// Tools whose signatures come first in the description of execute_code.
    #[serde(deserialize_with = "patterns")]
    #[schemars(with = "Vec<String>")]
    pub listed: Vec<ToolPattern>,
    /// Tools that only a search shows.
    #[serde(deserialize_with = "patterns")]
    #[schemars(with = "Vec<String>")]
    pub searched: Vec<ToolPattern>,
    /// Whether clients have call_tool, which makes one call without a script. Default: those that ask
    /// for it.
    pub call_tool: Option<bool>,
    /// How many tokens the signatures of `listed` tools, and of those that runs use most, may take.
    /// Default: 400.
    #[serde(deserialize_with = "ampoule_fields::count")]
    #[schemars(with = "Quantity")]
    pub budget: Option<NonZeroU32>,
    /// Whether Ampoule counts which tools the runs of each principal use, and lists those next.
    /// Default: true.
    pub hot: Option<bool>,
    /// Whether clients have the prompts of servers, named `server__prompt`. Default: true.
    pub prompts: Option<bool>,
    /// Whether clients have the resources of servers, with addresses that begin with
    /// `ampoule://servers/`. Default: true.
    pub resources: Option<bool>,
    /// Whether clients that show the apps of tools (MCP Apps) have the tools with an app as tools of
    /// their own, named `server__tool`. Default: true.
    pub apps: Option<bool>,
}

fn patterns<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<ToolPattern>, D::Error> {
    let patterns = Vec::<PatternText>::deserialize(deserializer)?;
    Ok(patterns
        .into_iter()
        .map(|PatternText(pattern)| pattern)
        .collect())
}
