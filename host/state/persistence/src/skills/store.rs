//! All skills of a folder.

use std::path::{Path, PathBuf};

use ampoule_store::folder::{OTHERS_REACH, PrivateFolder};
use ampoule_store::key::{self, Key};
use ampoule_store::principal::principal_folder;

use crate::skills::error::SkillError;
use crate::skills::limits::SkillLimits;
use crate::skills::shelf::Shelf;
use crate::skills::visible_skills::VisibleSkills;

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
    /// [`SkillError::Disk`]: it can't be used, or others can.
    pub fn open(
        path: &Path,
        folders: Vec<PathBuf>,
        limits: SkillLimits,
    ) -> Result<Self, SkillError> {
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
    /// [`SkillError::Disk`].
    pub fn of(&self, principal: Option<&str>) -> Result<Shelf, SkillError> {
        self.shelf(&principal_folder(principal))
    }

    /// Those that a person has approved: all see them.
    ///
    /// # Errors
    ///
    /// [`SkillError::Disk`].
    pub fn shared(&self) -> Result<Shelf, SkillError> {
        self.shelf(SHARED)
    }

    /// All that a principal sees.
    ///
    /// # Errors
    ///
    /// [`SkillError::Disk`].
    pub fn visible(&self, principal: Option<&str>) -> Result<VisibleSkills, SkillError> {
        let (own, shared) = (self.of(principal)?, self.shared()?);
        VisibleSkills::new(own, shared, &self.folders, self.limits)
    }

    /// What skills may take.
    pub fn limits(&self) -> SkillLimits {
        self.limits
    }

    fn shelf(&self, name: &str) -> Result<Shelf, SkillError> {
        let folder = PrivateFolder::open(&self.path.join(name), OTHERS_REACH)?;
        Ok(Shelf::new(folder, name, self.key, self.limits))
    }
}
