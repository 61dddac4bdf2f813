//! Which policies may concern a request: by the actions and the principals that their scopes name.
//!
//! Cedar looks at each policy of a set. So there is a set for each pair of names that scopes have,
//! and a request is decided by the few whose names it has: its action, that one's groups, or none;
//! its principal, that one's groups and roles, or none. Those that look at arguments are apart: what
//! the others say holds for all calls of a tool.

use cedar_policy::PolicySet;
use rustc_hash::FxHashMap;

use crate::caller::Caller;
use crate::cedar::{CedarError, not_made};
use crate::needs::Needs;
use crate::rule::{Rule, ScopePrincipal};

/// Policies whose scopes have the same names, and of which all look at a call's arguments, or none.
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

impl Slice {
    /// Whether they look at arguments. Those that do not say the same of all calls of a tool.
    pub(crate) fn reads_arguments(&self) -> bool {
        self.needs.of("arguments").is_some()
    }

    fn add(&mut self, number: usize, rule: &Rule) -> Result<(), CedarError> {
        let set = match rule.permits() {
            true => &mut self.permits,
            false => &mut self.forbids,
        };
        set.add(rule.rest.clone()).map_err(not_made)?;
        self.rules.push(number);
        self.needs.and(&rule.read.context);
        self.principals |= rule.read.principals || rule.limits_principal();
        self.actions |= !rule.read.actions.is_empty();
        Ok(())
    }
}

/// Where the slices of the same names are: of what looks at arguments, and of what does not.
#[derive(Default)]
struct SlicePlaces {
    by_arguments: Option<usize>,
    others: Option<usize>,
}

/// Policies whose scopes name the same action, by principals.
#[derive(Default)]
struct ByPrincipal {
    anybody: SlicePlaces,
    users: FxHashMap<String, SlicePlaces>,
    groups: FxHashMap<String, SlicePlaces>,
    roles: FxHashMap<String, SlicePlaces>,
}

/// All policies.
#[derive(Default)]
pub(crate) struct Index {
    slices: Vec<Slice>,
    any: ByPrincipal,
    actions: FxHashMap<String, ByPrincipal>,
}

impl Index {
    pub(crate) fn of(rules: &[Rule]) -> Result<Self, CedarError> {
        let mut index = Self::default();
        for (number, rule) in rules.iter().enumerate() {
            let slices = &mut index.slices;
            match &rule.actions {
                None => index.any.places(&rule.whose).add(slices, number, rule)?,
                Some(actions) => {
                    for action in actions {
                        let of_action = index.actions.entry(action.clone()).or_default();
                        of_action.places(&rule.whose).add(slices, number, rule)?;
                    }
                }
            }
        }
        Ok(index)
    }

    /// The places of those that may concern what is in these groups of actions, done by this caller.
    pub(crate) fn find<'n>(
        &self,
        actions: impl Iterator<Item = &'n str>,
        caller: &Caller,
        roles: &[&str],
    ) -> Vec<usize> {
        let named = actions.filter_map(|action| self.actions.get(action));
        let by_principal = named.chain([&self.any]);
        let places = by_principal.flat_map(|one| one.of(caller, roles));
        let places = places.flat_map(|it| [it.others, it.by_arguments]);
        places.flatten().collect()
    }

    /// The slice at a place.
    pub(crate) fn at(&self, place: usize) -> &Slice {
        &self.slices[place]
    }
}

impl SlicePlaces {
    fn add(
        &mut self,
        slices: &mut Vec<Slice>,
        number: usize,
        rule: &Rule,
    ) -> Result<(), CedarError> {
        let reads_arguments = rule.read.context.of("arguments").is_some();
        let place = match reads_arguments {
            true => &mut self.by_arguments,
            false => &mut self.others,
        };
        let place = *place.get_or_insert_with(|| {
            slices.push(Slice::default());
            slices.len() - 1
        });
        slices[place].add(number, rule)
    }
}

impl ByPrincipal {
    fn places(&mut self, whose: &ScopePrincipal) -> &mut SlicePlaces {
        let (names, name) = match whose {
            ScopePrincipal::Anybody => return &mut self.anybody,
            ScopePrincipal::User(name) => (&mut self.users, name),
            ScopePrincipal::Group(name) => (&mut self.groups, name),
            ScopePrincipal::Role(name) => (&mut self.roles, name),
        };
        names.entry(name.clone()).or_default()
    }

    fn of<'i>(&'i self, caller: &Caller, roles: &[&str]) -> Vec<&'i SlicePlaces> {
        let mut places = vec![&self.anybody];
        places.extend(self.users.get(&*caller.principal));
        if !self.groups.is_empty() {
            let groups = caller.groups.iter();
            places.extend(groups.filter_map(|group| self.groups.get(&**group)));
        }
        if !self.roles.is_empty() {
            places.extend(roles.iter().filter_map(|role| self.roles.get(*role)));
        }
        places
    }
}
