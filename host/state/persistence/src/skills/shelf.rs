//! The skills of one principal, or those of all: a file for each version.

use std::collections::BTreeMap;
use std::io::{self, Read};

use ampoule_store::folder::PrivateFolder;
use ampoule_store::key::Key;
use serde_json::Value;

use crate::skills::error::SkillError;
use crate::skills::limits::SkillLimits;
use crate::skills::list::{self, List};
use crate::skills::name::SkillName;
use crate::skills::skill::Skill;

/// How files of versions end.
const ENDING: &str = "json";
/// How much larger a version's file may be than what somebody wrote: what its example was answered.
const BESIDE: u64 = 16 << 20;

/// The skills of one principal, or those of all.
#[derive(Debug)]
pub struct Shelf {
    folder: PrivateFolder,
    /// The name of the folder.
    name: String,
    key: Key,
    limits: SkillLimits,
}

/// The run that saves a skill: what it says of a shelf tells what others had read who saved
/// something there.
pub trait Saver {
    /// It is about to learn what somebody left who had read this.
    ///
    /// # Errors
    ///
    /// It is unknown what that was.
    fn reads(&mut self, carried: &Value) -> io::Result<()>;

    /// What it has read by now.
    fn carried(&self) -> Option<Value>;
}

/// A reader that may know everything, such as a person.
impl Saver for () {
    fn reads(&mut self, _: &Value) -> io::Result<()> {
        Ok(())
    }

    fn carried(&self) -> Option<Value> {
        None
    }
}

impl Shelf {
    pub(crate) fn new(folder: PrivateFolder, name: &str, key: Key, limits: SkillLimits) -> Self {
        Self {
            folder,
            name: name.to_owned(),
            key,
            limits,
        }
    }

    /// What there is.
    fn list(&self) -> Result<List, SkillError> {
        if let Some(list) = List::read(&self.folder, &self.name, &self.key)? {
            return Ok(list);
        }
        // A version is never there before a list is.
        let is_version = |file: &String| parts(file).is_some();
        match self.folder.names()?.iter().any(is_version) {
            true => Err(SkillError::List(self.folder.path().to_owned())),
            false => Ok(List::empty(&self.name)),
        }
    }

    /// What those had read who ever saved something here, as far as policies care: each answer that
    /// depends on what there is reveals it.
    ///
    /// # Errors
    ///
    /// As for [`names`](Self::names).
    pub fn carried(&self) -> Result<Option<Value>, SkillError> {
        Ok(self.list()?.carried)
    }

    /// What there is, each with its versions in order.
    ///
    /// # Errors
    ///
    /// [`SkillError::List`], [`SkillError::Disk`].
    pub fn names(&self) -> Result<BTreeMap<SkillName, Vec<u32>>, SkillError> {
        let skills = self.list()?.skills.into_iter();
        let versions = |versions: BTreeMap<u32, String>| versions.into_keys().collect();
        Ok(skills.map(|(name, all)| (name, versions(all))).collect())
    }

    /// The versions of a skill, in order.
    ///
    /// # Errors
    ///
    /// [`SkillError::Missing`] if there is none; [`SkillError::Disk`].
    pub fn versions(&self, name: &SkillName) -> Result<Vec<u32>, SkillError> {
        let versions = self.names()?.remove(name);
        versions.ok_or_else(|| SkillError::Missing(name.to_string()))
    }

    /// A version of a skill; the newest, if it is not said which.
    ///
    /// # Errors
    ///
    /// [`SkillError::Missing`], [`SkillError::NoVersion`], [`SkillError::Damaged`], [`SkillError::Disk`].
    pub fn get(&self, name: &SkillName, version: Option<u32>) -> Result<Skill, SkillError> {
        let missing = || SkillError::Missing(name.to_string());
        let versions = self.list()?.skills.remove(name).ok_or_else(missing)?;
        let newest = versions.keys().next_back().copied().ok_or_else(missing)?;
        let (version, sealed) = match versions.get_key_value(&version.unwrap_or(newest)) {
            Some((version, sealed)) => (*version, sealed),
            None => {
                let version = version.unwrap_or(newest);
                let there: Vec<String> = versions.keys().map(u32::to_string).collect();
                return Err(SkillError::NoVersion {
                    name: name.to_string(),
                    version,
                    there: there.join(", "),
                });
            }
        };
        let damaged = || SkillError::Damaged(name.to_string());
        let mut text = Vec::new();
        let file = match self.folder.file(&file_of(name, version)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(damaged()),
            file => file?,
        };
        let most = self.limits.bytes.saturating_mul(8).saturating_add(BESIDE);
        file.take(most)
            .read_to_end(&mut text)
            .map_err(|_| damaged())?;
        if list::seal(&self.key, &text) != *sealed {
            return Err(damaged());
        }
        let skill: Skill = serde_json::from_slice(&text).map_err(|_| damaged())?;
        let is_it = skill.name == *name && skill.version == version;
        is_it.then_some(skill).ok_or_else(damaged)
    }

