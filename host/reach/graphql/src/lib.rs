//! GraphQL APIs as servers of typed tools: one tool for each field of the types for queries and
//! mutations.
//!
//! `apollo-compiler` parses schemas and documents, within limits, and validates both. It knows each
//! rule of the specification, so that what is sent is what a server takes.
//!
//! - `schema`: the types of an API, from its own answer (`introspection`) or from a text
//! - `operations`: which tools there are, and their names; `arguments`: what they take
//! - `selection`: what they give: by default (`default`), or as a script selects it (`written`);
//!   `check`: what is wrong with a selection, in words
//! - `documents`: the tools that take whole documents
//! - `api`: a schema that was read, as tools; `loading`: reading it
//! - `binding`: the kind of server; `request`: a call as a request; `answer`: a response as a result
//! - `options`: what is configured
//! - `fuzzing`: what must hold of any schema and selection

mod answer;
mod api;
mod arguments;
mod binding;
mod documents;
#[cfg(any(test, fuzzing))]
pub mod fuzzing;
mod loading;
mod operations;
mod options;
mod request;
mod schema;
mod selection;

pub use ampoule_api::{ApiStatus, Source};
pub use binding::GraphqlApi;
pub use options::GraphqlServer;
