//! Arguments to try a tool with: what its schema gives as default or example, else a plain value of
//! the type and the format.

use ampoule_projection::Interface;
use ampoule_projection::types::{Docs, DocumentedType, Type};
use serde_json::{Map, Value};

/// How deep samples nest. What is deeper has none.
const MAX_DEPTH: usize = 16;

/// Values of the formats of JSON Schema that texts may have.
const FORMATS: [(&str, &str); 8] = [
    ("format date", "2026-01-31"),
    ("format date-time", "2026-01-31T09:30:00Z"),
    ("format duration", "PT1H"),
    ("format email", "ada@example.com"),
    ("format time", "09:30:00Z"),
    ("format uri", "https://example.com/"),
    ("format url", "https://example.com/"),
    ("format uuid", "0b0c1f6e-6f0a-4a53-9b1d-2f3c4d5e6f70"),
];

/// Arguments of a tool.
pub(crate) struct Sample {
    pub(crate) value: Value,
    /// How many texts in it are made up: the schema says nothing of what they should be.
    pub(crate) invented: usize,
}

/// Arguments of an interface's first tool: an example of all of them, or those that are required.
pub(crate) fn of(interface: &Interface) -> Option<Sample> {
    let mut sampler = Sampler {
        interface,
        invented: 0,
    };
    let arguments = &interface.functions.first()?.arguments;
    let mut examples = arguments.docs.examples.iter();
    let value = match examples.find(|example| example.is_object()) {
        Some(example) => example.clone(),
        None => sampler.of_type("arguments", &arguments.ty, 0)?,
    };
    Some(Sample {
        value,
        invented: sampler.invented,
    })
}

struct Sampler<'a> {
    interface: &'a Interface,
    invented: usize,
}

impl Sampler<'_> {
    /// A value for what is called `name`.
    fn of(&mut self, name: &str, documented: &DocumentedType, depth: usize) -> Option<Value> {
        let docs = &documented.docs;
        let given = docs.default.iter().chain(&docs.examples);
        match given.into_iter().find(|value| !value.is_null()) {
            Some(given) => Some(given.clone()),
            None if documented.ty == Type::String => Some(self.text(name, &documented.docs)),
            None => self.of_type(name, &documented.ty, depth),
        }
    }

    /// A text of the format that the schema names, or else the name itself.
    fn text(&mut self, name: &str, docs: &Docs) -> Value {
        let mut formats = FORMATS.iter();
        let known = formats.find(|(format, _)| docs.facts.iter().any(|fact| fact == format));
        if let Some((_, text)) = known {
            return Value::from(*text);
        }
        self.invented += 1;
        Value::from(name)
    }

    fn of_type(&mut self, name: &str, ty: &Type, depth: usize) -> Option<Value> {
        if depth > MAX_DEPTH {
            return None;
        }
        Some(match ty {
            Type::Never => return None,
            Type::Null => Value::Null,
            Type::Boolean => Value::Bool(false),
            Type::Integer(bounds) => {
                let least = bounds.minimum.unwrap_or(i128::MIN);
                let most = bounds.maximum.unwrap_or(i128::MAX);
                let number = 1.max(least).min(most);
                i64::try_from(number).map_or_else(
                    |_| u64::try_from(number).ok().map(Value::from),
                    |number| Some(number.into()),
                )?
            }
            Type::Number => Value::from(1.0),
            Type::Any | Type::String => {
                self.invented += 1;
                Value::from(name)
            }
            Type::Enum(values) => values.values.first()?.value.clone(),
            Type::Array(item) => Value::Array(vec![self.of(name, item, depth + 1)?]),
            Type::Tuple(tuple) => {
                let items = tuple.items.iter().take(tuple.required);
                let items: Option<_> = items.map(|item| self.of(name, item, depth + 1)).collect();
                Value::Array(items?)
            }
            Type::Record(record) => {
                let mut object = Map::new();
                for property in record
                    .properties
                    .iter()
                    .filter(|property| property.required)
                {
                    let value = self.of(&property.name, &property.value, depth + 1)?;
                    object.insert(property.name.clone(), value);
                }
                Value::Object(object)
            }
            Type::Union(union) => {
                let mut variants = union.variants.iter();
                return variants.find_map(|variant| self.of(name, variant, depth + 1));
            }
            Type::Nullable(inner) => return self.of_type(name, inner, depth + 1),
            Type::Named(id) => {
                let interface = self.interface;
                return self.of(name, &interface.definition(*id).value, depth + 1);
            }
        })
    }
}
