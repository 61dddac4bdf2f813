//! What servers of HTTP APIs share, however an API is described.
//!
//! - `source`: where a description is; `loading`: reading it when it is first needed, once;
//!   `download`: from an address; `document_cache`: what was downloaded, between processes
//! - `transport`: how requests travel; `caller`: one call's turn, its sign-in, and its request
//! - `binding`: the server, of whichever kind
//! - `answer`: a response as a result; `media`: what is in a body
//! - `secrets`: what is shown nowhere; `text`: what is shown

pub mod answer;
mod binding;
mod caller;
mod document_cache;
pub mod download;
mod loading;
mod media;
mod secrets;
mod source;
mod text;
pub mod transport;

pub use binding::{ApiBinding, ApiCall, ApiKind, DescribedApi, SignedApi};
pub use caller::{Access, Caller};
pub use document_cache::{CachedDocument, DocumentCache, DocumentVersion};
pub use loading::{ApiStatus, DescriptionError, elsewhere};
pub use media::{essence, is_json, is_text};
pub use secrets::Secrets;
pub use source::{Source, base_url, shown};
pub use text::line;
