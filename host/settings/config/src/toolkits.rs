//! Parts of the tools under names: `[toolkits.NAME]`.

use std::borrow::Borrow;
use std::collections::BTreeMap;
use std::fmt;

use ampoule_projection::names::{PatternText, ToolPattern, near};
use schemars::JsonSchema;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

use super::Config;
use super::error::{ConfigError, Mistakes};
use super::exposure::ExposureConfig;
use super::read::{Entry, Table};

/// The longest name of a toolkit, in bytes.
const NAME_BYTES: usize = 64;
/// The longest description, in characters: models read it in every conversation, and clients cut
/// what is longer than twice that.
const DESCRIPTION_CHARS: usize = 1000;
/// How many names are listed where none is alike.
const LISTED: usize = 10;

/// The toolkits, by name.
pub type Toolkits = BTreeMap<ToolkitName, ToolkitConfig>;

/// A part of the tools under a name. `ampoule serve --http` serves it at `/mcp/NAME`, and
/// `--toolkit NAME` chooses it elsewhere. It narrows what roles, policies and `--tools` allow.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ToolkitConfig {
    /// Its tools, such as `github`, `github.create_issue` or `github.get_*`. Whole servers also bring
    /// their prompts and resources.
    #[serde(deserialize_with = "tools")]
    #[schemars(with = "Vec<String>")]
    pub tools: Vec<ToolPattern>,
    /// What it is for: models read this before anything else about its tools.
    #[serde(default, deserialize_with = "description")]
    #[schemars(with = "String")]
    pub description: Option<String>,
    /// How its tools are shown to clients' models. Default: as the table `[exposure]` says, of which
    /// nothing holds where this is there.
    #[serde(default)]
    pub exposure: Option<ExposureConfig>,
}

/// The name of a toolkit: a part of an address, as it is written there.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(with = "String")]
pub struct ToolkitName(String);

impl ToolkitName {
    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for ToolkitName {
    type Error = String;

    fn try_from(name: String) -> Result<Self, String> {
        let is_name = name.len() <= NAME_BYTES
            && name.starts_with(|first: char| first.is_ascii_alphanumeric())
            && name
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte));
        match is_name {
            true => Ok(Self(name)),
            false => Err(format!(
                "a toolkit's name is a part of its address: letters, digits, `_` and `-`, a letter or digit first, and at most {NAME_BYTES} of them"
            )),
        }
    }
}

impl Borrow<str> for ToolkitName {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ToolkitName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn tools<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<ToolPattern>, D::Error> {
    let patterns = Vec::<PatternText>::deserialize(deserializer)?;
    if patterns.is_empty() {
        return Err(D::Error::custom(
            "a toolkit needs tools; name some, such as \"github.get_*\", or remove it",
        ));
    }
    Ok(patterns.into_iter().map(|it| it.0).collect())
}

fn description<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    let text = String::deserialize(deserializer)?;
    match text.chars().count() {
        0 => Err(D::Error::custom(
            "this is empty; say what the toolkit is for, or remove it",
        )),
        count if count > DESCRIPTION_CHARS => Err(D::Error::custom(format!(
            "this has {count} characters, and may have {DESCRIPTION_CHARS}: models read it in every conversation"
        ))),
        _ => Ok(Some(text)),
    }
}

/// The toolkit of a name.
///
/// # Errors
///
/// A sentence with the toolkits that may be meant, where there is none of this name.
pub fn toolkit_of<'t>(toolkits: &'t Toolkits, name: &str) -> Result<&'t ToolkitConfig, String> {
    let found = toolkits.get(name);
    found.ok_or_else(|| format!("unknown toolkit; {}", others(name, toolkits)))
}

/// Which toolkits may be meant by a name that none has.
fn others(name: &str, toolkits: &Toolkits) -> String {
    let names = || toolkits.keys().map(ToolkitName::as_str);
    if toolkits.is_empty() {
        return "none is configured: add a table `[toolkits.NAME]` with `tools`".to_owned();
    }
    match near(name, names(), 1).first() {
        Some(near) => format!("did you mean `{near}`?"),
        None => {
            let listed: Vec<_> = names().take(LISTED).map(|it| format!("`{it}`")).collect();
            let more = match toolkits.len() > LISTED {
                true => ", and others",
                false => "",
            };
            format!("the toolkits are {}{more}", listed.join(", "))
        }
    }
}

/// Roles and quotas name toolkits that there are: a role that names no other would be useless, and
/// such a quota would restrict nothing.
pub(super) fn check(config: &Config, root: &Table<'_>) -> Result<(), ConfigError> {
    let mut mistakes = Mistakes::default();
    for (name, role) in &config.governance.roles.0 {
        let Some(written) = entry_of(root, ["roles", name, "toolkits"]) else {
            continue;
        };
        for (entry, toolkit) in written.list()?.iter().zip(&role.toolkits) {
            if let Err(unknown) = toolkit_of(&config.toolkits, toolkit) {
                mistakes.add(entry.refuse(unknown));
            }
        }
    }
    for (name, quota) in &config.governance.quotas {
        let mut toolkits = config.toolkits.keys();
        let means_some = toolkits.any(|toolkit| quota.toolkit.fits(toolkit.as_str()));
        if let Some(entry) = entry_of(root, ["quotas", name, "toolkit"])
            && !quota.toolkit.is_all()
            && !means_some
        {
            let written = quota.toolkit.to_string();
            let unknown = others(&written, &config.toolkits);
            mistakes.add(entry.refuse(format!("this means no toolkit; {unknown}")));
        }
    }
    mistakes.none()
}

/// What a table of a table has under a key.
fn entry_of<'a>(root: &Table<'a>, [table, name, key]: [&str; 3]) -> Option<Entry<'a>> {
    let table = root.get(table)?.table().ok()?;
    table.get(name)?.table().ok()?.get(key)
}
