//! The values of a tool's function, by its package.

use ampoule_projection::wit::{Package, Signature};
use wasmtime::component::Val;
use wasmtime::component::types::ComponentFunc;

use crate::mismatch::{DecodeError, EncodeError};
use crate::path::Path;
use crate::{compare, content, decode, encode};

/// A tool's answer, as its function gives it.
#[derive(Debug, Clone, Copy)]
pub enum Answer<'a> {
    /// The structured result, as JSON.
    Structured(&'a str),
    /// Content blocks, as a JSON array.
    Content(&'a str),
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
