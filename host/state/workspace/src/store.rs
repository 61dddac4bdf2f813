//! A workspace for each principal, in a folder of the operator's.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ampoule_store::folder::{OTHERS_WRITE, PrivateFolder};
use ampoule_store::principal::principal_folder;

use crate::tree::{Quota, Tree};

/// Which principal has which workspace.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Sharing {
    /// Each principal has one of its own.
    #[default]
    ByPrincipal,
    /// All have the same: that of a project.
    Project,
}

/// Where runs' workspaces are.
#[derive(Debug, Clone)]
pub struct Workspaces {
    path: PathBuf,
    sharing: Sharing,
    quota: Quota,
}

impl Workspaces {
    /// In a folder, which is made when somebody first needs it. The quota is that of each workspace.
    pub fn new(path: impl Into<PathBuf>, sharing: Sharing, quota: Quota) -> Self {
        Self {
            path: path.into(),
            sharing,
            quota,
        }
    }

    /// The workspace of a principal; of the local user, if it is nobody else's.
    ///
    /// # Errors
    ///
    /// It can't be made or opened, or others can write to it.
    pub fn of(&self, principal: Option<&str>) -> io::Result<Arc<Tree>> {
        let path = match self.sharing {
            Sharing::Project => return Tree::workspace(&self.path, self.quota),
            Sharing::ByPrincipal => self.path.join(principal_folder(principal)),
        };
        let folder = PrivateFolder::open(&path, OTHERS_WRITE)?;
        Tree::workspace(folder.path(), self.quota)
    }

    /// Where they are.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What each may hold.
    pub fn quota(&self) -> Quota {
        self.quota
    }
}
