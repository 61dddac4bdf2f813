//! Part of a list. A cursor names the last row of a page by its key, so that rows that come or go
//! meanwhile neither repeat nor hide others.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use crate::ConsoleError;
use crate::model::{Page, PageQuery};

/// The longest cursor that is read, in bytes.
const MOST: usize = 1024;

/// A page of rows, which are in the order of their keys.
///
/// # Errors
///
/// [`ConsoleError::Invalid`] for a cursor that no page gave.
pub(crate) fn page<T, K: Ord>(
    rows: Vec<T>,
    wanted: &PageQuery,
    key: impl Fn(&T) -> K,
    name: impl Fn(&T) -> String,
    read: impl Fn(&str) -> Option<K>,
) -> Result<Page<T>, ConsoleError> {
    let total = rows.len() as u64;
    let after = match &wanted.cursor {
        None => None,
        Some(cursor) => {
            let known = decoded(cursor).and_then(|name| read(&name));
            Some(known.ok_or_else(|| {
                ConsoleError::Invalid(
                    "unknown cursor: take the `next` of a page, or leave it out".to_owned(),
                )
            })?)
        }
    };
    let mut rest = rows
        .into_iter()
        .filter(|row| after.as_ref().is_none_or(|after| key(row) > *after));
    let items: Vec<T> = rest.by_ref().take(wanted.rows()).collect();
    let is_last = rest.next().is_none();
    let next = items.last().filter(|_| !is_last);
    let next = next.map(|last| URL_SAFE_NO_PAD.encode(name(last)));
    Ok(Page {
        items,
        next,
        total: Some(total),
        problems: Vec::new(),
    })
}

/// A page of rows that are in the order of their names.
///
/// # Errors
///
/// As for [`page`].
pub(crate) fn by_name<T>(
    rows: Vec<T>,
    wanted: &PageQuery,
    name: impl Fn(&T) -> String,
) -> Result<Page<T>, ConsoleError> {
    page(rows, wanted, &name, &name, |name| Some(name.to_owned()))
}

fn decoded(cursor: &str) -> Option<String> {
    let bytes = (cursor.len() <= MOST).then(|| URL_SAFE_NO_PAD.decode(cursor).ok())??;
    String::from_utf8(bytes).ok()
}
