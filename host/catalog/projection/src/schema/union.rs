//! Types any of which may hold.

use std::collections::HashSet;

use serde_json::Value;

use super::super::types::{Bounds, Docs, DocumentedType, Enum, EnumValue, Type, Union};

/// How many structures are compared with each other, to say each once. More take too long.
const MAX_COMPARED: usize = 32;

/// The type that has the values of all of `members`. With one member it is that, docs and all.
pub(super) fn of(members: Vec<DocumentedType>, hint: Option<String>) -> DocumentedType {
    let mut union = Members::default();
    for member in members {
        union.add(member);
    }
    union.finish(hint)
}

/// Members so far, no two the same.
#[derive(Default)]
struct Members {
    variants: Vec<DocumentedType>,
    nullable: bool,
    anything: Option<Docs>,
    simple: HashSet<Simple>,
    structures: usize,
    /// Where the values are, if there are any.
    values: Option<usize>,
    known_values: HashSet<String>,
    integer: Option<usize>,
}

/// Types of which one in a union is enough.
#[derive(PartialEq, Eq, Hash)]
enum Simple {
    Boolean,
    Number,
    String,
    Named(usize),
}

impl Members {
    fn add(&mut self, member: DocumentedType) {
        let DocumentedType { ty, docs } = member;
        let simple = match &ty {
            Type::Boolean => Some(Simple::Boolean),
            Type::Number => Some(Simple::Number),
            Type::String => Some(Simple::String),
            Type::Named(id) => Some(Simple::Named(id.0)),
            _ => None,
        };
        match ty {
            Type::Never => {}
            Type::Null => self.nullable = true,
            Type::Any => self.anything = Some(docs),
            Type::Nullable(inner) => {
                self.nullable = true;
                self.add(DocumentedType { ty: *inner, docs });
            }
            Type::Union(union) => union
                .variants
                .into_iter()
                .for_each(|variant| self.add(variant)),
            Type::Enum(values) => self.add_values(values, docs),
            Type::Integer(bounds) => self.add_integer(bounds, docs),
            ty => {
                let known = match simple {
                    Some(simple) => !self.simple.insert(simple),
                    None => self.knows_structure(&ty),
                };
                if !known {
                    self.variants.push(DocumentedType { ty, docs });
                }
            }
        }
    }

    fn knows_structure(&mut self, ty: &Type) -> bool {
        self.structures += 1;
        self.structures <= MAX_COMPARED && self.variants.iter().any(|variant| variant.ty == *ty)
    }

    fn add_integer(&mut self, bounds: Bounds, docs: Docs) {
        let place = *self.integer.get_or_insert(self.variants.len());
        match self.variants.get_mut(place) {
            Some(DocumentedType {
                ty: Type::Integer(known),
                ..
            }) => {
                known.minimum = known.minimum.zip(bounds.minimum).map(|(a, b)| a.min(b));
                known.maximum = known.maximum.zip(bounds.maximum).map(|(a, b)| a.max(b));
            }
            _ => self.variants.push(DocumentedType {
                ty: Type::Integer(bounds),
                docs,
            }),
        }
    }

    /// Adds values to those that are there. What is said about a schema with a single value is then
    /// said about the value.
    fn add_values(&mut self, values: Enum, docs: Docs) {
        let alone = values.values.len() == 1;
        let Enum { hint, values } = values;
        let place = *self.values.get_or_insert(self.variants.len());
        if place == self.variants.len() {
            let docs = if alone { Docs::default() } else { docs.clone() };
            self.variants.push(DocumentedType {
                ty: Type::Enum(Enum {
                    // The name of one value is not that of them all.
                    hint: if alone { None } else { hint },
                    values: Vec::new(),
                }),
                docs,
            });
        }
        let Type::Enum(known) = &mut self.variants[place].ty else {
            return;
        };
        for EnumValue { value, description } in values {
            if self.known_values.insert(value.to_string()) {
                let said = if alone {
                    docs.description.clone().or_else(|| docs.title.clone())
                } else {
                    None
                };
                known.values.push(EnumValue {
                    value,
                    description: description.or(said),
                });
            }
        }
    }

    fn finish(mut self, hint: Option<String>) -> DocumentedType {
        if let Some(docs) = self.anything {
            return DocumentedType {
                ty: Type::Any,
                docs,
            };
        }
        if self.simple.contains(&Simple::Number)
            && let Some(integer) = self.integer
        {
            self.variants[integer].ty = Type::Never;
        }
        for variant in &mut self.variants {
            if matches!(&variant.ty, Type::Enum(values) if both_booleans(values)) {
                variant.ty = if self.simple.contains(&Simple::Boolean) {
                    Type::Never
                } else {
                    Type::Boolean
                };
            }
        }
        self.variants.retain(|variant| variant.ty != Type::Never);
        let mut members = self.variants.into_iter();
        let inner = match (members.next(), members.next()) {
            (None, _) => DocumentedType::bare(Type::Never),
            (Some(only), None) => only,
            (Some(first), Some(second)) => {
                let variants = [first, second].into_iter().chain(members).collect();
                DocumentedType::bare(Type::Union(Union {
                    hint,
                    variants,
                    discriminator: None,
                }))
            }
        };
        let DocumentedType { ty, docs } = inner;
        DocumentedType {
            ty: if self.nullable { ty.or_null() } else { ty },
            docs,
        }
    }
}

fn both_booleans(values: &Enum) -> bool {
    values.values.len() == 2
        && values
            .values
            .iter()
            .all(|value| matches!(value.value, Value::Bool(_)))
}
