//! What it costs to find the names that are written nearly so.

use ampoule_effort as effort;
use ampoule_projection::names::MAX_IDENTIFIER_CHARS;

/// What it costs to say what was likely meant by a name, where there are so many others.
pub(crate) fn price(name: &str, others: usize) -> u64 {
    let letters = MAX_IDENTIFIER_CHARS * name.len().min(MAX_IDENTIFIER_CHARS);
    (4 * effort::ITEM + effort::LETTERS * letters as u64) * others as u64
}
