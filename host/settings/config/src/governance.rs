//! What stands between a grant and a call, as it is configured. Each table is read into
//! the type of the crate that uses it.

use std::collections::BTreeMap;

use ampoule_audit::AuditConfig;
use ampoule_policy::{Labels, PolicySettings, Roles};
use ampoule_privacy::Mode;
use ampoule_quota::Rule;

use super::read::Table;

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
