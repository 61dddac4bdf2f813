//! A JSON document → its value, in one pass along the type.

use std::borrow::Cow;
use std::fmt::{self, Formatter};

use ampoule_projection::wit::shape::{Case, EnumCase};
use ampoule_projection::wit::{Body, Package, Shape};
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;
use wasmtime::component::Val;

use super::fit::{self, Fits};
use super::path::Path;
use super::record::{Places, pair};
use super::{DecodeError, MismatchError};

/// Where a text of an enumeration's value is looked at no further, in bytes.
const MAX_ENUM_BYTES: usize = 64 << 10;

/// The value of a document, which may take so much of the host's memory, in bytes.
pub(super) fn document(
    package: &Package,
    shape: &Shape,
    json: &str,
    path: Path<'_>,
    allowed: u64,
) -> Result<Val, DecodeError> {
    let mut decoder = Decoder {
        package,
        left: allowed,
        lost: 0,
        fits: Fits::default(),
        places: Places::default(),
        failure: None,
    };
    match decoder.text(shape, json, path) {
        Ok(value) => Ok(value),
        Err(()) => Err(match decoder.failure.take() {
            Some(Failure::Mismatch(mismatch)) => mismatch.into(),
            Some(Failure::TooLarge) | None => DecodeError::TooLarge { allowed },
        }),
    }
}

pub(super) struct Decoder<'a> {
    pub(super) package: &'a Package,
    /// How much of the host's memory values may still take, in bytes.
    left: u64,
    /// How many properties had no place.
    pub(super) lost: usize,
    fits: Fits,
    pub(super) places: Places<'a>,
    /// Why it was interrupted.
    failure: Option<Failure>,
}

enum Failure {
    Mismatch(MismatchError),
    TooLarge,
}

impl Decoder<'_> {
    /// The value of a text. Why there is none is in `failure`.
    fn text(&mut self, shape: &Shape, json: &str, path: Path<'_>) -> Result<Val, ()> {
        let mut text = serde_json::Deserializer::from_str(json);
        let seed = Seed {
            decoder: self,
            shape,
            path,
        };
        let value = seed.deserialize(&mut text).map_err(drop)?;
        match text.end() {
            Ok(()) => Ok(value),
            Err(error) => {
                self.failure = Some(Failure::Mismatch(path.mismatch(error.to_string())));
                Err(())
            }
        }
    }

    /// What the text loses if it is taken as of this shape; none if it does not fit.
    fn loss(&mut self, shape: &Shape, json: &str, path: Path<'_>) -> Option<usize> {
        let (left, lost) = (self.left, self.lost);
        let fits = self.text(shape, json, path).is_ok();
        let loss = self.lost - lost;
        (self.left, self.lost) = (left, lost);
        // What is too large for one case may not be for another, and is found again where the value
        // is made.
        self.failure = None;
        fits.then_some(loss)
    }

    fn variant(
        &mut self,
        place: usize,
        cases: &[Case],
        json: &str,
        path: Path<'_>,
    ) -> Result<Val, ()> {
        let known = self.fits.known(json, place);
        let fit = known.unwrap_or_else(|| {
            let fit = fit::best(cases, |case| self.loss(&case.shape, json, path));
            self.fits.learn(json, place, fit);
            fit
        });
        let Some(fit) = fit else {
            let names: Vec<&str> = cases.iter().map(|case| case.name.as_str()).collect();
            let problem = format!("the value matches none of: {}", names.join(", "));
            self.failure = Some(Failure::Mismatch(path.mismatch(problem)));
            return Err(());
        };
        let case = &cases[fit.case];
        self.charge::<serde_json::Error>(case.name.len())
            .map_err(drop)?;
        let value = self.text(&case.shape, json, path)?;
        Ok(Val::Variant(case.name.clone(), Some(Box::new(value))))
    }

    /// Counts a value, with so many bytes of its own.
    pub(super) fn charge<E: Error>(&mut self, bytes: usize) -> Result<(), E> {
        let bytes = (bytes + size_of::<Val>()) as u64;
        match self.left.checked_sub(bytes) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => {
                self.failure = Some(Failure::TooLarge);
                Err(E::custom("too large"))
            }
        }
    }
}

