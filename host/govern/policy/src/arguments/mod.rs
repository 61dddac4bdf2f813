//! A tool's arguments as Cedar sees them.
//!
//! One model, read off the tool's JSON Schema, of which both the types and the values are made, so
//! that they agree:
//!
//! - `shape`: the model; `lower`: a schema's types → shapes; `unshaped`: what has none, and why
//! - `types`: shapes as types of Cedar's schema
//! - `value`: JSON → values, by the shape, as much of it as policies read
//!
//! | JSON | Cedar |
//! | --- | --- |
//! | string, or one of some strings | `String` |
//! | boolean | `Bool` |
//! | integer | `Long` |
//! | number | `decimal`; a value with more than four digits after its point has none |
//! | array of one type | `Set` |
//! | object with names | record; what may be absent, or `null`, is optional: `null` is absent |
//! | one of several objects | a record of what they agree on |
//! | anything else | left out |

mod lower;
mod shape;
mod types;
mod unshaped;
mod value;

pub(crate) use lower::arguments_of;
pub(crate) use shape::{Attribute, Record, Shape};
pub(crate) use types::type_of;
pub(crate) use unshaped::ShapeError;
pub(crate) use value::{ArgumentError, Reading};
