//! Keys by which stores sign what they keep.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use crate::folder::PrivateFolder;

/// A key by which a store signs.
pub type Key = [u8; 32];

/// The file with a store's key, in its folder.
const KEY: &str = "key";

/// The key of the store in a folder, which is made if there is none.
///
/// # Errors
///
/// The folder can't be used, or the file `key` in it holds no key.
pub fn of(folder: &PrivateFolder) -> io::Result<Key> {
    match read_key(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => make_key(folder),
        key => key,
    }
}

/// The key of another store, from the file `key` in its folder.
///
/// # Errors
///
/// The file can't be read, or holds no key.
pub fn in_file(file: &Path) -> io::Result<Key> {
    read(File::open(file)?)
}

fn read_key(folder: &PrivateFolder) -> io::Result<Key> {
    read(folder.file(KEY)?)
}

fn read(file: File) -> io::Result<Key> {
    let mut bytes = Vec::new();
    file.take(size_of::<Key>() as u64 + 1)
        .read_to_end(&mut bytes)?;
    bytes
        .try_into()
        .map_err(|_| io::Error::other("the file `key` holds no key"))
}

/// Makes a key, unless another process has made one meanwhile.
fn make_key(folder: &PrivateFolder) -> io::Result<Key> {
    let draft = folder.draft(KEY, || ())?;
    match read_key(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        made => return made,
    }
    let mut key = Key::default();
    getrandom::fill(&mut key).map_err(io::Error::other)?;
    draft.keep(KEY, &key)?;
    Ok(key)
}