    /// Keeps a skill as the next version of its name, and gives its number. The oldest versions go
    /// where there are too many.
    ///
    /// # Errors
    ///
    /// [`SkillError::TooMany`]; as for [`Draft::check`](crate::skills::Draft::check); [`SkillError::Disk`].
    pub fn keep(&self, skill: &mut Skill) -> Result<u32, SkillError> {
        self.keep_of(skill, &mut ())
    }

    /// The same for somebody who may not know everything: what others had read who saved something
    /// here goes to them, and what they have read stays with the skill, and with the shelf.
    ///
    /// # Errors
    ///
    /// As for [`keep`](Self::keep); the saver's.
    pub fn keep_of(&self, skill: &mut Skill, saver: &mut dyn Saver) -> Result<u32, SkillError> {
        // One at a time, so that no version is written twice.
        let _turn = self.folder.draft("next", || ())?;
        let mut list = self.list()?;
        if let Some(carried) = &list.carried {
            saver.reads(carried)?;
        }
        skill.draft().check(self.limits)?;
        if !list.skills.contains_key(&skill.name) && list.skills.len() >= self.limits.skills {
            return Err(SkillError::TooMany(self.limits.skills));
        }
        if let Some(carried) = saver.carried() {
            skill.carried = Some(carried.clone());
            list.carried = Some(carried);
        }
        let versions = list.skills.entry(skill.name.clone()).or_default();
        let newest = versions.keys().next_back();
        skill.version = newest.map_or(1, |newest| newest + 1);
        let text = serde_json::to_vec(skill).map_err(io::Error::other)?;
        versions.insert(skill.version, list::seal(&self.key, &text));
        let mut old = Vec::new();
        while versions.len() > self.limits.versions.max(1) {
            old.extend(versions.pop_first().map(|(version, _)| version));
        }
        if skill.version == 1 && list.skills.len() == 1 {
            // A version without a list would be one that somebody put there.
            let mut before = List::empty(&self.name);
            before.carried.clone_from(&list.carried);
            before.put(&self.folder, &self.key)?;
        }
        let draft = self.folder.draft("version", || ())?;
        draft.keep(&file_of(&skill.name, skill.version), &text)?;
        list.put(&self.folder, &self.key)?;
        for version in old {
            self.folder.clear(&file_of(&skill.name, version))?;
        }
        Ok(skill.version)
    }

    /// Removes a skill, or one version of it.
    ///
    /// # Errors
    ///
    /// [`SkillError::Missing`], [`SkillError::NoVersion`], [`SkillError::Disk`].
    pub fn remove(&self, name: &SkillName, version: Option<u32>) -> Result<(), SkillError> {
        let _turn = self.folder.draft("next", || ())?;
        let mut list = self.list()?;
        let missing = || SkillError::Missing(name.to_string());
        let versions = list.skills.get_mut(name).ok_or_else(missing)?;
        let gone: Vec<u32> = match version {
            None => versions.keys().copied().collect(),
            Some(version) if versions.contains_key(&version) => vec![version],
            Some(version) => {
                let there: Vec<String> = versions.keys().map(u32::to_string).collect();
                return Err(SkillError::NoVersion {
                    name: name.to_string(),
                    version,
                    there: there.join(", "),
                });
            }
        };
        versions.retain(|version, _| !gone.contains(version));
        list.skills.retain(|_, versions| !versions.is_empty());
        list.put(&self.folder, &self.key)?;
        for version in gone {
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
