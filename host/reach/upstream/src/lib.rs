//! Upstreams: MCP servers that Ampoule is a client of.
//!
//! `upstream` has [`Upstream`], the binding. A server is started when it is first needed, kept, and started
//! again after it ended.
//!
//! - [`command`](ServerCommand): how a server is started, and what it inherits
//! - `process`: its process group, stderr and end; `listener`: who hears its stderr; `last_words`: why
//!   it failed
//! - `options`: what is configured; `calling`: a call's way, through the `gate` of how many there may
//!   be
//! - `opening`: how a connection comes about; `connection`: one session; `attempt`: a request in it that
//!   is made for a call; `supervise`: at most one connection at a time, started again with `backoff`, and
//!   ended when it is `idle`; `lifecycle`: how it is; `state`: the same, as others see it
//! - `wire`: the JSON-RPC connection, made of the lines and envelopes of `crate::wire`, of
//!   `pending` and of `outbox`; `digits`: how integers are written; `reading`: what becomes of what
//!   servers send
//! - `pace`, `offload`: how fast it is read, and where; `noise`: what is not a message
//! - `handshake`: both of the protocol's lifecycles, `greeting`: what servers say then
//! - `client`: what servers may ask of us; `asks`: what they ask; `active_call`: the call that it is asked
//!   for, and who answers; `addresses`: what people are to open; `notifications`: what servers tell
//! - `offers`: what servers have besides tools, as tools; `tasks`: calls, of which servers may make tasks
//! - `http`: servers that are reached by HTTP instead of pipes; `authorizer`: who signs requests to
//!   them
//! - `mirrored`: arguments that HTTP's headers repeat; `trace`: where a call belongs in a
//!   distributed trace
//! - `secrets`: what is redacted from what servers print and say; `credentials`: from results
//! - `decode`, `refusal`, `page`: results, errors and tools as servers really send them
//! - `app`: the apps of tools
//! - `listing`: the list of tools, `bounds`: how much of it is read, `current`: as it is now;
//!   `freshness`: how long it holds, `subscription`: to its changes; `cache`: kept between processes
//! - `watch`: changes that are told, of lists and of resources
//!
//! A server that is not a process is another `opening::Link`: everything above it only sees
//! messages.
//!
//! Nothing that a server sends becomes a tree of values before it is known how large that will be,
//! and what nobody asked for is not parsed at all.

mod active_call;
mod addresses;
mod app;
mod asks;
mod attempt;
mod authorizer;
mod backoff;
mod bounds;
mod cache;
mod calling;
mod client;
mod command;
mod connection;
mod credentials;
mod current;
mod decode;
mod digits;
mod freshness;
mod gate;
mod greeting;
mod handshake;
mod http;
mod idle;
mod last_words;
mod lifecycle;
mod listener;
mod listing;
mod mirrored;
mod noise;
mod notifications;
mod offers;
mod offload;
mod opening;
mod options;
mod outbox;
mod pace;
mod page;
mod pending;
mod process;
mod reading;
mod refusal;
mod secrets;
mod state;
mod subscription;
mod supervise;
mod tasks;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod trace;
mod upstream;
mod watch;
mod wire;

pub use self::authorizer::{
    AuthorizationError, Authorizer, DPOP, SignInRequiredError, wants_another_proof,
};
pub use self::command::ServerCommand;
pub use self::credentials::is_name as names_credential;
pub use self::gate::Gate;
pub use self::handshake::Era;
pub use self::http::{ConfiguredHeaders, RemoteServer, Transport, UrlError};
pub use self::listener::{StderrLine, StderrListener};
pub use self::options::{Rate, UpstreamOptions};
pub use self::state::{UpstreamState, UpstreamStatus};
pub use self::trace::headers as trace_headers;
pub use self::upstream::Upstream;
pub use ampoule_network::Tls;
