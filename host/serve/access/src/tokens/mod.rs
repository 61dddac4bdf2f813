//! Tokens that the operator gave out, each a principal's.
//!
//! Who makes a token makes 32 random bytes, and nobody guesses these: so what is kept of it is its
//! plain SHA-256. Passwords need salt and slow hashes since they can be guessed; here that would
//! only let strangers keep the server busy. SHA-256, because every system can compute it.
//!
//! - `secret`: a token, and its digest; `entry`: a token's line in the list; `list`: the list, as
//!   it is looked up in; [`edit`]: the list as text, changed
//! - `source`: where the list is; `command`: one that prints it; `current`: the list as it is now

mod command;
mod current;
pub mod edit;
mod entry;
mod list;
mod secret;
mod source;
#[cfg(test)]
mod tests;

pub use entry::Entry;
pub use list::ListError;
pub use secret::Token;
pub use source::Source;

pub(crate) use current::Tokens;
pub(crate) use list::TokenLookup;
