//! All records of a folder.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use ampoule_store::folder::{OTHERS_REACH, PrivateFolder};
use ampoule_store::principal::{is_principal_folder, principal_folder};

use crate::error::RecordError;
use crate::limits::RecordLimits;
use crate::shelf::Shelf;

/// The records of a folder that nobody but this user can read.
#[derive(Debug, Clone)]
pub struct Store {
    path: PathBuf,
    limits: RecordLimits,
}

impl Store {
    /// Opens a folder, and makes it if need be.
    ///
    /// # Errors
    ///
    /// [`RecordError::Folder`]: it can't be used, or others can.
    pub fn open(path: &Path, limits: RecordLimits) -> Result<Self, RecordError> {
        let folder = PrivateFolder::open(path, OTHERS_REACH)?;
        let path = folder.path().to_owned();
        Ok(Self { path, limits })
    }

    /// The records of a principal's runs; of the local user's, if it is nobody else's.
    ///
    /// # Errors
    ///
    /// [`RecordError::Folder`].
    pub fn shelf(&self, principal: Option<&str>) -> Result<Arc<Shelf>, RecordError> {
        self.named(&principal_folder(principal))
    }

    /// Those of all principals, for whom the folder belongs to.
    ///
    /// # Errors
    ///
    /// [`RecordError::Folder`].
    pub fn shelves(&self) -> Result<Vec<Arc<Shelf>>, RecordError> {
        let mut names = PrivateFolder::open(&self.path, OTHERS_REACH)?.names()?;
        names.retain(|name| is_principal_folder(name));
        // What is in the way of one of them hides no other.
        Ok(names
            .iter()
            .filter_map(|name| self.named(name).ok())
            .collect())
    }

    fn named(&self, tag: &str) -> Result<Arc<Shelf>, RecordError> {
        let folder = PrivateFolder::open(&self.path.join(tag), OTHERS_REACH)?;
        Ok(Arc::new(Shelf::new(folder, self.limits)))
    }
}
