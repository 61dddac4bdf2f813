//! A reading: code as it was probably meant, and what was changed on its way.

use ampoule_untrusted::text::one_line;

use crate::script::Language;
use crate::script::language::Interpreter;

/// Languages that read code alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Family {
    JavaScript,
    Python,
}

impl Family {
    pub(super) fn of(language: Language) -> Self {
        match language.interpreter() {
            Interpreter::JavaScript => Self::JavaScript,
            Interpreter::Python => Self::Python,
        }
    }
}

/// What was changed on the code's way, as it follows on "the code has".
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Repair(pub(super) String);

/// Code as it was probably meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Reading {
    pub(crate) source: String,
    pub(super) repairs: Vec<Repair>,
}

impl Reading {
    pub(super) fn of(source: String, repair: Repair) -> Self {
        let repairs = vec![repair];
        Self { source, repairs }
    }

    /// What is said beside a script's own output, where this is what ran.
    pub(crate) fn note(&self) -> String {
        format!(
            "Note: the code had {}. It was read as meant; send plain code.",
            list(&self.repairs)
        )
    }
}

/// A line, or its start, as messages have it.
pub(super) fn quoted(line: &str) -> String {
    const MOST_BYTES: usize = 80;
    let line = line.trim();
    let short = &line[..line.floor_char_boundary(MOST_BYTES)];
    let cut = if short.len() < line.len() { "…" } else { "" };
    format!("`{}{cut}`", one_line(short))
}

/// What was changed, as it follows on "the code has".
pub(super) fn list(repairs: &[Repair]) -> String {
    let repairs: Vec<&str> = repairs.iter().map(|repair| &*repair.0).collect();
    repairs.join("; and ")
}

/// The number of the line in which a byte is.
pub(super) fn line_of(code: &str, at: usize) -> u32 {
    let before = code[..at].bytes().filter(|byte| *byte == b'\n').count();
    u32::try_from(before + 1).unwrap_or(u32::MAX)
}
