//! The names of a script, each with a number.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::{BuildHasherDefault, Hasher};

/// A name, by its number.
pub(super) type Name = u16;

/// Stands for any item of a list, and any member of an object, in a path: `-`.
pub(super) const ITEM: Name = 0;

/// Stands for what a value gives that is awaited, in a path.
pub(super) const AWAITED: Name = 1;

/// What a name is used as, a bit each.
pub(super) type Roles = u8;
/// A variable's name, an attribute's, or a key.
pub(super) const VARIABLE: Roles = 1;
pub(super) const ATTRIBUTE: Roles = 2;
pub(super) const KEY: Roles = 4;

/// Hashes that are hashes already.
#[derive(Default)]
struct OwnHash(u64);

impl Hasher for OwnHash {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(*byte);
        }
    }

    fn write_isize(&mut self, hash: isize) {
        // The table looks at the highest bits, too.
        self.0 = (hash as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }
}

/// The names.
#[derive(Default)]
pub(super) struct Names {
    names: Vec<(String, Roles)>,
    /// Their numbers, by the hashes that Python has for them.
    by_hash: HashMap<isize, Name, BuildHasherDefault<OwnHash>>,
}

impl Names {
    pub(super) fn new() -> Self {
        Self {
            names: vec![("-".to_owned(), 0), (String::new(), 0)],
            ..Self::default()
        }
    }

    /// The number of a name, and whether it has this role for the first time.
    pub(super) fn number(&mut self, text: &str, hash: isize, role: Roles) -> (Name, bool) {
        let name = self.find(text, hash);
        (name, self.is_first(name, role))
    }

    /// Notes that a name has a role. Gives whether it had it not before.
    pub(super) fn is_first(&mut self, name: Name, role: Roles) -> bool {
        let Some((_, roles)) = self.names.get_mut(usize::from(name)) else {
            return true;
        };
        let is_first = *roles & role == 0;
        *roles |= role;
        is_first
    }

    /// Whether there are more names than have numbers: then one stands for several.
    pub(super) fn is_full(&self) -> bool {
        self.names.len() >= usize::from(Name::MAX)
    }

    fn find(&mut self, text: &str, hash: isize) -> Name {
        let next = self.names.len().min(usize::from(Name::MAX)) as Name;
        match self.by_hash.entry(hash) {
            Entry::Vacant(place) => {
                place.insert(next);
            }
            Entry::Occupied(place)
                if self
                    .names
                    .get(usize::from(*place.get()))
                    .is_some_and(|(name, _)| name == text) =>
            {
                return *place.get();
            }
            // Two names with the same hash.
            Entry::Occupied(_) => {
                if let Some(at) = self.names.iter().position(|(name, _)| name == text) {
                    return at as Name;
                }
            }
        }
        if next < Name::MAX {
            self.names.push((text.to_owned(), 0));
        }
        next
    }

    pub(super) fn text(&self, name: Name) -> &str {
        let name = self.names.get(usize::from(name));
        name.map_or("", |(text, _)| text)
    }
}
