//! All skills of a folder.

use std::path::{Path, PathBuf};

use ampoule_store::folder::{OTHERS_REACH, PrivateFolder};
use ampoule_store::key::{self, Key};
use ampoule_store::principal::principal_folder;

use crate::skills::limits::SkillLimits;
use crate::skills::problem::Problem;
use crate::skills::shelf::Shelf;
use crate::skills::visible::Visible;

/// Where those are that a person has approved.
const SHARED: &str = "shared";

/// The skills of a folder that nobody but this user can read, and those that the operator has in
/// folders of their own.
#[derive(Debug, Clone)]
pub struct Store {
    path: PathBuf,
    key: Key,
    folders: Vec<PathBuf>,
    limits: SkillLimits,
}

impl Store {
    /// Opens a folder, and makes it if need be. `folders`: where the operator has skills, each a
    /// folder in one of these.
    ///
    /// # Errors
    ///
    /// [`Problem::Disk`]: it can't be used, or others can.
    pub fn open(path: &Path, folders: Vec<PathBuf>, limits: SkillLimits) -> Result<Self, Problem> {
        let folder = PrivateFolder::open(path, OTHERS_REACH)?;
        Ok(Self {
            path: folder.path().to_owned(),
            key: key::of(&folder)?,
            folders,
            limits,
        })
    }

    /// The skills of a principal; of the local user, if it is nobody else's.
    ///
    /// # Errors
    ///
    /// [`Problem::Disk`].
    pub fn of(&self, principal: Option<&str>) -> Result<Shelf, Problem> {
        self.shelf(&principal_folder(principal))
    }

    /// Those that a person has approved: all see them.
    ///
    /// # Errors
    ///
    /// [`Problem::Disk`].
    pub fn shared(&self) -> Result<Shelf, Problem> {
        self.shelf(SHARED)
    }

    /// All that a principal sees.
    ///
    /// # Errors
    ///
    /// [`Problem::Disk`].
    pub fn visible(&self, principal: Option<&str>) -> Result<Visible, Problem> {
        let (own, shared) = (self.of(principal)?, self.shared()?);
        Visible::new(own, shared, &self.folders, self.limits)
    }

    /// What skills may take.
    pub fn limits(&self) -> SkillLimits {
        self.limits
    }

    fn shelf(&self, name: &str) -> Result<Shelf, Problem> {
        let folder = PrivateFolder::open(&self.path.join(name), OTHERS_REACH)?;
        Ok(Shelf::new(folder, (name, self.key), self.limits))
    }
}
