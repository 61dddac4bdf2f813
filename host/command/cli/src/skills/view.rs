//! How skills are listed, shown and compared.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, UNIX_EPOCH};

use ampoule::{Skill, SkillName, SkillOrigin, VisibleSkill, write_skill};
use ampoule_untrusted::text;
use serde_json::json;
use similar::TextDiff;

use super::{SkillsContext, refused};
use crate::exit::Failure;
use crate::streams;

impl SkillsContext {
    pub(super) async fn list(&self) -> Result<ExitCode, Failure> {
        let principal = self.principal.as_ref();
        let found = self
            .runtime
            .find_skills("", usize::MAX, principal, &self.tools);
        let found = found.await?;
        let out = streams::out();
        if self.as_json {
            let documents = found.iter().map(|found| {
                let skill = &found.skill;
                json!({
                    "name": skill.name,
                    "version": skill.version,
                    "origin": word(found.origin),
                    "language": skill.language,
                    "description": skill.description,
                    "import": skill.import(),
                    "functions": skill.functions,
                    "needs": skill.needs,
                    "notes": found.notes,
                })
            });
            out.json(&documents.collect::<serde_json::Value>().to_string());
            return Ok(ExitCode::SUCCESS);
        }
        if found.is_empty() {
            streams::err().note("no skills; scripts save skills with `skills.save`, and `ampoule skills add FOLDER` adds one");
        }
        for found in &found {
            let skill = &found.skill;
            let version = match found.origin {
                SkillOrigin::Operator => String::new(),
                _ => format!(" {}", skill.version),
            };
            let description = text::one_line(&skill.description);
            let line = format!(
                "{}{version}, {}: {description}",
                skill.name,
                word(found.origin)
            );
            out.line(out.wrapped(&line, "", "  "));
            for note in &found.notes {
                out.line(out.wrapped(&text::one_line(note), "  note: ", "  "));
            }
        }
        Ok(ExitCode::SUCCESS)
    }

    /// A skill that scripts can import, or one version of the principal's own.
    pub(super) fn found(
        &self,
        name: &SkillName,
        version: Option<u32>,
    ) -> Result<VisibleSkill, Failure> {
        if version.is_some() {
            let skill = self.own()?.get(name, version).map_err(refused)?;
            let origin = SkillOrigin::Own;
            return Ok(VisibleSkill { skill, origin });
        }
        let visible = self.runtime.visible_skills(self.principal.as_ref())?;
        visible.get(name).map_err(refused)
    }

    pub(super) fn show(
        &self,
        name: &SkillName,
        version: Option<u32>,
        to: Option<PathBuf>,
    ) -> Result<ExitCode, Failure> {
        let VisibleSkill { skill, origin } = self.found(name, version)?;
        if let Some(folder) = to {
            write_skill(&skill.draft(), &folder).map_err(refused)?;
            let path = folder.to_string_lossy();
            let line = format!("wrote {name} to {}", text::one_line(&path));
            self.say(&json!({ "folder": path }), &line);
            return Ok(ExitCode::SUCCESS);
        }
        let out = streams::out();
        if self.as_json {
            let document = serde_json::to_string(&skill);
            out.json(&document.unwrap_or_default());
            return Ok(ExitCode::SUCCESS);
        }
        let err = streams::err();
        let saved = UNIX_EPOCH + Duration::from_millis(skill.saved);
        let run = skill
            .run
            .as_ref()
            .map_or(String::new(), |run| format!(" by run {run}"));
        match origin {
            SkillOrigin::Operator => err.note(format_args!("{name}: the operator's")),
            _ => err.note(format_args!(
                "{name}: {}, version {}, saved {}{run}",
                word(origin),
                skill.version,
                humantime::format_rfc3339_seconds(saved)
            )),
        }
        err.note(text::one_line(&skill.description));
        for change in self.runtime.skill_changes(&skill, &self.tools) {
            err.problem(&change);
        }
        for line in code_of(&skill).lines() {
            out.line(text::visible(line));
        }
        Ok(ExitCode::SUCCESS)
    }

    pub(super) fn diff(
        &self,
        name: &SkillName,
        from: Option<u32>,
        to: Option<u32>,
    ) -> Result<ExitCode, Failure> {
        let (own, shared) = (self.own()?, self.runtime.shared_skills()?);
        let new = own.get(name, to).map_err(refused)?;
        let approved = || shared.get(name, None).ok();
        let (old, old_is) = match (from, approved()) {
            (Some(version), _) => {
                let skill = own.get(name, Some(version)).map_err(refused)?;
                (Some(skill), format!("version {version}"))
            }
            (None, Some(approved)) => (Some(approved), "as it was approved".to_owned()),
            (None, None) => {
                let versions = own.versions(name).map_err(refused)?;
                let before = versions.into_iter().rfind(|version| *version < new.version);
                let skill = before.map(|version| own.get(name, Some(version)));
                let told = before.map_or("nothing".to_owned(), |it| format!("version {it}"));
                (skill.transpose().map_err(refused)?, told)
            }
        };
        let (old, now) = (old.as_ref().map_or(String::new(), code_of), code_of(&new));
        let diff = TextDiff::from_lines(&old, &now);
        let mut unified = diff.unified_diff();
        let new_is = format!("version {}", new.version);
        let shown = unified.header(&old_is, &new_is).to_string();
        if shown.is_empty() {
            streams::err().note(format_args!(
                "{new_is} is the same as what it is compared with ({old_is})"
            ));
        }
        for line in shown.lines() {
            streams::out().line(text::visible(line));
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn word(origin: SkillOrigin) -> &'static str {
    match origin {
        SkillOrigin::Own => "own",
        SkillOrigin::Approved => "approved",
        SkillOrigin::Operator => "the operator's",
    }
}

/// All that the author wrote of a skill, as one text.
fn code_of(skill: &Skill) -> String {
    let mut text = String::new();
    if let Some(import) = skill.import() {
        text += &format!("import:  {import}\n");
    }
    for function in &skill.functions {
        text += &format!("offers:  {}\n", function.signature);
    }
    for need in &skill.needs {
        text += &format!("needs:   {}.{}\n", need.server, need.tool);
    }
    let mut add = |path: &str, content: &str| {
        text += &format!("\n== {path}\n{}\n", content.trim_end());
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
