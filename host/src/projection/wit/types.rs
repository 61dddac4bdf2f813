//! Types and their declarations.

use super::super::doc::{self, Detail};
use super::super::names::{self, Names, Style};
use super::super::structures::{Structures, Writing};
use super::super::types::{Bounds, Definition, Enum, Extra, Record, Tuple, Type, Union};
use super::cases;

/// How many fields or cases a type may have. Readers of components refuse more than a thousand.
const MAX_MEMBERS: usize = 999;

/// How many values are told apart as cases. Of more, only their type is said.
const MAX_CASES: usize = 256;

/// The name of the field for the properties of a record that have no names in the schema.
const OTHERS: &str = "additional-properties";

/// Writes types of one interface.
pub(super) struct Printer<'a> {
    pub(super) structures: &'a Structures<'a>,
    pub(super) definitions: &'a [Definition],
    /// What the type of any JSON value is called.
    pub(super) json: &'a str,
}

/// How a type is written.
pub(super) fn writing(ty: &Type) -> Writing {
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

/// An identifier as WIT writes it. All could be keywords, of this version or a later one, that have no digit or dash in them.
pub(super) fn identifier(name: &str) -> String {
    if KEYWORDS.contains(&name) {
        format!("%{name}")
    } else {
        name.to_owned()
    }
}

/// Writes lines as docs before a declaration.
pub(super) fn comment(lines: &[String], indent: usize, out: &mut String) {
    for line in lines {
        // These the language does not allow anywhere.
        let line = line.replace(|c: char| DISCOURAGED.contains(&c), "\u{fffd}");
        out.push_str(format!("{}/// {line}", "    ".repeat(indent)).trim_end());
        out.push('\n');
    }
}

impl Printer<'_> {
    /// Writes a declaration.
    pub(super) fn declare(&self, name: &str, ty: &Type, out: &mut String) {
        let name = identifier(name);
        match ty {
            ty if writing(ty) != Writing::Named => {
                out.push_str(&format!("    type {name} = {};\n", self.text(ty)))
            }
            Type::Record(record) => self.record(&name, record, out),
            Type::Union(union) => self.variant(&name, union, out),
            Type::Enum(values) => enumeration(&name, values, out),
            _ => {}
        }
    }

    fn record(&self, name: &str, record: &Record, out: &mut String) {
        out.push_str(&format!("    record {name} {{\n"));
        let fields = Names::new(
            record
                .properties
                .iter()
                .map(|property| property.name.as_str()),
            Style::Kebab,
        );
        for (property, field) in record.properties.iter().zip(fields.identifiers()) {
            let mut said = doc::of_value(
                &property.name,
                &property.value.docs,
                &property.value.ty,
                Detail::Full,
            );
            if names::canonical(field) != names::canonical(&property.name) {
                said.push(format!(
                    "The property {}.",
                    doc::json(&property.name.as_str().into(), 200)
                ));
            }
            if property.value.docs.deprecated {
                said.push("Deprecated.".to_owned());
            }
            comment(&said, 2, out);
            let ty = self.text(&property.value.ty);
            let ty = if property.required {
                ty
            } else {
                format!("option<{ty}>")
            };
            out.push_str(&format!("        {}: {ty},\n", identifier(field)));
        }
        if let Some(others) = self.others(&record.extra) {
            let mut field = OTHERS.to_owned();
            while fields.identifiers().contains(&field) {
                field.push_str("-here");
            }
            comment(&["The properties that have no field.".to_owned()], 2, out);
            out.push_str(&format!("        {field}: {others},\n"));
        }
        out.push_str("    }\n");
    }

    /// The type of properties without names, if the schema says that there may be any.
    fn others(&self, extra: &Extra) -> Option<String> {
        match extra {
            Extra::Of(value) => Some(format!("list<tuple<string, {}>>", self.text(value))),
            Extra::Any => Some(format!("list<tuple<string, {}>>", self.json)),
            Extra::Unstated | Extra::Closed => None,
        }
    }

    fn variant(&self, name: &str, union: &Union, out: &mut String) {
        out.push_str(&format!("    variant {name} {{\n"));
        for (variant, case) in union
            .variants
            .iter()
            .zip(cases::of_union(union, self.definitions))
        {
            comment(
                &doc::of_value(&case, &variant.docs, &variant.ty, Detail::Full),
                2,
                out,
            );
            out.push_str(&format!(
                "        {}({}),\n",
                identifier(&case),
                self.text(&variant.ty)
            ));
        }
        out.push_str("    }\n");
    }

    /// A type, by its name if it has one.
    pub(super) fn text(&self, ty: &Type) -> String {
        if let Some(name) = self.structures.name(ty) {
            return identifier(name);
        }
        match ty {
            Type::Boolean => "bool".to_owned(),
            Type::Integer(bounds) => integer(bounds).to_owned(),
            Type::Number => "f64".to_owned(),
            Type::String => "string".to_owned(),
            Type::Array(item) => format!("list<{}>", self.text(&item.ty)),
            Type::Tuple(tuple) if writing(ty) == Writing::InPlace && !tuple.items.is_empty() => {
                let items: Vec<_> = tuple.items.iter().map(|item| self.text(&item.ty)).collect();
                format!("tuple<{}>", items.join(", "))
            }
            Type::Tuple(tuple) => {
                let item =
                    alike(tuple).map_or_else(|| self.json.to_owned(), |item| self.text(item));
                format!("list<{item}>")
            }
            Type::Record(Record {
                properties,
                extra: Extra::Of(value),
                ..
            }) if properties.is_empty() => format!("list<tuple<string, {}>>", self.text(value)),
            Type::Enum(values) => cases::type_of(values).unwrap_or(self.json).to_owned(),
            Type::Nullable(inner) => format!("option<{}>", self.text(inner)),
            Type::Named(id) => identifier(self.structures.definition(id.0)),
            Type::Any | Type::Never | Type::Null | Type::Record(_) | Type::Union(_) => {
                self.json.to_owned()
            }
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

fn enumeration(name: &str, values: &Enum, out: &mut String) {
    out.push_str(&format!("    enum {name} {{\n"));
    for (value, case) in values.values.iter().zip(cases::of_values(values)) {
        let shown = (value.value.as_str() != Some(&case)).then(|| doc::json(&value.value, 200));
        let said = value
            .description
            .as_deref()
            .map(|text| doc::line(text, Detail::Full, Detail::Full.chars()));
        let line: Vec<String> = shown.into_iter().chain(said).collect();
        comment(
            &if line.is_empty() {
                Vec::new()
            } else {
                vec![line.join(": ")]
            },
            2,
            out,
        );
        out.push_str(&format!("        {},\n", identifier(&case)));
    }
    out.push_str("    }\n");
}

/// The type of integers in a range: signed, unless the range has numbers that only an unsigned one reaches. It does not become smaller for a smaller range:
/// a guest must not break when a server allows one more.
fn integer(bounds: &Bounds) -> &'static str {
    let unsigned = bounds.minimum.is_some_and(|minimum| minimum >= 0)
        && bounds
            .maximum
            .is_some_and(|maximum| maximum > i128::from(i64::MAX));
    if unsigned { "u64" } else { "s64" }
}

/// Characters that Unicode wants nobody to use.
const DISCOURAGED: &[char] = &[
    '\u{149}', '\u{673}', '\u{f77}', '\u{f79}', '\u{17a3}', '\u{17a4}', '\u{17b4}', '\u{17b5}',
];

const KEYWORDS: &[&str] = &[
    "as",
    "async",
    "bool",
    "borrow",
    "char",
    "constructor",
    "enum",
    "error-context",
    "export",
    "f32",
    "f64",
    "flags",
    "from",
    "func",
    "future",
    "import",
    "include",
    "interface",
    "list",
    "map",
    "option",
    "own",
    "package",
    "record",
    "resource",
    "result",
    "s16",
    "s32",
    "s64",
    "s8",
    "static",
    "stream",
    "string",
    "tuple",
    "type",
    "u16",
    "u32",
    "u64",
    "u8",
    "use",
    "variant",
    "with",
    "world",
];
