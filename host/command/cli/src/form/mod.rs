//! A form of an elicitation: its fields, and the values that a person types.

use ampoule_untrusted::text::one_line;
use serde_json::{Map, Value};

/// How many fields a form may have, and how many choices a field.
const MAX_FIELDS: usize = 50;
const MAX_CHOICES: usize = 100;

/// How much of a server's description of a field is shown, in characters.
const SHOWN_CHARS: usize = 300;

/// A field of a form.
#[derive(Debug)]
pub(super) struct Field {
    pub(super) name: String,
    title: Option<String>,
    description: Option<String>,
    kind: Kind,
    required: bool,
    default: Option<Value>,
}

#[derive(Debug)]
enum Kind {
    Text {
        format: Option<String>,
        least: Option<u64>,
        most: Option<u64>,
    },
    Number {
        whole: bool,
        least: Option<f64>,
        most: Option<f64>,
    },
    Flag,
    One(Vec<Choice>),
    Several(Vec<Choice>),
}

#[derive(Debug)]
struct Choice {
    value: String,
    title: Option<String>,
}

/// The fields of a form, in the server's order: MCP's `requestedSchema`.
///
/// # Errors
///
/// Why it can't be filled in here.
pub(super) fn fields(schema: Option<&Value>) -> Result<Vec<Field>, String> {
    let of_schema = |name| schema.and_then(|schema: &Value| schema.get(name));
    let Some(properties) = of_schema("properties").and_then(Value::as_object) else {
        return Ok(Vec::new());
    };
    if properties.len() > MAX_FIELDS {
        return Err(format!(
            "the form has too many fields: {}, at most {MAX_FIELDS}",
            properties.len()
        ));
    }
    let required = of_schema("required").and_then(Value::as_array);
    let is_required =
        |name: &str| required.is_some_and(|names| names.iter().any(|required| required == name));
    let field = |(name, schema): (&String, &Value)| {
        let kind = Kind::of(schema)
            .ok_or_else(|| format!("the field `{name}` can't be filled in at a terminal"))?;
        let text = |name| schema.get(name).and_then(Value::as_str).map(str::to_owned);
        Ok(Field {
            name: name.clone(),
            title: text("title"),
            description: text("description"),
            kind,
            required: is_required(name),
            default: schema.get("default").cloned(),
        })
    };
    properties.iter().map(field).collect()
}

impl Kind {
    fn of(schema: &Value) -> Option<Self> {
        let number = |name| schema.get(name).and_then(Value::as_f64);
        let length = |name| schema.get(name).and_then(Value::as_u64);
        Some(match schema.get("type")?.as_str()? {
            "string" => match choices(schema)? {
                Some(choices) => Self::One(choices),
                None => Self::Text {
                    format: schema
                        .get("format")
                        .and_then(Value::as_str)
                        .map(str::to_owned),
                    least: length("minLength"),
                    most: length("maxLength"),
                },
            },
            kind @ ("number" | "integer") => Self::Number {
                whole: kind == "integer",
                least: number("minimum"),
                most: number("maximum"),
            },
            "boolean" => Self::Flag,
            "array" => Self::Several(choices(schema.get("items")?)??),
            _ => return None,
        })
    }
}

/// The choices for a value, if it has choices. None if the schema can't be read.
fn choices(schema: &Value) -> Option<Option<Vec<Choice>>> {
    let options = schema.get("oneOf").or_else(|| schema.get("anyOf"));
    if let Some(options) = options.and_then(Value::as_array) {
        let choice = |option: &Value| {
            let title = option.get("title").and_then(Value::as_str);
            Some(Choice {
                value: option.get("const")?.as_str()?.to_owned(),
                title: title.map(str::to_owned),
            })
        };
        let read: Option<Vec<_>> = options.iter().map(choice).collect();
        return bounded(read?).map(Some);
    }
    let Some(values) = schema.get("enum").and_then(Value::as_array) else {
        return Some(None);
    };
    let titles = schema.get("enumNames").and_then(Value::as_array);
    let choice = |(at, value): (usize, &Value)| {
        let title = titles.and_then(|titles| titles.get(at)?.as_str());
        Some(Choice {
            value: value.as_str()?.to_owned(),
            title: title.map(str::to_owned),
        })
    };
    let read: Option<Vec<_>> = values.iter().enumerate().map(choice).collect();
    bounded(read?).map(Some)
}

fn bounded(choices: Vec<Choice>) -> Option<Vec<Choice>> {
    (1..=MAX_CHOICES)
        .contains(&choices.len())
        .then_some(choices)
}

fn shown(text: &str) -> String {
    let cut: String = text.chars().take(SHOWN_CHARS).collect();
    one_line(&cut).into_owned()
}

