//! What is wrong with arguments, in words that name the field, what it is given, and what to write
//! instead.
//!
//! - `place`: where it is; `values`: what is given, and what is allowed
//! - `way`: what of the schema led there, and under which condition
//! - `choice`: of several forms, the one that was likely meant; `shape`: a form in short
//! - `suggestion`: what to write where the type is another

mod choice;
mod place;
mod shape;
mod suggestion;
#[cfg(test)]
mod tests;
mod values;
mod way;

use ampoule_projection::Idiom;
use jsonschema::ValidationError;
use jsonschema::error::ValidationErrorKind as Kind;
use jsonschema::paths::Location;
use serde_json::Value;

pub(crate) use self::place::push_name;
use self::place::{child, field};
use self::values::{
    OneOf, SHOWN_CHARS, UnknownProperty, alternatives, cut, shown, types, unknown, with_article,
};
use super::references::References;

/// How many of a list's members are named.
const LISTED: usize = 12;

/// How many names one is compared with, to find the one that was meant.
const COMPARED: usize = 1_000;

/// How many of the unknown properties of one object are reported.
const UNKNOWN: usize = 20;

/// How many errors are looked at of those in one form.
const ERRORS: usize = 20;

/// How many choices within each other are explained: each takes stack.
const CHOICES: usize = 20;

/// Where errors were found: in which form of a choice.
#[derive(Clone, Copy, Default)]
struct ErrorScope {
    /// How many keywords are on the way to it.
    steps: usize,
    /// How many choices it is in.
    choices: usize,
}

/// What explains arguments that a schema does not allow.
pub(super) struct Explanation<'s> {
    references: References<'s>,
    arguments: &'s Value,
    idiom: Idiom,
}

impl<'s> Explanation<'s> {
    pub(super) fn of(schema: &'s Value, arguments: &'s Value, idiom: Idiom) -> Self {
        Self {
            references: References::within(schema),
            arguments,
            idiom,
        }
    }

    /// The problems in these errors, each a clause.
    pub(super) fn problems(&self, errors: &[ValidationError<'_>]) -> Vec<String> {
        match self.needless_wrapper() {
            Some(problem) => vec![problem],
            None => self.all(errors, ErrorScope::default()),
        }
    }

    fn all(&self, errors: &[ValidationError<'_>], within: ErrorScope) -> Vec<String> {
        let errors = &errors[..errors.len().min(ERRORS)];
        let says_all = |error: &ValidationError<'_>| {
            matches!(error.kind(), Kind::Enum { .. } | Kind::Constant { .. })
        };
        let told = |error: &&ValidationError<'_>| {
            let place = error.instance_path();
            !matches!(error.kind(), Kind::Type { .. })
                || !errors
                    .iter()
                    .any(|other| says_all(other) && other.instance_path() == place)
        };
        let told = errors.iter().filter(told);
        told.flat_map(|error| self.explained(error, within))
            .collect()
    }

    /// The problems in one error: one, or several where several properties are unknown, or a form
    /// of several has them.
    fn explained(&self, error: &ValidationError<'_>, within: ErrorScope) -> Vec<String> {
        const OPTIONAL: &str = "; it is optional: leave it out";
        let mut problems = self.by_kind(error, within);
        if let Some(last) = problems.last_mut() {
            if let Some(condition) = self.condition(error, within.steps) {
                *last += &condition;
            }
            if error.instance().is_null() && !last.ends_with(OPTIONAL) && self.is_optional(error) {
                *last += OPTIONAL;
            }
        }
        problems
    }

    fn by_kind(&self, error: &ValidationError<'_>, within: ErrorScope) -> Vec<String> {
        let path = error.instance_path();
        let field = field(path);
        let given = shown(error.instance());
        if let Some(what) = wanted(error.kind()) {
            return vec![format!("{field} must be {what}, not {given}")];
        }
        match error.kind() {
            Kind::Required { property } => {
                vec![self.missing(error, property.as_str().unwrap_or_default())]
            }
            Kind::AdditionalProperties { unexpected }
            | Kind::UnevaluatedProperties { unexpected } => {
                self.unknown_properties(error, unexpected)
            }
            Kind::Type { kind } => {
                let names: Vec<String> =
                    types(kind).iter().map(|name| with_article(name)).collect();
                let instead = self.instead(error, kind).unwrap_or_default();
                let what = alternatives(&names);
                vec![format!("{field} must be {what}, not {given}{instead}")]
            }
            Kind::Enum { options } => {
                let options = options.as_array().into_iter().flatten();
                vec![must_be_one_of(&field, options, error.instance(), &[])]
            }
            Kind::Constant { expected_value } => {
                vec![must_be_one_of(
                    &field,
                    [&**expected_value],
                    error.instance(),
                    &[],
                )]
            }
            Kind::AnyOf { context } | Kind::OneOfNotValid { context } => {
                self.choice(error, context, within)
            }
            Kind::OneOfMultipleValid { .. } => vec![self.too_many_forms(error)],
            Kind::Not { schema } => vec![self.forbidden(error, schema)],
            Kind::FalseSchema => vec![format!("{field} may not be given")],
            Kind::PropertyNames { error: name } => vec![no_name(path, name)],
            Kind::UnevaluatedItems { unexpected } => {
                let count = unexpected.len();
                vec![format!(
                    "{field} has {count} items that its schema does not allow"
                )]
            }
            Kind::Contains => vec![self.lacks_item(error)],
            kind => vec![match counted(kind) {
                Some(what) => format!("{field} must have {what}"),
                None => format!("{field}: {}", cut(&error.masked().to_string(), 200)),
            }],
        }
    }

