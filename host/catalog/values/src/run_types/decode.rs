//! A document → a value, along a component's own types.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value};
use wasmtime::component::Val;
use wasmtime::component::types::Type;

use super::{cases, map_value, property};
use crate::mismatch::{DecodeError, MismatchError};
use crate::path::Path;

/// What reads documents.
pub(super) struct Decoder {
    allowed: u64,
    /// How much of the host's memory values may still take, in bytes.
    left: u64,
}

impl Decoder {
    /// What reads values that may take so many bytes in all.
    pub(super) fn new(allowed: u64) -> Self {
        Self {
            allowed,
            left: allowed,
        }
    }

    /// The value of a document.
    ///
    /// # Errors
    ///
    /// Where it does not fit, or that it is too large.
    pub(super) fn value(
        &mut self,
        ty: &Type,
        json: &Value,
        path: Path<'_>,
    ) -> Result<Val, DecodeError> {
        self.charge(0)?;
        Ok(match ty {
            Type::Bool => match json {
                Value::Bool(value) => Val::Bool(*value),
                _ => return Err(expected("true or false", json, path).into()),
            },
            Type::S8 => Val::S8(integer(json, path)?),
            Type::U8 => Val::U8(integer(json, path)?),
            Type::S16 => Val::S16(integer(json, path)?),
            Type::U16 => Val::U16(integer(json, path)?),
            Type::S32 => Val::S32(integer(json, path)?),
            Type::U32 => Val::U32(integer(json, path)?),
            Type::S64 => Val::S64(integer(json, path)?),
            Type::U64 => Val::U64(integer(json, path)?),
            Type::Float32 => Val::Float32(float32(json, path)?),
            Type::Float64 => {
                let value = json.as_f64();
                Val::Float64(value.ok_or_else(|| expected("a number", json, path))?)
            }
            Type::Char => {
                let mut text = text(json, path)?.chars();
                match (text.next(), text.next()) {
                    (Some(only), None) => Val::Char(only),
                    _ => return Err(path.mismatch("this must be one character").into()),
                }
            }
            Type::String => {
                let text = text(json, path)?;
                self.charge(text.len())?;
                Val::String(text.to_owned())
            }
            Type::List(list) => self.list(&list.ty(), json, path)?,
            Type::Record(record) => {
                let fields = record.fields();
                let fields: Vec<_> = fields
                    .map(|field| (field.name.to_owned(), property(field.name), field.ty))
                    .collect();
                let types = fields.iter().map(|(_, property, ty)| (&**property, ty));
                let values = self.members(types, json, path)?;
                let names = fields.into_iter().map(|(name, ..)| name);
                let fields: Vec<_> = names.zip(values).collect();
                self.charge(
                    fields
                        .iter()
                        .map(|(name, _)| name.len() + size_of::<String>())
                        .sum(),
                )?;
                Val::Record(fields)
            }
            Type::Tuple(tuple) => {
                let types: Vec<Type> = tuple.types().collect();
                let items = array(json, path)?;
                if items.len() != types.len() {
                    let problem = format!("the array must have {} values", types.len());
                    return Err(path.mismatch(problem).into());
                }
                let items = types.iter().zip(items).enumerate();
                let values =
                    items.map(|(index, (ty, json))| self.value(ty, json, path.item(index)));
                Val::Tuple(values.collect::<Result<_, _>>()?)
            }
            Type::Variant(_) | Type::Result(_) => self.case(ty, json, path)?,
            Type::Enum(cases) => Val::Enum(self.name(cases.names(), json, path)?),
            Type::Option(_) if json.is_null() => Val::Option(None),
            Type::Option(option) => {
                Val::Option(Some(Box::new(self.value(&option.ty(), json, path)?)))
            }
            Type::Flags(flags) => {
                let set = array(json, path)?.iter().enumerate();
                let set = set.map(|(index, json)| self.name(flags.names(), json, path.item(index)));
                Val::Flags(set.collect::<Result<_, _>>()?)
            }
            // Functions with these are not called.
            _ => return Err(path.mismatch("this type is not supported").into()),
        })
    }

