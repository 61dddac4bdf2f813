//! JSON Schema → [`Type`].
//!
//! All drafts that servers send are read the same way: `definitions` and `$defs`, tuples by `items`
//! and by `prefixItems`, `nullable` from OpenAPI. A schema is untrusted: it may be wrong, huge or
//! endless. What can't be understood becomes [`Type::Any`], so that no argument is ever lost, and a
//! [`Note`] says so. No reference is followed outside the document.
//!
//! A place in a schema often has several schemas that hold at once (`allOf`, `$ref` with siblings,
//! the same property in both): a *conjunction*. The way:
//!
//! - `document`: where a `$ref` points
//! - `conjunction`: the schemas that hold at one place, without `$ref` and `allOf`
//! - `lower`: a conjunction → its type; `kind`, `object`, `array`, `values` and `choice` are its
//!   parts
//! - `docs`: what a schema tells people; `conditions`: what holds in some cases only
//! - `size`: how much there is to read in a schema
//! - `union`: types any of which may hold
//! - `settle`: which definitions keep their names

mod array;
mod choice;
mod conditions;
mod conjunction;
mod docs;
mod document;
mod kind;
mod lower;
mod note;
mod object;
mod settle;
mod size;
mod union;
mod values;

use serde_json::{Map, Value};

use super::tool::wrapped;
use super::types::{Definition, DocumentedType, Type};

pub use note::{Note, Problem};

/// How much of one schema is read: schemas visited, and values and lines of text in them. What
/// follows is [`Type::Any`]. Real schemas need a few thousand; the limit is for those made to take
/// forever.
pub const MAX_VISITS: usize = 1 << 17;

/// The longest name of a place or a definition that is kept, in characters. Identifiers are made
/// from no more.
const MAX_NAME: usize = 256;

/// Whether a schema says in OpenAPI's way that it takes null. What this says is respected both by
/// types and by the check of arguments.
pub fn says_nullable(schema: &Map<String, Value>) -> bool {
    schema.get("nullable") == Some(&Value::Bool(true))
}

/// As much of a name as is kept.
fn kept(name: &str) -> &str {
    match name.char_indices().nth(MAX_NAME) {
        None => name,
        Some((end, _)) => &name[..end],
    }
}

/// A tool's two schemas as types.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ToolTypes {
    /// An object, a map, or a union of such.
    pub arguments: DocumentedType,
    /// The structured result, if the tool has a schema for it.
    pub result: Option<DocumentedType>,
    /// What both name.
    pub definitions: Vec<Definition>,
    /// What was not understood.
    pub notes: Vec<Note>,
}

/// Reads a tool's schemas.
pub(crate) fn lower(input: &Map<String, Value>, output: Option<&Value>) -> ToolTypes {
    let mut definitions = Vec::new();
    let mut notes = Vec::new();
    let mut roots = vec![
        lower::Lowering::of(Schema::Object(input), "input", &mut definitions, &mut notes).root(),
    ];
    if let Some(output) = output {
        let root = match Schema::of(output) {
            Some(schema) => {
                let reading = lower::Lowering::of(schema, "output", &mut definitions, &mut notes);
                match wrapped(output).and_then(Schema::of) {
                    Some(value) => reading.part(value, "/properties/result"),
                    None => reading.root(),
                }
            }
            None => {
                notes.push(Note {
                    at: "output#".to_owned(),
                    problem: Problem::NotASchema,
                });
                DocumentedType::bare(Type::Any)
            }
        };
        roots.push(root);
    }
    let definitions = settle::settle(definitions, &mut roots);
    let mut roots = roots.into_iter();
    let mut arguments = roots
        .next()
        .unwrap_or_else(|| DocumentedType::bare(Type::Any));
    arguments.ty = match objects_in(arguments.ty, &definitions) {
        Some(ty) => ty,
        None => {
            notes.push(Note {
                at: "input#".to_owned(),
                problem: Problem::NotAnObject,
            });
            Type::free_form_object()
        }
    };
    ToolTypes {
        arguments,
        result: roots.next(),
        definitions,
        notes,
    }
}

/// What of a type is good for arguments, which are always an object.
fn objects_in(ty: Type, definitions: &[Definition]) -> Option<Type> {
    match ty {
        Type::Record(_) => Some(ty),
        Type::Nullable(inner) => objects_in(*inner, definitions),
        Type::Named(id) => has_objects(&definitions[id.0].value.ty).then_some(ty),
        Type::Union(mut union) => {
            union.variants.retain(|variant| match &variant.ty {
                Type::Named(id) => has_objects(&definitions[id.0].value.ty),
                ty => has_objects(ty),
            });
            match union.variants.len() {
                0 => None,
                1 => union.variants.pop().map(|variant| variant.ty),
                _ => Some(Type::Union(union)),
            }
        }
        _ => None,
    }
}

fn has_objects(ty: &Type) -> bool {
    match ty {
        Type::Record(_) => true,
        Type::Nullable(inner) => has_objects(inner),
        Type::Union(union) => union
            .variants
            .iter()
            .any(|variant| matches!(variant.ty, Type::Record(_) | Type::Named(_))),
        _ => false,
    }
}

/// A schema: an object, or `true` or `false`.
#[derive(Clone, Copy)]
enum Schema<'a> {
    Object(&'a Map<String, Value>),
    Boolean(bool),
}

impl<'a> Schema<'a> {
    /// The schema that `value` is, if it is one.
    fn of(value: &'a Value) -> Option<Self> {
        match value {
            Value::Object(map) => Some(Self::Object(map)),
            Value::Bool(allowed) => Some(Self::Boolean(*allowed)),
            _ => None,
        }
    }
}
