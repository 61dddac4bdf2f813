//! JSON documents as values of WIT, and back.
//!
//! A document that the schema allows comes back the same: its properties in the same order as the
//! type's, its numbers with the same values, what is absent absent and what is `null` null. What
//! does not fit is a [`Mismatch`] that says where. Two things are lost on purpose: properties that
//! the schema does not name, where it does not say either that there may be any; and how a number
//! was written (`1.0` or `1`).
//!
//! - `decode`: a document → a value; `record`: an object; `fit`: which type of a union a document
//!   fits best; `content`: content blocks
//! - `encode`: a value → a document
//! - `compare`: what a component was built against, against a tool's function
//! - `error`: why a call has no result, as a component knows errors; `path`: where in a document
//!   something is

mod compare;
mod content;
mod decode;
mod encode;
mod error;
mod fit;
mod path;
mod record;

use ampoule_projection::wit::{Package, Signature};
use wasmtime::component::Val;
use wasmtime::component::types::ComponentFunc;

use path::Path;

pub use error::{ErrorFields, Failed};

/// A value or document that its type does not allow.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {problem}")]
pub struct Mismatch {
    /// Where, as a path in JavaScript's manner: `args.labels[2]`.
    pub place: String,
    /// What is wrong there.
    pub problem: String,
}

/// Why a document gives no value.
#[derive(Debug, thiserror::Error)]
pub enum DecodeError {
    /// It does not fit its type.
    #[error(transparent)]
    Mismatch(#[from] Mismatch),
    /// As a value it would take more memory than is allowed.
    #[error("the value takes more than {allowed} bytes of the host's memory")]
    TooLarge {
        /// What was allowed, in bytes.
        allowed: u64,
    },
}

/// Why a value gives no document.
#[derive(Debug, thiserror::Error)]
pub enum EncodeError {
    /// JSON can't say it.
    #[error(transparent)]
    Mismatch(#[from] Mismatch),
    /// The document would be longer than is allowed.
    #[error("the document has more than {bytes} bytes")]
    TooLarge {
        /// How long it had become, in bytes.
        bytes: u64,
    },
}

/// A tool's answer, as its function gives it.
#[derive(Debug, Clone, Copy)]
pub enum Answer<'a> {
    /// The structured result, as JSON.
    Structured(&'a str),
    /// Content blocks, as a JSON array.
    Content(&'a str),
}

/// What a value takes of the host's memory, in bytes.
pub fn memory_bytes(value: &Val) -> u64 {
    let inside: u64 = match value {
        Val::String(text) | Val::Enum(text) => text.len() as u64,
        Val::List(values) | Val::Tuple(values) => values.iter().map(memory_bytes).sum(),
        Val::Record(fields) => fields
            .iter()
            .map(|(name, value)| (size_of::<String>() + name.len()) as u64 + memory_bytes(value))
            .sum(),
        Val::Variant(name, value) => name.len() as u64 + value.as_deref().map_or(0, memory_bytes),
        Val::Option(value) => value.as_deref().map_or(0, memory_bytes),
        _ => 0,
    };
    inside + size_of::<Val>() as u64
}

/// What a tool's function takes and gives, as its package says it.
pub trait PackageValues {
    /// The arguments, as a JSON object of at most `allowed` bytes, that a guest calls a function
    /// with.
    ///
    /// # Errors
    ///
    /// The place of a value that JSON can't say, such as `NaN`, or is not JSON where it should be;
    /// or that the document is too long.
    fn arguments(
        &self,
        function: &Signature,
        values: &[Val],
        allowed: u64,
    ) -> Result<String, EncodeError>;

    /// The values that a guest calls a function with, of the arguments as a JSON object.
    ///
    /// # Errors
    ///
    /// Where the arguments do not fit.
    fn parameters(
        &self,
        function: &Signature,
        arguments: &str,
        allowed: u64,
    ) -> Result<Vec<Val>, DecodeError>;

    /// What a function returns for a tool's answer: the `ok` of its result. The value takes at most
    /// `allowed` bytes.
    ///
    /// # Errors
    ///
    /// Where the answer does not fit, or is too large.
    fn result(
        &self,
        function: &Signature,
        answer: Answer<'_>,
        allowed: u64,
    ) -> Result<Val, DecodeError>;

    /// The document of a result that [`result`](Self::result) gave. For those who test that it is
    /// the same.
    ///
    /// # Errors
    ///
    /// Where the function has no structured result, or the value is not one of its.
    fn json_of_result(&self, function: &Signature, value: &Val) -> Result<String, EncodeError>;

    /// How a tool's function differs from the one that a component was built against; nothing where
    /// it is the same. Whether a function is `async` is the component's choice.
    fn differences(&self, function: &Signature, built: &ComponentFunc) -> Vec<String>;
}

impl PackageValues for Package {
    fn arguments(
        &self,
        function: &Signature,
        values: &[Val],
        allowed: u64,
    ) -> Result<String, EncodeError> {
        match (&function.arguments, values) {
            (None, _) | (Some(_), []) => Ok("{}".to_owned()),
            (Some(shape), [value, ..]) => {
                encode::document(self, shape, value, Path::root("args"), allowed)
            }
        }
    }

    fn parameters(
        &self,
        function: &Signature,
        arguments: &str,
        allowed: u64,
    ) -> Result<Vec<Val>, DecodeError> {
        let shape = function.arguments.iter();
        shape
            .map(|shape| decode::document(self, shape, arguments, Path::root("args"), allowed))
            .collect()
    }

    fn result(
        &self,
        function: &Signature,
        answer: Answer<'_>,
        allowed: u64,
    ) -> Result<Val, DecodeError> {
        let root = Path::root("result");
        match (&function.result, answer) {
            (Some(shape), Answer::Structured(json)) => {
                decode::document(self, shape, json, root, allowed)
            }
            (None, Answer::Content(blocks)) => content::list(blocks, allowed),
            (Some(_), Answer::Content(_)) => Err(root
                .mismatch("the tool declares a structured result, but returned none")
                .into()),
            (None, Answer::Structured(_)) => Err(root
                .mismatch("the tool declares content blocks, but returned something else")
                .into()),
        }
    }

    fn json_of_result(&self, function: &Signature, value: &Val) -> Result<String, EncodeError> {
        let root = Path::root("result");
        match &function.result {
            Some(shape) => encode::document(self, shape, value, root, u64::MAX),
            None => Err(root.mismatch("there is no structure").into()),
        }
    }

    fn differences(&self, function: &Signature, built: &ComponentFunc) -> Vec<String> {
        compare::differences(self, function, built)
    }
}
