//! What is wrong with arguments, in words that name the field, what it is given, and what is allowed.

use ampoule_projection::names::near;
use jsonschema::ValidationError;
use jsonschema::error::{TypeKind, ValidationErrorKind};
use jsonschema::paths::{Location, LocationSegment};
use serde_json::Value;

/// How many of a list's members are named.
const LISTED: usize = 12;

/// How many names one is compared with, to find the one that was meant.
const COMPARED: usize = 1_000;

/// How many of the unknown properties of one object are reported.
const UNKNOWN: usize = 20;

/// How much of a value is shown, in characters.
const SHOWN_CHARS: usize = 60;

/// The problems in one error: one, or several where several properties are unknown.
pub(super) fn problems(error: &ValidationError<'_>, schema: &Value) -> Vec<String> {
    use ValidationErrorKind as Kind;
    let path = error.instance_path();
    let field = field(path);
    let given = || shown(error.instance());
    let must = |what: String| vec![format!("{field} must be {what}, not {}", given())];
    match error.kind() {
        Kind::Required { property } => vec![format!(
            "{} is missing",
            child(path, property.as_str().unwrap_or_default())
        )],
        Kind::AdditionalProperties { unexpected } | Kind::UnevaluatedProperties { unexpected } => {
            let known = known_properties(error, schema);
            unexpected
                .iter()
                .take(UNKNOWN)
                .map(|name| unknown(&child(path, name), name, &known))
                .collect()
        }
        Kind::Type { kind } => must(types(kind)),
        Kind::Enum { options } => must(one_of(options, error.instance())),
        Kind::Constant { expected_value } => must(shown(expected_value)),
        Kind::AnyOf { context } | Kind::OneOfNotValid { context } => {
            closest(context, schema, &field)
        }
        Kind::OneOfMultipleValid { .. } => vec![format!(
            "{field} fits several of the forms that it may have, and must fit just one"
        )],
        Kind::Minimum { limit } => must(format!("at least {limit}")),
        Kind::Maximum { limit } => must(format!("at most {limit}")),
        Kind::ExclusiveMinimum { limit } => must(format!("more than {limit}")),
        Kind::ExclusiveMaximum { limit } => must(format!("less than {limit}")),
        Kind::MultipleOf { multiple_of } => must(format!("a multiple of {multiple_of}")),
        Kind::MinLength { limit } => must(format!("at least {limit} characters long")),
        Kind::MaxLength { limit } => must(format!("at most {limit} characters long")),
        Kind::Pattern { pattern } => must(format!(
            "text that matches /{}/",
            cut(pattern, SHOWN_CHARS * 2)
        )),
        Kind::MinItems { limit } => vec![format!("{field} must have at least {limit} items")],
        Kind::MaxItems { limit } => vec![format!("{field} must have at most {limit} items")],
        Kind::MinProperties { limit } => {
            vec![format!("{field} must have at least {limit} properties")]
        }
        Kind::MaxProperties { limit } => {
            vec![format!("{field} must have at most {limit} properties")]
        }
        Kind::UniqueItems => vec![format!("{field} must have no item twice")],
        Kind::Not { .. } | Kind::FalseSchema => vec![format!("{field} may not be {}", given())],
        Kind::PropertyNames { error } => vec![format!(
            "{field} may not have a property {}",
            shown(error.instance())
        )],
        _ => vec![format!(
            "{field}: {}",
            cut(&error.masked().to_string(), 200)
        )],
    }
}

/// Of several forms, none of which fit, the one that was likely meant: the one whose error is deepest inside the value. Where all differ in
/// type alone, the types.
fn closest(forms: &[Vec<ValidationError<'static>>], schema: &Value, field: &str) -> Vec<String> {
    let mut wanted = Vec::new();
    for form in forms {
        if let [error] = &form[..]
            && let ValidationErrorKind::Type { kind } = error.kind()
            && self::field(error.instance_path()) == field
        {
            wanted.push(types(kind));
        }
    }
    if wanted.len() == forms.len()
        && let Some(given) = forms.first().and_then(|form| form.first())
    {
        wanted.dedup();
        return vec![format!(
            "{field} must be {}, not {}",
            alternatives(&wanted),
            shown(given.instance())
        )];
    }
    let depth = |form: &&Vec<ValidationError<'static>>| {
        form.iter()
            .map(|error| error.instance_path().iter().count())
            .max()
    };
    // Of several as deep, the one with the fewest errors; of those, the first.
    let likely = forms
        .iter()
        .max_by_key(|form| (depth(form), std::cmp::Reverse(form.len())));
    let problem =
        likely.and_then(|form| form.iter().flat_map(|error| problems(error, schema)).next());
    vec![match problem {
        Some(problem) => format!(
            "{field} fits none of the {} forms that it may have; for the closest, {problem}",
            forms.len()
        ),
        None => format!("{field} fits none of the forms that it may have"),
    }]
}

