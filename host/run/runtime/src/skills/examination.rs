//! What a skill's code does and needs: it is loaded, and its example is run, each in an isolate.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use ampoule_isolate::{Ending, Language, Script};
use ampoule_limits::Limits;
use ampoule_persistence::skills::{Draft, Function, Skill, mentioned};
use ampoule_records::Keep;
use ampoule_tools::{GrantedTools, Principal, RunId};
use ampoule_workspace::{Quota, Tree};
use tempfile::TempDir;

use super::imports::{given, with};
use super::needs;
use super::noted_answers::{NotedAnswerLayer, NotedAnswers};
use super::notes::{Note, NoteTaker, Notes};
use crate::run::isolate::{Isolate, ReplayInputs};
use crate::runtime::Runtime;

/// What one trial may take, where runs may take more.
const FUEL: u64 = 5_000_000_000;
const CALLS: u64 = 200;
const TIME: Duration = Duration::from_secs(20);

/// The words that Python's compound statements begin with.
const COMPOUND: [&str; 9] = [
    "async", "class", "def", "for", "if", "match", "try", "while", "with",
];

/// What the code's exports are found out with.
const INSPECT: [&str; 2] = [include_str!("inspect.js"), include_str!("inspect.py")];

/// What answers the calls of an example.
pub(super) enum AnswerSource {
    /// The tools.
    Tools,
    /// What is known: nothing leaves.
    Notes(Vec<Note>),
}

impl AnswerSource {
    /// What a skill's example was answered when it was saved.
    pub(super) fn of(skill: &Skill) -> Self {
        Self::Notes(skill.answers.iter().filter_map(Note::of).collect())
    }
}

/// A skill with what was found out about it.
///
/// # Errors
///
/// Why it is none: for the author of its code.
pub(super) async fn examined(
    runtime: &Runtime,
    draft: Draft,
    principal: Option<&Principal>,
    tools: &GrantedTools,
    answers: AnswerSource,
) -> Result<Skill, String> {
    draft
        .check(runtime.skill_limits())
        .map_err(|problem| problem.to_string())?;
    let mut skill = Skill::of(draft);
    let Some(trial) = Trial::of(runtime, principal, tools, &skill, answers)? else {
        return Ok(skill);
    };
    skill.functions = trial.inspected(&skill).await?;
    if skill.functions.is_empty() {
        let none = match trial.language {
            Language::Python => {
                "the code defines nothing that others could use: define a function whose name does not begin with `_`"
            }
            _ => {
                "the code exports nothing: write `export` before the functions that others are to use"
            }
        };
        return Err(none.to_owned());
    }
    if let Some(example) = skill.example.clone() {
        trial.tried(&skill, example).await?;
    }
    let used = trial.calls.used();
    let called = used.iter().map(|note| needs::CalledTool {
        server: note.server.clone(),
        tool: note.tool.clone(),
    });
    let called: BTreeSet<_> = called.collect();
    let code: Vec<&str> = skill.files.iter().map(|file| &*file.text).collect();
    skill.needs = needs::needs(&code.join("\n"), &called, &trial.tools);
    skill.answers = used.iter().filter_map(Note::kept).collect();
    Ok(skill)
}

/// What code exports that nobody has saved by a script.
///
/// # Errors
///
/// Why it can't be loaded.
pub(super) async fn inspected(
    runtime: &Runtime,
    principal: Option<&Principal>,
    tools: &GrantedTools,
    skill: &Skill,
) -> Result<Vec<Function>, String> {
    let answers = AnswerSource::Notes(Vec::new());
    match Trial::of(runtime, principal, tools, skill, answers)? {
        None => Ok(Vec::new()),
        Some(trial) => trial.inspected(skill).await,
    }
}

/// What a skill is tried with.
struct Trial<'a> {
    runtime: &'a Runtime,
    principal: Option<&'a Principal>,
    tools: GrantedTools,
    language: Language,
    calls: CallSource,
}

/// Answers calls, and notes them.
#[derive(Clone)]
enum CallSource {
    Notes(Arc<NotedAnswers>),
    Tools(Arc<Notes>),
}

impl CallSource {
    fn used(&self) -> Vec<Note> {
        match self {
            Self::Notes(answering) => answering.used(),
            Self::Tools(notes) => notes.all(),
        }
    }
}

impl<'a> Trial<'a> {
    /// None for a skill without code.
    fn of(
        runtime: &'a Runtime,
        principal: Option<&'a Principal>,
        tools: &GrantedTools,
        skill: &Skill,
        answers: AnswerSource,
    ) -> Result<Option<Self>, String> {
        let Some(language) = skill.language.as_deref() else {
            return Ok(None);
        };
        let none = || {
            format!("unknown language `{language}`: skills are in typescript, javascript or python")
        };
        let language = Language::named(language).ok_or_else(none)?;
        let tools = tools.clone().named_as(language.idiom());
        let calls = match answers {
            AnswerSource::Notes(notes) => CallSource::Notes(NotedAnswers::with(notes)),
            AnswerSource::Tools => CallSource::Tools(Notes::of(
                RunId::new(),
                &Arc::default(),
                language,
                tools.clone(),
            )),
        };
        Ok(Some(Self {
            runtime,
            principal,
            tools,
            language,
            calls,
        }))
    }

