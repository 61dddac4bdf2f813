//! Components that are tools: `[tools.NAME]`.

use std::collections::BTreeMap;
use std::path::PathBuf;

use ampoule_limits::LimitsConfig;
use ampoule_projection::names::ToolPattern;
use schemars::JsonSchema;
use serde::Deserialize;

use super::Config;
use super::error::{ConfigError, Mistakes};
use super::read::Table;
use super::schedules::check_limits;

/// The longest name of a tool, in bytes: clients take names of 64 that have the server's before it.
const NAME_BYTES: usize = 48;

/// Components that are tools, by the tools' names.
pub type ComponentTools = BTreeMap<String, ComponentToolConfig>;

/// A component that is a tool: scripts call it as `tools.components.NAME`. Each call runs it in an
/// isolate of its own, beneath the run that makes the call.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ComponentToolConfig {
    /// The file of the component, which nobody else may be able to write. It exports `run` with types
    /// of its own: they are the tool's schemas.
    #[serde(deserialize_with = "ampoule_fields::path")]
    #[schemars(with = "String")]
    pub component: PathBuf,
    /// What it does: models read that.
    #[serde(default, deserialize_with = "ampoule_fields::text")]
    #[schemars(with = "String")]
    pub description: Option<String>,
    /// The tools that it may call, such as `github.get_*`, as far as the run may that calls it.
    /// Default: none.
    #[serde(default, deserialize_with = "super::schedules::tools")]
    #[schemars(with = "Vec<String>")]
    pub tools: Vec<ToolPattern>,
    /// What it says of its effects.
    #[serde(default)]
    pub hints: ToolHints,
    /// What one of its runs may use, where that differs from the run that calls it.
    #[serde(default)]
    pub limits: LimitsConfig,
}

/// What a tool says of its effects, by MCP's hints. Policies, approvals and models go by that, and
/// nobody checks it. What it does not say has the protocol's defaults.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct ToolHints {
    /// Whether it changes nothing.
    pub read_only: Option<bool>,
    /// Whether it may destroy something.
    pub destructive: Option<bool>,
    /// Whether calling it twice changes no more than calling it once.
    pub idempotent: Option<bool>,
    /// Whether it reaches beyond Ampoule and its servers, such as the web.
    pub open_world: Option<bool>,
}

/// What must hold of all of them beyond their keys: scripts can write their names, and their limits are
/// within what runs may ask for.
pub(super) fn check(config: &Config, root: &Table<'_>) -> Result<(), ConfigError> {
    let mut mistakes = Mistakes::default();
    let tools = root.get("tools");
    let tools = tools.as_ref().and_then(|tools| tools.table().ok());
    for (name, place, entry) in tools.iter().flat_map(Table::entries) {
        if !is_name(name) {
            mistakes.add(entry.refuse_at(
                place,
                format!(
                    "the name of a tool has letters, digits, `_` and `-`, a letter first, and at most {NAME_BYTES} of them"
                ),
            ));
        }
        let (Some(tool), Ok(table)) = (config.tools.get(name), entry.table()) else {
            continue;
        };
        mistakes.unless(check_limits(config, &tool.limits, &table));
    }
    mistakes.none()
}

fn is_name(name: &str) -> bool {
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || b"_-".contains(&byte);
    name.len() <= NAME_BYTES
        && name.starts_with(|first: char| first.is_ascii_alphabetic())
        && name.bytes().all(is_letter)
}
