//! What stands between a grant and a call, as it is configured. All but `audit`, what is
//! recorded, is read into the types of the crates that use it.

mod audit;

use std::collections::BTreeMap;

use ampoule_policy::{Labels, PolicySettings, Roles};
use ampoule_privacy::Mode;
use ampoule_quota::Rule;

pub use audit::{ArgumentsKept, AuditConfig, AuditExport, ExportForm, OnFailure, Retention};

use super::error::Mistakes;
use super::keys::Key;
use super::read::{Entry, Table};
use super::server::Surroundings;
use super::{ConfigError, typed};

/// What stands between a grant and a call. By default nothing does.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GovernanceConfig {
    /// `roles`: who may use which tools, by name.
    pub roles: Roles,
    /// `policies`: files of Cedar.
    pub policies: PolicySettings,
    /// `quotas`: how often, and how much, by name.
    pub quotas: BTreeMap<String, Rule>,
    /// `approvals`: what a person is asked, and where.
    pub approvals: ampoule_approvals::Settings,
    /// `labels`: what may flow where.
    pub labels: Labels,
    /// `privacy`: personal data on its way to the model.
    pub privacy: ampoule_privacy::Settings,
    /// `audit`: what is recorded; none if nothing is.
    pub audit: Option<AuditConfig>,
}

/// Reads all of it from the table that leads to all others.
pub(super) fn read(
    root: &Table<'_>,
    around: Surroundings<'_>,
) -> Result<GovernanceConfig, ConfigError> {
    let mut keys = Keys::of(root);
    let config = GovernanceConfig {
        roles: keys.get("roles", |it| typed::read(it, around)),
        policies: keys.get("policies", |it| typed::read(it, around)),
        quotas: keys.get("quotas", |it| typed::read(it, around)),
        approvals: keys.get("approvals", |it| typed::read(it, around)),
        labels: keys.get("labels", |it| typed::read(it, around)),
        privacy: keys.get("privacy", |it| typed::read(it, around)),
        audit: keys.find("audit", |it| audit::read(&it.table()?, around)),
    };
    keys.done(config)
}

/// Tables that are there and restrict nothing, a sentence each: whoever wrote one took it for a
/// protection.
pub(super) fn idle(root: &Table<'_>, config: &GovernanceConfig) -> Vec<String> {
    let nothing = |kinds: &Option<Vec<String>>| kinds.as_ref().is_some_and(Vec::is_empty);
    let GovernanceConfig {
        roles: _,
        policies,
        // A quota without limits is refused.
        quotas: _,
        approvals,
        labels,
        privacy,
        // An empty table records everything.
        audit: _,
    } = config;
    let is_there = |name: &str| root.get(name).is_some();
    let found = [
        (
            is_there("roles") && config.roles.0.is_empty(),
            "`[roles]` is empty, so every principal may call every granted tool: add a role such as `[roles.support]`, or remove the table",
        ),
        (
            is_there("policies") && *policies == PolicySettings::default(),
            "`[policies]` is empty and changes nothing: write `folder` or `fallback`, or remove the table",
        ),
        (
            is_there("quotas") && config.quotas.is_empty(),
            "`[quotas]` is empty, so nothing is counted: add a quota such as `[quotas.mail]`, or remove the table",
        ),
        (
            is_there("approvals") && *approvals == ampoule_approvals::Settings::default(),
            "`[approvals]` is empty, so nobody is asked before a call: write `ask = \"destructive\"`, or remove the table",
        ),
        (
            is_there("labels") && *labels == Labels::default(),
            "`[labels]` is empty, so nothing is labelled or refused: write `preset`, or `gives` and `refuses`, or remove the table",
        ),
        (
            nothing(&privacy.kinds) && privacy.patterns.is_empty(),
            "`privacy.kinds` is empty, so no personal data is looked for: name kinds, or remove the key to look for all",
        ),
        (
            nothing(&privacy.from),
            "`privacy.from` is empty, so no tool's answers are searched for personal data: name tools, or remove the key to search all",
        ),
        (
            is_there("privacy") && privacy.mode == Mode::Off,
            "`privacy.mode` is `off`: personal data goes to the model as it is",
        ),
    ];
    let found = found.into_iter().filter(|(is_idle, _)| *is_idle);
    found.map(|(_, said)| said.to_owned()).collect()
}

/// The keys of a table, each read by itself: what is wrong with one hides nothing of another.
pub(super) struct Keys<'t> {
    table: &'t Table<'t>,
    mistakes: Mistakes,
}

impl<'t> Keys<'t> {
    /// Those of a table, whatever else is in it.
    fn of(table: &'t Table<'t>) -> Self {
        Self {
            table,
            mistakes: Mistakes::default(),
        }
    }

    /// Those of a table that has no others.
    fn only(table: &'t Table<'t>, known: &[Key]) -> Self {
        let mut keys = Self::of(table);
        keys.mistakes.unless(table.only(known));
        keys
    }

    /// What a key has, if it is there and right.
    fn find<T>(
        &mut self,
        key: &str,
        read: impl FnOnce(&Entry<'t>) -> Result<T, ConfigError>,
    ) -> Option<T> {
        self.mistakes.unless(self.table.read(key, read)).flatten()
    }

    /// What a key has, or its default.
    fn get<T: Default>(
        &mut self,
        key: &str,
        read: impl FnOnce(&Entry<'t>) -> Result<T, ConfigError>,
    ) -> T {
        self.find(key, read).unwrap_or_default()
    }

    fn done<T>(self, read: T) -> Result<T, ConfigError> {
        self.mistakes.none().map(|()| read)
    }
}

/// A text that says something.
fn text(entry: &Entry<'_>) -> Result<String, ConfigError> {
    let text = entry.text()?;
    match text.trim().is_empty() {
        true => Err(entry.refuse("this is empty; name something, or remove it")),
        false => Ok(text.to_owned()),
    }
}
