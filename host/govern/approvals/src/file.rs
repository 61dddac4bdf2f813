//! Questions and answers as files: a keyed hash of what kind of file it is, of its name and of what
//! is in it, and that as JSON. A file that somebody wrote by hand, changed, or gave another's name
//! is none.

use std::io::{self, Read};

use ampoule_store::folder::PrivateFolder;
use ampoule_store::key::Key;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// How large a file may be, in bytes.
pub(crate) const MOST_BYTES: u64 = 8 << 20;
const HASH_DIGITS: usize = 2 * blake3::OUT_LEN;

/// What is wrong with a file.
pub(crate) enum FileError {
    /// There is none.
    Missing,
    /// It is not what was written.
    Damaged(&'static str),
    /// It can't be read.
    Folder(io::Error),
}

fn hash(key: &Key, name: &str, content: &[u8]) -> blake3::Hash {
    let mut hasher = blake3::Hasher::new_keyed(key);
    hasher.update(&(name.len() as u64).to_le_bytes());
    hasher.update(name.as_bytes());
    hasher.update(content);
    hasher.finalize()
}

/// What a file of this name holds.
pub(crate) fn written(key: &Key, name: &str, what: &impl Serialize) -> io::Result<Vec<u8>> {
    let content = serde_json::to_vec(what)?;
    let mut file = hash(key, name, &content).to_hex().as_bytes().to_vec();
    file.push(b'\n');
    file.extend_from_slice(&content);
    Ok(file)
}

/// Reads what is in the file of this name.
pub(crate) fn read<T: DeserializeOwned>(
    folder: &PrivateFolder,
    key: &Key,
    name: &str,
) -> Result<T, FileError> {
    let file = match folder.file(name) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(FileError::Missing),
        // A link, a pipe, a file of somebody else's.
        Err(_) => return Err(FileError::Damaged("it is not this user's own file")),
    };
    let mut bytes = Vec::new();
    let read = file.take(MOST_BYTES + 1).read_to_end(&mut bytes);
    read.map_err(FileError::Folder)?;
    if bytes.len() as u64 > MOST_BYTES {
        return Err(FileError::Damaged("it is too large"));
    }
    let not_ours = FileError::Damaged("it was not written by this store, or was changed since");
    let Some((signed, content)) = bytes.split_at_checked(HASH_DIGITS) else {
        return Err(not_ours);
    };
    let content = content.strip_prefix(b"\n").unwrap_or_default();
    // Compared in constant time.
    let is_ours =
        blake3::Hash::from_hex(signed).is_ok_and(|signed| signed == hash(key, name, content));
    if !is_ours {
        return Err(not_ours);
    }
    serde_json::from_slice(content).map_err(|_| FileError::Damaged("it is of another version"))
}
