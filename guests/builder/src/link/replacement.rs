//! Functions of the libraries that the guest has better ones for.
//!
//! The guest exports `instead:NAME`, which is what all libraries call then; what was there it may
//! import as `original:NAME`. A name is that of the function in the library's source, whether the
//! library exports it or not.

use std::collections::{BTreeMap, HashMap};

use anyhow::{Result, ensure};
use wasmparser::ExternalKind;

use super::library::Library;

const INSTEAD: &str = "instead:";
const ORIGINAL: &str = "original:";

/// A library, and a function of its own.
type Place = (usize, usize);

pub(super) struct Replacements<'a> {
    /// What is called, by what would have been.
    instead: HashMap<Place, Place>,
    /// What was there, by its name.
    originals: BTreeMap<&'a str, Place>,
}

impl<'a> Replacements<'a> {
    /// Finds what the first library, the guest, has instead of others' functions.
    ///
    /// # Errors
    ///
    /// Where not exactly one function has the name, or its type is another one.
    pub(super) fn of(libraries: &[Library<'a>]) -> Result<Self> {
        let mut found = Self {
            instead: HashMap::new(),
            originals: BTreeMap::new(),
        };
        let Some(guest) = libraries.first() else {
            return Ok(found);
        };
        for (&export, &(kind, index)) in &guest.exports {
            let (Some(name), ExternalKind::Func) = (export.strip_prefix(INSTEAD), kind) else {
                continue;
            };
            let named = named(libraries, name);
            let [(library, function)] = named[..] else {
                ensure!(
                    false,
                    "{} functions are called {name}, which the guest replaces",
                    named.len()
                );
                continue;
            };
            let Ok(replacement) = guest.function(index) else {
                continue;
            };
            let imported = libraries[library].imported_functions.len();
            ensure!(
                libraries[library].type_of((imported + function) as u32) == guest.type_of(index),
                "what the guest has instead of {name} is of another type"
            );
            found.instead.insert((library, function), (0, replacement));
            found.originals.insert(name, (library, function));
        }
        Ok(found)
    }

    /// What is called instead of a function: mostly itself.
    pub(super) fn instead_of(&self, library: usize, function: usize) -> Place {
        let place = (library, function);
        self.instead.get(&place).copied().unwrap_or(place)
    }

    /// The function that the guest asks for by an import of this name.
    pub(super) fn original(&self, import: &str) -> Option<Place> {
        let name = import.strip_prefix(ORIGINAL)?;
        self.originals.get(name).copied()
    }
}

/// The functions that libraries beside the guest call so.
fn named(libraries: &[Library<'_>], name: &str) -> Vec<Place> {
    let mut places = Vec::new();
    for (library, it) in libraries.iter().enumerate().skip(1) {
        let imported = it.imported_functions.len();
        let own = it.names.iter().filter(|(_, named)| **named == name);
        places.extend(own.filter_map(|(index, _)| {
            let function = (*index as usize).checked_sub(imported)?;
            Some((library, function))
        }));
    }
    places
}
