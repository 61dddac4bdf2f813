//! `ampoule skills`: code that scripts saved for later scripts.
//!
//! - `view`: how skills are listed, shown and compared

mod view;

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use ampoule::{
    ExampleCalls, Grant, GrantedTools, Principal, Runtime, SkillError, SkillName, Skills,
    read_skill,
};
use ampoule_audit as audit;
use ampoule_config::Config;
use ampoule_configured::governed;
use ampoule_untrusted::text;
use clap::{Args, Subcommand};
use serde_json::json;

use super::exit::Failure;
use super::governance::command_log::CommandLog;
use super::output::Output;
use super::owner::{OwnerArguments, help_of};
use super::setup::ConfiguredRuntime;
use super::stop_signal::{self, Cancellation};
use super::streams;

/// Lists, shows, tests and approves functions that scripts saved.
///
/// A script saves a skill with `skills.save(name, { description, code, example })`. Later scripts
/// of the same principal import it from "./skills/NAME", in Python from skills.NAME. `[skills]` in
/// ampoule.toml turns skills on.
#[derive(Debug, Args)]
#[command(mut_arg("principal", help_of("skills")))]
pub(super) struct SkillsCommand {
    #[command(subcommand)]
    what: Option<Task>,
    #[command(flatten)]
    owner: OwnerArguments,
}

#[derive(Debug, Subcommand)]
enum Task {
    /// Lists skills that scripts can import (the default).
    Ls,
    /// Shows what a skill offers and needs, and its code.
    #[command(disable_version_flag = true)]
    Show {
        /// The skill.
        name: SkillName,
        /// The version. Default: the newest.
        #[arg(long)]
        version: Option<u32>,
        /// Writes the skill as a folder in the format of Agent Skills instead.
        #[arg(long, value_name = "FOLDER")]
        to: Option<PathBuf>,
    },
    /// Saves a folder with a SKILL.md as a skill, once its code loads and its example runs.
    Add {
        /// The folder.
        folder: PathBuf,
        /// Really calls the tools of the example. Default: calls get the answers recorded when the
        /// last version was saved.
        #[arg(long)]
        live: bool,
    },
    /// Tests a skill: runs its example, with the answers recorded when it was saved, and compares
    /// the result.
    Test {
        /// The skill. Default: all skills that scripts saved.
        name: Option<SkillName>,
        /// Really calls the tools.
        #[arg(long)]
        live: bool,
    },
    /// Approves a skill, so that every principal's scripts can import it. Read its code first: it
    /// runs with their grants.
    #[command(disable_version_flag = true)]
    Approve {
        /// The skill.
        name: SkillName,
        /// The version. Default: the newest.
        #[arg(long)]
        version: Option<u32>,
    },
    /// Shows how two versions differ.
    Diff {
        /// The skill.
        name: SkillName,
        /// The old version. Default: the approved version, else the one before the newest.
        from: Option<u32>,
        /// The new version. Default: the newest.
        to: Option<u32>,
    },
    /// Removes a skill.
    #[command(disable_version_flag = true)]
    Rm {
        /// The skill.
        name: SkillName,
        /// Only this version.
        #[arg(long)]
        version: Option<u32>,
        /// The approved skill, which every principal sees.
        #[arg(long)]
        approved: bool,
    },
}

impl SkillsCommand {
    pub(super) async fn execute(self) -> Result<ExitCode, Failure> {
        let what = self.what.unwrap_or(Task::Ls);
        // The test runs like any other code.
        let ConfiguredRuntime {
            runtime, governed, ..
        } = match what {
            Task::Test { .. } | Task::Add { .. } => self.owner.setup.running()?,
            _ => self.owner.setup.ungoverned()?,
        };
        if !runtime.has_skills() {
            return Err(Failure::usage(
                "skills are off: add `[skills]` to ampoule.toml",
            ));
        }
        let asked = SkillsContext {
            tools: runtime.tools(Grant::all())?.waiting(),
            runtime: runtime.clone(),
            principal: self.owner.principal(),
            as_json: self.owner.output.as_json,
        };
        let config = self.owner.setup.read()?;
        let doing = async move { asked.done(what, &config).await };
        let done = stop_signal::until_stopped(runtime, Cancellation::default(), doing).await;
        governed::closed(governed).await;
        done.unwrap_or_else(|stopped| Ok(stopped.into()))
    }
}

/// The command and its skills.
struct SkillsContext {
    runtime: Runtime,
    tools: GrantedTools,
    principal: Option<Principal>,
    as_json: bool,
}

