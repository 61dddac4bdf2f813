//! What tokens stand for, for one session. The host keeps it; no guest ever sees it.
//!
//! The same value has the same token for as long as the session lasts. Values that are written
//! differently are different values, as each has to come back as it was.

use std::collections::hash_map::RandomState;
use std::fmt;
use std::hash::BuildHasher;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::token;

/// What a table may hold. By default
///
/// - 100,000 values,
/// - 16 MiB of them,
/// - 16 MiB that values may add to the arguments of one call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct TableLimits {
    /// How many values it has. What is found beyond is replaced by `<email>`, which nothing stands for.
    pub entries: usize,
    /// How many bytes these have.
    pub bytes: usize,
    /// How many bytes values may add to the arguments of one call.
    pub restored: usize,
}

impl Default for TableLimits {
    fn default() -> Self {
        Self {
            entries: 100_000,
            bytes: 16 << 20,
            restored: 16 << 20,
        }
    }
}

/// What the tokens of one session stand for.
#[derive(Default)]
pub struct Table {
    pub(crate) limits: TableLimits,
    entries: Vec<Entry>,
    /// The entries of each kind, by their numbers.
    numbered: FxHashMap<Arc<str>, Vec<usize>>,
    /// Entries by hashes of what they are, with a key of this process.
    known: FxHashMap<u64, usize>,
    hasher: RandomState,
    bytes: usize,
    full: u64,
    note: Option<Box<str>>,
}

/// A value, and its token.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Entry {
    /// The name in the token.
    name: Arc<str>,
    /// The value.
    pub(crate) value: Box<str>,
    /// It was a number of JSON's, and is to be one again.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) number: bool,
    /// The number in its token.
    #[serde(skip)]
    at: u32,
}

impl Table {
    /// An empty one.
    pub fn new(limits: TableLimits) -> Self {
        Self {
            limits,
            ..Self::default()
        }
    }

    /// How many values it has.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// What is kept with it, in the words of whoever keeps it.
    pub fn note(&self) -> Option<&str> {
        self.note.as_deref()
    }

    /// Keeps that with it from now on.
    pub fn put_note(&mut self, note: Option<Box<str>>) {
        self.note = note;
    }

    /// How many values got no token since it was made or read, as it was full.
    pub fn refused(&self) -> u64 {
        self.full
    }

    /// The token of a value; where there is no room for it, a text that is none: `<email>`.
    pub(crate) fn token(&mut self, name: &str, value: &str, number: bool) -> String {
        let hash = self.hasher.hash_one((name, value, number));
        let known = self.known.get(&hash).map(|&index| &self.entries[index]);
        let same = |entry: &&Entry| {
            *entry.name == *name && *entry.value == *value && entry.number == number
        };
        if let Some(known) = known.filter(same) {
            return token::written(name, known.at);
        }
        let entry = Entry {
            name: name.into(),
            value: value.into(),
            number,
            at: 0,
        };
        match self.add(entry, hash) {
            Some(number) => token::written(name, number),
            None => {
                self.full += 1;
                format!("<{name}>")
            }
        }
    }

    fn add(&mut self, entry: Entry, hash: u64) -> Option<u32> {
        let bytes = self.bytes + entry.value.len();
        if self.entries.len() >= self.limits.entries || bytes > self.limits.bytes {
            return None;
        }
        self.push(entry, hash)
    }

    fn push(&mut self, mut entry: Entry, hash: u64) -> Option<u32> {
        self.bytes += entry.value.len();
        // Names are few: all entries of a kind share one.
        if let Some((name, _)) = self.numbered.get_key_value(&entry.name) {
            entry.name = Arc::clone(name);
        }
        let numbered = self.numbered.entry(Arc::clone(&entry.name)).or_default();
        numbered.push(self.entries.len());
        let number = u32::try_from(numbered.len()).ok()?;
        entry.at = number;
        self.known.entry(hash).or_insert(self.entries.len());
        self.entries.push(entry);
        Some(number)
    }

    /// What a token stands for.
    pub(crate) fn entry(&self, name: &str, number: u32) -> Option<&Entry> {
        let index = usize::try_from(number).ok()?.checked_sub(1)?;
        let numbered = self.numbered.get(name)?;
        numbered.get(index).map(|&at| &self.entries[at])
    }

    /// All entries, in their order, for the disk.
    pub(crate) fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// A table of such entries: of all, also where there may be fewer by now, as tokens of those
    /// that are left out would be given to other values.
    pub(crate) fn of(entries: Vec<Entry>, limits: TableLimits) -> Self {
        let mut table = Self::new(limits);
        for entry in entries {
            let hash = table
                .hasher
                .hash_one((&*entry.name, &*entry.value, entry.number));
            table.push(entry, hash);
        }
        table
    }
}

/// Says how much there is, and nothing of it.
impl fmt::Debug for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Table")
            .field("entries", &self.entries.len())
            .field("bytes", &self.bytes)
            .finish_non_exhaustive()
    }
}
