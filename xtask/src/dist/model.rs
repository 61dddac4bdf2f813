//! The model of search by meaning, as files of packages.

use std::fs;

use anyhow::{Context, Result};

use super::entries::Entry;
use crate::model::{FILE, NOTICE, make};
use crate::say;

/// The model, and what is to be said of its origin and its licence.
pub(super) fn entries() -> Result<Vec<Entry>> {
    let path = make()?;
    let folder = path.parent().context("the model is in a folder")?;
    let entries: Vec<Entry> = [FILE, NOTICE]
        .into_iter()
        .map(|name| Ok(Entry::file(name, fs::read(folder.join(name))?)))
        .collect::<Result<_>>()?;
    let bytes: usize = entries.iter().map(Entry::bytes).sum();
    say(&format!(
        "the model for search by meaning adds {:.1} MiB to each package",
        bytes as f64 / f64::from(1 << 20)
    ));
    Ok(entries)
}