impl SkillsContext {
    async fn done(&self, what: Task, config: &Config) -> Result<ExitCode, Failure> {
        match what {
            Task::Ls => self.list().await,
            Task::Show { name, version, to } => self.show(&name, version, to),
            Task::Add { folder, live } => self.add(&folder, live).await,
            Task::Test { name, live } => self.test(name, live).await,
            Task::Approve { name, version } => {
                let recorded = CommandLog::of(config)?;
                let principal = self.principal.as_ref();
                let skill = self.runtime.approve_skill(&name, principal, version)?;
                let version = skill.approval.map_or(0, |approval| approval.version);
                recorded.done(|| self.event("approved", &name, Some(version)))?;
                self.say(
                    &json!({ "name": name, "version": version }),
                    &format!("approved {name}, version {version}: every principal's scripts can now import it"),
                );
                Ok(ExitCode::SUCCESS)
            }
            Task::Diff { name, from, to } => self.diff(&name, from, to),
            Task::Rm {
                name,
                version,
                approved,
            } => {
                let recorded = CommandLog::of(config)?;
                let shelf = match approved {
                    true => self.runtime.shared_skills()?,
                    false => self.own()?,
                };
                shelf.remove(&name, version).map_err(refused)?;
                recorded.done(|| self.event("removed", &name, version))?;
                self.say(&json!({ "removed": name }), &format!("removed {name}"));
                Ok(ExitCode::SUCCESS)
            }
        }
    }

    /// The action on a skill, for the audit log: of any principal's skill.
    fn event(&self, action: &str, name: &SkillName, version: Option<u32>) -> audit::Event {
        let principal = self.principal.as_ref();
        audit::Event::Skill(audit::Skill {
            action: action.into(),
            name: name.to_string().into(),
            version: version.map(u64::from),
            principal: principal.map(|it| Arc::clone(it.name())),
            by: Some(ampoule::governance::LOCAL.into()),
            ..audit::Skill::default()
        })
    }

    fn own(&self) -> Result<Skills, Failure> {
        Ok(self.runtime.skills(self.principal.as_ref())?)
    }

    fn say(&self, document: &serde_json::Value, line: &str) {
        let as_json = self.as_json;
        Output { as_json }.report(document, line);
    }

    async fn add(&self, folder: &std::path::Path, live: bool) -> Result<ExitCode, Failure> {
        let shown = folder.to_string_lossy();
        let wrong =
            |problem: SkillError| Failure::usage(format!("{}: {problem}", text::one_line(&shown)));
        let draft = read_skill(folder, self.runtime.skill_limits()).map_err(wrong)?;
        let principal = self.principal.as_ref();
        let saving = self
            .runtime
            .save_skill(draft, principal, &self.tools, calls(live));
        let skill = saving.await?;
        let import = skill.import().unwrap_or_default();
        let line = match import.is_empty() {
            true => format!("saved {}, without code", skill.name),
            false => format!(
                "saved {} as version {}: {import}",
                skill.name, skill.version
            ),
        };
        self.say(
            &json!({ "name": skill.name, "version": skill.version, "import": import }),
            &line,
        );
        Ok(ExitCode::SUCCESS)
    }

    async fn test(&self, name: Option<SkillName>, live: bool) -> Result<ExitCode, Failure> {
        let shelf = self.own()?;
        let names = match name {
            Some(name) => vec![name],
            None => shelf.names().map_err(refused)?.into_keys().collect(),
        };
        let (mut failed, mut documents) = (0, Vec::new());
        for name in names {
            let skill = self.found(&name, None)?.skill;
            let principal = self.principal.as_ref();
            let tested = self
                .runtime
                .test_skill(&skill, principal, &self.tools, calls(live));
            let problem = tested.await.err().map(|error| error.to_string());
            failed += u32::from(problem.is_some());
            let changes = self.runtime.skill_changes(&skill, &self.tools);
            if !self.as_json {
                let out = streams::out();
                match (&problem, &skill.example) {
                    (None, Some(_)) => out.line(format_args!("{name}: the example runs")),
                    (None, None) => out.line(format_args!("{name}: the code loads; no example")),
                    (Some(problem), _) => {
                        out.line(format_args!("{name}: {}", text::visible(problem)));
                    }
                }
                changes
                    .iter()
                    .for_each(|change| streams::err().problem(change));
            }
            documents.push(json!({ "name": name, "problem": problem, "changes": changes }));
        }
        if self.as_json {
            let documents: serde_json::Value = documents.into();
            streams::out().json(&documents.to_string());
        }
        Ok(match failed {
            0 => ExitCode::SUCCESS,
            _ => ExitCode::FAILURE,
        })
    }
}

fn calls(live: bool) -> ExampleCalls {
    match live {
        true => ExampleCalls::Live,
        false => ExampleCalls::Recorded,
    }
}

/// The request can't be done, or the folder can't be used.
fn refused(problem: SkillError) -> Failure {
    match problem {
        SkillError::Disk(_) => {
            Failure::host(&ampoule::Error::host("the skills can't be used", problem))
        }
        problem => Failure::usage(problem.to_string()),
    }
}