impl Field {
    /// The question, escaped for display: a line for the field, and one for each choice.
    pub(super) fn question(&self) -> Vec<String> {
        let name = shown(self.title.as_ref().unwrap_or(&self.name));
        let mut notes = vec![self.kind.said()];
        if !self.required {
            notes.push("may be empty".to_owned());
        }
        if let Some(default) = &self.default {
            notes.push(format!("default {}", shown(&plain(default))));
        }
        let description = self.description.as_ref();
        let description = description.map_or_else(String::new, |said| format!(": {}", shown(said)));
        let mut lines = vec![format!("{name} ({}){description}", notes.join(", "))];
        if let Kind::One(choices) | Kind::Several(choices) = &self.kind {
            lines.extend(choices.iter().enumerate().map(|(at, choice)| {
                let value = shown(&choice.value);
                let title = choice
                    .title
                    .as_ref()
                    .filter(|title| **title != choice.value);
                let title = title.map_or_else(String::new, |title| format!(": {}", shown(title)));
                format!("  {} {value}{title}", at + 1)
            }));
        }
        lines
    }

    /// The value that was typed; none if the field is left out.
    ///
    /// # Errors
    ///
    /// What is wrong with it, in a sentence.
    pub(super) fn value(&self, typed: &str) -> Result<Option<Value>, String> {
        let typed = typed.trim();
        if typed.is_empty() {
            return match (&self.default, self.required) {
                (Some(default), _) => Ok(Some(default.clone())),
                (None, false) => Ok(None),
                (None, true) => Err("it may not be empty".to_owned()),
            };
        }
        self.kind.value(typed).map(Some)
    }
}

impl Kind {
    fn said(&self) -> String {
        match self {
            Self::Text { format, .. } => {
                let format = format.as_ref();
                format.map_or_else(|| "text".to_owned(), |format| shown(format))
            }
            Self::Number { whole: true, .. } => "whole number".to_owned(),
            Self::Number { .. } => "number".to_owned(),
            Self::Flag => "yes or no".to_owned(),
            Self::One(_) => "one of these".to_owned(),
            Self::Several(_) => "any of these, with commas between".to_owned(),
        }
    }

    fn value(&self, typed: &str) -> Result<Value, String> {
        match self {
            Self::Text {
                format,
                least,
                most,
            } => {
                let length = typed.chars().count() as u64;
                if least.is_some_and(|least| length < least)
                    || most.is_some_and(|most| length > most)
                {
                    return Err(between("its length", least.as_ref(), most.as_ref()));
                }
                fits_format(format.as_deref(), typed)?;
                Ok(typed.into())
            }
            Self::Number { whole, least, most } => {
                let number = typed
                    .parse::<f64>()
                    .ok()
                    .filter(|number| number.is_finite());
                let number = number.ok_or("not a number")?;
                if least.is_some_and(|least| number < least)
                    || most.is_some_and(|most| number > most)
                {
                    return Err(between("it", least.as_ref(), most.as_ref()));
                }
                match whole {
                    true => Ok(typed
                        .parse::<i64>()
                        .map_err(|_| "not a whole number")?
                        .into()),
                    false => Ok(number.into()),
                }
            }
            Self::Flag => match typed.to_lowercase().as_str() {
                "y" | "yes" | "true" => Ok(true.into()),
                "n" | "no" | "false" => Ok(false.into()),
                _ => Err("it is neither yes nor no".to_owned()),
            },
            Self::One(choices) => Ok(chosen(choices, typed)?.into()),
            Self::Several(choices) => {
                let typed = typed
                    .split(',')
                    .map(str::trim)
                    .filter(|typed| !typed.is_empty());
                let all: Result<Vec<_>, _> = typed.map(|typed| chosen(choices, typed)).collect();
                Ok(all?.into())
            }
        }
    }
}

/// A choice by its value, its title or its number.
fn chosen<'a>(choices: &'a [Choice], typed: &str) -> Result<&'a str, String> {
    let is_it = |choice: &&Choice| choice.value == typed || choice.title.as_deref() == Some(typed);
    let numbered = || typed.parse::<usize>().ok()?.checked_sub(1);
    let choice = choices.iter().find(is_it);
    let choice = choice.or_else(|| choices.get(numbered()?));
    choice
        .map(|choice| choice.value.as_str())
        .ok_or_else(|| format!("`{}` is not one of the choices", shown(typed)))
}

fn fits_format(format: Option<&str>, typed: &str) -> Result<(), String> {
    let fits = match format {
        Some("email") => {
            let parts: Vec<_> = typed.split('@').collect();
            matches!(parts[..], [name, host] if !name.is_empty() && host.contains('.'))
        }
        Some("uri") => url::Url::parse(typed).is_ok(),
        _ => true,
    };
    fits.then_some(())
        .ok_or_else(|| format!("not a valid {}", format.unwrap_or_default()))
}

fn between<T: std::fmt::Display>(what: &str, least: Option<&T>, most: Option<&T>) -> String {
    match (least, most) {
        (Some(least), Some(most)) => format!("{what} must be from {least} to {most}"),
        (Some(least), None) => format!("{what} must be at least {least}"),
        (None, Some(most)) => format!("{what} must be at most {most}"),
        (None, None) => format!("{what} does not fit"),
    }
}

fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(values) => values.iter().map(plain).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    }
}

/// MCP's answer: what was filled in.
pub(super) fn accepted(content: Map<String, Value>) -> Map<String, Value> {
    let action = ("action".to_owned(), "accept".into());
    Map::from_iter([action, ("content".to_owned(), content.into())])
}

#[cfg(test)]
mod tests;
