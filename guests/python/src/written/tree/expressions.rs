//! What expressions are.

use super::{Comprehension, Expression, Items, Keyword, Node, Object, Parameters, first_number};

/// What an expression is, as far as it matters.
pub(in super::super) enum ExpressionKind<'t> {
    /// `and` and `or`.
    Either(Items<'t, Expression<'t>>),
    Named(Option<Expression<'t>>, Option<Expression<'t>>),
    Binary(Option<Expression<'t>>, Option<Expression<'t>>),
    /// `-`, with its operand.
    Minus(Option<Expression<'t>>),
    Unary(Option<Expression<'t>>),
    Lambda(Option<Parameters<'t>>, Option<Expression<'t>>),
    Conditional {
        test: Option<Expression<'t>>,
        branches: [Option<Expression<'t>>; 2],
    },
    /// A key that is not there stands for `**value`.
    Dict(Items<'t, Expression<'t>>, Items<'t, Expression<'t>>),
    Set(Items<'t, Expression<'t>>),
    List(Items<'t, Expression<'t>>),
    Tuple(Items<'t, Expression<'t>>),
    /// What it makes of each, and whether that is done at once.
    Comprehension {
        makes: [Option<Expression<'t>>; 2],
        of: Items<'t, Comprehension<'t>>,
        is_lazy: bool,
    },
    Await(Option<Expression<'t>>),
    Yield(Option<Expression<'t>>),
    Compare {
        left: Option<Expression<'t>>,
        others: Items<'t, Expression<'t>>,
        /// Whether the first comparison is `==`.
        is_equality: bool,
    },
    Call {
        function: Option<Expression<'t>>,
        arguments: Items<'t, Expression<'t>>,
        keywords: Items<'t, Keyword<'t>>,
    },
    /// A part of an f-string, and how it is to be written.
    Formatted(Option<Expression<'t>>, Option<Expression<'t>>),
    Joined(Items<'t, Expression<'t>>),
    Constant(Object<'t>),
    Attribute(Option<Expression<'t>>, Object<'t>),
    Subscript(Option<Expression<'t>>, Option<Expression<'t>>),
    Starred(Option<Expression<'t>>),
    Name(Object<'t>),
    Slice([Option<Expression<'t>>; 3]),
    Unknown,
}

impl ExpressionKind<'_> {
    /// Whether it is of values that go where it goes.
    #[inline]
    pub(in super::super) fn passes_parts_on(&self) -> bool {
        matches!(
            self,
            Self::Dict(..)
                | Self::Set(_)
                | Self::List(_)
                | Self::Tuple(_)
                | Self::Starred(_)
                | Self::Either(_)
                | Self::Conditional { .. }
        )
    }
}

impl<'t> Expression<'t> {
    fn one<T: Node<'t>>(self, field: usize) -> Option<T> {
        T::at(self.0.fields[field])
    }

    fn many<T: Node<'t>>(self, field: usize) -> Items<'t, T> {
        Items::at(self.0.fields[field])
    }

    fn object(self, field: usize) -> Object<'t> {
        Object::of(self.0.fields[field])
    }

    /// Its line, from 1, and the byte in it, from 0.
    pub(in super::super) fn place(self) -> (u32, u32) {
        (self.0.line.max(1) as u32, self.0.column.max(0) as u32)
    }

    /// The same of what is behind it.
    pub(in super::super) fn end(self) -> (u32, u32) {
        (
            self.0.end_line.max(1) as u32,
            self.0.end_column.max(0) as u32,
        )
    }

    /// A function costs as much fuel as it is long, whatever it does: so the seldom kinds have their
    /// own.
    #[inline]
    pub(in super::super) fn kind(self) -> ExpressionKind<'t> {
        match self.0.kind {
            17 => ExpressionKind::Call {
                function: self.one(0),
                arguments: self.many(1),
                keywords: self.many(2),
            },
            22 => ExpressionKind::Constant(self.object(0)),
            23 => ExpressionKind::Attribute(self.one(0), self.object(1)),
            26 => ExpressionKind::Name(self.object(0)),
            _ => self.seldom_kind(),
        }
    }

    #[inline(never)]
    fn seldom_kind(self) -> ExpressionKind<'t> {
        const MINUS: usize = 4;
        const EQUALITY: usize = 1;
        match self.0.kind {
            1 => ExpressionKind::Either(self.many(1)),
            2 => ExpressionKind::Named(self.one(0), self.one(1)),
            3 => ExpressionKind::Binary(self.one(0), self.one(2)),
            4 if self.0.fields[0] == MINUS => ExpressionKind::Minus(self.one(1)),
            4 => ExpressionKind::Unary(self.one(1)),
            5 => ExpressionKind::Lambda(self.one(0), self.one(1)),
            6 => ExpressionKind::Conditional {
                test: self.one(0),
                branches: [self.one(1), self.one(2)],
            },
            7 => ExpressionKind::Dict(self.many(0), self.many(1)),
            8 => ExpressionKind::Set(self.many(0)),
            9 | 10 | 12 => ExpressionKind::Comprehension {
                makes: [self.one(0), None],
                of: self.many(1),
                is_lazy: self.0.kind == 12,
            },
            11 => ExpressionKind::Comprehension {
                makes: [self.one(0), self.one(1)],
                of: self.many(2),
                is_lazy: false,
            },
            13 => ExpressionKind::Await(self.one(0)),
            14 | 15 => ExpressionKind::Yield(self.one(0)),
            16 => ExpressionKind::Compare {
                left: self.one(0),
                others: self.many(2),
                is_equality: first_number(self.0.fields[1]) == Some(EQUALITY),
            },
            18 => ExpressionKind::Formatted(self.one(0), self.one(2)),
            19 => ExpressionKind::Formatted(self.one(0), self.one(3)),
            20 | 21 => ExpressionKind::Joined(self.many(0)),
            24 => ExpressionKind::Subscript(self.one(0), self.one(1)),
            25 => ExpressionKind::Starred(self.one(0)),
            27 => ExpressionKind::List(self.many(0)),
            28 => ExpressionKind::Tuple(self.many(0)),
            29 => ExpressionKind::Slice([self.one(0), self.one(1), self.one(2)]),
            _ => ExpressionKind::Unknown,
        }
    }
}
