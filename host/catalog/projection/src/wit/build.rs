//! An interface → its package.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use super::super::doc::{self, Detail};
use super::super::interface::{Function, Interface};
use super::super::names::{self, Names, Style};
use super::super::structures::{Structures, Writing};
use super::super::types::{Bounds, Definition, Enum, Extra, Property, Record, Tuple, Type, Union};
use super::shape::{
    Body, Case, Declaration, EnumCase, Field, OtherProperties, Package, Shape, Shared, Signature,
};
use super::{cases, docs};

/// How many fields or cases a type may have. Readers of components refuse more than a thousand.
const MAX_MEMBERS: usize = 999;

/// How many values are distinguished as cases. Of more, only their type is said.
const MAX_CASES: usize = 256;

/// The name of the field for the properties of a record that have no names in the schema.
const OTHERS: &str = "additional-properties";

/// The package of an interface without types that contain themselves.
pub(super) fn package(server: &str, interface: &Interface, names: &Names) -> Package {
    let mut taken = names.identifiers().to_vec();
    let [json, content, tool_error] = ["json", "content", "tool-error"].map(|name| {
        let mut own = name.to_owned();
        while taken.contains(&own) {
            own.push_str("-type");
        }
        own
    });
    taken.extend([json.clone(), content.clone(), tool_error.clone()]);
    // `Self` is a keyword of Rust that has no escape.
    taken.push("self".to_owned());
    let structures = Structures::of(interface, Style::Kebab, writing, &taken);
    let builder = Builder {
        structures: &structures,
        definitions: &interface.definitions,
        told: told_by_cases(&structures, &interface.definitions),
    };
    let named = interface
        .definitions
        .iter()
        .enumerate()
        .map(|(index, definition)| builder.definition(index, definition));
    let unnamed = structures
        .iter()
        .map(|(name, ty)| builder.declaration(name, Vec::new(), ty));
    Package {
        server: server.to_owned(),
        shared: Shared {
            json,
            content,
            tool_error,
        },
        declarations: named.chain(unnamed).collect(),
        functions: interface
            .functions
            .iter()
            .map(|function| builder.signature(function, names))
            .collect(),
    }
}

/// How a type is written.
fn writing(ty: &Type) -> Writing {
    let named = |count: usize, most: usize| {
        if count <= most {
            Writing::Named
        } else {
            Writing::Opaque
        }
    };
    match ty {
        Type::Record(record) if record.properties.is_empty() => Writing::InPlace,
        Type::Record(record) => named(record.properties.len(), MAX_MEMBERS),
        Type::Union(union) => named(union.variants.len(), MAX_MEMBERS),
        Type::Enum(values) => named(values.values.len(), MAX_CASES),
        Type::Tuple(tuple)
            if tuple.items.len() > MAX_MEMBERS
                || tuple.rest.is_some()
                || tuple.required < tuple.items.len() =>
        {
            Writing::Opaque
        }
        _ => Writing::InPlace,
    }
}

/// The properties of records that the cases of a union tell, by the records' addresses.
fn told_by_cases<'a>(
    structures: &Structures<'a>,
    definitions: &'a [Definition],
) -> HashMap<usize, HashSet<&'a str>> {
    let mut told: HashMap<usize, HashSet<&str>> = HashMap::new();
    let named = definitions.iter().map(|definition| &definition.value.ty);
    for ty in named.chain(structures.iter().map(|(_, ty)| ty)) {
        if let Type::Union(union) = ty
            && writing(ty) == Writing::Named
            && let Some(property) = union.discriminated_by(definitions)
        {
            let records = union.variants.iter();
            for record in records.filter_map(|variant| variant.ty.record(definitions)) {
                told.entry(address(record)).or_default().insert(property);
            }
        }
    }
    told
}

/// Tells a record from all others. It is compared, and never followed.
fn address(record: &Record) -> usize {
    std::ptr::from_ref(record).addr()
}

struct Builder<'a> {
    structures: &'a Structures<'a>,
    definitions: &'a [Definition],
    told: HashMap<usize, HashSet<&'a str>>,
}

