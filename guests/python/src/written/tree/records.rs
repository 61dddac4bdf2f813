//! The records of the tree, and what follows `except`.

use super::{
    Alias, Case, Comprehension, Expression, Handler, Items, Keyword, Node, Object, Parameter,
    Parameters, Pattern, Statement, TypeParameter, WithItem,
};

impl<'t> Handler<'t> {
    pub(in super::super) fn error(self) -> Option<Expression<'t>> {
        Node::at(self.0.fields[0])
    }

    pub(in super::super) fn name(self) -> Option<Object<'t>> {
        Node::at(self.0.fields[1])
    }

    pub(in super::super) fn body(self) -> Items<'t, Statement<'t>> {
        Items::at(self.0.fields[2])
    }
}

impl<'t> Comprehension<'t> {
    pub(in super::super) fn target(self) -> Option<Expression<'t>> {
        Node::at(self.0[0])
    }

    pub(in super::super) fn iterable(self) -> Option<Expression<'t>> {
        Node::at(self.0[1])
    }

    pub(in super::super) fn conditions(self) -> Items<'t, Expression<'t>> {
        Items::at(self.0[2])
    }
}

impl<'t> Parameters<'t> {
    /// Each of them.
    pub(in super::super) fn each(self) -> impl Iterator<Item = Parameter<'t>> {
        let lists = [0, 1, 3].map(|field| Items::<Parameter<'t>>::at(self.0[field]));
        let single = [2, 5].map(|field| Parameter::at(self.0[field]));
        let listed = lists.into_iter().flat_map(Items::iter);
        listed.chain(single.into_iter().flatten())
    }

    /// Their defaults.
    pub(in super::super) fn defaults(self) -> impl Iterator<Item = Expression<'t>> {
        let lists = [4, 6].map(|field| Items::<Expression<'t>>::at(self.0[field]));
        lists.into_iter().flat_map(Items::iter)
    }
}

impl<'t> Parameter<'t> {
    pub(in super::super) fn name(self) -> Object<'t> {
        Object::of(self.0[0])
    }
}

impl<'t> Keyword<'t> {
    /// None for `**value`.
    pub(in super::super) fn name(self) -> Option<Object<'t>> {
        Node::at(self.0[0])
    }

    pub(in super::super) fn value(self) -> Option<Expression<'t>> {
        Node::at(self.0[1])
    }
}

impl<'t> Alias<'t> {
    pub(in super::super) fn name(self) -> Object<'t> {
        Object::of(self.0[0])
    }

    pub(in super::super) fn other(self) -> Option<Object<'t>> {
        Node::at(self.0[1])
    }
}

impl<'t> WithItem<'t> {
    pub(in super::super) fn context(self) -> Option<Expression<'t>> {
        Node::at(self.0[0])
    }

    pub(in super::super) fn target(self) -> Option<Expression<'t>> {
        Node::at(self.0[1])
    }
}

impl<'t> Case<'t> {
    pub(in super::super) fn pattern(self) -> Option<Pattern<'t>> {
        Node::at(self.0[0])
    }

    pub(in super::super) fn guard(self) -> Option<Expression<'t>> {
        Node::at(self.0[1])
    }

    pub(in super::super) fn body(self) -> Items<'t, Statement<'t>> {
        Items::at(self.0[2])
    }
}

impl<'t> Pattern<'t> {
    /// The name that it binds itself.
    pub(in super::super) fn name(self) -> Option<Object<'t>> {
        match self.0[0] {
            4 => Node::at(self.0[3]),
            6 => Node::at(self.0[1]),
            7 => Node::at(self.0[2]),
            _ => None,
        }
    }

    /// The patterns in it.
    pub(in super::super) fn inner(self) -> impl Iterator<Item = Pattern<'t>> {
        let lists: [usize; 2] = match self.0[0] {
            3 | 8 => [self.0[1], 0],
            4 => [self.0[2], 0],
            5 => [self.0[2], self.0[4]],
            _ => [0, 0],
        };
        let single = (self.0[0] == 7).then(|| Pattern::at(self.0[1])).flatten();
        let listed = lists.map(Items::<Pattern<'t>>::at);
        listed.into_iter().flat_map(Items::iter).chain(single)
    }
}

impl<'t> TypeParameter<'t> {
    pub(in super::super) fn name(self) -> Object<'t> {
        Object::of(self.0[1])
    }
}