/// One value of a shape, at a place.
pub(super) struct Seed<'d, 'a, 'p> {
    pub(super) decoder: &'d mut Decoder<'a>,
    pub(super) shape: &'p Shape,
    pub(super) path: Path<'p>,
}

impl<'a> Seed<'_, 'a, '_> {
    pub(super) fn fail<E: Error>(self, problem: impl Into<String>) -> E {
        self.decoder.failure = Some(Failure::Mismatch(self.path.mismatch(problem)));
        E::custom("mismatch")
    }
}

impl<'de> DeserializeSeed<'de> for Seed<'_, '_, '_> {
    type Value = Val;

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<Val, D::Error> {
        let Seed {
            decoder,
            shape,
            path,
        } = self;
        let value = Seed {
            decoder: &mut *decoder,
            shape,
            path,
        }
        .of_shape(json);
        value.inspect_err(|error| {
            // The innermost place says it best.
            decoder.failure.get_or_insert_with(|| {
                let said = error.to_string();
                let problem = said
                    .rsplit_once(" at line ")
                    .map_or(&*said, |(said, _)| said);
                Failure::Mismatch(path.mismatch(problem))
            });
        })
    }
}

impl<'a> Seed<'_, 'a, '_> {
    fn of_shape<'de, D: Deserializer<'de>>(self, json: D) -> Result<Val, D::Error> {
        self.decoder.charge(0)?;
        match self.shape {
            Shape::Json => {
                let text = <&'de RawValue as serde::Deserialize>::deserialize(json)?.get();
                self.decoder.charge(text.len())?;
                Ok(Val::String(text.to_owned()))
            }
            Shape::Bool => json.deserialize_bool(self),
            Shape::S64 | Shape::U64 | Shape::F64 => json.deserialize_any(self),
            Shape::String => json.deserialize_str(self),
            Shape::List(_) | Shape::Tuple(_) => json.deserialize_seq(self),
            Shape::Map(_) => json.deserialize_map(self),
            Shape::Nullable(_) => json.deserialize_option(self),
            Shape::Declared(place) => {
                let package: &'a Package = self.decoder.package;
                match &package.declaration(*place).body {
                    Body::Alias(shape) => Seed { shape, ..self }.of_shape(json),
                    Body::Record { .. } => json.deserialize_map(self),
                    Body::Variant(cases) => {
                        let raw = <&'de RawValue as serde::Deserialize>::deserialize(json)?;
                        let value = self.decoder.variant(*place, cases, raw.get(), self.path);
                        value.map_err(|()| D::Error::custom("mismatch"))
                    }
                    Body::Enum(cases) => {
                        let raw = <&'de RawValue as serde::Deserialize>::deserialize(json)?;
                        match enum_case(cases, raw.get()) {
                            Some(case) => {
                                self.decoder.charge(case.name.len())?;
                                Ok(Val::Enum(case.name.clone()))
                            }
                            None => {
                                let shown: Vec<String> = cases
                                    .iter()
                                    .take(20)
                                    .map(|case| case.value.to_string())
                                    .collect();
                                Err(self
                                    .fail(format!("the value is not one of: {}", shown.join(", "))))
                            }
                        }
                    }
                }
            }
        }
    }

    fn integer<E: Error>(self, value: i128) -> Result<Val, E> {
        let converted = match self.shape {
            Shape::S64 => i64::try_from(value).ok().map(Val::S64),
            Shape::U64 => u64::try_from(value).ok().map(Val::U64),
            #[expect(
                clippy::cast_precision_loss,
                clippy::cast_possible_truncation,
                reason = "what was lost is found by converting back"
            )]
            _ => Some(value as f64)
                .filter(|float| *float as i128 == value)
                .map(Val::Float64),
        };
        converted.ok_or_else(|| {
            let name = match self.shape {
                Shape::S64 => "s64",
                Shape::U64 => "u64",
                _ => "f64 without losing digits",
            };
            self.fail(format!("{value} does not fit into {name}"))
        })
    }
}

