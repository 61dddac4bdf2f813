//! From what is configured to an active run.

use std::path::PathBuf;

use ampoule::{Error, Grant, Language, Limits, Principal, RunId, Script, SkillName};
use serde_json::Value;
use tokio::io::AsyncReadExt;

use crate::mcp::server::Server;
use crate::runs::asking::approval_wait::ApprovalWait;
use crate::runs::code::RunnableCode;
use crate::runs::handle::RunHandle;
use crate::runs::lines::Lines;
use crate::runs::progress::Progress;
use crate::runs::requester::Requester;
use crate::runs::start::{NewRun, RunOptions};

/// How large a script may be, in bytes.
const SCRIPT_BYTES: u64 = 4 << 20;

/// What runs, for whom, and with which rights.
#[derive(Debug, Clone)]
pub struct Job {
    /// What runs.
    pub program: JobProgram,
    /// For whom; none for the local user.
    pub principal: Option<Principal>,
    /// What it may call.
    pub access: JobAccess,
    /// What it may use.
    pub limits: Limits,
}

/// What runs.
#[derive(Debug, Clone)]
pub enum JobProgram {
    /// The script in a file, which is read at each run.
    Script(PathBuf),
    /// A function of a skill, with `env.input` as its argument.
    Skill {
        /// The skill's name.
        skill: String,
        /// The function's.
        function: String,
    },
}

/// What a run may call.
#[derive(Debug, Clone)]
pub enum JobAccess {
    /// These tools.
    Tools(Grant),
    /// Those of a toolkit of the server.
    Toolkit(String),
}

/// A run that has its id, and has not started.
pub(super) struct PreparedRun {
    grant: Grant,
    code: RunnableCode,
    text: String,
}

impl PreparedRun {
    pub(super) fn id(&self) -> RunId {
        self.code.id()
    }
}

impl Job {
    /// Prepares a run. The script gets the values as its `env`.
    pub(super) async fn prepare(
        &self,
        server: &Server,
        env: Vec<(&'static str, Value)>,
    ) -> Result<PreparedRun, Error> {
        let grant = self.grant(server)?;
        let script = self.script(server).await?;
        let text = script.source().to_owned();
        let script = env
            .into_iter()
            .fold(script, |script, (name, value)| script.env(name, value));
        let code = server.runs.script(script);
        Ok(PreparedRun { grant, code, text })
    }

    /// Starts a run. `by` says what started it.
    pub(super) async fn start(
        &self,
        server: &Server,
        prepared: PreparedRun,
        by: String,
    ) -> Result<RunHandle, Error> {
        let PreparedRun { grant, code, text } = prepared;
        let runs = &server.runs;
        let new = NewRun {
            grant,
            code,
            text: &text,
            options: RunOptions {
                limits: Some(self.limits),
                ..RunOptions::default()
            },
            requester: Requester {
                principal: self.principal.clone(),
                client: Some(by),
                ..Requester::default()
            },
            // No client waits: people are asked where the operator says.
            routes: runs.routes(None),
            progress: Progress::new(ApprovalWait::new(runs.asking())),
            tool_progress: None,
            lines: Lines::of_requests(),
            trace: None,
        };
        runs.start(new).await
    }

    fn grant(&self, server: &Server) -> Result<Grant, Error> {
        match &self.access {
            JobAccess::Tools(grant) => Ok(grant.clone()),
            JobAccess::Toolkit(name) => match server.toolkit(name) {
                Some(server) => Ok(server.offered_grant()),
                None => Err(Error::request(format!(
                    "the toolkit `{name}` is gone from the configuration"
                ))),
            },
        }
    }

    async fn script(&self, server: &Server) -> Result<Script, Error> {
        match &self.program {
            JobProgram::Script(file) => {
                let source = read(file).await.map_err(|why| {
                    Error::request(format!(
                        "the script {} can't be read: {why}",
                        file.display()
                    ))
                })?;
                let language = Language::of_file(file);
                let runtime = &server.runs.shared.runtime;
                let language = language.unwrap_or_else(|| {
                    let text = String::from_utf8_lossy(&source);
                    runtime.language_of(&text, self.principal.as_ref(), None)
                });
                let script = Script::from_bytes(language, source)?;
                Ok(match file.file_name() {
                    Some(name) => script.named(name.to_string_lossy()),
                    None => script,
                })
            }
            JobProgram::Skill { skill, function } => self.of_skill(server, skill, function).await,
        }
    }

    /// A script that calls a function of a skill.
    async fn of_skill(
        &self,
        server: &Server,
        skill: &str,
        function: &str,
    ) -> Result<Script, Error> {
        let (runtime, principal) = (server.runs.shared.runtime.clone(), self.principal.clone());
        let name = SkillName::meant(skill).map_err(|error| Error::request(error.to_string()))?;
        let looked_for = name.clone();
        let found = tokio::task::spawn_blocking(move || {
            let visible = runtime.visible_skills(principal.as_ref())?;
            let found = visible.get(&looked_for);
            found.map_err(|error| Error::request(error.to_string()))
        });
        let found = found
            .await
            .map_err(|error| Error::host("a skill was not looked for", error))??;
        let language = found.skill.language.as_deref().and_then(Language::named);
        Ok(match language {
            Some(Language::Python) => {
                let module = name.to_string().replace('-', "_");
                Script::python(format!(
                    "import inspect\nfrom skills.{module} import {function}\nvalue = {function}(env[\"input\"])\nreturn (await value) if inspect.isawaitable(value) else value\n"
                ))
            }
            Some(language) => Script::new(
                language,
                format!(
                    "import {{ {function} }} from \"./skills/{name}\";\nreturn await {function}(env.input);\n"
                ),
            ),
            None => {
                return Err(Error::request(format!("the skill `{name}` has no code")));
            }
        })
    }
}

/// The content of a file, bounded.
async fn read(file: &PathBuf) -> Result<Vec<u8>, String> {
    let found = tokio::fs::metadata(file).await;
    // A pipe may have no other end.
    if !found.map_err(|error| error.to_string())?.is_file() {
        return Err("it is not a file".to_owned());
    }
    let mut bytes = Vec::new();
    let file = tokio::fs::File::open(file).await;
    let mut file = file
        .map_err(|error| error.to_string())?
        .take(SCRIPT_BYTES + 1);
    let read = file.read_to_end(&mut bytes).await;
    read.map_err(|error| error.to_string())?;
    match bytes.len() as u64 > SCRIPT_BYTES {
        true => Err(format!("it has more than {} MiB", SCRIPT_BYTES >> 20)),
        false => Ok(bytes),
    }
}
