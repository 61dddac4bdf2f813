//! The list as text, read and changed for the operator. Comments and layout stay.

use super::{Entry, ListError, list};
use crate::AccessError;

/// What a list begins with that is made here.
const HEAD: &str = "# Who may use `ampoule serve`: NAME sha256:DIGEST [expires=TIME] [weight=N] [groups=A,B]\n\
# `ampoule auth token add NAME` adds a line. Tokens themselves do not stand here.\n";

/// The tokens of a list, in its order.
///
/// # Errors
///
/// What is wrong with it.
pub fn entries(text: &str) -> Result<Vec<Entry>, AccessError> {
    list::read(text).map_err(|mistake| told(&mistake))
}

/// The list with one token more.
///
/// # Errors
///
/// What is wrong with it, or would be then.
pub fn with(text: &str, entry: &Entry) -> Result<String, AccessError> {
    let mut changed = if text.is_empty() { HEAD } else { text }.to_owned();
    if !changed.ends_with('\n') {
        changed.push('\n');
    }
    changed += &format!("{entry}\n");
    list::read(&changed).map_err(|mistake| told(&mistake))?;
    Ok(changed)
}

/// The list without a principal's tokens, or without the one that has this id; and what was
/// removed.
///
/// # Errors
///
/// What is wrong with the list.
pub fn without(
    text: &str,
    name: &str,
    id: Option<&str>,
) -> Result<(String, Vec<Entry>), AccessError> {
    let mut removed = Vec::new();
    let mut changed = String::with_capacity(text.len());
    let entries = entries(text)?;
    let mut entries = list::lines(text)
        .map(|(line, _)| line)
        .zip(entries)
        .peekable();
    for (number, line) in text.split_inclusive('\n').enumerate() {
        let here = entries.next_if(|(at, _)| *at == number + 1);
        match here {
            Some((_, entry))
                if **entry.principal().name() == *name && id.is_none_or(|id| entry.id() == id) =>
            {
                removed.push(entry);
            }
            _ => changed += line,
        }
    }
    Ok((changed, removed))
}

fn told(mistake: &ListError) -> AccessError {
    AccessError::new(mistake.to_string())
}
