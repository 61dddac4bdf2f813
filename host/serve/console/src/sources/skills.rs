//! Skills: source, versions, approval.

use std::collections::BTreeMap;
use std::sync::Arc;

use ampoule::{
    Error, ExampleCalls, FoundSkill, Language, Principal, Runtime, Skill, SkillDraft, SkillError,
    SkillFile as DraftFile, SkillName, SkillOrigin, Skills,
};
use ampoule_audit::{Event, Skill as SkillEvent};
use similar::TextDiff;

use super::begin::{CLIENT, language_of};
use super::disclosure::Disclosure;
use super::sessions::owner;
use super::settings::{means_any, operators_only};
use super::skill_code::module;
use super::work::blocking;
use super::{cursor, time};
use crate::model::{
    ApproveRequest, NewSkill, Page, PageQuery, SkillDetail, SkillFile, SkillFunction, SkillRow,
    VersionRequest, Viewer,
};
use crate::{Console, ConsoleError};

/// No other words for a skill of another principal.
const UNKNOWN: ConsoleError = ConsoleError::NotFound("this skill");

impl Console {
    /// The skills that a principal's scripts can import, by name. Default: the viewer's.
    ///
    /// # Errors
    ///
    /// [`ConsoleError::NotSetUp`] without skills; [`ConsoleError::NotFound`] if the viewer may not see
    /// that principal's; the cursor is unknown.
    pub async fn skills(
        &self,
        viewer: &Viewer,
        principal: Option<&str>,
        wanted: &PageQuery,
    ) -> Result<Page<SkillRow>, ConsoleError> {
        let (runtime, owner) = self.skills_of(viewer, principal)?;
        let tools = self.granted(viewer)?;
        let found = runtime.find_skills("", usize::MAX, owner.as_ref(), &tools);
        let may_read = |found: &&FoundSkill| {
            let disclosure = Disclosure {
                runtime: &runtime,
                viewer,
                carried: found.skill.carried.as_ref(),
            };
            disclosure.allows(&found.skill.description)
        };
        let mut rows: Vec<SkillRow> = found
            .await?
            .iter()
            .filter(may_read)
            .map(|found| row(&found.skill, found.origin, &found.notes))
            .collect();
        rows.sort_by(|one, other| one.name.cmp(&other.name));
        cursor::by_name(rows, wanted, |row| row.name.clone())
    }

    /// A skill, with its source. `version` names one of the principal's own.
    ///
    /// # Errors
    ///
    /// [`ConsoleError::NotFound`]; [`ConsoleError::NotSetUp`] without skills; [`ConsoleError::Withheld`]
    /// if it comes from what policies withhold from the viewer.
    pub async fn skill(
        &self,
        viewer: &Viewer,
        principal: Option<&str>,
        name: &str,
        version: Option<u32>,
    ) -> Result<SkillDetail, ConsoleError> {
        let (runtime, owner) = self.skills_of(viewer, principal)?;
        let tools = self.granted(viewer)?;
        let name = SkillName::new(name).map_err(|_| UNKNOWN)?;
        let of = viewer.clone();
        blocking(move || {
            let (skill, origin) = readable(&runtime, &of, owner.as_ref(), &name, version)?;
            let own = runtime.skills(owner.as_ref())?;
            let notes = runtime.skill_changes(&skill, &tools);
            let row = row(&skill, origin, &notes);
            let shelves = SkillShelves {
                own,
                shared: runtime.shared_skills()?,
                owner: owner.map(|it| it.name().to_string()),
            };
            let base = shelves.base(&skill)?;
            let base = base.filter(|base| may_read(&runtime, &of, base));
            shelves.detail(row, skill, base.as_ref(), of.is_operator())
        })
        .await
    }

    /// Saves a script, or a module that offers functions, as a skill of the viewer's. Its code is loaded
    /// once, in an isolate.
    ///
    /// # Errors
    ///
    /// [`ConsoleError::NotSetUp`] without skills; [`ConsoleError::Invalid`] says why the code can't be
    /// a skill, or that the viewer's scripts may not save any.
    pub async fn save_skill(
        &self,
        viewer: &Viewer,
        new: NewSkill,
    ) -> Result<SkillDetail, ConsoleError> {
        let (runtime, owner) = self.skills_of(viewer, None)?;
        if !self.may_save_skills(viewer) {
            return Err(ConsoleError::Invalid(
                "your scripts may not save skills: `[skills]`, a policy or the server's grant keeps `skills.save` from them".to_owned(),
            ));
        }
        let grant = self.sources().server.grant().clone();
        let tools = runtime.tools_of(grant, owner.as_ref(), Some(CLIENT))?;
        let draft = draft(&new)?;
        let calls = ExampleCalls::Recorded;
        let saved = Box::pin(runtime.save_skill(draft, owner.as_ref(), &tools, calls)).await?;
        let event = skill_event("saved", &saved, owner.as_ref(), viewer);
        self.record(Event::Skill(event))?;
        self.skill(viewer, None, &new.name, Some(saved.version))
            .await
    }

