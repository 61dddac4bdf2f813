//! A value → its document, along a component's own types.

use std::collections::HashSet;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use wasmtime::component::Val;
use wasmtime::component::types::Type;

use super::{cases, field_type, map_value, property};
use crate::mismatch::{EncodeError, MismatchError};
use crate::path::Path;

/// The document of a value, of at most so many bytes.
///
/// # Errors
///
/// The place of a value that JSON can't express; or that the document is too long.
pub(super) fn document(
    ty: &Type,
    value: &Val,
    path: Path<'_>,
    allowed: u64,
) -> Result<String, EncodeError> {
    let mut encoder = Encoder {
        json: String::new(),
        allowed,
    };
    encoder.value(ty, value, path)?;
    Ok(encoder.json)
}

struct Encoder {
    json: String,
    allowed: u64,
}

impl Encoder {
    fn value(&mut self, ty: &Type, value: &Val, path: Path<'_>) -> Result<(), EncodeError> {
        match (ty, value) {
            (_, Val::Bool(value)) => self.put(if *value { "true" } else { "false" }),
            (_, Val::S8(value)) => self.put(&value.to_string()),
            (_, Val::U8(value)) => self.put(&value.to_string()),
            (_, Val::S16(value)) => self.put(&value.to_string()),
            (_, Val::U16(value)) => self.put(&value.to_string()),
            (_, Val::S32(value)) => self.put(&value.to_string()),
            (_, Val::U32(value)) => self.put(&value.to_string()),
            (_, Val::S64(value)) => self.put(&value.to_string()),
            (_, Val::U64(value)) => self.put(&value.to_string()),
            (_, Val::Float32(value)) => {
                let written = serde_json::to_string(value).unwrap_or_default();
                self.number(f64::from(*value), &written, path)
            }
            (_, Val::Float64(value)) => {
                let written = serde_json::to_string(value).unwrap_or_default();
                self.number(*value, &written, path)
            }
            (_, Val::Char(value)) => self.text(&value.to_string()),
            (_, Val::String(text) | Val::Enum(text)) => self.text(text),
            (_, Val::Flags(names)) => {
                self.put("[")?;
                for (index, name) in names.iter().enumerate() {
                    self.put(if index > 0 { "," } else { "" })?;
                    self.text(name)?;
                }
                self.put("]")
            }
            (Type::List(list), Val::List(values)) => self.list(&list.ty(), values, path),
            (Type::Tuple(tuple), Val::Tuple(values)) => self.array(tuple.types(), values, path),
            (Type::Record(record), Val::Record(values)) => {
                let fields = record.fields();
                let fields = fields.map(|field| (property(field.name), field.ty));
                self.record(fields.collect(), values, path)
            }
            (Type::Variant(_), Val::Variant(name, value)) => {
                self.case(ty, name, value.as_deref(), path)
            }
            (Type::Result(_), Val::Result(result)) => match result {
                Ok(value) => self.case(ty, "ok", value.as_deref(), path),
                Err(value) => self.case(ty, "err", value.as_deref(), path),
            },
            (Type::Option(_), Val::Option(None)) => self.put("null"),
            (Type::Option(option), Val::Option(Some(value))) => {
                self.value(&option.ty(), value, path)
            }
            _ => Err(wrong(path).into()),
        }
    }

    fn list(&mut self, item: &Type, values: &[Val], path: Path<'_>) -> Result<(), EncodeError> {
        if *item == Type::U8 {
            let bytes = values.iter().map(|value| match value {
                Val::U8(byte) => Ok(*byte),
                _ => Err(wrong(path)),
            });
            self.room_for(values.len())?;
            let bytes: Vec<u8> = bytes.collect::<Result<_, _>>()?;
            return self.text(&STANDARD.encode(bytes));
        }
        match map_value(item) {
            Some(ty) => self.map(&ty, values, path),
            None => self.array(std::iter::repeat(item.clone()), values, path),
        }
    }

