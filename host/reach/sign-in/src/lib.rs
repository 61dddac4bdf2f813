//! Signing in to remote MCP servers, by OAuth 2.1 as MCP has it.
//!
//! A [`SignIn`] authorizes the requests to one server: with the token that is kept, refreshed ahead
//! of its end, by one process at a time. It asks no person, and registers nothing: that is what
//! [`SignIn::begin`] is for, which `ampoule auth login` calls. rmcp does the protocol; kept, locked,
//! judged and said is here.
//!
//! - `options`: what is configured; `secret`: texts that must not be shown; `error`: why there is
//!   no sign-in
//! - `sign_in`: the sign-in to one server
//! - `address`: where a server's metadata may lead; `client`: the HTTP client that goes nowhere else
//! - `discovery`: which authorization server it is; `login`: a person's sign-in; `callback`: where
//!   the browser comes back to; `page_login`: a sign-in whose browser comes back to a server's page;
//!   `flow`: what both have in common; `logout`
//! - `machine`: sign-ins that ask nobody: a client's own, a workload's, a caller's; `assertion`: what a
//!   client signs; `platform`: the token that a platform leaves in a file; `exchange`: a caller's
//!   token for one that the server takes; `provider`: who gave it
//!   `token_request`: what all of them ask
//! - [`issuer`]: people who sign in to Ampoule itself, at an issuer that the operator names
//! - `dpop`: tokens that are bound to a key; `proof`: what goes to a server beside such a token
//! - `form`, `answer`: what token endpoints are asked, what they answer, and what is done about it
//! - `authorize`: what the requests to the server ask for; `refresh`: a new token for an old one
//! - [`accounts`]: sign-ins of principals, and the page on which they are made
//! - `stored_sign_in`: what is kept; `place`: whose it is; `store`: where; `keyring`: the system's;
//!   `sealed`: encrypted files, for principals

pub mod accounts;
mod address;
mod answer;
mod assertion;
mod authorize;
mod callback;
mod client;
mod discovery;
mod dpop;
mod error;
mod exchange;
mod flow;
mod form;
pub mod issuer;
mod keyring;
mod login;
mod logout;
mod machine;
mod options;
mod page_login;
mod place;
mod platform;
mod proof;
mod provider;
mod refresh;
mod sealed;
mod secret;
mod sign_in;
mod store;
mod stored_sign_in;
#[cfg(test)]
mod tests;
mod token_request;

pub use self::error::SignInError;
pub use self::login::Login;
pub use self::logout::SignOutOutcome;
pub use self::options::{Endpoints, Exchange, Grant, SignInOptions, SubjectType};
pub use self::page_login::PageLogin;
pub use self::place::Owner;
pub use self::secret::Secret;
pub use self::sign_in::{SignIn, SignInStatus, SignInVersion};
pub use self::store::{PrincipalSignIn, Store};
