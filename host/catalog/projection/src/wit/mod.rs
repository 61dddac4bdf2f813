//! Packages in WIT.
//!
//! A server is a package with one interface, and a tool a function in it:
//!
//! ```wit
//! package mcp:github;
//!
//! interface tools {
//!     use ampoule:guest/values@0.1.0.{tool-error};
//!
//!     record create-issue-args { owner: string, labels: option<list<string>> }
//!     record create-issue-result { number: s64 }
//!
//!     /// Opens an issue. (destructive)
//!     create-issue: async func(args: create-issue-args) -> result<create-issue-result, tool-error>;
//! }
//! ```
//!
//! An optional property is an `option`, and one that may be null as well is an `option` in it. What
//! WIT can't say is `json`, in that place alone: any value, an object with any properties, a type
//! within itself, `null` alone, a tuple whose length is open.
//!
//! - `finite`: where types that contain themselves end
//! - `build`: an interface → its package; `cases`: names for values and for the types of a choice;
//!   `docs`: what is said of properties and tools
//! - `shape`: the package, and what its values are in JSON
//! - `print`: the package as text; `comment`: its docs

mod build;
mod cases;
mod comment;
mod docs;
mod finite;
mod print;
pub mod shape;

use super::interface::Interface;
use super::names::Names;

pub use print::{Calling, identifier, interface_of};
pub use shape::{Body, Shape};
pub use shape::{Package, Signature};

/// The interface of the package `ampoule:guest` that every package of tools uses.
pub const VALUES: &str = include_str!("../../../../../wit/values.wit");

/// The package of a server's tools, with an interface of the same name. `server` is the server's identifier
/// and `names` are those of all of its tools, of [`Style::Kebab`](super::names::Style::Kebab).
pub fn package(server: &str, interface: &Interface, names: &Names) -> Package {
    build::package(server, &finite::finite(interface.clone()), names)
}
