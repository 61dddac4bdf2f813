//! A console of a running Ampoule: pages in a browser, and the HTTP API beneath them.
//!
//! [`Console`] answers questions about runs, approvals, servers, tools and everything else that
//! Ampoule has, and does what people ask for, always on behalf of a [`Viewer`](model::Viewer): what
//! belongs to another principal does not exist for a viewer who is not an operator. The API and the
//! pages call the same methods, so the browser can do nothing that `curl` can't do.
//!
//! # How a page gets its data
//!
//! A handler of a page is a handler of axum with the state [`Console`]:
//!
//! ```text
//! async fn runs(
//!     State(console): State<Console>,
//!     Extension(visitor): Extension<Visitor>,        // who looks, and the token for forms
//!     Query(filter): Query<RunFilter>,
//!     Query(part): Query<PageQuery>,
//! ) -> Result<Markup, PageError> {
//!     let page = console.runs(&visitor.viewer, &filter, &part).await?;   // Page<RunRow>
//!     …
//! }
//! ```
//!
//! - [`access::Visitor`] is there for each request beneath `/console`, but for those of
//!   `/console/sign-in`, `/console/open` and `/console/assets/…`: the layer of [`router`] turns
//!   everybody else away before a page's handler is called.
//! - A form is sent with POST and has a hidden field named [`access::CSRF_FIELD`] with the value
//!   `visitor.csrf`. A script sends the same value in the header [`access::CSRF_HEADER`]. The layer
//!   checks it, and the origin, before a handler is called. A page of forms that the API takes may
//!   send JSON to `/api/v1/…` from a script with that header.
//! - [`ConsoleError`] says in words what went wrong; [`ConsoleError::status`] is the status to answer.
//! - Events of a run come from `GET /api/v1/runs/{id}/events` as server-sent events: the name of each
//!   is [`RunEvent::kind`](model::RunEvent::kind), its data is JSON.
//! - The layer adds the content security policy and the other headers to each answer. Scripts, styles
//!   and images come from `/console/assets/…`; nothing is inline.
//!
//! # Map
//!
//! - [`model`]: what is shown, as plain data
//! - [`sources`]: where it comes from: a server, the stores on disk, the settings
//! - [`access`]: who looks: one-time addresses, cookies, tokens, forged requests
//! - [`api`]: `/api/v1`, with its OpenAPI document
//! - `pages`: the pages in the browser
//! - `download`: files that browsers save
//! - `console`: the console itself; `router`: all routes; `error`: what can go wrong

pub mod access;
pub mod api;
mod console;
mod download;
mod error;
pub mod model;
mod pages;
mod router;
pub mod sources;
#[cfg(test)]
mod tests;

pub use console::Console;
pub use error::ConsoleError;
pub use router::router;
pub use sources::{
    Answerers, FoundSignIn, SettingsSource, SettingsView, SignInOwner, SignInSource, Sources,
};