impl Builder<'_> {
    fn definition(&self, index: usize, definition: &Definition) -> Declaration {
        let name = self.structures.definition(index);
        let Definition { value, .. } = definition;
        let docs = doc::of_value(name, &value.docs, &value.ty, Detail::Full);
        self.declaration(name, docs, &value.ty)
    }

    fn declaration(&self, name: &str, docs: Vec<String>, ty: &Type) -> Declaration {
        let body = match ty {
            Type::Record(record) if writing(ty) == Writing::Named => self.record(record),
            Type::Union(union) if writing(ty) == Writing::Named => self.variant(union),
            Type::Enum(values) if writing(ty) == Writing::Named => enumeration(values),
            _ => Body::Alias(self.shape(ty)),
        };
        Declaration {
            name: name.to_owned(),
            docs,
            body,
        }
    }

    fn record(&self, record: &Record) -> Body {
        let (constants, properties) = self.divided(record);
        let property_names = properties.iter().map(|property| &property.name);
        let names = names::identifiers(&property_names.collect::<Vec<_>>(), Style::Kebab);
        let fields = properties.into_iter().zip(&names);
        let fields = fields.map(|(property, name)| Field {
            name: name.clone(),
            docs: docs::of_property(
                &property.name,
                name,
                &property.value.docs,
                &property.value.ty,
            ),
            property: property.name.clone(),
            required: property.required,
            shape: self.shape(&property.value.ty),
        });
        let others = match &record.extra {
            Extra::Of(value) => Some(self.shape(value)),
            Extra::Any => Some(Shape::Json),
            Extra::Unstated | Extra::Closed => None,
        };
        Body::Record {
            fields: fields.collect(),
            constants,
            others: others.map(|shape| {
                let mut name = OTHERS.to_owned();
                while names.contains(&name) {
                    name.push_str("-here");
                }
                OtherProperties { name, shape }
            }),
        }
    }

    /// The properties that a case tells with their values, and the others.
    fn divided<'r>(&self, record: &'r Record) -> (Vec<(String, Value)>, Vec<&'r Property>) {
        let (mut constants, mut others) = (Vec::new(), Vec::new());
        let told = self.told.get(&address(record));
        for property in &record.properties {
            let is_told = told.is_some_and(|told| told.contains(property.name.as_str()));
            match &property.value.ty {
                Type::Enum(values) if is_told && property.required && values.values.len() == 1 => {
                    constants.push((property.name.clone(), values.values[0].value.clone()));
                }
                _ => others.push(property),
            }
        }
        // A record has a field at least.
        if others.is_empty() && !matches!(record.extra, Extra::Of(_) | Extra::Any) {
            return (Vec::new(), record.properties.iter().collect());
        }
        (constants, others)
    }

    fn variant(&self, union: &Union) -> Body {
        let names = cases::of_union(union, self.definitions);
        let cases = union
            .variants
            .iter()
            .zip(names)
            .map(|(variant, name)| Case {
                docs: doc::of_value(&name, &variant.docs, &variant.ty, Detail::Full),
                name,
                shape: self.shape(&variant.ty),
            });
        Body::Variant(cases.collect())
    }

    /// A type where it is used.
    fn shape(&self, ty: &Type) -> Shape {
        if let Some(place) = self.structures.place(ty) {
            return Shape::Declared(place);
        }
        match ty {
            Type::Boolean => Shape::Bool,
            Type::Integer(bounds) => integer(bounds),
            Type::Number => Shape::F64,
            Type::String => Shape::String,
            Type::Array(item) => Shape::List(Box::new(self.shape(&item.ty))),
            Type::Tuple(tuple) if writing(ty) == Writing::InPlace && !tuple.items.is_empty() => {
                Shape::Tuple(
                    tuple
                        .items
                        .iter()
                        .map(|item| self.shape(&item.ty))
                        .collect(),
                )
            }
            Type::Tuple(tuple) => {
                let item = alike(tuple).map_or(Shape::Json, |item| self.shape(item));
                Shape::List(Box::new(item))
            }
            Type::Record(Record {
                properties,
                extra: Extra::Of(value),
                ..
            }) if properties.is_empty() => Shape::Map(Box::new(self.shape(value))),
            Type::Enum(values) => cases::type_of(values),
            Type::Nullable(inner) => Shape::Nullable(Box::new(self.shape(inner))),
            Type::Named(id) => Shape::Declared(id.0),
            Type::Any | Type::Never | Type::Null | Type::Record(_) | Type::Union(_) => Shape::Json,
        }
    }

    fn signature(&self, function: &Function, names: &Names) -> Signature {
        let name = match names.find(&function.tool) {
            names::Lookup::One(index) => names.identifiers()[index].clone(),
            names::Lookup::Ambiguous(_) | names::Lookup::Nothing => {
                names::kebab_case(&function.tool)
            }
        };
        let arguments = match &function.arguments.ty {
            Type::Record(record)
                if record.properties.is_empty()
                    && matches!(record.extra, Extra::Unstated | Extra::Closed) =>
            {
                None
            }
            ty => Some(self.shape(ty)),
        };
        let result = function.result.as_ref();
        Signature {
            tool: function.tool.clone(),
            docs: docs::of_tool(function, &name),
            name,
            arguments,
            result: result.map(|result| self.shape(&result.ty)),
        }
    }
}

