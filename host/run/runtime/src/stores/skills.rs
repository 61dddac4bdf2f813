//! Where skills are kept, and what is known of them meanwhile.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use ampoule_persistence::skills::{Function, SkillError, SkillLimits, Store};
use ampoule_tools::Error;
use parking_lot::Mutex;

use crate::skills::Registry;

/// What the skills of a runtime are. Default: its scripts may save some, and there are none of the
/// operator's.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct SkillOptions {
    /// What they may take.
    pub limits: SkillLimits,
    /// Folders of the operator's that hold skills, each a folder with a `SKILL.md`.
    pub folders: Vec<PathBuf>,
    /// Whether scripts may save some.
    pub save: bool,
}

impl Default for SkillOptions {
    fn default() -> Self {
        Self {
            limits: SkillLimits::default(),
            folders: Vec::new(),
            save: true,
        }
    }
}

/// What the operator's skills export, by the hash of their code.
pub(crate) type ExportCache = Mutex<HashMap<blake3::Hash, Result<Vec<Function>, String>>>;

/// Where skills are kept. The folder is made when the first is asked for.
pub(crate) struct SkillStore {
    folder: PathBuf,
    pub(crate) options: SkillOptions,
    store: OnceLock<Store>,
    /// What runs under way were answered.
    pub(crate) notes: Arc<Registry>,
    pub(crate) remembered: ExportCache,
}

impl SkillStore {
    pub(crate) fn new(folder: PathBuf, options: SkillOptions) -> Self {
        Self {
            folder,
            options,
            store: OnceLock::new(),
            notes: Arc::default(),
            remembered: ExportCache::default(),
        }
    }

    pub(crate) fn store(&self) -> Result<&Store, SkillError> {
        if let Some(store) = self.store.get() {
            return Ok(store);
        }
        let folders = self.options.folders.clone();
        let store = Store::open(&self.folder, folders, self.options.limits)?;
        Ok(self.store.get_or_init(|| store))
    }
}

/// A problem as an error of the caller; with the host's folder, of the host.
pub(crate) fn refused(problem: SkillError) -> Error {
    match problem {
        SkillError::Disk(_) => Error::host("the skills can't be used", problem),
        problem => Error::request(problem.to_string()),
    }
}
