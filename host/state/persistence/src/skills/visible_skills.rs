//! What somebody sees: their own skills, those that were approved, and the operator's.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::skills::error::SkillError;
use crate::skills::folder;
use crate::skills::limits::SkillLimits;
use crate::skills::name::SkillName;
use crate::skills::shelf::Shelf;
use crate::skills::skill::Skill;

/// How many folders of the operator's are looked at, for one person who looks.
const MOST_FOLDERS: usize = 1_000;

/// Where a skill is from. Where several have one of the same name, the first of these is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Origin {
    /// The principal saved it.
    Own,
    /// Somebody saved it, and a person approved it.
    Approved,
    /// The operator has it in a folder.
    Operator,
}

/// A skill, and where it is from.
#[derive(Debug, Clone)]
pub struct VisibleSkill {
    /// The skill.
    pub skill: Skill,
    /// Where it is from.
    pub origin: Origin,
}

/// What somebody sees.
#[derive(Debug)]
pub struct VisibleSkills {
    own: Shelf,
    shared: Shelf,
    limits: SkillLimits,
    names: BTreeMap<SkillName, (Origin, Option<PathBuf>)>,
}

impl VisibleSkills {
    pub(crate) fn new(
        own: Shelf,
        shared: Shelf,
        folders: &[PathBuf],
        limits: SkillLimits,
    ) -> Result<Self, SkillError> {
        let mut names = BTreeMap::new();
        for path in folders
            .iter()
            .flat_map(|path| inside(path))
            .take(MOST_FOLDERS)
        {
            let name = path.file_name().and_then(|name| name.to_str());
            // Agent Skills have the name of their folder.
            let Some(name) = name.and_then(|name| SkillName::new(name).ok()) else {
                tracing::warn!(folder = %path.display(), "skipped: the folder name is not a valid skill name");
                continue;
            };
            names.entry(name).or_insert((Origin::Operator, Some(path)));
        }
        for (shelf, origin) in [(&shared, Origin::Approved), (&own, Origin::Own)] {
            let here = shelf.names()?.into_keys();
            names.extend(here.map(|name| (name, (origin, None))));
        }
        Ok(Self {
            own,
            shared,
            limits,
            names,
        })
    }

    /// Their names.
    pub fn names(&self) -> impl Iterator<Item = &SkillName> {
        self.names.keys()
    }

    /// A skill in its newest version.
    ///
    /// # Errors
    ///
    /// [`SkillError::Missing`]; why it can't be read.
    pub fn get(&self, name: &SkillName) -> Result<VisibleSkill, SkillError> {
        let found = self.names.get(name);
        let (origin, path) = found.ok_or_else(|| SkillError::Missing(name.to_string()))?;
        let skill = match (origin, path) {
            (Origin::Own, _) => self.own.get(name, None)?,
            (Origin::Approved, _) => self.shared.get(name, None)?,
            (Origin::Operator, None) => return Err(SkillError::Missing(name.to_string())),
            (Origin::Operator, Some(path)) => {
                let draft = folder::read(path, self.limits)?;
                if draft.name != *name {
                    let told = format!(
                        "SKILL.md in the folder `{name}` says that its name is `{}`; they must be the same",
                        draft.name
                    );
                    return Err(SkillError::Folder(told));
                }
                Skill::of(draft)
            }
        };
        let origin = *origin;
        Ok(VisibleSkill { skill, origin })
    }

    /// All of them. What can't be read is left out, and the log says so.
    pub fn all(&self) -> Vec<VisibleSkill> {
        let seen = self.names().filter_map(|name| {
            let seen = self.get(name);
            seen.inspect_err(|error| tracing::warn!(skill = %name, %error, "a skill was skipped"))
                .ok()
        });
        seen.collect()
    }
}

/// The operator's skills in one of their folders.
fn inside(path: &Path) -> Vec<PathBuf> {
    let found = folder::skills_in(path);
    found.unwrap_or_else(|error| {
        tracing::warn!(folder = %path.display(), %error, "skills can't be read there");
        Vec::new()
    })
}