    /// Whether the viewer may save skills, as scripts do with `skills.save`. No policy keeps it from
    /// operators.
    pub(crate) fn may_save_skills(&self, viewer: &Viewer) -> bool {
        let tools = self.granted(viewer);
        tools.is_ok_and(|tools| means_any(&tools, "skills.save"))
    }

    /// Approves a version of a skill, so that every principal's scripts can import it: the version
    /// that the viewer was shown.
    ///
    /// # Errors
    ///
    /// [`ConsoleError::OperatorsOnly`]; as for [`skill`](Self::skill).
    pub async fn approve_skill(
        &self,
        viewer: &Viewer,
        principal: Option<&str>,
        name: &str,
        request: ApproveRequest,
    ) -> Result<SkillDetail, ConsoleError> {
        operators_only(viewer)?;
        self.approve(viewer, principal, name, request.version).await
    }

    /// Approves an earlier version of a skill in place of the approved one. Default: the version before
    /// the approved one.
    ///
    /// # Errors
    ///
    /// [`ConsoleError::OperatorsOnly`]; [`ConsoleError::Conflict`] if there is no earlier version; as
    /// for [`skill`](Self::skill).
    pub async fn roll_back_skill(
        &self,
        viewer: &Viewer,
        principal: Option<&str>,
        name: &str,
        request: VersionRequest,
    ) -> Result<SkillDetail, ConsoleError> {
        operators_only(viewer)?;
        let detail = self.skill(viewer, principal, name, None).await?;
        let approved = detail.approved.ok_or_else(|| {
            ConsoleError::Conflict(
                "the skill is not approved, so nothing can be rolled back".into(),
            )
        })?;
        let earlier = detail.versions.into_iter();
        let mut earlier = earlier.filter(|version| *version < approved);
        let version = match request.version {
            None => earlier.next_back(),
            Some(wanted) => earlier.find(|version| *version == wanted),
        };
        let version = version.ok_or_else(|| {
            ConsoleError::Conflict("the skill has no earlier version of this number".into())
        })?;
        self.approve(viewer, principal, name, version).await
    }

    async fn approve(
        &self,
        viewer: &Viewer,
        principal: Option<&str>,
        name: &str,
        version: u32,
    ) -> Result<SkillDetail, ConsoleError> {
        let (runtime, owner) = self.skills_of(viewer, principal)?;
        let of = SkillName::new(name).map_err(|_| UNKNOWN)?;
        // Whether it is there: approving says in many words what is wrong.
        self.skill(viewer, principal, name, Some(version)).await?;
        let approving = owner.clone();
        let approved = blocking(move || {
            let approved = runtime.approve_skill(&of, approving.as_ref(), Some(version));
            approved.map_err(refused)
        })
        .await?;
        let event = SkillEvent {
            version: Some(u64::from(version)),
            ..skill_event("approved", &approved, owner.as_ref(), viewer)
        };
        self.record(Event::Skill(event))?;
        self.skill(viewer, principal, name, Some(version)).await
    }

    pub(super) fn skills_of(
        &self,
        viewer: &Viewer,
        principal: Option<&str>,
    ) -> Result<(Runtime, Option<Principal>), ConsoleError> {
        let runtime = self.sources().runtime();
        if !runtime.has_skills() {
            return Err(ConsoleError::NotSetUp(
                "skills are off: add `[skills]` to ampoule.toml",
            ));
        }
        Ok((runtime.clone(), owner(viewer, principal)?))
    }
}

/// The version of a principal's skill, or what the principal's scripts import under this name: one that
/// the viewer may read.
///
/// # Errors
///
/// [`ConsoleError::NotFound`]; [`ConsoleError::Withheld`] if it comes from what policies withhold from
/// the viewer; the folder can't be used.
pub(super) fn readable(
    runtime: &Runtime,
    viewer: &Viewer,
    owner: Option<&Principal>,
    name: &SkillName,
    version: Option<u32>,
) -> Result<(Skill, SkillOrigin), ConsoleError> {
    let (skill, origin) = found(runtime, owner, name, version)?;
    match may_read(runtime, viewer, &skill) {
        true => Ok((skill, origin)),
        false => Err(ConsoleError::Withheld),
    }
}

/// Whether policies let a viewer read a skill.
fn may_read(runtime: &Runtime, viewer: &Viewer, skill: &Skill) -> bool {
    let disclosure = Disclosure {
        runtime,
        viewer,
        carried: skill.carried.as_ref(),
    };
    disclosure.allows(&text(skill))
}

fn found(
    runtime: &Runtime,
    owner: Option<&Principal>,
    name: &SkillName,
    version: Option<u32>,
) -> Result<(Skill, SkillOrigin), ConsoleError> {
    if version.is_some() {
        let own = runtime.skills(owner)?.get(name, version);
        return Ok((own.map_err(unknown)?, SkillOrigin::Own));
    }
    let visible = runtime.visible_skills(owner)?;
    let found = visible.get(name).map_err(unknown)?;
    Ok((found.skill, found.origin))
}