    fn array(
        &mut self,
        types: impl Iterator<Item = Type>,
        values: &[Val],
        path: Path<'_>,
    ) -> Result<(), EncodeError> {
        self.put("[")?;
        for (index, (ty, value)) in types.zip(values).enumerate() {
            self.put(if index > 0 { "," } else { "" })?;
            self.value(&ty, value, path.item(index))?;
        }
        self.put("]")
    }

    fn map(&mut self, ty: &Type, pairs: &[Val], path: Path<'_>) -> Result<(), EncodeError> {
        let mut names = HashSet::new();
        self.put("{")?;
        for (index, pair) in pairs.iter().enumerate() {
            let Val::Tuple(pair) = pair else {
                return Err(wrong(path).into());
            };
            let [Val::String(name), value] = pair.as_slice() else {
                return Err(wrong(path).into());
            };
            if !names.insert(name.as_str()) {
                return Err(path
                    .mismatch(format!("it has the property {name:?} twice"))
                    .into());
            }
            self.member(index == 0, name)?;
            self.value(ty, value, path.property(name))?;
        }
        self.put("}")
    }

    fn record(
        &mut self,
        fields: Vec<(String, Type)>,
        values: &[(String, Val)],
        path: Path<'_>,
    ) -> Result<(), EncodeError> {
        let mut is_first = true;
        self.put("{")?;
        for ((name, ty), (_, value)) in fields.iter().zip(values) {
            let (ty, is_required) = field_type(ty);
            let value = match (is_required, value) {
                (true, value) => value,
                (false, Val::Option(None)) => continue,
                (false, Val::Option(Some(value))) => value,
                (false, _) => return Err(wrong(path).into()),
            };
            self.member(std::mem::replace(&mut is_first, false), name)?;
            self.value(&ty, value, path.property(name))?;
        }
        self.put("}")
    }

    /// `{ "tag": "circle", "val": … }`
    fn case(
        &mut self,
        ty: &Type,
        name: &str,
        value: Option<&Val>,
        path: Path<'_>,
    ) -> Result<(), EncodeError> {
        let cases = cases(ty);
        let case = cases.iter().find(|(known, _)| known == name);
        let (_, of_case) = case.ok_or_else(|| wrong(path))?;
        self.put("{")?;
        self.member(true, "tag")?;
        self.text(name)?;
        if let (Some(ty), Some(value)) = (of_case, value) {
            self.member(false, "val")?;
            self.value(ty, value, path.property(name))?;
        }
        self.put("}")
    }

    fn member(&mut self, is_first: bool, name: &str) -> Result<(), EncodeError> {
        self.put(if is_first { "" } else { "," })?;
        self.text(name)?;
        self.put(":")
    }

    /// A number that is written so, if it is not whole.
    fn number(&mut self, value: f64, written: &str, path: Path<'_>) -> Result<(), EncodeError> {
        /// Up to here every integer is a float, and all readers agree on them.
        const EXACT: f64 = 9_007_199_254_740_992.0;
        if !value.is_finite() {
            let problem = format!("JSON has no number for {value}");
            return Err(path.mismatch(problem).into());
        }
        let is_negative_zero = value == 0.0 && value.is_sign_negative();
        match value.fract() == 0.0 && value.abs() <= EXACT && !is_negative_zero {
            true => self.put(&format!("{value:.0}")),
            false => self.put(written),
        }
    }

    fn text(&mut self, text: &str) -> Result<(), EncodeError> {
        // Quoted, it is not shorter.
        self.room_for(text.len())?;
        let quoted = serde_json::to_string(text).unwrap_or_default();
        self.put(&quoted)
    }

    fn put(&mut self, json: &str) -> Result<(), EncodeError> {
        self.room_for(json.len())?;
        self.json.push_str(json);
        Ok(())
    }

    fn room_for(&self, bytes: usize) -> Result<(), EncodeError> {
        let bytes = (self.json.len() + bytes) as u64;
        match bytes > self.allowed {
            true => Err(EncodeError::TooLarge { bytes }),
            false => Ok(()),
        }
    }
}

/// Wasmtime checks values against the types that these are.
fn wrong(path: Path<'_>) -> MismatchError {
    path.mismatch("the value's type is not the function's")
}
