//! What tokens stand for, for one session. The host keeps it; no guest ever sees it.
//!
//! The same value has the same token for as long as the session lasts. Values that are written
//! differently are different values, as each has to come back as it was.

use std::collections::HashMap;
use std::collections::hash_map::RandomState;
use std::fmt;
use std::hash::BuildHasher;
use std::sync::Arc;

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
    numbered: HashMap<Arc<str>, Vec<usize>>,
    /// Entries by hashes of what they are, with a key of this process.
    known: HashMap<u64, usize>,
    hasher: RandomState,
    bytes: usize,
    full: u64,
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
        if known.filter(same).is_some() {
            let index = self.known[&hash];
            // Entries of a kind are in the order of their numbers.
            let numbered = &self.numbered[name];
            let number = numbered.partition_point(|&at| at < index) + 1;
            return token::written(name, number as u32);
        }
        let entry = Entry {
            name: name.into(),
            value: value.into(),
            number,
        };
        match self.add(entry, hash) {
            Some(number) => token::written(name, number),
            None => {
                self.full += 1;
                format!("<{name}>")
            }
        }
    }

    fn add(&mut self, mut entry: Entry, hash: u64) -> Option<u32> {
        let bytes = self.bytes + entry.value.len();
        if self.entries.len() >= self.limits.entries || bytes > self.limits.bytes {
            return None;
        }
        self.bytes = bytes;
        // Names are few: all entries of a kind share one.
        if let Some((name, _)) = self.numbered.get_key_value(&entry.name) {
            entry.name = Arc::clone(name);
        }
        let numbered = self.numbered.entry(Arc::clone(&entry.name)).or_default();
        numbered.push(self.entries.len());
        let number = u32::try_from(numbered.len()).ok()?;
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

    /// A table of such entries: as many as there may be.
    pub(crate) fn of(entries: Vec<Entry>, limits: TableLimits) -> Self {
        let mut table = Self::new(limits);
        for entry in entries {
            let hash = table
                .hasher
                .hash_one((&*entry.name, &*entry.value, entry.number));
            if table.add(entry, hash).is_none() {
                break;
            }
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
