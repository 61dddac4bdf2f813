//! What is selected of an operation's result.
//!
//! - `default`: where a script says nothing; `written`: as it says
//! - `check`: what is wrong with a selection, in words

pub(crate) mod check;
mod default;
pub(crate) mod written;

use ampoule_projection::names::canonical;
use apollo_compiler::ast::FieldDefinition;
use serde_json::{Value, json};

pub(crate) use self::default::DefaultSelection;
use crate::schema::Schema;

/// The name of the argument by which a script selects itself, if there is anything to select: one
/// that no argument of the field has.
pub(crate) fn argument(schema: &Schema, field: &FieldDefinition) -> Option<String> {
    let ty = schema.type_of(field.ty.inner_named_type())?;
    if ty.is_leaf() {
        return None;
    }
    let is_free = |name: &str| {
        let mut taken = field.arguments.iter();
        taken.all(|it| canonical(&it.name) != canonical(name))
    };
    let names = ["select", "selection"].map(str::to_owned).into_iter();
    let numbered = (2..).map(|number: u32| format!("selection_{number}"));
    names.chain(numbered).find(|name| is_free(name))
}

/// What is said of that argument.
pub(crate) fn argument_schema(schema: &Schema, field: &FieldDefinition) -> Value {
    let name = field.ty.inner_named_type();
    let by_default = DefaultSelection::of(schema, field).text();
    let by_default = match by_default.len() <= 300 {
        true => format!(" Default: `{by_default}`"),
        false => String::new(),
    };
    json!({
        "type": "string",
        "description": format!("Fields of the `{name}` that come back, in GraphQL, such as `id owner {{ id }}`.{by_default}"),
    })
}
