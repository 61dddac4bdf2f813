//! What is selected where a script says nothing: scalars and enums to depth two, and through
//! connections.

use std::collections::BTreeMap;

use apollo_compiler::Name;
use apollo_compiler::ast::{FieldDefinition, Type};
use apollo_compiler::schema::{Component, ExtendedType};
use serde_json::{Map, Value, json};

use crate::arguments::{enumeration, nullable, scalar};
use crate::operations::deprecation;
use crate::schema::Schema;

/// How many fields are selected, the outer ones first.
const MAX_FIELDS: usize = 120;
/// Of how many types of an abstract one the own fields are selected.
const MAX_FRAGMENTS: usize = 10;

const TYPENAME: &str = "__typename";

/// How much deeper scalars are selected.
#[derive(Clone, Copy)]
struct Depth {
    levels: usize,
    /// Whether these are a connection's edges, which are not counted.
    in_edges: bool,
}

impl Depth {
    const WHOLE: Self = Self {
        levels: 2,
        in_edges: false,
    };

    /// That of a field's own fields.
    fn below(self, is_edges: bool) -> Self {
        match is_edges && !self.in_edges {
            true => Self {
                in_edges: true,
                ..self
            },
            false => Self {
                levels: self.levels - 1,
                in_edges: false,
            },
        }
    }
}

/// What is selected of a field.
pub(crate) struct DefaultSelection {
    ty: Type,
    /// Nothing where there is nothing to select.
    inner: Option<Inner>,
}

#[derive(Default)]
struct Inner {
    /// Whether it is said of which type a value is.
    has_typename: bool,
    fields: Vec<(Name, DefaultSelection)>,
    /// Scalars of types that a value may be of.
    fragments: BTreeMap<Name, Vec<(Name, DefaultSelection)>>,
}

impl DefaultSelection {
    /// What is selected of an operation by default.
    pub(crate) fn of(schema: &Schema, field: &FieldDefinition) -> Self {
        let mut room = MAX_FIELDS;
        Self::at(schema, &field.ty, Depth::WHOLE, &mut room)
    }

    fn at(schema: &Schema, ty: &Type, depth: Depth, room: &mut usize) -> Self {
        let inner = match schema.type_of(ty.inner_named_type()) {
            Some(it) if !it.is_leaf() => Some(Inner::of(schema, it, depth, room)),
            _ => None,
        };
        Self {
            ty: ty.clone(),
            inner,
        }
    }

    /// In GraphQL, without the outer braces.
    pub(crate) fn text(&self) -> String {
        let mut out = String::new();
        if let Some(inner) = &self.inner {
            inner.write(&mut out);
        }
        out
    }

    /// The JSON schema of what comes back. Objects are open: a script may select more itself.
    pub(crate) fn schema(&self, schema: &Schema) -> Value {
        self.of_type(schema, &self.ty)
    }

    fn of_type(&self, schema: &Schema, ty: &Type) -> Value {
        let listed = |item| json!({ "type": "array", "items": self.of_type(schema, item) });
        match ty {
            Type::NonNullNamed(name) => self.named(schema, name),
            Type::Named(name) => nullable(self.named(schema, name)),
            Type::NonNullList(item) => listed(item),
            Type::List(item) => nullable(listed(item)),
        }
    }

    fn named(&self, schema: &Schema, name: &Name) -> Value {
        match (&self.inner, schema.type_of(name)) {
            (Some(inner), _) => inner.schema(schema),
            (None, Some(ExtendedType::Enum(it))) => enumeration(it),
            (None, _) => scalar(schema, name),
        }
    }
}

impl Inner {
    fn of(schema: &Schema, ty: &ExtendedType, depth: Depth, room: &mut usize) -> Self {
        let mut inner = Self::default();
        let mut objects = Vec::new();
        for (name, field) in fields(ty) {
            match schema.type_of(field.ty.inner_named_type()) {
                Some(it) if it.is_leaf() => inner.add(name, field, room),
                Some(_) => objects.push((name, field)),
                None => {}
            }
        }
        let possible = schema.possible(ty);
        if possible.len() <= MAX_FRAGMENTS {
            inner.add_fragments(schema, &possible, room);
        }
        let is_abstract = matches!(ty, ExtendedType::Interface(_) | ExtendedType::Union(_));
        let has_nodes = fields(ty).any(|(name, _)| name == "nodes");
        for (name, field) in objects {
            // A connection's edges are only another way to its nodes.
            let is_edges = name == "edges";
            if is_edges && has_nodes {
                continue;
            }
            let below = depth.below(is_edges);
            if below.levels == 0 || *room == 0 {
                continue;
            }
            let selected = DefaultSelection::at(schema, &field.ty, below, room);
            if selected.inner.as_ref().is_some_and(Self::has_any) {
                inner.fields.push((name.clone(), selected));
            }
        }
        inner.has_typename = is_abstract || !inner.has_any();
        inner
    }

