//! Which policies may concern a request: by the actions and the principals that their scopes name.
//!
//! Cedar looks at each policy of a set. So there is a set for each pair of names that scopes have,
//! and a request is decided by the few whose names it has: its action, that one's groups, or none;
//! its principal, that one's groups and roles, or none.

use cedar_policy::PolicySet;
use rustc_hash::FxHashMap;

use crate::caller::Caller;
use crate::cedar::{NotMade, not_made};
use crate::needs::Needs;
use crate::rule::{Rule, Whose};

/// Policies whose scopes have the same names.
#[derive(Default)]
pub(crate) struct Slice {
    pub(crate) permits: PolicySet,
    pub(crate) forbids: PolicySet,
    /// All of them, by their numbers.
    pub(crate) rules: Vec<usize>,
    /// What they read.
    pub(crate) needs: Needs,
    /// Whether one asks what the principal is in, beyond its scope.
    pub(crate) principals: bool,
    /// Whether one asks what the action is in, beyond its scope.
    pub(crate) actions: bool,
}

/// Policies whose scopes name the same action, by principals.
#[derive(Default)]
struct ByPrincipal {
    anybody: Slice,
    users: FxHashMap<String, Slice>,
    groups: FxHashMap<String, Slice>,
    roles: FxHashMap<String, Slice>,
}

/// All policies.
#[derive(Default)]
pub(crate) struct Index {
    any: ByPrincipal,
    actions: FxHashMap<String, ByPrincipal>,
}

impl Index {
    pub(crate) fn of(rules: &[Rule]) -> Result<Self, NotMade> {
        let mut index = Self::default();
        for (number, rule) in rules.iter().enumerate() {
            match &rule.actions {
                None => index.any.add(number, rule)?,
                Some(actions) => {
                    for action in actions {
                        let of_action = index.actions.entry(action.clone()).or_default();
                        of_action.add(number, rule)?;
                    }
                }
            }
        }
        Ok(index)
    }

    /// Those that may concern what is in these groups of actions, done by this caller. None is
    /// empty.
    pub(crate) fn slices<'i, 'n>(
        &'i self,
        actions: impl Iterator<Item = &'n str>,
        caller: &Caller,
        roles: &[&str],
    ) -> Vec<&'i Slice> {
        let named = actions.filter_map(|action| self.actions.get(action));
        let mut slices = Vec::new();
        for by_principal in named.chain([&self.any]) {
            by_principal.slices(caller, roles, &mut slices);
        }
        slices.retain(|slice| !slice.rules.is_empty());
        slices
    }
}

impl ByPrincipal {
    fn add(&mut self, number: usize, rule: &Rule) -> Result<(), NotMade> {
        let slice = match &rule.whose {
            Whose::Anybody => &mut self.anybody,
            Whose::User(name) => self.users.entry(name.clone()).or_default(),
            Whose::Group(name) => self.groups.entry(name.clone()).or_default(),
            Whose::Role(name) => self.roles.entry(name.clone()).or_default(),
        };
        let set = match rule.permits() {
            true => &mut slice.permits,
            false => &mut slice.forbids,
        };
        set.add(rule.rest.clone()).map_err(not_made)?;
        slice.rules.push(number);
        slice.needs.and(&rule.read.context);
        slice.principals |= rule.read.principals || rule.limits_principal();
        slice.actions |= !rule.read.actions.is_empty();
        Ok(())
    }

    fn slices<'i>(&'i self, caller: &Caller, roles: &[&str], slices: &mut Vec<&'i Slice>) {
        slices.push(&self.anybody);
        slices.extend(self.users.get(&*caller.principal));
        if !self.groups.is_empty() {
            let groups = caller.groups.iter();
            slices.extend(groups.filter_map(|group| self.groups.get(&**group)));
        }
        if !self.roles.is_empty() {
            slices.extend(roles.iter().filter_map(|role| self.roles.get(*role)));
        }
    }
}
