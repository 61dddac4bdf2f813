//! Arguments against a tool's input schema, before they leave: a call that can't succeed costs no round trip, and the error names
//! the field.
//!
//! - `cost`: which schemas are checked at all: those that can neither loop nor explode
//! - `nullable`: null where OpenAPI's keyword allows it
//! - `explain`: what is wrong, in words

mod cost;
mod explain;
mod nullable;
#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::OnceLock;

use jsonschema::{PatternOptions, Validator};
use serde_json::Value;

use crate::projection::Tool;
pub(super) use explain::push_name;

/// How many problems are told at once.
const MAX_PROBLEMS: usize = 5;

/// How many values arguments may have for all of their problems to be looked for. In larger ones, the first is enough: a million wrong
/// rows would make a million errors.
const MAX_VALUES_SEARCHED: usize = 10_000;

/// How large a pattern's automaton may get, in bytes.
const MAX_PATTERN_BYTES: usize = 1024 * 1024;

/// Checks the arguments of one tool. The schema is compiled at the first check.
///
/// A schema that is invalid, refers to other documents, or would take too long lets everything pass: the server checks for itself.
pub(crate) struct ArgumentCheck {
    tool: String,
    schema: Value,
    validator: OnceLock<Option<Validator>>,
}

/// Why arguments don't fit the schema.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) struct ArgumentProblem {
    /// The problems, each a clause that names a field.
    problems: Vec<String>,
    /// Whether there are more.
    more: bool,
}

impl fmt::Display for ArgumentProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.problems.join("; "))?;
        f.write_str(if self.more {
            "; and there are more problems"
        } else {
            ""
        })
    }
}

impl ArgumentCheck {
    /// A check that is not compiled yet.
    pub(crate) fn new(tool: &Tool) -> Self {
        Self {
            tool: tool.name.clone(),
            schema: nullable::admitted(&tool.input_schema),
            validator: OnceLock::new(),
        }
    }

    /// Checks arguments.
    ///
    /// # Errors
    ///
    /// [`ArgumentProblem`] names up to five fields, what they are given, and what is allowed.
    pub(crate) fn check(&self, arguments: &Value) -> Result<(), ArgumentProblem> {
        let Some(validator) = self.validator.get_or_init(|| self.compile()) else {
            return Ok(());
        };
        if validator.is_valid(arguments) {
            return Ok(());
        }
        let searched = values_in(arguments, MAX_VALUES_SEARCHED) < MAX_VALUES_SEARCHED;
        let errors = match validator.validate(arguments) {
            Ok(()) => return Ok(()),
            Err(_) if searched => validator
                .iter_errors(arguments)
                .take(MAX_PROBLEMS * 4)
                .collect(),
            Err(first) => vec![first],
        };
        let mut problems: Vec<String> = Vec::new();
        for problem in errors
            .iter()
            .flat_map(|error| explain::problems(error, &self.schema))
        {
            if !problems.contains(&problem) {
                problems.push(problem);
            }
        }
        let more = problems.len() > MAX_PROBLEMS || !searched;
        problems.truncate(MAX_PROBLEMS);
        Err(ArgumentProblem { problems, more })
    }

    fn compile(&self) -> Option<Validator> {
        let compiled = cost::check(&self.schema).and_then(|()| {
            let patterns = PatternOptions::regex()
                .size_limit(MAX_PATTERN_BYTES)
                .dfa_size_limit(MAX_PATTERN_BYTES);
            // Formats are annotations, as 2020-12 has it: what one validator calls a date, another does not.
            let options = jsonschema::options()
                .with_pattern_options(patterns)
                .should_validate_formats(false);
            options
                .build(&self.schema)
                .map_err(|error| error.masked().to_string())
        });
        compiled.inspect_err(|why| tracing::warn!(tool = %self.tool, %why, "the arguments are not checked against the tool's schema")).ok()
    }
}

/// Counts values, at most as far as `limit`.
fn values_in(value: &Value, limit: usize) -> usize {
    let mut left = vec![value];
    let mut count = 0;
    while let Some(value) = left.pop() {
        count += 1;
        if count + left.len() >= limit {
            return limit;
        }
        match value {
            Value::Array(items) => left.extend(items.iter().take(limit)),
            Value::Object(members) => left.extend(members.values().take(limit)),
            _ => {}
        }
    }
    count
}
