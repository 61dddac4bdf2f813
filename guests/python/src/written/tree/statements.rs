//! What statements are.

use super::{
    Alias, Case, Expression, Handler, Items, Keyword, Node, Object, Parameters, Statement,
    TypeParameter, WithItem,
};

/// What a statement is, as far as it matters.
pub(in super::super) enum StatementKind<'t> {
    Function {
        name: Object<'t>,
        parameters: Option<Parameters<'t>>,
        body: Items<'t, Statement<'t>>,
        decorators: Items<'t, Expression<'t>>,
        returns: Option<Expression<'t>>,
        type_parameters: Items<'t, TypeParameter<'t>>,
        is_async: bool,
    },
    Class {
        name: Object<'t>,
        bases: Items<'t, Expression<'t>>,
        keywords: Items<'t, Keyword<'t>>,
        body: Items<'t, Statement<'t>>,
        decorators: Items<'t, Expression<'t>>,
    },
    Return(Option<Expression<'t>>),
    Delete(Items<'t, Expression<'t>>),
    Assign(Items<'t, Expression<'t>>, Option<Expression<'t>>),
    /// Its target and the value behind the sign.
    Augment(Option<Expression<'t>>, Option<Expression<'t>>),
    Annotated(Option<Expression<'t>>, Option<Expression<'t>>),
    For {
        target: Option<Expression<'t>>,
        iterable: Option<Expression<'t>>,
        body: Items<'t, Statement<'t>>,
        otherwise: Items<'t, Statement<'t>>,
        is_async: bool,
    },
    /// A `while`, whose test runs at least once.
    While(Option<Expression<'t>>, [Items<'t, Statement<'t>>; 2]),
    If(Option<Expression<'t>>, [Items<'t, Statement<'t>>; 2]),
    With(Items<'t, WithItem<'t>>, Items<'t, Statement<'t>>),
    Match(Option<Expression<'t>>, Items<'t, Case<'t>>),
    Raise([Option<Expression<'t>>; 2]),
    Try {
        body: Items<'t, Statement<'t>>,
        handlers: Items<'t, Handler<'t>>,
        otherwise: Items<'t, Statement<'t>>,
        finally: Items<'t, Statement<'t>>,
    },
    Assert(Option<Expression<'t>>, Option<Expression<'t>>),
    Import(Items<'t, Alias<'t>>),
    /// From a module of this name, unless that is relative.
    ImportFrom(Option<Object<'t>>, Items<'t, Alias<'t>>),
    /// `global` and `nonlocal`.
    Declared(Items<'t, Object<'t>>),
    Value(Option<Expression<'t>>),
    /// `break` and `continue`.
    LeavesLoop,
    Pass,
    /// Something that nobody thought of.
    Unknown,
}

impl<'t> Statement<'t> {
    fn one<T: Node<'t>>(self, field: usize) -> Option<T> {
        T::at(self.0.fields[field])
    }

    fn many<T: Node<'t>>(self, field: usize) -> Items<'t, T> {
        Items::at(self.0.fields[field])
    }

    /// The seldom kinds have a function of their own, as those of expressions do.
    #[inline]
    pub(in super::super) fn kind(self) -> StatementKind<'t> {
        match self.0.kind {
            6 => StatementKind::Assign(self.many(0), self.one(1)),
            25 => StatementKind::Value(self.one(0)),
            _ => self.seldom_kind(),
        }
    }

    #[inline(never)]
    fn seldom_kind(self) -> StatementKind<'t> {
        match self.0.kind {
            1 | 2 => StatementKind::Function {
                name: Object::of(self.0.fields[0]),
                parameters: self.one(1),
                body: self.many(2),
                decorators: self.many(3),
                returns: self.one(4),
                type_parameters: self.many(6),
                is_async: self.0.kind == 2,
            },
            3 => StatementKind::Class {
                name: Object::of(self.0.fields[0]),
                bases: self.many(1),
                keywords: self.many(2),
                body: self.many(3),
                decorators: self.many(4),
            },
            4 => StatementKind::Return(self.one(0)),
            5 => StatementKind::Delete(self.many(0)),
            8 => StatementKind::Augment(self.one(0), self.one(2)),
            9 => StatementKind::Annotated(self.one(0), self.one(2)),
            10 | 11 => StatementKind::For {
                target: self.one(0),
                iterable: self.one(1),
                body: self.many(2),
                otherwise: self.many(3),
                is_async: self.0.kind == 11,
            },
            12 => StatementKind::While(self.one(0), [self.many(1), self.many(2)]),
            13 => StatementKind::If(self.one(0), [self.many(1), self.many(2)]),
            14 | 15 => StatementKind::With(self.many(0), self.many(1)),
            16 => StatementKind::Match(self.one(0), self.many(1)),
            17 => StatementKind::Raise([self.one(0), self.one(1)]),
            18 | 19 => StatementKind::Try {
                body: self.many(0),
                handlers: self.many(1),
                otherwise: self.many(2),
                finally: self.many(3),
            },
            20 => StatementKind::Assert(self.one(0), self.one(1)),
            21 => StatementKind::Import(self.many(0)),
            22 if self.0.fields[2] == 0 => StatementKind::ImportFrom(self.one(0), self.many(1)),
            22 => StatementKind::ImportFrom(None, self.many(1)),
            23 | 24 => StatementKind::Declared(self.many(0)),
            26 => StatementKind::Pass,
            27 | 28 => StatementKind::LeavesLoop,
            _ => StatementKind::Unknown,
        }
    }
}
