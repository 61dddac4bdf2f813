//! Where in a document something is.

use std::fmt::{self, Display, Formatter};

use super::MismatchError;

/// A way from the root of a document, kept on the stack.
#[derive(Clone, Copy)]
pub(crate) struct Path<'a> {
    before: Option<&'a Path<'a>>,
    step: Step<'a>,
}

#[derive(Clone, Copy)]
enum Step<'a> {
    Root(&'a str),
    Property(&'a str),
    Item(usize),
    Each,
}

impl<'a> Path<'a> {
    pub(crate) fn root(name: &'a str) -> Self {
        Self {
            before: None,
            step: Step::Root(name),
        }
    }

    pub(crate) fn property(&'a self, name: &'a str) -> Self {
        Self {
            before: Some(self),
            step: Step::Property(name),
        }
    }

    pub(crate) fn item(&'a self, index: usize) -> Self {
        Self {
            before: Some(self),
            step: Step::Item(index),
        }
    }

    /// All items, where none is meant in particular.
    pub(crate) fn each(&'a self) -> Self {
        Self {
            before: Some(self),
            step: Step::Each,
        }
    }

    pub(super) fn mismatch(&self, problem: impl Into<String>) -> MismatchError {
        MismatchError {
            place: self.to_string(),
            problem: problem.into(),
        }
    }
}

impl Display for Path<'_> {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        if let Some(before) = self.before {
            before.fmt(out)?;
        }
        match self.step {
            Step::Root(name) => out.write_str(name),
            Step::Item(index) => write!(out, "[{index}]"),
            Step::Each => out.write_str("[]"),
            Step::Property(name) if is_identifier(name) => write!(out, ".{name}"),
            Step::Property(name) => write!(out, "[{name:?}]"),
        }
    }
}

fn is_identifier(name: &str) -> bool {
    let mut characters = name.chars();
    characters
        .next()
        .is_some_and(|first| first == '_' || unicode_ident::is_xid_start(first))
        && characters.all(unicode_ident::is_xid_continue)
}
