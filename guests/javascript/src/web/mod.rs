//! What scripts expect of a web-like runtime besides the language: console, URL, encodings and the like.

use rquickjs::{Ctx, Result};

/// Defines the globals, once, before the snapshot.
pub(crate) fn install(_ctx: &Ctx<'_>) -> Result<()> {
    Ok(())
}
