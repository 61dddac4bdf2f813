//! Skills: code that scripts saved for later ones.
//!
//! - `imports`: the skills that a script imports, among its modules
//! - `notes`: what a run's calls were answered, for the examples of what it saves; `noted_answers`:
//!   tools that give those answers again
//! - `examination`: what a skill's code does and needs, found out in isolates
//! - `needs`: the tools that code calls, and whether their types are what they were
//! - `binding`: what scripts have of all that, as tools, and `server_name`: what they call it;
//!   `search`: what searches give

mod binding;
mod examination;
mod imports;
mod needs;
mod noted_answers;
mod notes;
mod search;
mod server_name;

use std::path::PathBuf;
use std::sync::Arc;

use ampoule_persistence::skills::{
    Approval, Draft as SkillDraft, Shelf, Skill, SkillLimits, SkillName, Store, VisibleSkills,
};
use ampoule_tools::{Error, GrantedTools, Principal, RunId};

use binding::binding;
use examination::AnswerSource;
pub(crate) use imports::{given, mentions};
pub(crate) use notes::{NoteTaker, Notes, Registry};
pub use search::FoundSkill;
pub use server_name::SKILLS_SERVER;

use crate::clock;
use crate::runtime::{Runtime, RuntimeBuilder};
use crate::stores::skills::{ExportCache, SkillOptions, SkillStore, refused};

/// What becomes of the calls of a skill's example.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExampleCalls {
    /// They get the answers that they got when the skill, or its last version, was saved. Nothing
    /// leaves.
    Recorded,
    /// They are really made.
    Live,
}

impl ExampleCalls {
    fn answers(self, before: Option<&Skill>) -> AnswerSource {
        match (self, before) {
            (Self::Live, _) => AnswerSource::Tools,
            (Self::Recorded, Some(skill)) => AnswerSource::of(skill),
            (Self::Recorded, None) => AnswerSource::Notes(Vec::new()),
        }
    }
}

impl RuntimeBuilder {
    /// Where skills are kept, and what they are: code that scripts save with `skills.save`, and that
    /// later ones import from `./skills/NAME`. Nobody else may be able to read the folder. Default:
    /// nowhere, and there are none.
    ///
    /// If a binding is called `skills`, scripts find that, and can save none.
    #[must_use]
    pub fn skills(mut self, folder: impl Into<PathBuf>, options: SkillOptions) -> Self {
        let binding = binding(self.later.clone(), options.save);
        self.skills_binding = Some(Arc::new(binding));
        self.stores.skills = Some(SkillStore::new(folder.into(), options));
        self
    }
}

impl Runtime {
    /// The skills of a principal, or those of nobody in particular: what its runs saved.
    ///
    /// # Errors
    ///
    /// A request error if there are no [skills](crate::RuntimeBuilder::skills) here; a host fault if
    /// their folder can't be used.
    pub fn skills(&self, principal: Option<&Principal>) -> Result<Shelf, Error> {
        let name = principal.map(|principal| &**principal.name());
        self.skill_store()?.of(name).map_err(refused)
    }

    /// The skills that a person has [approved](Self::approve_skill): everybody's scripts can import
    /// them.
    ///
    /// # Errors
    ///
    /// As for [`skills`](Self::skills).
    pub fn shared_skills(&self) -> Result<Shelf, Error> {
        self.skill_store()?.shared().map_err(refused)
    }

    /// All that a principal's scripts can import: their own skills, those that were approved, and
    /// the operator's.
    ///
    /// # Errors
    ///
    /// As for [`skills`](Self::skills).
    pub fn visible_skills(&self, principal: Option<&Principal>) -> Result<VisibleSkills, Error> {
        let name = principal.map(|principal| &**principal.name());
        self.skill_store()?.visible(name).map_err(refused)
    }

    /// Whether there are [skills](crate::RuntimeBuilder::skills) here.
    pub fn has_skills(&self) -> bool {
        self.stores().skills.is_some()
    }

    /// Saves a skill for a principal, as a new version: once its code has loaded, and its example
    /// has run with these tools.
    ///
    /// # Errors
    ///
    /// A request error says why it is not kept, such as an error of its code's.
    pub async fn save_skill(
        &self,
        draft: SkillDraft,
        principal: Option<&Principal>,
        tools: &GrantedTools,
        calls: ExampleCalls,
    ) -> Result<Skill, Error> {
        let shelf = self.skills(principal)?;
        let before = shelf.get(&draft.name, None).ok();
        let answers = calls.answers(before.as_ref());
        let examined = examination::examined(self, draft, principal, tools, answers).await;
        let mut skill = examined.map_err(Error::request)?;
        skill.saved = clock::now();
        shelf.keep(&mut skill).map_err(refused)?;
        Ok(skill)
    }

    /// Tries whether a skill still does what it did: its code loads, and its example runs with these
    /// tools. Gives the skill as it would be saved now.
    ///
    /// # Errors
    ///
    /// A request error says what is wrong with it.
    pub async fn test_skill(
        &self,
        skill: &Skill,
        principal: Option<&Principal>,
        tools: &GrantedTools,
        calls: ExampleCalls,
    ) -> Result<Skill, Error> {
        let answers = calls.answers(Some(skill));
        let examined = examination::examined(self, skill.draft(), principal, tools, answers).await;
        examined.map_err(Error::request)
    }

    /// What has changed since a skill was saved of the tools that it needs, a sentence each.
    pub fn skill_changes(&self, skill: &Skill, tools: &GrantedTools) -> Vec<String> {
        needs::changes(skill, tools)
    }

    /// Lets everybody use a principal's skill, in one version. For a person to do: what a model
    /// wrote then runs with the grants of others.
    ///
    /// # Errors
    ///
    /// A request error if the skill does not exist.
    pub fn approve_skill(
        &self,
        name: &SkillName,
        from: Option<&Principal>,
        version: Option<u32>,
    ) -> Result<Skill, Error> {
        let mut skill = self.skills(from)?.get(name, version).map_err(refused)?;
        skill.approval = Some(Approval {
            from: from.map(|from| from.name().to_string()),
            version: skill.version,
            at: clock::now(),
        });
        self.shared_skills()?.keep(&mut skill).map_err(refused)?;
        Ok(skill)
    }

    /// What skills may take.
    pub fn skill_limits(&self) -> SkillLimits {
        let store = self.stores().skills.as_ref();
        store.map_or_else(SkillLimits::default, |store| store.options.limits)
    }

    /// What a run under way was answered so far, if it has to do with skills.
    fn notes_of(&self, run: RunId) -> Option<Arc<Notes>> {
        self.stores()
            .skills
            .as_ref()?
            .notes
            .lock()
            .get(&run)?
            .upgrade()
    }

    fn remembered_skills(&self) -> Option<&ExportCache> {
        Some(&self.stores().skills.as_ref()?.remembered)
    }

    fn skill_store(&self) -> Result<&Store, Error> {
        let store = self.stores().skills.as_ref();
        let store = store.ok_or_else(|| Error::request("this host keeps no skills"))?;
        store.store().map_err(refused)
    }
}
