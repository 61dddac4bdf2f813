//! An object → a record, or the pairs of a map.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt::{self, Formatter};

use ampoule_projection::wit::shape::{Field, OtherProperties};
use ampoule_projection::wit::{Body, Package, Shape};
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;
use wasmtime::component::Val;

use super::decode::{Decoder, Seed, is_value};
use super::path::Path;

/// Where the properties of records are among their fields.
#[derive(Default)]
pub(super) struct Places<'a> {
    /// By the address of a record's fields. It is compared, and never followed.
    known: HashMap<usize, HashMap<&'a str, usize>>,
}

impl<'a> Places<'a> {
    /// How many fields are looked through one by one.
    const FEW: usize = 16;

    /// The field of a property, most likely the one at `expected`.
    fn find(&mut self, fields: &'a [Field], expected: usize, name: &str) -> Option<usize> {
        if fields
            .get(expected)
            .is_some_and(|field| field.property == name)
        {
            return Some(expected);
        }
        if fields.len() <= Self::FEW {
            return fields.iter().position(|field| field.property == name);
        }
        let places = self.known.entry(fields.as_ptr().addr());
        let places = places.or_insert_with(|| {
            let names = fields.iter().map(|field| field.property.as_str());
            names.zip(0..).collect()
        });
        places.get(name).copied()
    }
}

impl<'a> Seed<'_, 'a, '_> {
    /// The values of an object's properties that have fields, and then the others.
    pub(super) fn record<'de, A: MapAccess<'de>>(
        self,
        fields: &'a [Field],
        constants: &'a [(String, Value)],
        others: Option<&OtherProperties>,
        mut object: A,
    ) -> Result<Val, A::Error> {
        let mut values: Vec<Option<Val>> = vec![None; fields.len()];
        let mut pairs = Vec::new();
        let mut expected = 0;
        let mut missing: Vec<_> = constants.iter().collect();
        while let Some(name) = object.next_key::<Cow<'de, str>>()? {
            let place = self.decoder.places.find(fields, expected, &name);
            match (place, others) {
                (Some(place), _) => {
                    expected = place + 1;
                    values[place] = object.next_value_seed(FieldSeed {
                        decoder: &mut *self.decoder,
                        field: &fields[place],
                        path: self.path.property(&fields[place].property),
                    })?;
                }
                (None, _) if let Some(constant) = constants.iter().find(|it| it.0 == name) => {
                    let (name, expected) = constant;
                    let value = object.next_value::<&'de RawValue>()?;
                    if !is_value(expected, value.get()) {
                        return Err(self.fail(format!("the property {name:?} must be {expected}")));
                    }
                    missing.retain(|it| it.0 != *name);
                }
                (None, Some(others)) => {
                    let pair = pair(self.decoder, &others.shape, self.path, name, &mut object)?;
                    pairs.push(pair);
                }
                (None, None) => {
                    self.decoder.lost += 1;
                    object.next_value::<IgnoredAny>()?;
                }
            }
        }
        if let Some((name, _)) = missing.first() {
            return Err(self.fail(format!("the property {name:?} is missing")));
        }
        let mut record = Vec::with_capacity(fields.len() + 1);
        for (field, value) in fields.iter().zip(values) {
            self.decoder
                .charge(field.name.len() + size_of::<String>())?;
            let value = match value {
                Some(value) => value,
                None if !field.required => Val::Option(None),
                None => {
                    return Err(self.fail(format!("the property {:?} is missing", field.property)));
                }
            };
            record.push((field.name.clone(), value));
        }
        if let Some(others) = others {
            record.push((others.name.clone(), Val::List(pairs)));
        }
        Ok(Val::Record(record))
    }
}

/// A property that has no field, as a pair of its name and its value.
pub(super) fn pair<'de, A: MapAccess<'de>>(
    decoder: &mut Decoder<'_>,
    shape: &Shape,
    path: Path<'_>,
    name: Cow<'de, str>,
    object: &mut A,
) -> Result<Val, A::Error> {
    decoder.charge(name.len() + 2 * size_of::<Val>())?;
    let value = object.next_value_seed(Seed {
        decoder,
        shape,
        path: path.property(&name),
    })?;
    Ok(Val::Tuple(vec![Val::String(name.into_owned()), value]))
}

/// A property's value. Servers often send `null` for what is absent, also where the schema does not
/// allow it.
struct FieldSeed<'d, 'a, 'p> {
    decoder: &'d mut Decoder<'a>,
    field: &'p Field,
    path: Path<'p>,
}

impl<'de> DeserializeSeed<'de> for FieldSeed<'_, '_, '_> {
    type Value = Option<Val>;

    fn deserialize<D: Deserializer<'de>>(mut self, json: D) -> Result<Option<Val>, D::Error> {
        let takes_null = self.field.required || takes_null(self.decoder.package, &self.field.shape);
        if takes_null {
            let value = self.seed().deserialize(json)?;
            return Ok(Some(self.present(value)));
        }
        json.deserialize_option(self)
    }
}

impl<'a> FieldSeed<'_, 'a, '_> {
    fn seed(&mut self) -> Seed<'_, 'a, '_> {
        Seed {
            decoder: self.decoder,
            shape: &self.field.shape,
            path: self.path,
        }
    }

    fn present(&self, value: Val) -> Val {
        if self.field.required {
            value
        } else {
            Val::Option(Some(Box::new(value)))
        }
    }
}

impl<'de> Visitor<'de> for FieldSeed<'_, '_, '_> {
    type Value = Option<Val>;

    fn expecting(&self, out: &mut Formatter<'_>) -> fmt::Result {
        out.write_str("a value")
    }

    fn visit_none<E: Error>(self) -> Result<Option<Val>, E> {
        self.decoder.lost += 1;
        Ok(None)
    }

    fn visit_some<D: Deserializer<'de>>(mut self, json: D) -> Result<Option<Val>, D::Error> {
        let value = self.seed().deserialize(json)?;
        Ok(Some(self.present(value)))
    }
}

/// Whether `null` may be a value of the type.
fn takes_null(package: &Package, shape: &Shape) -> bool {
    match shape {
        Shape::Json | Shape::Nullable(_) => true,
        Shape::Declared(place) => match &package.declaration(*place).body {
            Body::Alias(shape) => takes_null(package, shape),
            Body::Variant(cases) => cases.iter().any(|case| takes_null(package, &case.shape)),
            Body::Record { .. } | Body::Enum(_) => false,
        },
        _ => false,
    }
}