    fn unknown_properties(
        &self,
        error: &ValidationError<'_>,
        unexpected: &[String],
    ) -> Vec<String> {
        let path = error.instance_path();
        let unexpected: Vec<_> = unexpected
            .iter()
            .take(UNKNOWN)
            .map(|name| UnknownProperty {
                name,
                place: child(path, name),
            })
            .collect();
        let is_given = |name: &str| error.instance().get(name).is_some();
        unknown(&unexpected, &self.known_properties(error), is_given)
    }

    /// What a `not` says, where it says which properties may not be given.
    fn forbidden(&self, error: &ValidationError<'_>, schema: &Value) -> String {
        let path = error.instance_path();
        let required = schema.get("required").and_then(Value::as_array);
        let names = required.into_iter().flatten().filter_map(Value::as_str);
        let names: Vec<String> = names.take(LISTED).map(|name| child(path, name)).collect();
        match &names[..] {
            [one] => format!("{one} may not be given"),
            [first @ .., last] => {
                format!("{} and {last} may not be given together", first.join(", "))
            }
            [] => format!("{} may not be {}", field(path), shown(error.instance())),
        }
    }
}

/// What a value must be, where a word or two say it whatever the value is.
fn wanted(kind: &Kind) -> Option<String> {
    Some(match kind {
        Kind::Minimum { limit } => format!("at least {limit}"),
        Kind::Maximum { limit } => format!("at most {limit}"),
        Kind::ExclusiveMinimum { limit } => format!("more than {limit}"),
        Kind::ExclusiveMaximum { limit } => format!("less than {limit}"),
        Kind::MultipleOf { multiple_of } => format!("a multiple of {multiple_of}"),
        Kind::MinLength { limit } => format!("at least {limit} {} long", characters(*limit)),
        Kind::MaxLength { limit } => format!("at most {limit} {} long", characters(*limit)),
        Kind::Pattern { pattern } => {
            format!("text that matches /{}/", cut(pattern, SHOWN_CHARS * 2))
        }
        _ => return None,
    })
}

/// The word for so many characters.
fn characters(count: u64) -> &'static str {
    match count {
        1 => "character",
        _ => "characters",
    }
}

/// How many of what a value must have.
fn counted(kind: &Kind) -> Option<String> {
    Some(match kind {
        Kind::MinItems { limit } => format!("at least {limit} items"),
        Kind::MaxItems { limit } => format!("at most {limit} items"),
        Kind::AdditionalItems { limit } => format!("at most {limit} items"),
        Kind::MinProperties { limit } => format!("at least {limit} properties"),
        Kind::MaxProperties { limit } => format!("at most {limit} properties"),
        Kind::UniqueItems => "no item twice".to_owned(),
        _ => return None,
    })
}

fn must_be_one_of<'v>(
    field: &str,
    options: impl IntoIterator<Item = &'v Value>,
    given: &Value,
    others: &[String],
) -> String {
    let options = OneOf::of(options, given);
    let (what, given, guess) = (options.or(others), shown(given), options.guess());
    format!("{field} must be {what}, not {given}{guess}")
}

/// That a property may not have its name.
fn no_name(path: &Location, name: &ValidationError<'_>) -> String {
    let why = match name.kind() {
        Kind::Enum { options } => {
            let options = OneOf::of(options.as_array().into_iter().flatten(), name.instance());
            format!(": names must be {}{}", options.or(&[]), options.guess())
        }
        kind => wanted(kind).map_or_else(String::new, |what| format!(": names must be {what}")),
    };
    let name = name.instance().as_str().unwrap_or_default();
    format!("{} may not be given{why}", child(path, name))
}