/// The type that all values of a tuple have, if it needs no name.
fn alike(tuple: &Tuple) -> Option<&Type> {
    let mut types = tuple
        .items
        .iter()
        .map(|item| &item.ty)
        .chain(tuple.rest.as_deref());
    let simple = |ty: &&Type| {
        matches!(
            ty,
            Type::Boolean | Type::Integer(_) | Type::Number | Type::String | Type::Named(_)
        )
    };
    let first = types.next().filter(simple)?;
    types.all(|ty| ty == first).then_some(first)
}

/// The type of integers in a range: signed, or unsigned if the range has numbers that only an
/// unsigned one reaches; text, if it has numbers that neither does. It does not become smaller for a
/// smaller range: a guest must not break when a server allows one more.
fn integer(bounds: &Bounds) -> Shape {
    let within = |low: i128, high: i128| {
        let starts = bounds
            .minimum
            .is_none_or(|minimum| (low..=high).contains(&minimum));
        starts && bounds.maximum.is_none_or(|maximum| maximum <= high)
    };
    match () {
        () if within(i64::MIN.into(), i64::MAX.into()) => Shape::S64,
        () if bounds.minimum.is_some() && within(0, u64::MAX.into()) => Shape::U64,
        () => Shape::Json,
    }
}

fn enumeration(values: &Enum) -> Body {
    let cases = values.values.iter().zip(cases::of_values(values));
    let cases = cases.map(|(value, name)| {
        let shown = (value.value.as_str() != Some(&name)).then(|| doc::json(&value.value, 200));
        let said = value
            .description
            .as_deref()
            .map(|text| doc::line(text, Detail::Full, Detail::Full.chars()));
        let line: Vec<String> = shown.into_iter().chain(said).collect();
        EnumCase {
            name,
            docs: if line.is_empty() {
                Vec::new()
            } else {
                vec![line.join(": ")]
            },
            value: value.value.clone(),
        }
    });
    Body::Enum(cases.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_integer_of_a_range_can_be_sent() {
        let (low, high) = (i128::from(i64::MIN), i128::from(i64::MAX));
        for (minimum, maximum, shape) in [
            (None, None, Shape::S64),
            (Some(0), None, Shape::S64),
            (Some(low), Some(high), Shape::S64),
            (Some(0), Some(high + 1), Shape::U64),
            (Some(high + 1), None, Shape::U64),
            (Some(0), Some(u64::MAX.into()), Shape::U64),
            (Some(0), Some(i128::from(u64::MAX) + 1), Shape::Json),
            (Some(-1), Some(high + 1), Shape::Json),
            (None, Some(high + 1), Shape::Json),
            (Some(low - 1), None, Shape::Json),
        ] {
            assert_eq!(
                integer(&Bounds { minimum, maximum }),
                shape,
                "{minimum:?} to {maximum:?}"
            );
        }
    }
}
