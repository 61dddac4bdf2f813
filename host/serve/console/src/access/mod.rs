//! Who looks: browsers with a cookie, and programs with a token.
//!
//! - `visitor`: who was let in; `browsers`: browsers that are signed in; `cookie`: how each of them
//!   says so; `opening`: the one-time address that signs in the first
//! - `layer`: the checks before each page and each answer of the API; `forgery`: requests that another
//!   page makes in a person's name; `headers`: what each answer says to browsers
//! - `sign_in`: the page on which a person pastes a token

mod browsers;
mod cookie;
mod forgery;
mod headers;
pub(crate) mod layer;
mod opening;
mod sign_in;
mod visitor;

pub use browsers::{Admission, Browsers};
pub use forgery::{CSRF_FIELD, CSRF_HEADER};
pub(crate) use sign_in::routes;
pub(crate) use visitor::Credential;
pub use visitor::Visitor;
