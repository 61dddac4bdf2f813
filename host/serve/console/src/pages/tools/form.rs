//! A form made of a tool's schema: a control for each property of a simple type, and JSON for the
//! others.

use maud::{Markup, html};
use serde_json::{Map, Value};

use crate::pages::parts;

/// How many properties get a field of their own.
const FIELDS: usize = 40;
/// The longest list of choices.
const CHOICES: usize = 100;
/// The field for a whole object of arguments.
pub(super) const WHOLE: &str = "arguments";
/// What the names of fields begin with.
pub(super) const FIELD: &str = "field:";

/// What a property's field takes.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Control {
    /// One of these.
    Choice(Vec<Value>),
    /// Yes or no.
    Switch,
    /// A number: whole or not.
    Number { is_whole: bool },
    /// A text.
    Text,
    /// Anything, as JSON.
    Json,
}

impl Control {
    /// That for a property of this schema.
    pub(super) fn of(schema: &Value) -> Self {
        let choices = schema["enum"].as_array();
        if let Some(choices) = choices.filter(|it| !it.is_empty() && it.len() <= CHOICES) {
            return Self::Choice(choices.clone());
        }
        match kind(schema) {
            Some("boolean") => Self::Switch,
            Some("integer") => Self::Number { is_whole: true },
            Some("number") => Self::Number { is_whole: false },
            Some("string") => Self::Text,
            _ => Self::Json,
        }
    }
}

/// The one type of a schema, `null` aside.
fn kind(schema: &Value) -> Option<&str> {
    match &schema["type"] {
        Value::String(kind) => Some(kind),
        Value::Array(kinds) => {
            let mut kinds = kinds
                .iter()
                .filter_map(Value::as_str)
                .filter(|it| *it != "null");
            let first = kinds.next()?;
            kinds.next().is_none().then_some(first)
        }
        _ => None,
    }
}

/// The properties that get fields, if the schema has few enough.
pub(super) fn properties(schema: &Value) -> Option<&Map<String, Value>> {
    let properties = schema["properties"].as_object()?;
    (properties.len() <= FIELDS).then_some(properties)
}

/// Whether the schema requires a property.
pub(super) fn is_required(schema: &Value, name: &str) -> bool {
    let required = schema["required"].as_array();
    required.is_some_and(|names| names.iter().any(|it| it == name))
}

/// The fields of a form.
pub(super) fn fields(schema: &Value) -> Markup {
    match properties(schema) {
        Some(properties) if properties.is_empty() => html! { p.quiet { "It takes no arguments." } },
        Some(properties) => html! {
            @for (index, (name, property)) in properties.iter().enumerate() {
                (field(index, name, property, is_required(schema, name)))
            }
        },
        None => html! {
            div.field {
                label for=(WHOLE) { "Arguments as JSON" }
                textarea.code #(WHOLE) name=(WHOLE) rows="8" spellcheck="false" { "{}" }
            }
        },
    }
}

fn field(index: usize, name: &str, schema: &Value, is_required: bool) -> Markup {
    let id = format!("field-{index}");
    let hint = format!("{id}-hint");
    let about = schema["description"].as_str().unwrap_or_default();
    let shown = parts::beginning(about, 400).0;
    let control = Control::of(schema);
    let says = match control {
        Control::Json => "As JSON. ",
        _ => "",
    };
    let given = format!("{FIELD}{name}");
    html! {
        div.field {
            label for=(id) { (parts::text(name)) @if is_required { span.quiet { " (required)" } } }
            @match &control {
                Control::Choice(choices) => {
                    select id=(id) name=(given) required[is_required] aria-describedby=(hint) {
                        option value="" { "–" }
                        @for choice in choices { option value=(choice.to_string()) { (words(choice)) } }
                    }
                },
                Control::Switch => {
                    select id=(id) name=(given) required[is_required] aria-describedby=(hint) {
                        option value="" { "–" } option value="true" { "yes" } option value="false" { "no" }
                    }
                },
                Control::Number { is_whole } => {
                    input id=(id) type="number" name=(given) step=(if *is_whole { "1" } else { "any" }) required[is_required] aria-describedby=(hint);
                },
                Control::Text => { textarea id=(id) name=(given) rows="1" required[is_required] aria-describedby=(hint) {} },
                Control::Json => { textarea.code id=(id) name=(given) rows="3" spellcheck="false" required[is_required] aria-describedby=(hint) {} },
            }
            p.hint id=(hint) { (says) (parts::text(shown)) }
        }
    }
}

fn words(choice: &Value) -> String {
    let text = choice
        .as_str()
        .map_or_else(|| choice.to_string(), str::to_owned);
    ampoule_untrusted::text::one_line(&text).into_owned()
}
