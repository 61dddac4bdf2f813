//! All sessions of a folder.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ampoule_store::folder::{OTHERS_REACH, PrivateFolder};

use crate::head::Key;
use crate::limits::SessionLimits;
use crate::problem::Problem;
use crate::shelf::Shelf;

/// The file with the key that heads are signed with.
const KEY: &str = "key";

/// The sessions of a folder that nobody but this user can read.
#[derive(Debug, Clone)]
pub struct Store {
    path: PathBuf,
    key: Key,
    limits: SessionLimits,
}

impl Store {
    /// Opens a folder, and makes it if need be.
    ///
    /// # Errors
    ///
    /// [`Problem::Folder`]: it can't be used, or others can.
    pub fn open(path: &Path, limits: SessionLimits) -> Result<Self, Problem> {
        let folder = PrivateFolder::open(path, OTHERS_REACH)?;
        let key = match read_key(&folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => make_key(&folder)?,
            key => key?,
        };
        let limits = SessionLimits {
            heads: limits.heads.max(1),
            sessions: limits.sessions.max(1),
            ..limits
        };
        Ok(Self {
            path: folder.path().to_owned(),
            key,
            limits,
        })
    }

    /// The sessions of a principal; of the local user, if it is nobody else's.
    ///
    /// # Errors
    ///
    /// [`Problem::Folder`].
    pub fn shelf(&self, principal: Option<&str>) -> Result<Arc<Shelf>, Problem> {
        let tag = match principal {
            None => "local".to_owned(),
            // Not a prefix of anything that a person chose, and no path.
            Some(name) => blake3::hash(name.as_bytes()).to_hex()[..32].to_owned(),
        };
        let folder = PrivateFolder::open(&self.path.join(&tag), OTHERS_REACH)?;
        Ok(Arc::new(Shelf::new(folder, tag, self.key, self.limits)))
    }

    /// What the sessions of each principal may take.
    pub fn limits(&self) -> SessionLimits {
        self.limits
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// The key of another store, from the file `key` in its folder.
///
/// # Errors
///
/// The file can't be read, or holds no key.
pub(crate) fn key_in(file: &Path) -> io::Result<Key> {
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
