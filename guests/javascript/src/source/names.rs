//! Which names a source uses without declaring them: servers, perhaps, or globals.

use rustc_hash::{FxHashMap, FxHashSet};

/// The scopes around the place that the visit has come to, and the names in them.
#[derive(Debug)]
pub(super) struct Names<'a> {
    ids: FxHashMap<&'a str, u32>,
    names: Vec<&'a str>,
    /// The names declared in the open scopes: name and depth.
    declared: FxHashSet<(u32, u32)>,
    /// The uses so far whose names no closed scope declares.
    used: Vec<(u32, Use)>,
    scopes: Vec<Scope>,
    /// The names that `var` declares in the outermost scope.
    vars: Vec<u32>,
}

/// A name's use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Use {
    /// The offset where it is.
    pub(super) at: u32,
    /// It is all that a property says: `{ name }`.
    pub(super) shorthand: bool,
    /// It is in a function, which may never be called.
    pub(super) in_function: bool,
    /// It is called there: `name(…)`.
    pub(super) called: bool,
}

/// The names that a source uses and does not declare, each once, in the order of their use.
#[derive(Debug, Default)]
pub(super) struct Free<'a> {
    pub(super) names: Vec<&'a str>,
    /// Those of them that it calls somewhere.
    pub(super) called: Vec<&'a str>,
}

#[derive(Debug)]
struct Scope {
    function: bool,
    used_before: usize,
    declared: Vec<u32>,
}

impl Default for Names<'_> {
    fn default() -> Self {
        let mut names = Self {
            ids: FxHashMap::default(),
            names: Vec::new(),
            declared: FxHashSet::default(),
            used: Vec::new(),
            scopes: Vec::new(),
            vars: Vec::new(),
        };
        names.enter(true);
        names
    }
}

impl<'a> Names<'a> {
    pub(super) fn enter(&mut self, function: bool) {
        self.scopes.push(Scope {
            function,
            used_before: self.used.len(),
            declared: Vec::new(),
        });
    }

    /// Closes a scope: the names that it declares are no longer missing.
    pub(super) fn leave(&mut self) {
        let Some(scope) = self.scopes.pop() else {
            return;
        };
        if scope.declared.is_empty() {
            return;
        }
        let depth = self.scopes.len() as u32;
        let mut kept = scope.used_before;
        for at in scope.used_before..self.used.len() {
            let used = self.used[at];
            if !self.declared.contains(&(used.0, depth)) {
                self.used[kept] = used;
                kept += 1;
            }
        }
        self.used.truncate(kept);
        for name in scope.declared {
            self.declared.remove(&(name, depth));
        }
    }

    /// Declares a name in the scope at hand, or with `hoist` in the function around it.
    pub(super) fn declare(&mut self, name: &'a str, hoist: bool) {
        let innermost = self.scopes.len().saturating_sub(1);
        let depth = if hoist {
            self.innermost_function()
        } else {
            innermost
        };
        self.declare_at(depth, name);
    }

    /// Declares a name by `var`.
    pub(super) fn declare_var(&mut self, name: &'a str) {
        let depth = self.innermost_function();
        let id = self.declare_at(depth, name);
        if depth == 0 {
            self.vars.push(id);
        }
    }

    fn innermost_function(&self) -> usize {
        let function = self.scopes.iter().rposition(|scope| scope.function);
        function.unwrap_or_default()
    }

    fn declare_at(&mut self, depth: usize, name: &'a str) -> u32 {
        let id = self.id(name);
        if self.declared.insert((id, depth as u32)) {
            self.scopes[depth].declared.push(id);
        }
        id
    }

    pub(super) fn use_name(&mut self, name: &'a str, used: Use) {
        let id = self.id(name);
        self.used.push((id, used));
    }

    /// Whether a name of the scope at hand is used outside of functions.
    pub(super) fn is_used(&self, name: &str) -> bool {
        self.ids.get(name).is_some_and(|&id| {
            self.used
                .iter()
                .any(|(used, at)| *used == id && !at.in_function)
        })
    }

