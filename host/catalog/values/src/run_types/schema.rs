//! A type → its JSON Schema.

use serde_json::{Map, Value, json};
use wasmtime::component::types::Type;

use super::{cases, field_type, map_value, property};
use crate::mismatch::MismatchError;
use crate::path::Path;

/// How many types a function may have in all, where each is counted wherever it stands: a schema has
/// no names for types, and types may share types many times over.
const MOST_TYPES: usize = 5_000;
/// How deep they may be nested.
const DEEPEST: usize = 30;

/// What writes the schemas of a function.
pub(super) struct SchemaWriter {
    /// How many types there may be yet.
    left: usize,
    depth: usize,
}

impl Default for SchemaWriter {
    fn default() -> Self {
        Self {
            left: MOST_TYPES,
            depth: 0,
        }
    }
}

impl SchemaWriter {
    /// The schema of a type.
    ///
    /// # Errors
    ///
    /// The place of a type that JSON can't express.
    pub(super) fn schema(&mut self, ty: &Type, path: Path<'_>) -> Result<Value, MismatchError> {
        let too_large = || {
            path.mismatch(format!(
                "the types are too large: there may be {MOST_TYPES}"
            ))
        };
        self.left = self.left.checked_sub(1).ok_or_else(too_large)?;
        if self.depth == DEEPEST {
            return Err(path.mismatch("the types are nested too deeply"));
        }
        self.depth += 1;
        let schema = self.of_type(ty, path);
        self.depth -= 1;
        schema
    }

    fn of_type(&mut self, ty: &Type, path: Path<'_>) -> Result<Value, MismatchError> {
        Ok(match ty {
            Type::Bool => json!({ "type": "boolean" }),
            Type::S8 => integer(i8::MIN, i8::MAX),
            Type::U8 => integer(u8::MIN, u8::MAX),
            Type::S16 => integer(i16::MIN, i16::MAX),
            Type::U16 => integer(u16::MIN, u16::MAX),
            Type::S32 => integer(i32::MIN, i32::MAX),
            Type::U32 => integer(u32::MIN, u32::MAX),
            Type::S64 => json!({ "type": "integer" }),
            Type::U64 => integer(u64::MIN, u64::MAX),
            Type::Float32 | Type::Float64 => json!({ "type": "number" }),
            Type::Char => json!({ "type": "string", "minLength": 1, "maxLength": 1 }),
            Type::String => json!({ "type": "string" }),
            Type::List(list) => self.list(&list.ty(), path)?,
            Type::Record(record) => {
                let fields = record.fields();
                let fields = fields.map(|field| (property(field.name), field.ty));
                self.object(fields.collect(), path)?
            }
            Type::Tuple(tuple) => {
                let types = tuple.types().enumerate();
                let items = types.map(|(index, ty)| self.schema(&ty, path.item(index)));
                let items: Vec<Value> = items.collect::<Result<_, _>>()?;
                let count = items.len();
                json!({ "type": "array", "prefixItems": items, "items": false, "minItems": count, "maxItems": count })
            }
            Type::Variant(_) | Type::Result(_) => {
                let cases = cases(ty).into_iter();
                let cases = cases.map(|(name, ty)| self.case(&name, ty, path));
                json!({ "oneOf": cases.collect::<Result<Vec<_>, _>>()? })
            }
            Type::Enum(cases) => {
                json!({ "type": "string", "enum": cases.names().collect::<Vec<_>>() })
            }
            Type::Option(option) => match option.ty() {
                Type::Option(_) => {
                    return Err(
                        path.mismatch("JSON has one `null`, and can't say which `option` it is")
                    );
                }
                ty => json!({ "anyOf": [self.schema(&ty, path)?, { "type": "null" }] }),
            },
            Type::Flags(flags) => json!({
                "type": "array",
                "items": { "type": "string", "enum": flags.names().collect::<Vec<_>>() },
                "uniqueItems": true,
            }),
            Type::Own(_) | Type::Borrow(_) => return Err(path.mismatch("a resource is not JSON")),
            Type::Future(_) | Type::Stream(_) => {
                return Err(path.mismatch("a future or stream is not JSON"));
            }
            Type::Map(_) | Type::ErrorContext | Type::FixedLengthList(_) => {
                return Err(path.mismatch("this type is not supported"));
            }
        })
    }

    fn list(&mut self, item: &Type, path: Path<'_>) -> Result<Value, MismatchError> {
        if *item == Type::U8 {
            return Ok(json!({ "type": "string", "contentEncoding": "base64" }));
        }
        if let Some(value) = map_value(item) {
            let value = self.schema(&value, path.each())?;
            return Ok(json!({ "type": "object", "additionalProperties": value }));
        }
        Ok(json!({ "type": "array", "items": self.schema(item, path.each())? }))
    }

    /// The schema of an object with these properties, of which those may be absent that are an
    /// `option`.
    pub(super) fn object(
        &mut self,
        fields: Vec<(String, Type)>,
        path: Path<'_>,
    ) -> Result<Value, MismatchError> {
        let (mut properties, mut required) = (Map::new(), Vec::new());
        for (name, ty) in fields {
            let (ty, is_required) = field_type(&ty);
            let schema = self.schema(&ty, path.property(&name))?;
            if is_required {
                required.push(name.clone());
            }
            properties.insert(name, schema);
        }
        Ok(
            json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false }),
        )
    }

    /// The schema of a case of a variant: `{ "tag": "circle", "val": … }`, as in jco's objects.
    fn case(
        &mut self,
        name: &str,
        ty: Option<Type>,
        path: Path<'_>,
    ) -> Result<Value, MismatchError> {
        let tag = json!({ "type": "string", "const": name });
        Ok(match ty {
            Some(ty) => {
                let value = self.schema(&ty, path.property(name))?;
                json!({
                    "type": "object",
                    "properties": { "tag": tag, "val": value },
                    "required": ["tag", "val"],
                    "additionalProperties": false,
                })
            }
            None => json!({
                "type": "object",
                "properties": { "tag": tag },
                "required": ["tag"],
                "additionalProperties": false,
            }),
        })
    }
}

fn integer(least: impl Into<Value>, most: impl Into<Value>) -> Value {
    json!({ "type": "integer", "minimum": least.into(), "maximum": most.into() })
}