impl<'de> Visitor<'de> for Seed<'_, '_, '_> {
    type Value = Val;

    fn expecting(&self, out: &mut Formatter<'_>) -> fmt::Result {
        out.write_str(match self.shape {
            Shape::Bool => "true or false",
            Shape::S64 | Shape::U64 => "an integer",
            Shape::F64 => "a number",
            Shape::String => "a string",
            Shape::List(_) | Shape::Tuple(_) => "an array",
            _ => "an object",
        })
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Val, E> {
        match self.shape {
            Shape::Bool => Ok(Val::Bool(value)),
            _ => Err(E::invalid_type(serde::de::Unexpected::Bool(value), &self)),
        }
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Val, E> {
        self.integer(value.into())
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Val, E> {
        self.integer(value.into())
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Val, E> {
        /// Beyond this, integers are distinguished no more once they were read as floats.
        const EXACT: f64 = 9_007_199_254_740_992.0;
        match self.shape {
            Shape::F64 => Ok(Val::Float64(value)),
            #[expect(
                clippy::cast_possible_truncation,
                reason = "it has no fraction, and is small"
            )]
            _ if value.fract() == 0.0 && value.abs() <= EXACT => self.integer(value as i128),
            _ if value.fract() == 0.0 => {
                Err(self.fail(format!("{value} does not fit into 64 bits")))
            }
            _ => Err(E::invalid_type(serde::de::Unexpected::Float(value), &self)),
        }
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Val, E> {
        if *self.shape != Shape::String {
            return Err(E::invalid_type(serde::de::Unexpected::Str(value), &self));
        }
        self.decoder.charge(value.len())?;
        Ok(Val::String(value.to_owned()))
    }

    fn visit_none<E: Error>(self) -> Result<Val, E> {
        Ok(Val::Option(None))
    }

    fn visit_some<D: Deserializer<'de>>(self, json: D) -> Result<Val, D::Error> {
        let Shape::Nullable(shape) = self.shape else {
            return self.of_shape(json);
        };
        let inner = Seed { shape, ..self };
        Ok(Val::Option(Some(Box::new(inner.deserialize(json)?))))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut array: A) -> Result<Val, A::Error> {
        let mut values = Vec::new();
        loop {
            let index = values.len();
            let shape = match self.shape {
                Shape::List(shape) => &**shape,
                Shape::Tuple(shapes) => match shapes.get(index) {
                    Some(shape) => shape,
                    None => break,
                },
                _ => return Err(A::Error::invalid_type(serde::de::Unexpected::Seq, &self)),
            };
            let seed = Seed {
                decoder: &mut *self.decoder,
                shape,
                path: self.path.item(index),
            };
            match array.next_element_seed(seed)? {
                Some(value) => values.push(value),
                None => break,
            }
        }
        let Shape::Tuple(shapes) = self.shape else {
            return Ok(Val::List(values));
        };
        let more = array.next_element::<IgnoredAny>()?.is_some();
        if more || values.len() < shapes.len() {
            let problem = format!("the array must have {} values", shapes.len());
            return Err(self.fail(problem));
        }
        Ok(Val::Tuple(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Val, A::Error> {
        if let Shape::Map(shape) = self.shape {
            let mut pairs = Vec::new();
            while let Some(name) = object.next_key::<Cow<'de, str>>()? {
                pairs.push(pair(self.decoder, shape, self.path, name, &mut object)?);
            }
            return Ok(Val::List(pairs));
        }
        if let Shape::Declared(place) = self.shape
            && let Body::Record {
                fields,
                constants,
                others,
            } = &self.decoder.package.declaration(*place).body
        {
            return self.record(fields, constants, others.as_ref(), object);
        }
        Err(A::Error::invalid_type(serde::de::Unexpected::Map, &self))
    }
}

/// The case that a value is.
fn enum_case<'a>(cases: &'a [EnumCase], json: &str) -> Option<&'a EnumCase> {
    let value = short(json)?;
    cases.iter().find(|case| are_same(&case.value, &value))
}

/// Whether JSON is this value.
pub(super) fn is_value(expected: &Value, json: &str) -> bool {
    short(json).is_some_and(|value| are_same(expected, &value))
}

/// A value that is as short as those of enumerations are.
fn short(json: &str) -> Option<Value> {
    if json.len() > MAX_ENUM_BYTES {
        return None;
    }
    serde_json::from_str(json).ok()
}

/// Numbers are the same however they are written.
fn are_same(one: &Value, other: &Value) -> bool {
    one == other || one.is_number() && other.is_number() && one.as_f64() == other.as_f64()
}
