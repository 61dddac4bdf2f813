//! Code that scripts save for later ones.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use ampoule_limits::units;

use super::error::Mistakes;
use super::read::Table;
use super::server::{self, Surroundings};
use super::sessions::some;
use super::{ConfigError, keys};

/// `skills`: code that scripts save for later ones. What is not configured has its default.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SkillsConfig {
    /// `folder`: where those are that scripts save.
    pub folder: Option<PathBuf>,
    /// `folders`: where the operator's are.
    pub folders: Vec<PathBuf>,
    /// `save`: whether scripts may save some.
    pub save: Option<bool>,
    /// `bytes`: how large one may be.
    pub bytes: Option<u64>,
    /// `most`: how many a principal may have.
    pub most: Option<NonZeroUsize>,
    /// `versions`: how many of each are kept.
    pub versions: Option<NonZeroUsize>,
}

pub(super) fn read(
    table: &Table<'_>,
    around: Surroundings<'_>,
) -> Result<SkillsConfig, ConfigError> {
    let mut mistakes = Mistakes::default();
    mistakes.unless(table.only(keys::of("skills")));
    let folder = table.read("folder", |folder| server::path(folder, around));
    let folders = table.read("folders", |folders| {
        folders.each(|folder| server::path(folder, around))
    });
    let save = table.read("save", |save| save.boolean());
    let bytes = table.read("bytes", |bytes| bytes.quantity(units::parse_bytes));
    let (most, versions) = (table.read("most", some), table.read("versions", some));
    let config = SkillsConfig {
        folder: mistakes.unless(folder).flatten(),
        folders: mistakes.unless(folders).flatten().unwrap_or_default(),
        save: mistakes.unless(save).flatten(),
        bytes: mistakes.unless(bytes).flatten(),
        most: mistakes.unless(most).flatten(),
        versions: mistakes.unless(versions).flatten(),
    };
    mistakes.none().map(|()| config)
}
