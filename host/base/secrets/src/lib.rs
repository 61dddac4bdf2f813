//! Secrets that a configuration names and does not hold.
//!
//! A [`Reference`] says where a secret is: in a file, in the system's keyring, or with a program
//! that prints it. [`Reference::seal`] makes a text of it, which stands where the secret would
//! stand. A sealed text can be kept, compared and shown, since no secret is in it. Whoever needs the
//! secret [opens](open) the text. A value that nobody opens never leaks: what is sent then is the
//! seal.
//!
//! A secret is read when a text with it is opened, and kept in memory for [`KEPT`]. Then, or after
//! [`forget`], it is read again.
//!
//! - `reference`: where a secret is, as people write it
//! - `sealed`: texts with references in them
//! - `key_source`: where a key is: in a file, or where a reference says
//! - `cache`: what was read, for a while
//! - `read`: files and programs; `keyring`: the Secret Service of the desktop
//! - `output`: what a program prints, bounded in time and bytes
//!
//! ```
//! use std::path::Path;
//!
//! use ampoule_secrets::{Reference, is_sealed};
//!
//! let key = Reference::parse("file:keys/github", Path::new("/etc/ampoule")).unwrap();
//! assert_eq!(key.to_string(), "file:/etc/ampoule/keys/github");
//! assert!(is_sealed(&format!("Bearer {}", key.seal())));
//! ```

mod cache;
mod key_source;
#[cfg(feature = "keyring")]
mod keyring;
mod output;
mod read;
mod reference;
mod sealed;

pub use cache::{KEPT, forget};
pub use key_source::KeySource;
pub use output::{Output, OutputError, output};
pub use reference::{KINDS, Reference};
pub use sealed::{OpenedText, OpenedTexts, is_sealed, open, open_all, open_blocking};

use std::fmt;

/// The shortest secret that messages are signed with, in bytes: a shorter one can be guessed.
pub const LEAST_SIGNING_SECRET: usize = 16;

/// Why there is no secret, as a sentence without it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SecretError(pub(crate) String);

impl fmt::Display for SecretError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for SecretError {}

impl From<SecretError> for std::io::Error {
    fn from(error: SecretError) -> Self {
        Self::other(error)
    }
}
