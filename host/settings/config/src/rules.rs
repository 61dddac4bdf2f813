//! Which of a server's tools there are.

use std::collections::BTreeMap;

use ampoule_projection::undo::UndoRule;
use schemars::JsonSchema;
use serde::Deserialize;

use super::read::Table;

/// Which of a server's tools there are. For scripts, the others do not exist.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct ToolRules {
    /// Tools by name, or patterns such as `get_*`. Default: all.
    #[serde(deserialize_with = "ampoule_fields::texts")]
    pub allow: Option<Vec<String>>,
    /// Tools to leave out, even if `allow` lists them.
    #[serde(deserialize_with = "ampoule_fields::texts")]
    pub deny: Vec<String>,
    /// What tools must say of themselves. One that says nothing may destroy things, is not
    /// read-only or idempotent, and reaches beyond the server's own world.
    pub hints: HintRules,
    /// What takes back a call of a tool, by the tool's name: `create_issue = "delete_issue({ id:
    /// result.id })"`. The values are parts of the call's arguments, `args.title`, or of its result, or
    /// are written down. A run that fails offers to take its answered calls back.
    #[schemars(with = "BTreeMap<String, String>")]
    pub undo: BTreeMap<String, UndoRule>,
}

/// What a tool must say of itself, by MCP's hints; what it does not say has the protocol's
/// defaults. `None` takes either.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct HintRules {
    /// Whether it changes nothing.
    // It does by default.
    pub read_only: Option<bool>,
    /// Whether it may destroy something.
    // So it may by default, unless it is read-only.
    pub destructive: Option<bool>,
    /// Whether calling it twice changes no more than calling it once.
    // By default it does, unless it is read-only.
    pub idempotent: Option<bool>,
    /// Whether it reaches beyond the server's own world, such as the web.
    // It does by default.
    pub open_world: Option<bool>,
}

impl ToolRules {
    /// Whether all tools are there.
    pub fn allow_all(&self) -> bool {
        self.allow.is_none() && self.deny.is_empty() && self.hints == HintRules::default()
    }
}

/// Tables of rules that leave out no tool, a sentence each: their author took them for a
/// restriction.
pub(super) fn idle(servers: &Table<'_>) -> Vec<String> {
    let mut notes = Vec::new();
    for (_, _, server) in servers.entries() {
        let Ok(server) = server.table() else { continue };
        let mut owners = vec![server.clone()];
        if let Some(Ok(accounts)) = server.get("accounts").map(|it| it.table()) {
            let accounts = accounts.entries();
            owners.extend(accounts.filter_map(|(_, _, account)| account.table().ok()));
        }
        let tables = owners.iter().filter_map(|owner| owner.get("tools"));
        for tools in tables {
            let table = tools.table();
            if table.is_ok_and(|table| table.entries().next().is_none()) {
                notes.push(format!(
                    "`[{}]` is empty, so all tools of the server are there: write `allow`, `deny` or `hints`, or remove the table",
                    tools.key()
                ));
            }
        }
    }
    notes
}