    fn has_any(&self) -> bool {
        !self.fields.is_empty() || !self.fragments.is_empty() || self.has_typename
    }

    fn add(&mut self, name: &Name, field: &FieldDefinition, room: &mut usize) {
        if *room > 0 {
            *room -= 1;
            self.fields.push((name.clone(), leaf(field)));
        }
    }

    /// Of two types, fields with the same name must be of the same type to be selected beside each
    /// other.
    fn add_fragments(&mut self, schema: &Schema, possible: &[&Name], room: &mut usize) {
        let own = self.fields.iter();
        let mut known: BTreeMap<Name, Option<Type>> =
            own.map(|(name, _)| (name.clone(), None)).collect();
        for &name in possible {
            let Some(ty) = schema.type_of(name) else {
                continue;
            };
            let mut more = Vec::new();
            for (field_name, field) in fields(ty) {
                let is_leaf = schema
                    .type_of(field.ty.inner_named_type())
                    .is_some_and(ExtendedType::is_leaf);
                let fits = match known.get(field_name) {
                    None => true,
                    Some(ty) => ty.as_ref() == Some(&field.ty),
                };
                if is_leaf && fits && *room > 0 {
                    *room -= 1;
                    known.insert(field_name.clone(), Some(field.ty.clone()));
                    more.push((field_name.clone(), leaf(field)));
                }
            }
            if !more.is_empty() {
                self.fragments.insert(name.clone(), more);
            }
        }
    }

    fn write(&self, out: &mut String) {
        let mut space = "";
        if self.has_typename {
            out.push_str(TYPENAME);
            space = " ";
        }
        for (name, selected) in &self.fields {
            out.push_str(space);
            out.push_str(name);
            if let Some(inner) = &selected.inner {
                out.push_str(" { ");
                inner.write(out);
                out.push_str(" }");
            }
            space = " ";
        }
        for (ty, fields) in &self.fragments {
            let names: Vec<&str> = fields.iter().map(|(name, _)| name.as_str()).collect();
            out.push_str(&format!("{space}... on {ty} {{ {} }}", names.join(" ")));
            space = " ";
        }
    }

    fn schema(&self, schema: &Schema) -> Value {
        let mut properties = Map::new();
        let mut required: Vec<Value> = Vec::new();
        if self.has_typename {
            properties.insert(TYPENAME.to_owned(), json!({ "type": "string" }));
            required.push(TYPENAME.into());
        }
        for (name, selected) in &self.fields {
            properties.insert(name.to_string(), selected.schema(schema));
            required.push(name.as_str().into());
        }
        for (name, selected) in self.fragments.values().flatten() {
            let made = || selected.schema(schema);
            properties.entry(name.to_string()).or_insert_with(made);
        }
        json!({ "type": "object", "properties": properties, "required": required })
    }
}

fn leaf(field: &FieldDefinition) -> DefaultSelection {
    DefaultSelection {
        ty: field.ty.clone(),
        inner: None,
    }
}

/// The fields of a type that can be selected as they are.
fn fields(ty: &ExtendedType) -> impl Iterator<Item = (&Name, &Component<FieldDefinition>)> {
    let fields = match ty {
        ExtendedType::Object(object) => Some(&object.fields),
        ExtendedType::Interface(interface) => Some(&interface.fields),
        _ => None,
    };
    let needs_nothing = |field: &FieldDefinition| {
        let mut arguments = field.arguments.iter();
        arguments.all(|it| !it.is_required()) && deprecation(field).is_none()
    };
    let fields = fields.into_iter().flatten();
    fields.filter(move |(_, field)| needs_nothing(field))
}
