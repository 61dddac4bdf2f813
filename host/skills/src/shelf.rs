//! The skills of one principal, or those of all: a file for each version.

use std::collections::BTreeMap;
use std::io::Read;

use ampoule_store::folder::PrivateFolder;

use crate::limits::SkillLimits;
use crate::name::SkillName;
use crate::problem::Problem;
use crate::skill::Skill;

/// How files of versions end.
const ENDING: &str = "json";
/// How much larger a version's file may be than what somebody wrote: what its example was answered.
const BESIDE: u64 = 16 << 20;

/// The skills of one principal, or those of all.
#[derive(Debug)]
pub struct Shelf {
    folder: PrivateFolder,
    limits: SkillLimits,
}

impl Shelf {
    pub(crate) fn new(folder: PrivateFolder, limits: SkillLimits) -> Self {
        Self { folder, limits }
    }

    /// What there is, each with its versions in order.
    ///
    /// # Errors
    ///
    /// [`Problem::Disk`].
    pub fn names(&self) -> Result<BTreeMap<SkillName, Vec<u32>>, Problem> {
        let mut names: BTreeMap<_, Vec<u32>> = BTreeMap::new();
        for file in self.folder.names()? {
            if let Some((name, version)) = parts(&file) {
                names.entry(name).or_default().push(version);
            }
        }
        names.values_mut().for_each(|versions| versions.sort());
        Ok(names)
    }

    /// The versions of a skill, in order.
    ///
    /// # Errors
    ///
    /// [`Problem::Missing`] if there is none; [`Problem::Disk`].
    pub fn versions(&self, name: &SkillName) -> Result<Vec<u32>, Problem> {
        let versions = self.names()?.remove(name);
        versions.ok_or_else(|| Problem::Missing(name.to_string()))
    }

    /// A version of a skill; the newest, if it is not said which.
    ///
    /// # Errors
    ///
    /// [`Problem::Missing`], [`Problem::NoVersion`], [`Problem::Damaged`], [`Problem::Disk`].
    pub fn get(&self, name: &SkillName, version: Option<u32>) -> Result<Skill, Problem> {
        let versions = self.versions(name)?;
        let version = match version {
            None => versions.last().copied().unwrap_or(1),
            Some(version) if versions.contains(&version) => version,
            Some(version) => {
                let there: Vec<String> = versions.iter().map(u32::to_string).collect();
                return Err(Problem::NoVersion {
                    name: name.to_string(),
                    version,
                    there: there.join(", "),
                });
            }
        };
        let damaged = || Problem::Damaged(name.to_string());
        let mut text = String::new();
        let file = self.folder.file(&file_of(name, version))?;
        let most = self.limits.bytes.saturating_mul(8).saturating_add(BESIDE);
        file.take(most)
            .read_to_string(&mut text)
            .map_err(|_| damaged())?;
        let skill: Skill = serde_json::from_str(&text).map_err(|_| damaged())?;
        let is_it = skill.name == *name && skill.version == version;
        is_it.then_some(skill).ok_or_else(damaged)
    }

    /// Keeps a skill as the next version of its name, and gives its number. The oldest versions go
    /// where there are too many.
    ///
    /// # Errors
    ///
    /// [`Problem::TooMany`]; as for [`Draft::check`](crate::Draft::check); [`Problem::Disk`].
    pub fn keep(&self, skill: &mut Skill) -> Result<u32, Problem> {
        skill.draft().check(self.limits)?;
        // One at a time, so that no version is written twice.
        let draft = self.folder.draft("next", || ())?;
        let mut names = self.names()?;
        let count = names.len();
        let versions = names.remove(&skill.name).unwrap_or_default();
        if versions.is_empty() && count >= self.limits.skills {
            return Err(Problem::TooMany(self.limits.skills));
        }
        skill.version = versions.last().map_or(1, |newest| newest + 1);
        let text = serde_json::to_vec(skill).map_err(std::io::Error::other)?;
        draft.keep(&file_of(&skill.name, skill.version), &text)?;
        let kept = self.limits.versions.max(1) - 1;
        let old = versions.len().saturating_sub(kept);
        for version in &versions[..old] {
            self.folder.clear(&file_of(&skill.name, *version))?;
        }
        Ok(skill.version)
    }

    /// Removes a skill, or one version of it.
    ///
    /// # Errors
    ///
    /// [`Problem::Missing`], [`Problem::NoVersion`], [`Problem::Disk`].
    pub fn remove(&self, name: &SkillName, version: Option<u32>) -> Result<(), Problem> {
        let versions = match version {
            None => self.versions(name)?,
            Some(version) => vec![self.get(name, Some(version))?.version],
        };
        for version in versions {
            self.folder.clear(&file_of(name, version))?;
        }
        Ok(())
    }
}

fn file_of(name: &SkillName, version: u32) -> String {
    format!("{name}.{version}.{ENDING}")
}

/// The skill and the version that a file is of.
fn parts(file: &str) -> Option<(SkillName, u32)> {
    let (name, version) = file
        .strip_suffix(ENDING)?
        .strip_suffix('.')?
        .split_once('.')?;
    let number: u32 = version.parse().ok()?;
    let is_it = number > 0 && number.to_string() == version;
    Some((SkillName::new(name).ok().filter(|_| is_it)?, number))
}
