//! How often each name of a source is declared, and what the source changes: what is proved of a
//! value holds only where nothing can have changed it.

use oxc_ast::ast::*;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use super::survey::Survey;

/// How many names there is room for at first.
const NAMES: usize = 56;

/// What is known of the names in a source. The parser has made a hash of each name.
#[derive(Default)]
pub(super) struct Names<'a> {
    pub(super) names: FxHashMap<Ident<'a>, Name>,
    /// The properties that are given another value somewhere.
    pub(super) assigned: FxHashSet<&'a str>,
    /// Any property may be given another value.
    pub(super) assigns_any: bool,
    /// Lists may be given other items.
    pub(super) fills: bool,
    /// Something in the source may catch what a function of it throws.
    pub(super) may_catch: bool,
    /// A function of the source may end it.
    pub(super) may_end: bool,
    /// The source may change what names and objects are: nothing is proved.
    pub(super) hides: bool,
}

/// What is known of a name.
#[derive(Default)]
pub(super) struct Name {
    pub(super) declared: u32,
    pub(super) is_imported: bool,
    pub(super) assigned: bool,
    /// It is made of a literal here: properties that are given to it are nobody else's.
    pub(super) own: bool,
    pub(super) uses: u32,
}

impl<'a> Names<'a> {
    /// What is known of the names in a program. `free` are those that it uses without declaring them,
    /// or imports.
    pub(super) fn of(program: &Program<'a>, free: &[&'a str]) -> Self {
        let mut names = Self {
            names: FxHashMap::with_capacity_and_hasher(NAMES, FxBuildHasher),
            ..Self::default()
        };
        let (changed, filled) = Survey::of(&mut names, program);
        // A name that is declared in one place and free in another means two things.
        for name in free {
            if let Some(name) = names.names.get_mut(&Ident::from(*name)) {
                name.assigned |= name.declared > 0 && !name.is_imported;
            }
        }
        names.assigns_any |= changed.iter().any(|name| !names.is_own(*name));
        names.fills |= filled.iter().any(|name| !names.is_own(*name));
        names
    }

    fn is_own(&self, name: Ident<'a>) -> bool {
        let name = self.names.get(&name);
        name.is_some_and(|it| it.own && it.declared == 1 && !it.assigned)
    }

    /// Whether a name means one thing everywhere: what one declaration gave it.
    pub(super) fn is_constant(&self, name: Ident<'a>) -> bool {
        let name = self.names.get(&name);
        name.is_some_and(|it| it.declared == 1 && !it.assigned)
    }

    /// Whether a name is nowhere the source's own.
    pub(super) fn is_foreign(&self, name: Ident<'a>) -> bool {
        let name = self.names.get(&name);
        name.is_none_or(|it| it.declared == 0 && !it.assigned)
    }

    /// How often a name is used.
    pub(super) fn uses(&self, name: Ident<'a>) -> u32 {
        self.names.get(&name).map_or(0, |name| name.uses)
    }

    /// Whether something under this name is given another value somewhere.
    pub(super) fn is_assigned(&self, property: &str) -> bool {
        !self.assigned.is_empty() && self.assigned.contains(property)
    }

    /// Whether the source may have given something on the way to a place to what lacked it. The place
    /// is a JSON Pointer, where `-` is any item of a list.
    #[inline(never)]
    pub(super) fn may_have_given(&self, pointer: &str) -> bool {
        self.assigns_any
            || pointer.contains('~')
            || pointer.split('/').any(|token| {
                let is_item = token == "-" || token.parse::<u32>().is_ok();
                self.assigned.contains(token) || (self.fills && is_item)
            })
    }

    pub(super) fn name(&mut self, name: Ident<'a>) -> &mut Name {
        self.names.entry(name).or_default()
    }
}

/// The name that an expression is, if it is one.
pub(super) fn identifier<'a>(expression: &Expression<'a>) -> Option<Ident<'a>> {
    match expression.get_inner_expression() {
        Expression::Identifier(it) => Some(it.name),
        _ => None,
    }
}
