//! Where a program's operations are that can fail, found again when one did.
//!
//! QuickJS notes places for names, calls and the starts of statements only. What fails elsewhere,
//! such as a member of `this` or a pattern, is told with the place that was noted last, lines
//! before perhaps. [`find`] goes through the source in the order in which QuickJS compiles it, and
//! gives each operation with the place that is told for it: its way back.

mod patterns;
mod survey;

use oxc_allocator::Allocator;
use oxc_ast_visit::Visit;
use oxc_parser::{ParseOptions, Parser};
use oxc_span::{SourceType, Span};

use survey::Survey;

/// Integers of fewer digits are numbers exactly.
pub(super) const FEWEST_ROUNDED_DIGITS: usize = 16;

/// The place that QuickJS tells for an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Told {
    /// What it noted last in the function, as an offset.
    At(u32),
    /// Nothing was noted in the function so far: that of the function, which begins at this offset.
    /// Exact to the line.
    Function(u32),
    /// The same in the function that sets a class's fields, which has no place.
    Fields,
}

/// What an operation does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Reads a property.
    Read,
    /// Writes a property.
    Write,
    Call,
    Construct,
    /// Calls the constructor of the class that this one extends.
    Super,
    /// Goes through what is to be iterable.
    Iterate,
    /// Takes properties out of what is to be an object.
    Unpack,
}

impl Kind {
    /// Whether an object is made.
    pub(super) fn makes(self) -> bool {
        matches!(self, Self::Construct | Self::Super)
    }
}

/// An operation that can fail.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Site {
    pub(crate) told: Told,
    pub(crate) kind: Kind,
    /// Where a reader looks for it.
    pub(crate) at: u32,
    /// The property's name, where the source has it; of a call, its first argument, where that is a
    /// literal.
    pub(crate) name: Option<Span>,
    /// What is called, iterated or unpacked, or what a property is of, where the source has it.
    pub(crate) subject: Option<Span>,
    /// Whether it is done to `this`, which is seldom what is missing.
    pub(crate) of_this: bool,
    /// Whether it is a call that `await` is written before.
    pub(crate) awaited: bool,
}

/// A name that an awaited call gives its value to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Binding {
    pub(crate) name: Span,
    /// The property of the call's value that it gets, if it does not get all of it.
    pub(crate) property: Option<Span>,
    /// What is called.
    pub(crate) callee: Span,
}

/// What is found in a source.
#[derive(Default)]
pub(crate) struct Found {
    /// The operations, in the order in which they are compiled.
    pub(crate) sites: Vec<Site>,
    pub(crate) bindings: Vec<Binding>,
    /// The integers that are written with more digits than a number has.
    pub(crate) rounded: Vec<Span>,
}

/// What is in a text as it was evaluated. Nothing in what can't be parsed.
pub(super) fn find(text: &str) -> Found {
    let allocator = Allocator::default();
    // A program of a session returns at its top.
    let options = ParseOptions {
        allow_return_outside_function: true,
        ..ParseOptions::default()
    };
    let parsed = Parser::new(&allocator, text, SourceType::mjs())
        .with_options(options)
        .parse();
    let mut survey = Survey::new(text);
    survey.visit_program(&parsed.program);
    survey.found
}
