//! The function `run` of a component, with types of its own: what it takes and gives, as JSON.
//!
//! - `schema`: a type → its JSON Schema
//! - `decode`: a document → a value; `encode`: a value → its document

mod decode;
mod encode;
mod schema;
#[cfg(test)]
mod tests;

use serde_json::{Value, json};
use wasmtime::component::Val;
use wasmtime::component::types::{ComponentFunc, Type};

use self::decode::Decoder;
use self::schema::SchemaWriter;
use crate::mismatch::{DecodeError, EncodeError, MismatchError};
use crate::path::Path;

/// What a component's `run` takes and gives, where that is not JSON as text.
///
/// The arguments are one object. Where the function has one parameter, and that is a record, they are
/// its fields; otherwise they are the parameters, by their names.
#[derive(Debug, Clone)]
pub struct RunTypes {
    parameters: Vec<Parameter>,
    /// Whether the arguments are the fields of the one parameter.
    is_record: bool,
    result: ResultTypes,
    input: Value,
    output: Option<Value>,
}

/// A parameter of the function.
#[derive(Debug, Clone)]
struct Parameter {
    /// Its name in JSON.
    property: String,
    ty: Type,
}

/// What the function gives.
#[derive(Debug, Clone)]
struct ResultTypes {
    /// How many values it returns: one or none.
    values: usize,
    /// Whether that is a `result`.
    is_fallible: bool,
    value: Option<Type>,
    error: Option<Type>,
}

/// What came of a call of the function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RunResult {
    /// Its value, as JSON; none where it has none.
    Value(Option<String>),
    /// Its error: a text, or JSON where [that is its type](RunTypes::has_error_data).
    Error(String),
}

impl RunTypes {
    /// The types of a function.
    ///
    /// # Errors
    ///
    /// The place of a type that JSON can't express, such as a stream.
    pub fn of(function: &ComponentFunc) -> Result<Self, MismatchError> {
        let parameters: Vec<Parameter> = function
            .params()
            .map(|(name, ty)| Parameter {
                property: property(name),
                ty,
            })
            .collect();
        let returned: Vec<Type> = function.results().collect();
        let result = ResultTypes::of(&returned);
        let is_record = matches!(&*parameters, [only] if matches!(only.ty, Type::Record(_)));
        let mut schemas = SchemaWriter::default();
        let input = input(&parameters, is_record, &mut schemas)?;
        let output = match &result.value {
            Some(ty) => Some(schemas.schema(ty, Path::root("result"))?),
            None => None,
        };
        if let Some(ty) = &result.error {
            schemas.schema(ty, Path::root("error"))?;
        }
        Ok(Self {
            parameters,
            is_record,
            result,
            input,
            output,
        })
    }

    /// The JSON Schema of the arguments: an object.
    pub fn input_schema(&self) -> &Value {
        &self.input
    }

    /// The JSON Schema of the value; none where the function gives none.
    pub fn output_schema(&self) -> Option<&Value> {
        self.output.as_ref()
    }

    /// Whether an error of the function is data, and not a text.
    pub fn has_error_data(&self) -> bool {
        let error = self.result.error.as_ref();
        error.is_some_and(|ty| *ty != Type::String)
    }

    /// How many values the function returns.
    pub fn results(&self) -> usize {
        self.result.values
    }

    /// The values that the function is called with, which may take so much of the host's memory, in
    /// bytes.
    ///
    /// # Errors
    ///
    /// Where the arguments do not fit, or that they are too large.
    pub fn parameters(&self, arguments: &Value, allowed: u64) -> Result<Vec<Val>, DecodeError> {
        let root = Path::root("args");
        let mut decoder = Decoder::new(allowed);
        if let ([only], true) = (&*self.parameters, self.is_record) {
            return Ok(vec![decoder.value(&only.ty, arguments, root)?]);
        }
        let fields = self.parameters.iter();
        let fields = fields.map(|parameter| (&*parameter.property, &parameter.ty));
        decoder.members(fields, arguments, root)
    }

    /// What came of a call that returned these values. A document may have so many bytes.
    ///
    /// # Errors
    ///
    /// The place of a value that JSON can't express, such as `NaN`; or that the document is too long.
    pub fn result(&self, values: &[Val], allowed: u64) -> Result<RunResult, EncodeError> {
        let ResultTypes {
            is_fallible,
            value: ok,
            error,
            ..
        } = &self.result;
        let document = |ty: &Option<Type>, value: Option<&Val>, root: &str| {
            let both = ty.as_ref().zip(value);
            both.map(|(ty, value)| encode::document(ty, value, Path::root(root), allowed))
                .transpose()
        };
        match (values.first(), *is_fallible) {
            (Some(Val::Result(Err(failed))), true) => match (error, failed.as_deref()) {
                (Some(Type::String), Some(Val::String(text))) => Ok(RunResult::Error(text.clone())),
                (_, value) => {
                    let told = document(error, value, "error")?;
                    let untold = || "the component failed, and does not say why".to_owned();
                    Ok(RunResult::Error(told.unwrap_or_else(untold)))
                }
            },
            (Some(Val::Result(Ok(value))), true) => {
                document(ok, value.as_deref(), "result").map(RunResult::Value)
            }
            (value, _) => document(ok, value, "result").map(RunResult::Value),
        }
    }
}

impl ResultTypes {
    fn of(returned: &[Type]) -> Self {
        let (is_fallible, value, error) = match returned {
            [Type::Result(result)] => (true, result.ok(), result.err()),
            [ty] => (false, Some(ty.clone()), None),
            _ => (false, None, None),
        };
        Self {
            values: returned.len(),
            is_fallible,
            value,
            error,
        }
    }
}

/// The schema of the arguments.
fn input(
    parameters: &[Parameter],
    is_record: bool,
    schemas: &mut SchemaWriter,
) -> Result<Value, MismatchError> {
    let root = Path::root("args");
    match parameters {
        [only] if is_record => schemas.schema(&only.ty, root),
        [] => Ok(json!({ "type": "object", "properties": {}, "additionalProperties": false })),
        parameters => {
            let fields = parameters.iter();
            let fields = fields.map(|parameter| (parameter.property.clone(), parameter.ty.clone()));
            schemas.object(fields.collect(), root)
        }
    }
}

/// The name in JSON of a field, or of a parameter: `low-stock` is `low_stock`. Names that differ only
/// in case are not in one record.
fn property(name: &str) -> String {
    name.replace('-', "_").to_ascii_lowercase()
}

/// What a record's field is of: of an `option`, what is in it, if the field is there at all.
fn field_type(ty: &Type) -> (Type, bool) {
    match ty {
        Type::Option(option) => (option.ty(), false),
        ty => (ty.clone(), true),
    }
}

/// The values of a list that is an object: `list<tuple<string, T>>`.
fn map_value(item: &Type) -> Option<Type> {
    crate::compare::pair(item)
}

/// The cases of a variant, or of a `result`, each with the type of its value.
fn cases(ty: &Type) -> Vec<(String, Option<Type>)> {
    match ty {
        Type::Variant(variant) => {
            let cases = variant.cases();
            cases.map(|case| (case.name.to_owned(), case.ty)).collect()
        }
        Type::Result(result) => {
            vec![
                ("ok".to_owned(), result.ok()),
                ("err".to_owned(), result.err()),
            ]
        }
        _ => Vec::new(),
    }
}
