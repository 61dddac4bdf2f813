//! All sessions of a folder.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use ampoule_store::folder::{OTHERS_REACH, PrivateFolder};
use ampoule_store::key::{self, Key};
use ampoule_store::principal::principal_folder;

use crate::sessions::error::SessionError;
use crate::sessions::limits::SessionLimits;
use crate::sessions::shelf::Shelf;

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
    /// [`SessionError::Folder`]: it can't be used, or others can.
    pub fn open(path: &Path, limits: SessionLimits) -> Result<Self, SessionError> {
        let folder = PrivateFolder::open(path, OTHERS_REACH)?;
        let key = key::of(&folder)?;
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
    /// [`SessionError::Folder`].
    pub fn shelf(&self, principal: Option<&str>) -> Result<Arc<Shelf>, SessionError> {
        let tag = principal_folder(principal);
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
