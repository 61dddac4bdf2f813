//! A selection as a script writes it.

use apollo_compiler::ast::{Definition, Document, Selection};
use apollo_compiler::parser::Parser;

use crate::schema::first;

/// How long a selection or a document may be, in bytes.
pub(crate) const MAX_BYTES: usize = 64 << 10;
/// Of how many words and signs it may consist.
const MAX_TOKENS: usize = 10_000;
/// How deep it may be nested.
const MAX_DEPTH: usize = 32;

/// A document.
///
/// # Errors
///
/// It can't be read.
pub(crate) fn document(text: &str) -> Result<Document, String> {
    if text.len() > MAX_BYTES {
        return Err(format!("it has more than {} KiB", MAX_BYTES >> 10));
    }
    let mut parser = Parser::new()
        .recursion_limit(MAX_DEPTH)
        .token_limit(MAX_TOKENS);
    let parsed = parser.parse_ast(text, "document");
    parsed.map_err(|error| format!("it can't be read as GraphQL: {}", first(&error.errors)))
}

/// What a text selects, with braces around it or without. It is only a selection: nothing in it ends
/// the place where it is put.
///
/// # Errors
///
/// It can't be read, or is more than a selection.
pub(crate) fn selections(text: &str) -> Result<Vec<Selection>, String> {
    let mut parsed = document(&match text.trim_start().starts_with('{') {
        true => text.to_owned(),
        false => format!("{{ {text}\n}}"),
    })?;
    match (parsed.definitions.len(), parsed.definitions.pop()) {
        (1, Some(Definition::OperationDefinition(it)))
            if it.name.is_none()
                && it.variables.is_empty()
                && it.directives.is_empty()
                && !it.selection_set.is_empty() =>
        {
            Ok(it.selection_set.clone())
        }
        _ => Err("it must be one selection of fields, such as `id owner { id }`".to_owned()),
    }
}
