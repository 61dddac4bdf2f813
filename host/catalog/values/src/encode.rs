//! A value → its JSON document.

use std::collections::HashSet;

use ampoule_projection::wit::shape::Field;
use ampoule_projection::wit::{Body, Package, Shape};
use serde_json::value::RawValue;
use wasmtime::component::Val;

use super::path::Path;
use super::{EncodeError, MismatchError};

/// The document of a value.
pub(super) fn document(
    package: &Package,
    shape: &Shape,
    value: &Val,
    path: Path<'_>,
    allowed: u64,
) -> Result<String, EncodeError> {
    let mut encoder = Encoder {
        package,
        json: String::new(),
        allowed,
    };
    encoder.value(shape, value, path)?;
    Ok(encoder.json)
}

struct Encoder<'a> {
    package: &'a Package,
    json: String,
    /// How long the document may be, in bytes.
    allowed: u64,
}

impl Encoder<'_> {
    fn value(&mut self, shape: &Shape, value: &Val, path: Path<'_>) -> Result<(), EncodeError> {
        match (shape, value) {
            (Shape::Json, Val::String(text)) => self.document(text, path),
            (Shape::Bool, Val::Bool(value)) => self.put(if *value { "true" } else { "false" }),
            (Shape::S64, Val::S64(value)) => self.put(&value.to_string()),
            (Shape::U64, Val::U64(value)) => self.put(&value.to_string()),
            (Shape::F64, Val::Float64(value)) => self.number(*value, path),
            (Shape::String, Val::String(text)) => self.text(text),
            (Shape::List(item), Val::List(values)) => {
                self.array(std::iter::repeat(&**item), values, path)
            }
            (Shape::Tuple(shapes), Val::Tuple(values)) => self.array(shapes, values, path),
            (Shape::Map(shape), Val::List(pairs)) => {
                let mut object = Object::default();
                self.pairs(shape, pairs, &mut object, path)?;
                object.close(self);
                Ok(())
            }
            (Shape::Nullable(_), Val::Option(None)) => self.put("null"),
            (Shape::Nullable(inner), Val::Option(Some(value))) => self.value(inner, value, path),
            (Shape::Declared(place), value) => self.declared(*place, value, path),
            _ => Err(wrong(path).into()),
        }
    }

    fn declared(&mut self, place: usize, value: &Val, path: Path<'_>) -> Result<(), EncodeError> {
        let package = self.package;
        match (&package.declaration(place).body, value) {
            (Body::Alias(shape), value) => self.value(shape, value, path),
            (
                Body::Record {
                    fields,
                    constants,
                    others,
                },
                Val::Record(values),
            ) => {
                let mut object = Object::default();
                for (name, value) in constants {
                    object.property(self, name, path)?;
                    self.put(&value.to_string())?;
                }
                for (field, (_, value)) in fields.iter().zip(values) {
                    self.field(field, value, &mut object, path)?;
                }
                if let (Some(others), Some((_, Val::List(pairs)))) =
                    (others, values.get(fields.len()))
                {
                    self.pairs(&others.shape, pairs, &mut object, path)?;
                }
                object.close(self);
                Ok(())
            }
            (Body::Variant(cases), Val::Variant(name, Some(value))) => {
                let case = cases.iter().find(|case| case.name == *name);
                self.value(&case.ok_or_else(|| wrong(path))?.shape, value, path)
            }
            (Body::Enum(cases), Val::Enum(name)) => {
                let case = cases.iter().find(|case| case.name == *name);
                let value = &case.ok_or_else(|| wrong(path))?.value;
                self.put(&value.to_string())
            }
            _ => Err(wrong(path).into()),
        }
    }

    fn field(
        &mut self,
        field: &Field,
        value: &Val,
        object: &mut Object,
        path: Path<'_>,
    ) -> Result<(), EncodeError> {
        let value = match value {
            value if field.required => value,
            Val::Option(None) => return Ok(()),
            Val::Option(Some(value)) => value,
            _ => return Err(wrong(path).into()),
        };
        object.property(self, &field.property, path)?;
        self.value(&field.shape, value, path.property(&field.property))
    }

    fn pairs(
        &mut self,
        shape: &Shape,
        pairs: &[Val],
        object: &mut Object,
        path: Path<'_>,
    ) -> Result<(), EncodeError> {
        for pair in pairs {
            let Val::Tuple(pair) = pair else {
                return Err(wrong(path).into());
            };
            let [Val::String(name), value] = pair.as_slice() else {
                return Err(wrong(path).into());
            };
            object.property(self, name, path)?;
            self.value(shape, value, path.property(name))?;
        }
        Ok(())
    }

    /// The values, each of the shape at its place.
    fn array<'v>(
        &mut self,
        shapes: impl IntoIterator<Item = &'v Shape>,
        values: &[Val],
        path: Path<'_>,
    ) -> Result<(), EncodeError> {
        self.json.push('[');
        for (index, (shape, value)) in shapes.into_iter().zip(values).enumerate() {
            if index > 0 {
                self.json.push(',');
            }
            self.value(shape, value, path.item(index))?;
        }
        self.json.push(']');
        Ok(())
    }

    /// A document in the document.
    fn document(&mut self, text: &str, path: Path<'_>) -> Result<(), EncodeError> {
        if let Err(error) = serde_json::from_str::<&RawValue>(text) {
            return Err(path
                .mismatch(format!("this must be JSON text, and is not: {error}"))
                .into());
        }
        self.put(text)
    }

    fn number(&mut self, value: f64, path: Path<'_>) -> Result<(), EncodeError> {
        /// Up to here every integer is a float, and all readers agree on them.
        const EXACT: f64 = 9_007_199_254_740_992.0;
        let Some(number) = serde_json::Number::from_f64(value) else {
            return Err(path
                .mismatch(format!("JSON has no number for {value}"))
                .into());
        };
        let is_negative_zero = value == 0.0 && value.is_sign_negative();
        if value.fract() == 0.0 && value.abs() <= EXACT && !is_negative_zero {
            // Servers that want integers may not take `1.0`.
            self.json.push_str(&format!("{value:.0}"));
        } else {
            self.json.push_str(&number.to_string());
        }
        Ok(())
    }

    fn text(&mut self, text: &str) -> Result<(), EncodeError> {
        // Quoted, it is not shorter.
        self.room_for(text)?;
        let quoted = serde_json::to_string(text).unwrap_or_default();
        self.put(&quoted)
    }

    fn put(&mut self, json: &str) -> Result<(), EncodeError> {
        self.room_for(json)?;
        self.json.push_str(json);
        Ok(())
    }

    fn room_for(&self, text: &str) -> Result<(), EncodeError> {
        let bytes = (self.json.len() + text.len()) as u64;
        if bytes > self.allowed {
            return Err(EncodeError::TooLarge { bytes });
        }
        Ok(())
    }
}

/// An object that is being written.
#[derive(Default)]
struct Object {
    names: HashSet<String>,
}

impl Object {
    fn property(
        &mut self,
        encoder: &mut Encoder<'_>,
        name: &str,
        path: Path<'_>,
    ) -> Result<(), EncodeError> {
        encoder
            .json
            .push(if self.names.is_empty() { '{' } else { ',' });
        if !self.names.insert(name.to_owned()) {
            return Err(path
                .mismatch(format!("it has the property {name:?} twice"))
                .into());
        }
        encoder.text(name)?;
        encoder.json.push(':');
        Ok(())
    }

    fn close(self, encoder: &mut Encoder<'_>) {
        encoder
            .json
            .push_str(if self.names.is_empty() { "{}" } else { "}" });
    }
}

/// Wasmtime checks values against the guest's types, which were compared with these.
fn wrong(path: Path<'_>) -> MismatchError {
    path.mismatch("the value's type is not the tool's")
}
