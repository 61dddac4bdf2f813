//! The model of arguments.

use std::collections::BTreeMap;

use super::ShapeError;

/// A type that both JSON and Cedar have.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Shape {
    Bool,
    Long,
    Decimal,
    String,
    Set(Box<Shape>),
    Record(Record),
}

/// An object's attributes, by name.
pub(crate) type Record = BTreeMap<String, Attribute>;

/// One attribute.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Attribute {
    pub(crate) shape: Result<Shape, ShapeError>,
    /// Whether it is always there.
    pub(crate) required: bool,
}

impl Shape {
    /// The shape of what is of one shape or the other.
    pub(super) fn either(self, other: Self) -> Result<Self, ShapeError> {
        match (self, other) {
            (Self::Record(one), Self::Record(other)) => Ok(Self::Record(agreed(one, other))),
            (Self::Long, Self::Decimal) | (Self::Decimal, Self::Long) => Ok(Self::Decimal),
            (one, other) if one == other => Ok(one),
            _ => Err(ShapeError::Union),
        }
    }
}

/// What two objects agree on. What only one has is optional.
fn agreed(one: Record, mut other: Record) -> Record {
    let mut agreed = Record::new();
    for (name, attribute) in one {
        let attribute = match other.remove(&name) {
            None => optional(attribute),
            Some(second) => Attribute {
                required: attribute.required && second.required,
                shape: attribute
                    .shape
                    .and_then(|shape| shape.either(second.shape?)),
            },
        };
        agreed.insert(name, attribute);
    }
    let rest = other.into_iter();
    agreed.extend(rest.map(|(name, attribute)| (name, optional(attribute))));
    agreed
}

fn optional(attribute: Attribute) -> Attribute {
    Attribute {
        required: false,
        ..attribute
    }
}
