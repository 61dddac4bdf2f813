//! The type model: what a JSON Schema says about a value, in terms that every printer and the value
//! mapping understand.
//!
//! A [`Type`] is a tree. What a schema refers to more than once, or refers to itself, is a
//! [`Definition`] that [`Type::Named`] points to; so a model is never larger than a fixed multiple
//! of its schema, and never deeper than [`MAX_DEPTH`].

use std::collections::HashSet;

use serde_json::Value;

/// How deep types nest without a name between them. What is deeper is [`Type::Any`].
pub const MAX_DEPTH: usize = 64;

/// How many properties of a variant are tried as the one that tells variants apart.
const MAX_CANDIDATES: usize = 16;

/// How many facts are kept about one place.
const MAX_FACTS: usize = 16;

/// What is known about a value.
#[derive(Debug, Clone, PartialEq)]
pub enum Type {
    /// Any JSON value: free-form.
    Any,
    /// No value at all; a schema that is `false`, or contradicts itself.
    Never,
    /// `null` alone.
    Null,
    /// `true` or `false`.
    Boolean,
    /// A number without a fraction.
    Integer(Bounds),
    /// Any number.
    Number,
    /// Text.
    String,
    /// One of some values.
    Enum(Enum),
    /// Any number of values of one type.
    Array(Box<DocumentedType>),
    /// Values that each have their own type.
    Tuple(Tuple),
    /// An object. One without properties is a map.
    Record(Record),
    /// A value of any of these types.
    Union(Union),
    /// The type or `null`. Never nested.
    Nullable(Box<Type>),
    /// The definition of this number.
    Named(DefinitionId),
}

/// A type, and what its schema tells people about it.
#[derive(Debug, Clone, PartialEq)]
pub struct DocumentedType {
    /// The type.
    pub ty: Type,
    /// What is said about it.
    pub docs: Docs,
}

/// What a schema tells people.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Docs {
    /// A name for people.
    pub title: Option<String>,
    /// What the value is for; Markdown.
    pub description: Option<String>,
    /// The value that an absent one stands for.
    pub default: Option<Value>,
    /// Some values, to show what is meant.
    pub examples: Vec<Value>,
    /// Whether the value should not be used any more.
    pub deprecated: bool,
    /// What the type can't express, in words: `1 to 100`, `format uuid`.
    pub facts: Vec<String>,
}

/// The range of an integer, both ends in it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Bounds {
    /// The smallest value.
    pub minimum: Option<i128>,
    /// The largest value.
    pub maximum: Option<i128>,
}

/// One of some values.
#[derive(Debug, Clone, PartialEq)]
pub struct Enum {
    /// The name that the schema gives it, if any.
    pub hint: Option<String>,
    /// The values: of any type except `null`, no two the same, at least one.
    pub values: Vec<EnumValue>,
}

/// A value of an [`Enum`].
#[derive(Debug, Clone, PartialEq)]
pub struct EnumValue {
    /// The value.
    pub value: Value,
    /// What the schema says about it.
    pub description: Option<String>,
}

/// Values that each have their own type.
#[derive(Debug, Clone, PartialEq)]
pub struct Tuple {
    /// The types, in order.
    pub items: Vec<DocumentedType>,
    /// How many of the items can't be absent.
    pub required: usize,
    /// The type of the values that follow, if any may.
    pub rest: Option<Box<Type>>,
}

/// An object.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// The name that the schema gives it, if any.
    pub hint: Option<String>,
    /// The properties, in the schema's order; no two with the same name.
    pub properties: Vec<Property>,
    /// Which other properties there may be.
    pub extra: Extra,
}

/// A property of a [`Record`].
#[derive(Debug, Clone, PartialEq)]
pub struct Property {
    /// The name, any text.
    pub name: String,
    /// Whether the property can't be absent.
    pub required: bool,
    /// Its type.
    pub value: DocumentedType,
}

/// Which properties there may be besides those that have names.
#[derive(Debug, Clone, PartialEq)]
pub enum Extra {
    /// The schema does not say. It then allows any, but hardly ever means it.
    Unstated,
    /// None.
    Closed,
    /// Any: the schema says so.
    Any,
    /// Those with such values.
    Of(Box<Type>),
}

/// A value of any of some types.
#[derive(Debug, Clone, PartialEq)]
pub struct Union {
    /// The name that the schema gives it, if any.
    pub hint: Option<String>,
    /// The types: at least two, no two the same, none of them a union, [`Type::Nullable`],
    /// [`Type::Null`] or [`Type::Any`].
    pub variants: Vec<DocumentedType>,
    /// The property whose value tells the variants apart, if one does.
    pub discriminator: Option<String>,
}

/// The number of a definition among those of its model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DefinitionId(pub usize);

/// A type with a name.
#[derive(Debug, Clone, PartialEq)]
pub struct Definition {
    /// What the schema calls it. Another definition may be called the same.
    pub hint: String,
    /// The type. Never [`Type::Named`] itself, nor a union with itself.
    pub value: DocumentedType,
}

impl Type {
    /// An object with any properties.
    pub fn free_form_object() -> Self {
        Self::Record(Record {
            hint: None,
            properties: Vec::new(),
            extra: Extra::Any,
        })
    }