/// A place in the arguments, as a script would write it.
fn field(path: &Location) -> String {
    match path_text(path) {
        text if text.is_empty() => "the argument".to_owned(),
        text => format!("`{text}`"),
    }
}

fn child(path: &Location, name: &str) -> String {
    let mut text = path_text(path);
    push_name(&mut text, name);
    format!("`{text}`")
}

fn path_text(path: &Location) -> String {
    let mut text = String::new();
    for segment in path {
        match segment {
            LocationSegment::Index(index) => text += &format!("[{index}]"),
            LocationSegment::Property(name) => push_name(&mut text, &name),
        }
    }
    cut(&text, 200)
}

/// Adds a member's name to a place in the arguments, as a script would write it.
pub(crate) fn push_name(text: &mut String, name: &str) {
    let plain = name
        .starts_with(|first: char| first.is_ascii_alphabetic() || matches!(first, '_' | '$'))
        && name
            .chars()
            .all(|char| char.is_ascii_alphanumeric() || matches!(char, '_' | '$'));
    if !plain {
        *text += &format!("[{}]", cut(&Value::from(name).to_string(), SHOWN_CHARS));
        return;
    }
    if !text.is_empty() {
        text.push('.');
    }
    *text += name;
}

fn unknown(path: &str, name: &str, known: &[&str]) -> String {
    let mut text = format!("{path} is not a known property");
    match near(name, known.iter().copied().take(COMPARED), 1).first() {
        Some(near) => text += &format!("; did you mean `{near}`?"),
        None if known.is_empty() => text += "; there are none",
        None => {
            let names: Vec<String> = known
                .iter()
                .take(LISTED)
                .map(|name| format!("`{name}`"))
                .collect();
            let more = if known.len() > LISTED {
                format!(" and {} more", known.len() - LISTED)
            } else {
                String::new()
            };
            text += &format!("; known are {}{more}", names.join(", "));
        }
    }
    text
}

/// The properties that stand beside the keyword which found an unknown one.
fn known_properties<'s>(error: &ValidationError<'_>, schema: &'s Value) -> Vec<&'s str> {
    let location = error.schema_path().as_str();
    let beside = location.rsplit_once('/').map_or("", |(parent, _)| parent);
    let properties = schema
        .pointer(beside)
        .and_then(|schema| schema.get("properties"))
        .and_then(Value::as_object);
    properties
        .into_iter()
        .flat_map(|properties| properties.keys().map(String::as_str))
        .collect()
}

fn types(kind: &TypeKind) -> String {
    let article = |name: String| match name.as_str() {
        "null" => name,
        "array" | "integer" | "object" => format!("an {name}"),
        _ => format!("a {name}"),
    };
    match kind {
        TypeKind::Single(one) => article(one.to_string()),
        TypeKind::Multiple(several) => alternatives(
            &several
                .iter()
                .map(|one| article(one.to_string()))
                .collect::<Vec<_>>(),
        ),
    }
}

fn alternatives(names: &[String]) -> String {
    match names {
        [] => "something else".to_owned(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}

fn one_of(options: &Value, given: &Value) -> String {
    let options: &[Value] = options.as_array().map_or(&[], Vec::as_slice);
    let near = given.as_str().and_then(|given| {
        near(
            given,
            options.iter().filter_map(Value::as_str).take(COMPARED),
            1,
        )
        .first()
        .copied()
    });
    let mut text = alternatives(&options.iter().take(LISTED).map(shown).collect::<Vec<_>>());
    if options.len() > 1 {
        text.insert_str(0, "one of ");
    }
    if options.len() > LISTED {
        text += &format!(" ({} more)", options.len() - LISTED);
    }
    if let Some(near) = near {
        text += &format!(" (did you mean {}?)", Value::from(near));
    }
    text
}

fn shown(value: &Value) -> String {
    match value {
        Value::Array(items) => format!("an array of {} items", items.len()),
        Value::Object(_) => "an object".to_owned(),
        Value::String(text) => Value::from(cut(text, SHOWN_CHARS)).to_string(),
        other => cut(&other.to_string(), SHOWN_CHARS),
    }
}

fn cut(text: &str, chars: usize) -> String {
    match text.char_indices().nth(chars) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}
