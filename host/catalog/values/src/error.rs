//! Why a call has no result: `tool-error` of `ampoule:guest/values`, with the fields that it had when
//! the component was built.

use wasmtime::component::Val;
use wasmtime::component::types::{ComponentFunc, Type};

use super::{DecodeError, content};
use crate::compare;

/// Which fields `tool-error` has in a component.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorFields {
    /// Those of components that were built before errors had `data`.
    WithoutData,
    /// All that there are.
    All,
}

/// What is said of a failed call.
#[derive(Debug, Clone, Copy)]
pub struct ToolErrorRecord<'a> {
    /// Its kind, as WIT calls it.
    pub kind: &'a str,
    /// What the tool or the host says of it.
    pub message: &'a str,
    /// The content blocks of the tool's answer, as a JSON array.
    pub content: &'a str,
    /// The structured content of the tool's answer, as a JSON document.
    pub data: Option<&'a str>,
}

impl ErrorFields {
    /// Those of the errors of a function that a component imports; none where they are no
    /// `tool-error` that there was.
    pub fn of(built: &ComponentFunc) -> Option<Self> {
        match &*built.results().collect::<Vec<_>>() {
            [Type::Result(returned)] => compare::error_fields(&returned.err()?),
            _ => None,
        }
    }
}

impl ToolErrorRecord<'_> {
    /// The `err` of a function's result, for a component that knows errors with these fields.
    ///
    /// # Errors
    ///
    /// The blocks are not a JSON array; or blocks and data take more than `allowed` bytes.
    pub fn value(&self, fields: ErrorFields, allowed: u64) -> Result<Val, DecodeError> {
        let data = self.data.filter(|_| fields == ErrorFields::All);
        let bytes = data.map_or(0, |data| data.len() as u64);
        let left = allowed.checked_sub(bytes);
        let left = left.ok_or(DecodeError::TooLarge { allowed })?;
        let field = |name: &str, value| (name.to_owned(), value);
        let mut record = vec![
            field("kind", Val::Enum(self.kind.to_owned())),
            field("message", Val::String(self.message.to_owned())),
            field("content", content::list(self.content, left)?),
        ];
        if fields == ErrorFields::All {
            let data = data.map(|data| Box::new(Val::String(data.to_owned())));
            record.push(field("data", Val::Option(data)));
        }
        Ok(Val::Record(record))
    }
}
