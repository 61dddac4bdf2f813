//! Who a request is from.
//!
//! [`Access`] looks at a request's headers, and says on whose behalf it is: of the owner of a token
//! that the operator gave out, or of whom a company's issuer signed a token for. Where nothing is
//! configured, nobody is asked.
//!
//! - `access`: who is admitted; `error`: what is wrong with how that was configured
//! - `bearer`: the token of a request; `refusal`: what a request without a good one is told;
//!   `principal`: what somebody may be called; `callers`: the tokens of those who are here
//! - `tokens`: those that the operator gave out; `issuer`: those that a company's issuer signs

mod access;
mod bearer;
mod callers;
mod error;
mod issuer;
mod principal;
mod refusal;
#[cfg(test)]
mod tests;
pub mod tokens;

pub use access::{Access, AccessOptions};
pub use error::AccessError;
pub use issuer::{IssuerAnswer, IssuerOptions};
pub use refusal::AccessDeniedError;
pub use tokens::Source;
