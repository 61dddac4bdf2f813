//! Arguments against a tool's input schema, before they leave: a call that can't succeed costs no
//! round trip, and the error names the field.
//!
//! - `understood`: a schema without what can't be understood
//! - `loosened`: what refuses more where less is understood
//! - `cost`: which schemas are checked at all: those that can neither loop nor explode
//! - `unevaluated`: what the validator repeats for keywords of that name
//! - `steps`: how much work one check takes
//! - `nullable`: null where OpenAPI's keyword allows it; `breathing`: no other run waits for a core
//!   until a large check is done; `subschemas`: what both go through
//! - `references`: where a schema's references lead
//! - `proven`: arguments of which some places are not known
//! - `explain`: what is wrong, in words

mod breathing;
mod cost;
mod explain;
mod loosened;
mod nullable;
mod proven;
pub(crate) mod references;
mod steps;
mod subschemas;
#[cfg(test)]
mod tests;
mod understood;
mod unevaluated;

use std::fmt;
use std::sync::OnceLock;

use ampoule_effort::{self as effort, Effort, EffortError};
use ampoule_projection::{Idiom, Tool};
use explain::Explanation;
pub(super) use explain::push_name;
use jsonschema::{PatternOptions, ValidationError, Validator};
pub(super) use proven::Unproven;
use serde_json::Value;
use steps::{CountError, Parts, STEP, Steps};

/// How many problems are reported at once.
const MAX_PROBLEMS: usize = 5;

/// How many steps a check may take for all problems to be looked for: each may be an error. In
/// larger checks, the first is enough: a million wrong rows would make a million errors.
const MAX_STEPS_SEARCHED: u64 = 10_000;

/// How many steps a check may take at all: some hundred milliseconds. What would take more is not
/// checked.
const MAX_STEPS: u64 = 10_000_000;

/// How deep the validator may recurse on a stack of its own, and on one that a run uses already.
const MAX_DEPTH: u32 = 2_000;
const MAX_DEPTH_IN_PLACE: u32 = 200;

/// How large a pattern's automaton may get, in bytes.
const MAX_PATTERN_BYTES: usize = 1024 * 1024;

/// Checks the arguments of one tool. The schema is compiled at the first check.
///
/// A part of a schema that can't be understood, or that refers to another document, lets everything
/// pass there, and nowhere else. A schema that is large, or would take too long, lets everything
/// pass, and so do arguments with which it would: the server checks for itself.
pub struct ArgumentCheck {
    tool: String,
    schema: Value,
    compiled: OnceLock<Option<CompiledSchema>>,
}

/// How large a schema may be to be compiled where others wait for the thread, in bytes.
const SMALL: usize = 4_096;

struct CompiledSchema {
    validator: Validator,
    parts: Parts,
    /// What is checked of the schema.
    schema: Value,
}

/// Why arguments don't fit the schema.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct ArgumentsError {
    /// The problems, each a clause that names a field.
    problems: Vec<String>,
    /// Whether there are more.
    more: bool,
}

impl fmt::Display for ArgumentsError {
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
    pub fn new(tool: &Tool) -> Self {
        Self {
            tool: tool.name.clone(),
            schema: nullable::admitted(tool.input_schema.parse()),
            compiled: OnceLock::new(),
        }
    }

    /// A check that lets everything pass.
    pub fn none(tool: &Tool) -> Self {
        Self {
            tool: tool.name.clone(),
            schema: Value::Null,
            compiled: OnceLock::from(None),
        }
    }

    /// Whether a tool's check is soon made: its schema is small, and has no patterns, of which each
    /// may take a while.
    pub fn is_soon_made(tool: &Tool) -> bool {
        let schema = &tool.input_schema;
        schema.bytes() <= SMALL && !schema.as_str().contains("\"pattern")
    }

    /// Whether somebody has compiled it already.
    pub fn is_compiled(&self) -> bool {
        self.compiled.get().is_some()
    }

    /// Checks arguments, if that is work for the thread that one is on; else nothing is done.
    ///
    /// # Errors
    ///
    /// As [`check`](Self::check) has them.
    pub fn check_if_quick(
        &self,
        arguments: &Value,
        idiom: Idiom,
        effort: &Effort,
    ) -> Result<Option<Result<(), ArgumentsError>>, EffortError> {
        const MOST: u64 = effort::MOST_IN_PLACE / STEP;
        let Some(compiled) = self.compiled() else {
            return Ok(Some(Ok(())));
        };
        match compiled.parts.steps(arguments, MOST, None) {
            Ok(steps) if steps.depth <= MAX_DEPTH_IN_PLACE => {
                effort.spend(steps.all * STEP)?;
                Ok(Some(compiled.valid(arguments, idiom, steps)))
            }
            _ => Ok(None),
        }
    }

