//! HTTP requests of scripts: `fetch` in JavaScript, `urllib.request` and `http.client` in Python.
//!
//! The host makes them, under rules that the operator wrote; scripts have no sockets. A request is a
//! call of a tool like any other, `$fetch` of the binding [`NAME`], so it has events, passes layers,
//! and is in records. The binding exists only where somebody asks for it.
//!
//! - `rules`: what is allowed, to `host` patterns, `methods` and `path` patterns; `rule_error`: what is
//!   wrong with one; `added_headers`: headers that the host adds; `secret`: texts that are shown
//!   nowhere, `blot`: not even where a server says them, however they are encoded: `encodings`
//! - `target`: a URL as it is decided on, and as it is sent
//! - `addresses`: where a name leads, and may lead; `client`: connections to there
//! - `request`: what a script asks for; `headers`: which of a script's are sent; `answer`: what it gets
//! - `transport`: one request on its way, by rules or by an embedder's function; `redirects`: over as many
//!   as it takes, and the same way for servers that the operator configured
//! - `binding`: the tool; `options`: how much, and for how long; `settings`: what an operator chooses of
//!   it, as a table of the configuration
//! - `fuzzing`: what must hold of any request

mod added_headers;
mod addresses;
mod answer;
mod binding;
mod blot;
mod client;
mod encodings;
#[cfg(any(test, fuzzing))]
pub mod fuzzing;
mod headers;
mod host;
mod methods;
mod options;
mod path;
mod redirects;
mod request;
mod rule_error;
mod rules;
mod secret;
mod settings;
mod target;
#[cfg(test)]
mod tests;
mod transport;

pub use added_headers::AddedHeaders;
pub use addresses::Lookup;
pub use ampoule_network::Tls;
pub use binding::{NAME, OutboundBinding};
pub use blot::Blot;
pub use headers::changes_request;
pub use host::HostPattern;
pub use methods::Methods;
pub use options::OutboundOptions;
pub use path::PathPattern;
pub use redirects::{Requests, ServerRequest};
pub use rule_error::RuleError;
pub use rules::{Denial, Rule, Rules};
pub use secret::Secret;
pub use settings::Settings;
pub use transport::{Fetch, Outbound};
