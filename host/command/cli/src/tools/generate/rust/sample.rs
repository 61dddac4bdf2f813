//! Arguments to try a tool with: what its schema gives as default or example, else a plain value of
//! the type.

use ampoule_projection::Interface;
use ampoule_projection::types::{DocumentedType, Type};
use serde_json::{Map, Value};

/// How deep samples nest. What is deeper has none.
const MAX_DEPTH: usize = 16;

/// Arguments of a tool.
pub(super) struct Sample {
    pub(super) value: Value,
    /// How many texts in it are made up: the schema says nothing of what they should be.
    pub(super) invented: usize,
}

/// Arguments of an interface's first tool: those that are required.
pub(super) fn of(interface: &Interface) -> Option<Sample> {
    let mut sampler = Sampler {
        interface,
        invented: 0,
    };
    let arguments = &interface.functions.first()?.arguments;
    let value = sampler.of_type("arguments", &arguments.ty, 0)?;
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
            None => self.of_type(name, &documented.ty, depth),
        }
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
