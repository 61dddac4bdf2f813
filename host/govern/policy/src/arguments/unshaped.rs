//! What policies can't see of arguments, and why.

/// Why a part of the arguments has no type in Cedar.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ShapeError {
    /// The schema says nothing of it.
    #[error("its schema allows any value")]
    Any,
    /// There is no value.
    #[error("its schema allows no value but `null`, if any")]
    Nothing,
    /// Its names are not known beforehand.
    #[error("it is an object with any names")]
    Map,
    /// It has a value of several types.
    #[error("it is of one of several types")]
    Union,
    /// It is a list of values of several types, or with nulls among them.
    #[error("its items are of several types")]
    Items,
    /// It contains itself.
    #[error("it contains itself")]
    Recursive,
    /// There is too much in it.
    #[error("its schema is too large or too deep")]
    Large,
}