/// What a viewer did with a skill, for the audit log.
fn skill_event(
    action: &str,
    skill: &Skill,
    owner: Option<&Principal>,
    viewer: &Viewer,
) -> SkillEvent {
    SkillEvent {
        action: action.into(),
        name: skill.name.to_string().into(),
        version: Some(u64::from(skill.version)),
        principal: owner.map(|it| Arc::clone(it.name())),
        by: Some(viewer.name().into()),
        ..SkillEvent::default()
    }
}

/// The draft of a new skill.
fn draft(new: &NewSkill) -> Result<SkillDraft, ConsoleError> {
    let language = language_of(&new.language)?;
    let entry = match language {
        Language::Python => "__init__.py",
        Language::JavaScript => "index.js",
        _ => "index.ts",
    };
    let text = module(&new.code, &new.language).map_err(ConsoleError::Invalid)?;
    Ok(SkillDraft {
        name: SkillName::new(&new.name)?,
        description: new.description.clone(),
        instructions: String::new(),
        language: Some(new.language.clone()),
        files: vec![DraftFile {
            path: entry.to_owned(),
            text,
        }],
        example: None,
    })
}

fn refused(problem: Error) -> ConsoleError {
    match problem.is_request() {
        true => UNKNOWN,
        false => problem.into(),
    }
}

fn unknown(problem: SkillError) -> ConsoleError {
    match problem {
        SkillError::Missing(_) | SkillError::NoVersion { .. } => UNKNOWN,
        problem => problem.into(),
    }
}

fn row(skill: &Skill, origin: SkillOrigin, notes: &[String]) -> SkillRow {
    SkillRow {
        name: skill.name.to_string(),
        version: skill.version,
        origin: match origin {
            SkillOrigin::Own => "own",
            SkillOrigin::Approved => "approved",
            SkillOrigin::Operator => "operator",
        }
        .to_owned(),
        language: skill.language.clone(),
        description: skill.description.clone(),
        notes: notes.to_vec(),
    }
}

/// A principal's own skills, and those that are approved for all.
struct SkillShelves {
    own: Skills,
    shared: Skills,
    /// The principal; none is the local user.
    owner: Option<String>,
}

impl SkillShelves {
    /// What a skill is compared with: what is approved, or the version before.
    fn base(&self, skill: &Skill) -> Result<Option<Skill>, ConsoleError> {
        if let Ok(approved) = self.shared.get(&skill.name, None) {
            return Ok(Some(approved));
        }
        let versions = self.own.names()?;
        let versions = versions.get(&skill.name).into_iter().flatten();
        let before = versions.copied().filter(|version| *version < skill.version);
        let before = before.max();
        Ok(before.and_then(|version| self.own.get(&skill.name, Some(version)).ok()))
    }

    /// The version that is approved of this principal's skill. Another principal's skill of the same
    /// name may be the one that is approved.
    fn approved(&self, skill: &Skill) -> Option<u32> {
        if let Some(own) = &skill.approval {
            return Some(own.version);
        }
        let shared = self.shared.get(&skill.name, None).ok()?;
        let approval = shared.approval?;
        (approval.from == self.owner).then_some(approval.version)
    }

    fn detail(
        &self,
        row: SkillRow,
        skill: Skill,
        base: Option<&Skill>,
        can_approve: bool,
    ) -> Result<SkillDetail, ConsoleError> {
        let versions: BTreeMap<_, _> = self.own.names()?;
        let versions = versions.get(&skill.name).cloned().unwrap_or_default();
        let approved = self.approved(&skill);
        let (old, new) = (base.map_or(String::new(), text), text(&skill));
        let functions = skill.functions.iter().map(|function| SkillFunction {
            name: function.name.clone(),
            signature: function.signature.clone(),
        });
        let needs = skill.needs.iter();
        let files = skill.files.iter().map(|file| SkillFile {
            path: file.path.clone(),
            text: file.text.clone(),
        });
        Ok(SkillDetail {
            row,
            import: skill.import(),
            saved: time::of_millis(skill.saved),
            run: skill.run.clone(),
            functions: functions.collect(),
            needs: needs
                .map(|need| format!("{}.{}", need.server, need.tool))
                .collect(),
            instructions: skill.instructions.clone(),
            files: files.collect(),
            example: skill.example.clone(),
            diff: TextDiff::from_lines(&old, &new).unified_diff().to_string(),
            can_approve: can_approve && !versions.is_empty(),
            versions,
            approved,
        })
    }
}

/// All that the author wrote of a skill, as one text.
fn text(skill: &Skill) -> String {
    let mut text = String::new();
    let mut add = |path: &str, content: &str| {
        text += &format!("== {path}\n{}\n", content.trim_end());
    };
    if !skill.instructions.is_empty() {
        add("SKILL.md", &skill.instructions);
    }
    for file in &skill.files {
        add(&file.path, &file.text);
    }
    if let Some(example) = &skill.example {
        add("example", example);
    }
    text
}
