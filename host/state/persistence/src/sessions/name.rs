//! What sessions may be called.

use crate::sessions::error::SessionError;

/// How long a name may be.
const MOST_BYTES: usize = 64;

/// A name that is also that of a folder: letters, digits, `.`, `_` and `-`, the first of them a letter
/// or a digit.
///
/// # Errors
///
/// [`SessionError::Name`].
pub(crate) fn checked(name: &str) -> Result<&str, SessionError> {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
    let is_name = name.len() <= MOST_BYTES
        && name.starts_with(|first: char| first.is_ascii_alphanumeric())
        && name.bytes().all(is_part);
    is_name.then_some(name).ok_or(SessionError::Name)
}