    /// The object that it is, perhaps by name.
    pub fn record<'a>(&'a self, definitions: &'a [Definition]) -> Option<&'a Record> {
        match self {
            Self::Record(record) => Some(record),
            Self::Named(id) => match &definitions[id.0].value.ty {
                Self::Record(record) => Some(record),
                _ => None,
            },
            _ => None,
        }
    }

    /// The only value that a property of it can have.
    pub fn constant<'a>(
        &'a self,
        property: &str,
        definitions: &'a [Definition],
    ) -> Option<&'a Value> {
        let property = self
            .record(definitions)?
            .properties
            .iter()
            .find(|stated| stated.name == property)?;
        match &property.value.ty {
            Self::Enum(values) => match values.values.as_slice() {
                [only] => Some(&only.value),
                _ => None,
            },
            _ => None,
        }
    }

    /// The type or `null`.
    pub fn or_null(self) -> Self {
        match self {
            Self::Any | Self::Null | Self::Nullable(_) => self,
            Self::Never => Self::Null,
            other => Self::Nullable(Box::new(other)),
        }
    }

    /// Calls `visit` with each type directly inside this one.
    pub fn for_each_child<'a>(&'a self, mut visit: impl FnMut(&'a Type)) {
        match self {
            Self::Array(item) => visit(&item.ty),
            Self::Nullable(inner) => visit(inner),
            Self::Tuple(tuple) => {
                tuple.items.iter().for_each(|item| visit(&item.ty));
                tuple.rest.iter().for_each(|rest| visit(rest));
            }
            Self::Record(record) => {
                record
                    .properties
                    .iter()
                    .for_each(|property| visit(&property.value.ty));
                if let Extra::Of(value) = &record.extra {
                    visit(value);
                }
            }
            Self::Union(union) => union.variants.iter().for_each(|variant| visit(&variant.ty)),
            Self::Any
            | Self::Never
            | Self::Null
            | Self::Boolean
            | Self::Integer(_)
            | Self::Number
            | Self::String
            | Self::Enum(_)
            | Self::Named(_) => {}
        }
    }

    /// Calls `visit` with each type directly inside this one, and what is said about it if it can
    /// have docs.
    pub fn for_each_child_mut(&mut self, mut visit: impl FnMut(&mut Type, Option<&mut Docs>)) {
        match self {
            Self::Array(item) => visit(&mut item.ty, Some(&mut item.docs)),
            Self::Nullable(inner) => visit(inner, None),
            Self::Tuple(tuple) => {
                tuple
                    .items
                    .iter_mut()
                    .for_each(|item| visit(&mut item.ty, Some(&mut item.docs)));
                tuple.rest.iter_mut().for_each(|rest| visit(rest, None));
            }
            Self::Record(record) => {
                record.properties.iter_mut().for_each(|property| {
                    visit(&mut property.value.ty, Some(&mut property.value.docs))
                });
                if let Extra::Of(value) = &mut record.extra {
                    visit(value, None);
                }
            }
            Self::Union(union) => union
                .variants
                .iter_mut()
                .for_each(|variant| visit(&mut variant.ty, Some(&mut variant.docs))),
            Self::Any
            | Self::Never
            | Self::Null
            | Self::Boolean
            | Self::Integer(_)
            | Self::Number
            | Self::String
            | Self::Enum(_)
            | Self::Named(_) => {}
        }
    }
}

impl Union {
    /// The property whose value tells the variants apart: the one that the schema names, or one
    /// that has another constant value in each.
    pub fn discriminated_by<'a>(&'a self, definitions: &'a [Definition]) -> Option<&'a str> {
        if let Some(stated) = &self.discriminator {
            return Some(stated);
        }
        let (first, others) = self.variants.split_first()?;
        let candidates = first
            .ty
            .record(definitions)?
            .properties
            .iter()
            .map(|property| property.name.as_str());
        candidates.take(MAX_CANDIDATES).find(|property| {
            let mut seen = HashSet::new();
            std::iter::once(first).chain(others).all(|variant| {
                variant
                    .ty
                    .constant(property, definitions)
                    .is_some_and(|value| seen.insert(value.to_string()))
            })
        })
    }
}

impl Record {
    /// Whether it says nothing but that the value is an object.
    pub fn is_free_form(&self) -> bool {
        self.properties.is_empty() && matches!(self.extra, Extra::Any | Extra::Unstated)
    }
}

impl DocumentedType {
    /// A type about which nothing is said.
    pub fn bare(ty: Type) -> Self {
        Self {
            ty,
            docs: Docs::default(),
        }
    }
}

impl Docs {
    /// Takes what `other` says and this does not. `other` is the schema that this one refers to.
    pub fn or(&mut self, other: Docs) {
        self.title = self.title.take().or(other.title);
        self.description = self.description.take().or(other.description);
        self.default = self.default.take().or(other.default);
        if self.examples.is_empty() {
            self.examples = other.examples;
        }
        self.deprecated |= other.deprecated;
        for fact in other.facts {
            if self.facts.len() < MAX_FACTS && !self.facts.contains(&fact) {
                self.facts.push(fact);
            }
        }
    }
}
