//! Who looks: browsers with a cookie, and programs with a token.
//!
//! - `visitor`: who was let in; `browsers`: browsers that are signed in, and `browser_token` why;
//!   `cookie`: how each of them says so; `opening`: the one-time address that signs in the first
//! - `layer`: the checks before each page and each answer of the API; `forgery`: requests that another
//!   page makes in a person's name; `headers`: what each answer says to browsers
//! - `sign_in`: the pages on which a person signs in; `issuer`: the way to the company's issuer and back;
//!   `return_page`: where a browser goes then; `sign_in_error`: why nobody is let in

mod browser_token;
mod browsers;
mod cookie;
mod forgery;
mod headers;
mod issuer;
pub(crate) mod layer;
mod opening;
mod return_page;
mod sign_in;
mod sign_in_error;
mod visitor;

pub use browsers::{Admission, Browsers};
pub use forgery::{CSRF_FIELD, CSRF_HEADER};
pub use issuer::IssuerSignIn;
pub use sign_in::CALLBACK;
pub(crate) use sign_in::routes;
pub(crate) use visitor::Credential;
pub use visitor::Visitor;
