//! Who may use which tools: `[roles]`.

use super::{Keys, rate, text, texts};
use crate::keys::governance::ROLE;
use crate::read::{Entry, Table};
use crate::{ConfigError, Rate};

/// What some may do.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RoleConfig {
    /// `tools`: which, as patterns of grants.
    pub tools: Vec<String>,
    /// `principals`: whose it is, by name.
    pub principals: Vec<String>,
    /// `groups`: whose it is, by groups.
    pub groups: Vec<String>,
    /// `clients`: by which clients.
    pub clients: Vec<String>,
    /// `read-only`: whether only tools that say so are allowed.
    pub read_only: bool,
    /// `destructive`: what of tools that may destroy something.
    pub destructive: DestructiveTools,
    /// `rate`: how often each principal may call its tools.
    pub rate: Option<Rate>,
    /// `redact`: what is taken out of results.
    pub redact: Vec<String>,
    /// `dry-run`: whether calls are only tried out.
    pub dry_run: bool,
    /// `reason`: what a person is told who is asked.
    pub reason: Option<String>,
}

/// What of tools that may destroy something.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum DestructiveTools {
    /// They are allowed as others are.
    #[default]
    Allow,
    /// A person is asked.
    Ask,
    /// The role does not allow them.
    Deny,
}

const DESTRUCTIVE: [(&str, DestructiveTools); 3] = [
    ("allow", DestructiveTools::Allow),
    ("ask", DestructiveTools::Ask),
    ("deny", DestructiveTools::Deny),
];

pub(super) fn read(table: &Table<'_>) -> Result<RoleConfig, ConfigError> {
    let mut keys = Keys::only(table, ROLE);
    let has_tools = table.get("tools").is_some();
    if !has_tools {
        let told = "the key `tools` is missing: which may be used, such as [\"github.get_*\"]";
        keys.mistakes.add(table.refuse(told));
    }
    let role = RoleConfig {
        tools: keys.get("tools", some_texts),
        principals: keys.get("principals", some_texts),
        groups: keys.get("groups", some_texts),
        clients: keys.get("clients", some_texts),
        read_only: keys.get("read-only", Entry::boolean),
        destructive: keys.get("destructive", |it| it.choice(&DESTRUCTIVE)),
        rate: keys.find("rate", rate),
        redact: keys.get("redact", texts),
        dry_run: keys.get("dry-run", Entry::boolean),
        reason: keys.find("reason", text),
    };
    keys.done(role)
}

/// An empty list of principals would make the role everybody's.
fn some_texts(entry: &Entry<'_>) -> Result<Vec<String>, ConfigError> {
    let texts = texts(entry)?;
    match texts.is_empty() {
        true => Err(entry.refuse("this list is empty; name something, or remove it")),
        false => Ok(texts),
    }
}
