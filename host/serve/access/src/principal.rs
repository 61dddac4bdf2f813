//! What a principal may be called, and their groups.

use ampoule_untrusted::text;

/// What roles and policies call the user of this machine. Nobody who comes over HTTP is that user.
const LOCAL: &str = "local";
/// The longest name of a principal, in bytes. Names stand in logs and figures.
const MOST_BYTES: usize = 128;
/// The longest name of a group, in bytes.
const MOST_GROUP_BYTES: usize = 256;
/// The most groups that somebody may be in. What is more is not left out: a policy may forbid
/// something to a group that would be.
pub(crate) const MOST_GROUPS: usize = 512;

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
    if name == LOCAL {
        return Err("the name `local` is that of this machine's user");
    }
    if name.contains(|c: char| c.is_whitespace() || text::is_hidden(c)) {
        return Err("a name may not have spaces, or characters that can't be seen");
    }
    Ok(())
}

/// Whether a group may be called that.
///
/// # Errors
///
/// A sentence that says what is wrong with the name, and does not quote it.
pub(crate) fn check_group(name: &str) -> Result<(), &'static str> {
    if name.is_empty() {
        return Err("the name of a group may not be empty");
    }
    if name.len() > MOST_GROUP_BYTES {
        return Err("the name of a group may have at most 256 bytes");
    }
    if name.contains(text::is_hidden) {
        return Err("the name of a group may not have characters that can't be seen");
    }
    Ok(())
}
