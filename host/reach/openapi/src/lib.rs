//! HTTP APIs that an OpenAPI document describes, as servers of typed tools: one tool for each
//! operation.
//!
//! No crate of typed documents reads what is in the wild: `openapiv3` knows 3.0 alone and `oas3` 3.1,
//! both refuse a document for one wrong value, and their trees take ten times the text. Here a
//! document stays a text; parts are looked up by JSON pointers and parsed when they are needed, and
//! what can't be read is left out with a sentence.
//!
//! - `document`: the text, and where its parts are; `swagger2`: the older words for the same
//! - `operations`: which there are, and their names; `plan`: what one takes and gives: `parameters`,
//!   `body`, `security`, `server`, `results`; `schema`: schemas with what they refer to
//! - `api`: a document that was read, as tools; `loading`: reading it
//! - `binding`: the kind of server; `request`: a call as a request; `pages`: an answer with its headers, and the
//!   arguments of the next page
//! - `options`: what is configured
//! - `fuzzing`: what must hold of any document

mod api;
mod binding;
mod body;
mod document;
#[cfg(any(test, fuzzing))]
pub mod fuzzing;
mod loading;
mod operations;
mod options;
mod pages;
mod parameters;
mod plan;
mod request;
mod results;
mod schema;
mod security;
mod server;
mod swagger2;
#[cfg(test)]
mod tests;

pub use ampoule_api::{ApiStatus, SignedApi, Source};
pub use binding::{HttpApi, missing_credentials};
pub use loading::oauth_endpoints;
pub use options::ApiServer;
pub use security::{CredentialScheme, OAuthEndpoints, OAuthFlow};
