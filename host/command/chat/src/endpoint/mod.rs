//! Where a model is asked: one address, in one of three forms.
//!
//! - `address`: which address, form and key, of what is configured and what is in the environment
//! - `inquiry`: what is asked, in no form
//! - `request`: one request, and its answer as it arrives
//! - `retry`: requests that are sent again
//! - `forms`: the three forms on the wire
//! - `reply`: an answer in no form
//! - `error`: why an answer is missing, and what to do
//! - `fuzzing`: what must hold of any stream

mod address;
mod error;
mod forms;
#[cfg(any(test, fuzzing))]
pub mod fuzzing;
mod inquiry;
mod reply;
mod request;
mod retry;
#[cfg(test)]
mod tests;

pub use address::{AddressError, Choice, Form};
pub use error::{EndpointError, FailureKind};
pub use inquiry::{Request, ToolDefinition};
pub use reply::{Piece, Reply, Stop, Usage};
pub use request::Endpoint;
