//! Types, and classes for objects.

use super::super::doc::{self, Detail};
use super::super::structures::{Structures, Writing};
use super::super::types::{DocumentedType, Enum, Extra, Property, Record, Type};
use super::literal;

/// Writes types of one module.
pub(super) struct Printer<'a> {
    pub(super) structures: &'a Structures<'a>,
    pub(super) detail: Detail,
}

/// Whether a type is written as a class: an object with properties. A class can't have one without
/// a name.
pub(super) fn needs_class(ty: &Type) -> bool {
    matches!(ty, Type::Record(record) if record.properties.iter().any(|property| !property.name.is_empty()))
}

/// How a type is written.
pub(super) fn writing(ty: &Type) -> Writing {
    if needs_class(ty) {
        Writing::Named
    } else {
        Writing::InPlace
    }
}

/// Writes lines as a comment before a declaration.
pub(super) fn comment(lines: &[String], indent: usize, out: &mut String) {
    for line in lines {
        let line = literal::comment(line);
        out.push_str(format!("{}# {line}", "    ".repeat(indent)).trim_end());
        out.push('\n');
    }
}

/// What is said about a property, or what else has a type.
pub(super) fn said(name: &str, documented: &DocumentedType, detail: Detail) -> Vec<String> {
    let mut lines = doc::of_value(name, &documented.docs, &documented.ty, detail);
    if documented.docs.deprecated {
        lines.push("Deprecated.".to_owned());
    }
    lines
}

impl Printer<'_> {
    /// Writes a class, or another name for a type.
    pub(super) fn declare(&self, name: &str, ty: &Type, out: &mut String) {
        match ty {
            Type::Record(record) if needs_class(ty) => self.class(name, record, out),
            other => out.push_str(&format!("{name}: TypeAlias = {}\n", self.structure(other))),
        }
    }

    /// Writes a class of dicts.
    pub(super) fn class(&self, name: &str, record: &Record, out: &mut String) {
        let (fields, nameless): (Vec<_>, Vec<_>) = record
            .properties
            .iter()
            .partition(|property| !property.name.is_empty());
        let mut others: Vec<_> = nameless
            .iter()
            .map(|property| format!("The key \"\": {}", self.text(&property.value.ty)))
            .collect();
        match &record.extra {
            Extra::Of(value) => others.push(format!("Other keys: {}", self.text(value))),
            Extra::Any => others.push("Other keys: Json".to_owned()),
            Extra::Unstated | Extra::Closed => {}
        }
        comment(&others, 0, out);
        let fields: Vec<_> = fields
            .iter()
            .map(|field| (field.name.as_str(), *field))
            .collect();
        self.fields(name, &fields, out);
    }

    /// Writes a class of dicts that have these keys.
    pub(super) fn fields(&self, name: &str, fields: &[(&str, &Property)], out: &mut String) {
        let body = fields.iter().all(|(key, _)| literal::is_field(key));
        out.push_str(&if body {
            format!("class {name}(TypedDict):\n")
        } else {
            format!("{name} = TypedDict({}, {{\n", literal::string(name))
        });
        for (key, property) in fields {
            comment(&said(key, &property.value, self.detail), 1, out);
            let ty = self.field(property);
            out.push_str(&if body {
                format!("    {key}: {ty}\n")
            } else {
                format!("    {}: {ty},\n", literal::string(key))
            });
        }
        out.push_str(if body { "" } else { "})\n" });
    }

    /// The type of a key.
    pub(super) fn field(&self, property: &Property) -> String {
        let ty = self.text(&property.value.ty);
        match property.required {
            true => ty,
            false => format!("NotRequired[{ty}]"),
        }
    }

    /// A type, by its name if it has one.
    pub(super) fn text(&self, ty: &Type) -> String {
        self.structures
            .name(ty)
            .map_or_else(|| self.structure(ty), str::to_owned)
    }

    /// A type, written out.
    fn structure(&self, ty: &Type) -> String {
        match ty {
            Type::Any => "Json".to_owned(),
            Type::Never => "Never".to_owned(),
            Type::Null => "None".to_owned(),
            Type::Boolean => "bool".to_owned(),
            Type::Integer(_) => "int".to_owned(),
            Type::Number => "float".to_owned(),
            Type::String => "str".to_owned(),
            Type::Enum(values) => self.values(values),
            Type::Array(item) => format!("list[{}]", self.text(&item.ty)),
            // A list at run time, whose items only a comment could tell apart.
            Type::Tuple(tuple) => {
                let items = tuple
                    .items
                    .iter()
                    .map(|item| &item.ty)
                    .chain(tuple.rest.as_deref());
                match any_of(items.map(|item| self.text(item))).as_str() {
                    "" => "list[Never]".to_owned(),
                    items => format!("list[{items}]"),
                }
            }
            Type::Record(record) => match &record.extra {
                Extra::Of(value) => format!("dict[str, {}]", self.text(value)),
                Extra::Closed => "dict[str, Never]".to_owned(),
                Extra::Any | Extra::Unstated => "dict[str, Json]".to_owned(),
            },
            Type::Union(union) => {
                any_of(union.variants.iter().map(|variant| self.text(&variant.ty)))
            }
            Type::Nullable(inner) => format!("{} | None", self.text(inner)),
            Type::Named(id) => self.structures.definition(id.0).to_owned(),
        }
    }

    /// The values; of too many, or those that can't be literals, their types.
    fn values(&self, values: &Enum) -> String {
        let many = values.values.len() > self.detail.values();
        let mut literals = Vec::new();
        let mut types = Vec::new();
        for value in &values.values {
            match literal::value(&value.value) {
                Some(literal) if !many => literals.push(literal),
                _ => types.push(literal::ty(&value.value).to_owned()),
            }
        }
        let literals = (!literals.is_empty()).then(|| format!("Literal[{}]", literals.join(", ")));
        any_of(literals.into_iter().chain(types))
    }
}

/// Types any of which may hold, each once.
fn any_of(types: impl Iterator<Item = String>) -> String {
    let mut seen = std::collections::HashSet::new();
    types
        .filter(|ty| seen.insert(ty.clone()))
        .collect::<Vec<_>>()
        .join(" | ")
}