    /// Loads the code, and gives what it exports.
    async fn inspected(&self, skill: &Skill) -> Result<Vec<Function>, String> {
        let [javascript, python] = INSPECT;
        let (inspect, name) = match self.language {
            Language::Python => (python, skill.name.in_python()),
            _ => (javascript, skill.name.to_string()),
        };
        let source = skill.files.first().map_or("", |entry| &entry.text);
        let language = match self.language {
            Language::Python => Language::Python,
            _ => Language::JavaScript,
        };
        let script = Script::new(language, inspect.replace("NAME", &name))
            .named("inspect")
            .env("source", source);
        let ended = self.ended(self.with_skill(script, skill, &name)?).await?;
        let Ending::Returned(Some(found)) = ended else {
            return Err(format!("the code does not load: {ended}"));
        };
        serde_json::from_str(found.get())
            .map_err(|error| format!("the code does not load: {error}"))
    }

    /// Runs the example.
    async fn tried(&self, skill: &Skill, example: String) -> Result<(), String> {
        let ending = match self.language {
            Language::TypeScript => "ts",
            Language::Python => "py",
            _ => "js",
        };
        let example = self.with_imports(skill, example);
        let mut script = Script::new(self.language, example).named(format!("example.{ending}"));
        for written in [skill.name.to_string(), skill.name.in_python()] {
            script = self.with_skill(script, skill, &written)?;
        }
        match self.ended(script).await? {
            Ending::Returned(_) => Ok(()),
            ended => Err(format!("the example fails: {ended}")),
        }
    }

    /// The example, with what the skill exports in its scope: an author of one next to the code
    /// often does not import what stands there. Lines stay where they are, and so do columns, but
    /// for those of a first line in Python.
    fn with_imports(&self, skill: &Skill, example: String) -> String {
        let is_mentioned = !mentioned(&example, [&skill.name]).is_empty();
        let word = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '$');
        let words: BTreeSet<&str> = example.split(|letter| !word(letter)).collect();
        let exported = skill.functions.iter().map(|function| &*function.name);
        let used: Vec<&str> = exported.filter(|name| words.contains(name)).collect();
        if is_mentioned || used.is_empty() {
            return example;
        }
        let (used, name) = (used.join(", "), skill.name.in_python());
        match self.language {
            Language::Python => {
                let import = format!("from skills.{name} import {used}");
                let first = example.trim_start();
                let begins = first.split(|letter| !word(letter)).next();
                let sign = match begins.unwrap_or_default() {
                    // That has to be the first of all.
                    "from" if first.contains("__future__") => return example,
                    _ if example.starts_with(['\n', '\r']) => "",
                    _ if example.starts_with('#') => "  ",
                    // Only a simple statement may follow on the same line.
                    begins if first.starts_with('@') || COMPOUND.contains(&begins) => "\n",
                    _ => "; ",
                };
                format!("{import}{sign}{example}")
            }
            // Imports are there from the beginning, wherever they stand.
            _ => format!(
                "{example}\nimport {{ {used} }} from \"./skills/{}\";",
                skill.name
            ),
        }
    }

    /// The script with the skill, and those that it imports itself.
    fn with_skill(&self, script: Script, skill: &Skill, written: &str) -> Result<Script, String> {
        let script = with(script, skill, written);
        let visible = self.runtime.visible_skills(self.principal);
        let visible = visible.map_err(|error| error.to_string())?;
        // Only the run that tries it sees its result.
        Ok(given(script, &visible, &mut Vec::new()))
    }

    async fn ended(&self, script: Script) -> Result<Ending, String> {
        let mut limits: Limits = *self.runtime.limits();
        limits.fuel = limits.fuel.min(FUEL);
        limits.calls = limits.calls.min(CALLS);
        limits.wall_time = limits.wall_time.min(TIME);
        let (catalog, grant) = self.tools.of_a_run();
        let inputs = ReplayInputs {
            catalog,
            session: None,
            files: None,
            is_live: matches!(self.calls, CallSource::Tools(_)),
        };
        let isolate = Isolate::new(self.runtime.clone(), script.into());
        let isolate = isolate.replaying(inputs).grant(grant).record(Keep::None);
        let isolate = isolate.limits(limits).map_err(|error| error.to_string())?;
        let mut isolate = match &self.calls {
            CallSource::Notes(answering) => isolate.layer(NotedAnswerLayer(Arc::clone(answering))),
            CallSource::Tools(notes) => isolate.layer(NoteTaker(Arc::clone(notes))),
        };
        if let Some(principal) = self.principal {
            isolate = isolate.principal(principal.clone());
        }
        let files = match self.runtime.has_workspaces() {
            true => Some(scratch().map_err(|error| format!("the example can't be run: {error}"))?),
            false => None,
        };
        isolate = match &files {
            Some((_, tree)) => isolate.workspace(Arc::clone(tree)),
            None => isolate.no_files(),
        };
        // The run that saves it waits for this one, so neither may be in the other.
        let outcome = Box::pin(isolate.run()).await;
        outcome
            .map(|outcome| outcome.ending)
            .map_err(|error| format!("the example can't be run: {error}"))
    }
}

/// An empty workspace, which is gone with the folder.
fn scratch() -> std::io::Result<(TempDir, Arc<Tree>)> {
    let folder = tempfile::tempdir()?;
    let path: &Path = folder.path();
    let tree = Tree::folder(path, true, Quota::default()).map_err(std::io::Error::other)?;
    Ok((folder, tree))
}
