//! What a shelf has: a file that names each version with the seal of what is in it, signed.
//!
//! A file that is on no list is not one of the shelf's: so what somebody edits, renames, copies
//! from another shelf or puts back is found out. The list also says what those had read who ever
//! saved something there: whether a name is taken tells that, too.

use std::collections::BTreeMap;
use std::io::{self, Read};

use ampoule_store::folder::PrivateFolder;
use ampoule_store::key::Key;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::skills::error::SkillError;
use crate::skills::name::SkillName;

/// Its file, what that begins with, and how large it may be.
const FILE: &str = "list";
const MAGIC: &[u8] = b"ampoule skills 1\n";
const MOST_BYTES: u64 = 16 << 20;

/// What a shelf has.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct List {
    /// The name of the shelf's folder.
    shelf: String,
    /// The seal of each version.
    pub(crate) skills: BTreeMap<SkillName, BTreeMap<u32, String>>,
    /// What those had read who ever saved something.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) carried: Option<Value>,
}

impl List {
    /// The list of a shelf; none if there is no file.
    pub(crate) fn read(
        folder: &PrivateFolder,
        shelf: &str,
        key: &Key,
    ) -> Result<Option<Self>, SkillError> {
        let wrong = || SkillError::List(folder.path().to_owned());
        let mut file = Vec::new();
        match folder.file(FILE) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            found => found?.take(MOST_BYTES).read_to_end(&mut file)?,
        };
        let (signed, hash) = file.split_last_chunk().ok_or_else(wrong)?;
        // Compared in constant time.
        if blake3::keyed_hash(key, signed) != *hash {
            return Err(wrong());
        }
        let text = signed.strip_prefix(MAGIC).ok_or_else(wrong)?;
        let list: Self = serde_json::from_slice(text).map_err(|_| wrong())?;
        match list.shelf == shelf {
            true => Ok(Some(list)),
            false => Err(wrong()),
        }
    }

    /// One without anything.
    pub(crate) fn empty(shelf: &str) -> Self {
        Self {
            shelf: shelf.to_owned(),
            skills: BTreeMap::new(),
            carried: None,
        }
    }

    /// Puts it in the place of the one before.
    pub(crate) fn put(&self, folder: &PrivateFolder, key: &Key) -> io::Result<()> {
        let mut file = MAGIC.to_vec();
        serde_json::to_writer(&mut file, self)?;
        let hash = blake3::keyed_hash(key, &file);
        file.extend_from_slice(hash.as_bytes());
        folder.draft(FILE, || ())?.keep(FILE, &file).map(drop)
    }
}

/// The seal of what is in a file.
pub(crate) fn seal(key: &Key, text: &[u8]) -> String {
    blake3::keyed_hash(key, text).to_hex().to_string()
}