    /// Checks arguments. Problems are written as that language writes them.
    ///
    /// # Errors
    ///
    /// `ArgumentsError` names up to five fields, what they are given, and what is allowed.
    pub fn check(
        &self,
        arguments: &Value,
        idiom: Idiom,
        effort: &Effort,
    ) -> Result<Result<(), ArgumentsError>, EffortError> {
        let Some(compiled) = self.compiled() else {
            return Ok(Ok(()));
        };
        match compiled.parts.steps(arguments, MAX_STEPS, Some(effort)) {
            Ok(steps) if steps.depth <= MAX_DEPTH => Ok(compiled.valid(arguments, idiom, steps)),
            Ok(_) | Err(CountError::TooMany) => {
                tracing::debug!(tool = %self.tool, "these arguments would take too long to check");
                Ok(Ok(()))
            }
            Err(CountError::EffortError(broken_off)) => Err(broken_off),
        }
    }

    /// What is wrong with arguments whatever is in the places of them that are not known. What would
    /// take long to check has no mistakes.
    ///
    /// # Errors
    ///
    /// There is no effort left.
    pub(super) fn mistakes(
        &self,
        arguments: &Value,
        unproven: &Unproven,
        idiom: Idiom,
        effort: &Effort,
    ) -> Result<Option<ArgumentsError>, EffortError> {
        let Some(compiled) = self.compiled() else {
            return Ok(None);
        };
        match compiled
            .parts
            .steps(arguments, MAX_STEPS_SEARCHED, Some(effort))
        {
            Ok(steps) if steps.depth <= MAX_DEPTH_IN_PLACE => {
                Ok(compiled.mistakes(arguments, unproven, idiom))
            }
            Ok(_) | Err(CountError::TooMany) => Ok(None),
            Err(CountError::EffortError(broken_off)) => Err(broken_off),
        }
    }

    fn compiled(&self) -> Option<&CompiledSchema> {
        self.compiled.get_or_init(|| self.compile()).as_ref()
    }

    fn compile(&self) -> Option<CompiledSchema> {
        let mut schema = understood::of(&self.schema);
        let compiled = cost::check(&schema).and_then(|()| {
            let patterns = PatternOptions::regex()
                .size_limit(MAX_PATTERN_BYTES)
                .dfa_size_limit(MAX_PATTERN_BYTES);
            // Formats are annotations, as 2020-12 has it: what one validator calls a date, another
            // does not.
            let options = jsonschema::options()
                .with_pattern_options(patterns)
                .should_validate_formats(false)
                .with_keyword(breathing::KEYWORD, breathing::keyword);
            understood::built(&mut schema, |schema| {
                options.build(&breathing::schema(schema))
            })
        });
        let compiled = compiled.inspect_err(|why| tracing::warn!(tool = %self.tool, %why, "the arguments are not checked against the tool's schema"));
        compiled.ok().map(|validator| CompiledSchema {
            validator,
            parts: Parts::of(&schema),
            schema,
        })
    }
}

impl CompiledSchema {
    fn valid(&self, arguments: &Value, idiom: Idiom, steps: Steps) -> Result<(), ArgumentsError> {
        match self.validator.is_valid(arguments) {
            true => Ok(()),
            false => Err(self.problems(arguments, idiom, steps)),
        }
    }

    /// What is wrong. The validator gathers errors before it gives the first, so it is asked where
    /// they are few.
    fn problems(&self, arguments: &Value, idiom: Idiom, steps: Steps) -> ArgumentsError {
        let searched = steps.all <= MAX_STEPS_SEARCHED;
        let errors: Vec<_> = match () {
            () if searched => self.errors(arguments, |_| true),
            () if steps.in_one_choice <= MAX_STEPS_SEARCHED => {
                Vec::from_iter(self.validator.validate(arguments).err())
            }
            () => Vec::new(),
        };
        let mut problems = self.explained(arguments, idiom, &errors);
        if problems.is_empty() {
            problems.push("the arguments do not fit the tool's schema, and are too large to tell where; try with fewer items".to_owned());
        }
        let more = problems.len() > MAX_PROBLEMS || !searched;
        problems.truncate(MAX_PROBLEMS);
        ArgumentsError { problems, more }
    }

    /// What is wrong for certain; none where nothing is.
    fn mistakes(
        &self,
        arguments: &Value,
        unproven: &Unproven,
        idiom: Idiom,
    ) -> Option<ArgumentsError> {
        if self.validator.is_valid(arguments) {
            return None;
        }
        let errors = self.errors(arguments, |error| unproven.proves(error));
        let mut problems = self.explained(arguments, idiom, &errors);
        let more = problems.len() > MAX_PROBLEMS;
        problems.truncate(MAX_PROBLEMS);
        (!problems.is_empty()).then_some(ArgumentsError { problems, more })
    }

    /// The first errors of those that count.
    fn errors<'v>(
        &'v self,
        arguments: &'v Value,
        counts: impl Fn(&ValidationError<'v>) -> bool,
    ) -> Vec<ValidationError<'v>> {
        let errors = self.validator.iter_errors(arguments);
        errors.filter(counts).take(MAX_PROBLEMS * 4).collect()
    }

    /// The problems in errors, each once.
    fn explained(
        &self,
        arguments: &Value,
        idiom: Idiom,
        errors: &[ValidationError<'_>],
    ) -> Vec<String> {
        let mut problems: Vec<String> = Vec::new();
        if errors.is_empty() {
            return problems;
        }
        for problem in Explanation::of(&self.schema, arguments, idiom).problems(errors) {
            if !problems.contains(&problem) {
                problems.push(problem);
            }
        }
        problems
    }
}