    /// The values of an object's properties, in the order of the types. A property whose type is an
    /// `option` may be absent.
    ///
    /// # Errors
    ///
    /// As for [`value`](Self::value).
    pub(super) fn members<'t>(
        &mut self,
        fields: impl Iterator<Item = (&'t str, &'t Type)>,
        json: &Value,
        path: Path<'_>,
    ) -> Result<Vec<Val>, DecodeError> {
        let object = object(json, path)?;
        let (mut values, mut names) = (Vec::new(), Vec::new());
        for (name, ty) in fields {
            names.push(name);
            let value = match (object.get(name), ty) {
                (None, Type::Option(_)) => self.absent()?,
                (None, _) => return Err(path.mismatch(format!("`{name}` is missing")).into()),
                // Where `null` is a value, it is that.
                (Some(json), Type::Option(option)) if matches!(option.ty(), Type::Option(_)) => {
                    let value = self.value(&option.ty(), json, path.property(name))?;
                    Val::Option(Some(Box::new(value)))
                }
                (Some(json), ty) => self.value(ty, json, path.property(name))?,
            };
            values.push(value);
        }
        match object.keys().find(|name| !names.contains(&name.as_str())) {
            Some(unknown) => Err(path
                .mismatch(format!("unknown property {unknown:?}"))
                .into()),
            None => Ok(values),
        }
    }

    fn absent(&mut self) -> Result<Val, DecodeError> {
        self.charge(0)?;
        Ok(Val::Option(None))
    }

    fn list(&mut self, item: &Type, json: &Value, path: Path<'_>) -> Result<Val, DecodeError> {
        if *item == Type::U8 {
            let text = text(json, path)?;
            // Each byte becomes a value of its own.
            self.charge(text.len() / 4 * 3 * size_of::<Val>())?;
            let bytes = STANDARD.decode(text);
            let bytes =
                bytes.map_err(|error| path.mismatch(format!("this is not base64: {error}")))?;
            return Ok(Val::List(bytes.into_iter().map(Val::U8).collect()));
        }
        if let Some(ty) = map_value(item) {
            let mut pairs = Vec::new();
            for (name, json) in object(json, path)? {
                self.charge(name.len() + size_of::<Val>())?;
                let value = self.value(&ty, json, path.property(name))?;
                pairs.push(Val::Tuple(vec![Val::String(name.clone()), value]));
            }
            return Ok(Val::List(pairs));
        }
        let items = array(json, path)?.iter().enumerate();
        let values = items.map(|(index, json)| self.value(item, json, path.item(index)));
        Ok(Val::List(values.collect::<Result<_, _>>()?))
    }

    /// `{ "tag": "circle", "val": … }`
    fn case(&mut self, ty: &Type, json: &Value, path: Path<'_>) -> Result<Val, DecodeError> {
        let object = object(json, path)?;
        let Some(Value::String(tag)) = object.get("tag") else {
            return Err(path
                .mismatch("`tag` is missing: the name of the case")
                .into());
        };
        let cases = cases(ty);
        let Some((_, of_case)) = cases.iter().find(|(name, _)| name == tag) else {
            let names = cases.iter().map(|(name, _)| name.as_str());
            return Err(not_among(names, path.property("tag")).into());
        };
        let value = match (of_case, object.get("val")) {
            (Some(ty), Some(json)) => Some(Box::new(self.value(ty, json, path.property("val"))?)),
            (None, None) => None,
            (Some(_), None) => return Err(path.mismatch("`val` is missing: the value").into()),
            (None, Some(_)) => {
                return Err(path
                    .mismatch(format!("the case `{tag}` has no `val`"))
                    .into());
            }
        };
        self.charge(tag.len())?;
        Ok(match (ty, tag.as_str()) {
            (Type::Result(_), "ok") => Val::Result(Ok(value)),
            (Type::Result(_), _) => Val::Result(Err(value)),
            _ => Val::Variant(tag.clone(), value),
        })
    }

    /// One of these names.
    fn name<'n>(
        &mut self,
        mut names: impl Iterator<Item = &'n str>,
        json: &Value,
        path: Path<'_>,
    ) -> Result<String, DecodeError> {
        let name = text(json, path)?;
        self.charge(name.len())?;
        match names.any(|known| known == name) {
            true => Ok(name.to_owned()),
            false => Err(path.mismatch(format!("unknown value {name:?}")).into()),
        }
    }

    /// Counts a value, with so many bytes of its own.
    fn charge(&mut self, bytes: usize) -> Result<(), DecodeError> {
        let bytes = (bytes + size_of::<Val>()) as u64;
        let allowed = self.allowed;
        let left = self.left.checked_sub(bytes);
        self.left = left.ok_or(DecodeError::TooLarge { allowed })?;
        Ok(())
    }
}

fn expected(what: &str, json: &Value, path: Path<'_>) -> MismatchError {
    let kind = match json {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    };
    path.mismatch(format!("this must be {what}, and is {kind}"))
}

fn not_among<'n>(names: impl Iterator<Item = &'n str>, path: Path<'_>) -> MismatchError {
    let names: Vec<&str> = names.take(20).collect();
    path.mismatch(format!("the value is not one of: {}", names.join(", ")))
}

fn text<'j>(json: &'j Value, path: Path<'_>) -> Result<&'j str, MismatchError> {
    let text = json.as_str();
    text.ok_or_else(|| expected("a string", json, path))
}

fn array<'j>(json: &'j Value, path: Path<'_>) -> Result<&'j [Value], MismatchError> {
    match json {
        Value::Array(items) => Ok(items),
        _ => Err(expected("an array", json, path)),
    }
}

fn object<'j>(json: &'j Value, path: Path<'_>) -> Result<&'j Map<String, Value>, MismatchError> {
    let object = json.as_object();
    object.ok_or_else(|| expected("an object", json, path))
}

/// An integer, however it is written: `1.0` is one.
fn integer<T: TryFrom<i128>>(json: &Value, path: Path<'_>) -> Result<T, MismatchError> {
    /// Beyond this, integers are distinguished no more once they were read as floats.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    let whole = |float: &f64| float.fract() == 0.0 && float.abs() <= EXACT;
    let value = match (json.as_i64(), json.as_u64()) {
        (Some(value), _) => Some(i128::from(value)),
        (None, Some(value)) => Some(i128::from(value)),
        (None, None) => json.as_f64().filter(whole).map(|float| float as i128),
    };
    let value = value.ok_or_else(|| match json {
        Value::Number(_) => path.mismatch("this must be an integer of at most 64 bits"),
        _ => expected("an integer", json, path),
    })?;
    T::try_from(value).map_err(|_| path.mismatch(format!("{value} does not fit into the type")))
}

fn float32(json: &Value, path: Path<'_>) -> Result<f32, MismatchError> {
    let value = json
        .as_f64()
        .ok_or_else(|| expected("a number", json, path))?;
    let value = value as f32;
    match value.is_finite() {
        true => Ok(value),
        false => Err(path.mismatch(format!("{json} does not fit into 32 bits"))),
    }
}
