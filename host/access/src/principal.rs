//! What a principal may be called.

use ampoule_untrusted::text;

/// The longest name of a principal, in bytes. Names stand in logs and figures.
const MOST_BYTES: usize = 128;

/// Whether somebody may be called that.
///
/// # Errors
///
/// A sentence that says what is wrong with the name, and does not quote it.
pub(crate) fn check(name: &str) -> Result<(), &'static str> {
    if name.is_empty() {
        return Err("a name may not be empty");
    }
    if name.len() > MOST_BYTES {
        return Err("a name may have at most 128 bytes");
    }
    if name.contains(|c: char| c.is_whitespace() || text::is_hidden(c)) {
        return Err("a name may not have spaces, or characters that can't be seen");
    }
    Ok(())
}
