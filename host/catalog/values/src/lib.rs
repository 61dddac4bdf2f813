//! JSON documents as values of WIT, and back.
//!
//! A document that the schema allows comes back the same: its properties in the same order as the
//! type's, its numbers with the same values, what is absent absent and what is `null` null. What
//! does not fit is a [`MismatchError`] that says where. Two things are lost on purpose: properties
//! that the schema does not name, where it does not say either that there may be any; and how a
//! number was written (`1.0` or `1`).
//!
//! - `package_values`: the values of a tool's function, by its package; `mismatch`: what does not fit
//! - `decode`: a document → a value; `record`: an object; `fit`: which type of a union a document
//!   fits best; `content`: content blocks
//! - `encode`: a value → a document; `size`: what a value takes of memory
//! - `run_types`: the types of a component's own `run`, as JSON Schema and with values
//! - `compare`: what a component was built against, against a tool's function
//! - `error`: why a call has no result, as a component knows errors; `path`: where in a document
//!   something is

mod compare;
mod content;
mod decode;
mod encode;
mod error;
mod fit;
mod mismatch;
mod package_values;
mod path;
mod record;
mod run_types;
mod size;

pub use error::{ErrorFields, ToolErrorRecord};
pub use mismatch::{DecodeError, EncodeError, MismatchError};
pub use package_values::{Answer, PackageValues};
pub use run_types::{RunResult, RunTypes};
pub use size::memory_bytes;