    /// Takes the uses in the scope at hand of those names that neither it nor a scope within it
    /// declares.
    pub(super) fn take_uses(&mut self, names: &FxHashSet<&'a str>) -> Vec<(&'a str, Use)> {
        let (Some(scope), false) = (self.scopes.last(), names.is_empty()) else {
            return Vec::new();
        };
        let depth = self.scopes.len() as u32 - 1;
        let (ids, declared) = (&self.names, &self.declared);
        self.used
            .extract_if(scope.used_before.., |(id, _)| {
                names.contains(ids[*id as usize]) && !declared.contains(&(*id, depth))
            })
            .map(|(id, used)| (ids[id as usize], used))
            .collect()
    }

    /// Whether the outermost scope declares the name.
    pub(super) fn is_declared_outermost(&self, name: &str) -> bool {
        self.ids
            .get(name)
            .is_some_and(|&id| self.declared.contains(&(id, 0)))
    }

    /// The names that the outermost scope declares, in the order in which they are written, and
    /// whether it does so by `var`.
    pub(super) fn declared_outermost(&self) -> Vec<(&'a str, bool)> {
        let vars: FxHashSet<u32> = self.vars.iter().copied().collect();
        let outermost = self.scopes.first();
        outermost.map_or_else(Vec::new, |scope| {
            scope
                .declared
                .iter()
                .map(|id| (self.names[*id as usize], vars.contains(id)))
                .collect()
        })
    }

    /// Closes the outermost scope. What is left are the names that nothing declares.
    pub(super) fn free(mut self) -> Free<'a> {
        self.leave();
        let once = |uses: &mut dyn Iterator<Item = &(u32, Use)>| {
            let mut seen = FxHashSet::default();
            uses.filter(|(id, _)| seen.insert(*id))
                .map(|(id, _)| self.names[*id as usize])
                .collect()
        };
        Free {
            names: once(&mut self.used.iter()),
            called: once(&mut self.used.iter().filter(|(_, used)| used.called)),
        }
    }

    fn id(&mut self, name: &'a str) -> u32 {
        *self.ids.entry(name).or_insert_with(|| {
            self.names.push(name);
            self.names.len() as u32 - 1
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(at: u32) -> Use {
        Use {
            at,
            shorthand: false,
            in_function: false,
            called: false,
        }
    }

    #[test]
    fn free_names_are_those_no_scope_around_their_use_declares() {
        let mut names = Names::default();
        names.use_name("before", at(0));
        names.declare("top", false);
        names.enter(true);
        names.enter(false);
        names.declare("var", true);
        names.declare("let", false);
        names.use_name("let", at(0));
        names.use_name("var", at(0));
        names.use_name("top", at(0));
        names.leave();
        names.use_name("var", at(0));
        names.use_name("let", at(0));
        names.leave();
        names.use_name("var", at(0));
        names.declare("before", false);
        assert_eq!(names.free().names, ["let", "var"]);
    }

    #[test]
    fn taken_uses_are_those_no_scope_around_them_declares() {
        let mut names = Names::default();
        names.use_name("a", at(0));
        names.enter(true);
        names.use_name("a", at(1));
        names.enter(true);
        names.declare("a", false);
        names.use_name("a", at(2));
        names.leave();
        names.use_name("b", at(3));
        names.use_name("a", at(4));
        names.declare("b", false);
        let taken = names.take_uses(&FxHashSet::from_iter(["a", "b"]));
        let places: Vec<_> = taken.iter().map(|(name, used)| (*name, used.at)).collect();
        assert_eq!(places, [("a", 1), ("a", 4)]);
        names.leave();
        names.use_name(
            "b",
            Use {
                called: true,
                ..at(5)
            },
        );
        let free = names.free();
        assert_eq!((free.names, free.called), (vec!["a", "b"], vec!["b"]));
    }
}
