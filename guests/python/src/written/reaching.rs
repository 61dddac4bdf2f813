//! Whether functions run, and where their errors go: by the calls of them.

use std::collections::{BTreeMap, BTreeSet};

use super::facts::{Bound, Facts, NameUse, Role, Scope, TOP};
use super::names::Name;

/// How many functions call each other at most, one behind the other.
const DEPTH: u32 = 50;

/// What of functions is proved by the calls of them.
pub(super) struct Reaching<'f> {
    facts: &'f Facts,
    /// Whether errors in a function's body are errors of the script, by its scope.
    lets_through: BTreeMap<Scope, bool>,
    certain: BTreeSet<Scope>,
    /// The uses of each name.
    uses: BTreeMap<Name, Vec<&'f NameUse>>,
    depth: u32,
}

impl<'f> Reaching<'f> {
    pub(super) fn new(facts: &'f Facts) -> Self {
        Self {
            facts,
            lets_through: BTreeMap::from([(TOP, true)]),
            certain: BTreeSet::from([TOP]),
            uses: BTreeMap::new(),
            depth: 0,
        }
    }

    /// Whether a failure in a scope is one of the script: its function is called, wherever it is
    /// named, and nothing takes its errors.
    pub(super) fn lets_through(&mut self, scope: Scope) -> bool {
        if let Some(known) = self.lets_through.get(&scope) {
            return *known;
        }
        // Of functions that call each other, nothing is said.
        self.lets_through.insert(scope, false);
        if self.depth == DEPTH {
            return false;
        }
        self.depth += 1;
        let result = self.look(scope);
        self.depth -= 1;
        self.lets_through.insert(scope, result);
        result
    }

    fn look(&mut self, scope: Scope) -> bool {
        let facts = self.facts;
        let of = &facts.scopes[scope as usize];
        let (Some(function), Some(parent)) = (of.function, of.parent) else {
            return false;
        };
        let Some((home, Bound::Function(bound))) = facts.bound(function, parent) else {
            return false;
        };
        if *bound != scope {
            return false;
        }
        if self.uses.is_empty() {
            for used in &facts.uses {
                self.uses.entry(used.name).or_default().push(used);
            }
        }
        let (mut is_called, mut is_certain) = (false, false);
        for used in self.uses.get(&function).cloned().unwrap_or_default() {
            let caller = used.site.scope;
            if facts.home(function, caller) != Some(home) {
                continue;
            }
            let Role::Called { is_awaited } = used.role else {
                return false;
            };
            let calls_itself = caller == scope;
            if used.site.is_caught
                || of.is_async && !is_awaited
                || !calls_itself && !self.lets_through(caller)
            {
                return false;
            }
            is_called |= !calls_itself;
            is_certain |= facts.is_certain(used.site.frame) && self.certain.contains(&caller);
        }
        if is_called && is_certain {
            self.certain.insert(scope);
        }
        is_called
    }

    /// Whether a scope's code runs. Its errors go through.
    pub(super) fn is_certain(&self, scope: Scope) -> bool {
        self.certain.contains(&scope)
    }
}
