//! Tables that are read into the types that their owners derive.
//!
//! `serde` ends at the first mistake. Here, what is wrong is noted with its place and left out, and the
//! table is read again without it, so that all mistakes are told at once. A message quotes no value:
//! any may be a secret.
//!
//! - `value`: a value of the file, as `serde` reads it
//! - `access`: the items of lists and the entries of tables, without what is left out
//! - `names`: names that tables may have
//! - `value_error`: what is wrong with a value, in plain words

mod access;
mod names;
mod value;
mod value_error;

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::ffi::OsString;

use serde::de::DeserializeOwned;

use super::error::Mistakes;
use super::expand::{self, Surroundings};
use super::read::Entry;
use value::{At, below};
use value_error::{ValueError, ValueMistake};

/// How often a table is read at most: more mistakes of one are not told at once.
const MOST_READ: usize = 100;

/// What was read of a table, or of another value.
pub(super) struct Reading<T> {
    /// What is right of it; `None` where that is not enough.
    pub(super) value: Option<T>,
    /// All that is wrong with it.
    pub(super) mistakes: Mistakes,
    /// What was put in for variables whose values may be secrets: their names and values.
    pub(super) variables: BTreeSet<(String, String)>,
    /// Whether it has keys that mean nothing.
    pub(super) has_unknown_keys: bool,
}

/// Reads a table, or another value, into the type that its owner derives. The value counts only
/// where there are no mistakes.
pub(super) fn read<T: DeserializeOwned>(entry: &Entry<'_>, around: Surroundings<'_>) -> Reading<T> {
    let notes = Notes {
        entry,
        around,
        mistakes: RefCell::default(),
        left_out: RefCell::default(),
        variables: RefCell::default(),
        has_unknown_keys: Cell::default(),
    };
    let root = At::root(&notes);
    let mut value = None;
    for _ in 0..MOST_READ {
        match T::deserialize(root.clone()) {
            Ok(read) => {
                value = Some(read);
                break;
            }
            Err(wrong) => {
                if !notes.note(wrong.at(&root)) {
                    break;
                }
            }
        }
    }
    let mut mistakes = notes.mistakes.into_inner();
    if value.is_none() && mistakes.is_empty() {
        mistakes.add(entry.refuse("this can't be used"));
    }
    Reading {
        value,
        mistakes,
        variables: notes.variables.into_inner(),
        has_unknown_keys: notes.has_unknown_keys.get(),
    }
}

/// What is noted while a table is read.
struct Notes<'a> {
    entry: &'a Entry<'a>,
    around: Surroundings<'a>,
    mistakes: RefCell<Mistakes>,
    /// The keys, from the root on, of what is wrong.
    left_out: RefCell<BTreeSet<String>>,
    variables: RefCell<BTreeSet<(String, String)>>,
    has_unknown_keys: Cell<bool>,
}

impl Notes<'_> {
    /// Notes what is wrong, and leaves it out from now on. Whether there is anything left to read.
    fn note(&self, wrong: ValueError) -> bool {
        let ValueError { what, place, .. } = wrong;
        let Some(place) = place else { return false };
        if !self.follows(&what, &place.key) {
            let error = self
                .entry
                .wrong(place.range, &place.shown, what.to_string());
            self.mistakes.borrow_mut().add(error);
        }
        if let ValueMistake::Unknown(_) = what {
            self.has_unknown_keys.set(true);
        }
        let is_root = place.key.is_empty();
        self.left_out.borrow_mut().insert(place.key);
        !is_root
    }

    /// Whether something is wrong for nothing but what was left out.
    fn follows(&self, what: &ValueMistake, key: &str) -> bool {
        let left_out = self.left_out.borrow();
        match what {
            ValueMistake::Missing(name) => left_out.contains(&below(key, name)),
            ValueMistake::Unknown(_) => false,
            ValueMistake::Else(_) => {
                let is_below = |out: &String| {
                    let rest = out.strip_prefix(key);
                    rest.is_some_and(|rest| rest.starts_with(['.', '[']))
                };
                left_out.iter().any(is_below)
            }
        }
    }

    fn is_left_out(&self, key: &str) -> bool {
        self.left_out.borrow().contains(key)
    }

    /// A text with its variables and secrets in place, as programs get it.
    fn expanded(&self, text: &str) -> Result<String, String> {
        let text = self.sealed_by(text, self.around.environment)?;
        self.opened(&text)
    }

    /// The same, and what was put in is noted.
    fn noted(&self, text: &str) -> Result<String, String> {
        let text = self.sealed(text)?;
        self.opened(&text)
    }

    /// A text with its variables replaced, which are noted. References to secrets stay sealed.
    fn sealed(&self, text: &str) -> Result<String, String> {
        self.sealed_by(text, &|name| {
            let value = (self.around.environment)(name)?;
            if let Some(text) = value.to_str() {
                self.note_secret(name, text);
            }
            Some(value)
        })
    }

    fn sealed_by(
        &self,
        text: &str,
        environment: &dyn Fn(&str) -> Option<OsString>,
    ) -> Result<String, String> {
        let around = Surroundings {
            environment,
            ..self.around
        };
        let text = expand::expand(text, around)?;
        match text.contains('\0') {
            true => Err("this may not contain a NUL character".to_owned()),
            false => Ok(text),
        }
    }

    /// A text with the secrets in place that it refers to. They are read now: nobody knows where
    /// the text goes.
    fn opened(&self, text: &str) -> Result<String, String> {
        let opened = ampoule_secrets::open_blocking(text).map_err(|error| error.to_string())?;
        for secret in &opened.secrets {
            self.note_secret("", secret);
        }
        Ok(opened.text.into_owned())
    }

    fn note_secret(&self, name: &str, text: &str) {
        let variable = (name.to_owned(), text.to_owned());
        self.variables.borrow_mut().insert(variable);
    }
}
