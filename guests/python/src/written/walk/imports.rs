//! What imports bind.

use super::super::facts::Bound;
use super::super::tree::{Alias, Object};
use super::{Walk, is_opaque};

impl Walk<'_> {
    /// Whether a name is that of Python's own module, unless something binds it otherwise.
    pub(super) fn is_asyncio(&mut self, name: Object<'_>) -> bool {
        if name.text() != "asyncio" {
            return false;
        }
        let name = self.name(name);
        self.facts.take_for_built_in(name);
        true
    }

    /// Whether a name is one of Python's own functions, unless something binds it later.
    pub(super) fn is_built_in(&mut self, name: Object<'_>, among: fn(&str) -> bool) -> bool {
        if !among(name.text()) {
            return false;
        }
        let name = self.name(name);
        let is_free = self.facts.home(name, self.site.scope).is_none();
        if is_free {
            self.facts.take_for_built_in(name);
        }
        is_free
    }

    pub(super) fn import(&mut self, alias: Alias<'_>) {
        let module = alias.name().text();
        let top = module.split('.').next().unwrap_or(module);
        self.opaque_module(top);
        match alias.other() {
            Some(other) => self.bind_object(other, of_module(module)),
            None if top.len() == module.len() => self.bind_object(alias.name(), of_module(top)),
            None => {
                let name = self.name_of_text(top);
                // `import servers.a` and `import servers.b` bind the same.
                let is_same = match self.facts.bound(name, self.site.scope) {
                    Some((home, Bound::Module(of))) => of == top && home == self.site.scope,
                    _ => false,
                };
                if !is_same {
                    self.bind(name, of_module(top));
                }
            }
        }
    }

    fn opaque_module(&mut self, module: &str) {
        self.facts.is_opaque |= is_opaque(module);
    }

    pub(super) fn import_from(&mut self, module: Option<Object<'_>>, alias: Alias<'_>) {
        let member = alias.name().text();
        if member == "*" {
            self.facts.is_opaque = true;
            return;
        }
        // What it is called there may be one of the names that matter.
        self.attribute(alias.name());
        let bound = match module {
            Some(module) => {
                self.opaque_module(module.text());
                match of_module(module.text()) {
                    Bound::Module(module) => Bound::Member(module, member.to_owned()),
                    other => other,
                }
            }
            None => Bound::Other,
        };
        self.bind_object(alias.other().unwrap_or(alias.name()), bound);
    }
}

/// What a module's name is bound to.
fn of_module(module: &str) -> Bound {
    match module.split('.').next() {
        Some("servers" | "tools" | "mcp" | "asyncio") => Bound::Module(module.to_owned()),
        _ => Bound::Other,
    }
}
