//! Starts a run for a person, who looks at it in the console: in the background, as `execute_code`
//! does with `wait`.

use std::collections::BTreeMap;

use ampoule::{Abilities, DirectCall, Error, Language, Principal, RunId, Toolkit};

use crate::mcp::server::Server;
use crate::runs::asking::approval_wait::ApprovalWait;
use crate::runs::code::{CodeLanguage, SentCode};
use crate::runs::lines::Lines;
use crate::runs::progress::Progress;
use crate::runs::requester::Requester;
use crate::runs::start::{NewRun, RunOptions};

/// What a person has run.
#[derive(Debug, Clone)]
pub enum RunProgram {
    /// A script.
    Script {
        /// Its source.
        source: String,
        /// Its language; none where Ampoule looks at the source.
        language: Option<Language>,
    },
    /// One call, without a script.
    Call(DirectCall),
}

/// A run for a person.
#[derive(Debug, Clone)]
pub struct PersonRun {
    /// What to run.
    pub program: RunProgram,
    /// The principal; none is the local user.
    pub principal: Option<Principal>,
    /// The name of the client.
    pub client: String,
    /// The session that it is a run of.
    pub session: Option<String>,
    /// Seconds until it is stopped. Default: the operator's limit.
    pub timeout: Option<f64>,
}

impl Server {
    /// Starts a run in the background. Its outcome is kept for an hour. Its servers can't ask the
    /// person anything; approvals are asked where the operator set them up.
    ///
    /// # Errors
    ///
    /// A request error if too many runs of the principal are active, or the run can't start.
    pub async fn begin_for_person(&self, wanted: PersonRun) -> Result<RunId, Error> {
        let PersonRun {
            program,
            principal,
            client,
            session,
            timeout,
        } = wanted;
        let grant = self.offer().grant.clone();
        let runs = &self.runs;
        let toolkit = grant.toolkit().map(Toolkit::name);
        let state = runs.shared.clients.of(principal.as_ref(), toolkit);
        state.runs.have_room().map_err(Error::request)?;
        let progress = Progress::new(ApprovalWait::new(runs.asking()));
        let (code, text, progress) = match program {
            RunProgram::Call(call) => {
                let text = call.text();
                (runs.call(call), text, progress.of_call())
            }
            RunProgram::Script { source, language } => {
                let sent = SentCode {
                    text: &source,
                    strings: BTreeMap::new(),
                    language: language.map(code_language).transpose()?,
                    arguments: None,
                    principal: principal.as_ref(),
                    session: session.as_deref(),
                };
                (runs.read_code(sent).await?, source, progress)
            }
        };
        let new = NewRun {
            grant,
            code,
            text: &text,
            options: RunOptions {
                timeout,
                session,
                ..RunOptions::default()
            },
            requester: Requester {
                principal,
                client: Some(client),
                abilities: Abilities::default(),
                shows_apps: false,
            },
            routes: runs.routes(None),
            progress,
            tool_progress: None,
            lines: Lines::of_requests(),
            trace: None,
        };
        let run = runs.start(new).await?;
        let id = run.id();
        state.runs.add(run);
        Ok(id)
    }
}

fn code_language(language: Language) -> Result<CodeLanguage, Error> {
    match language {
        Language::TypeScript => Ok(CodeLanguage::Typescript),
        Language::JavaScript => Ok(CodeLanguage::Javascript),
        Language::Python => Ok(CodeLanguage::Python),
        other => {
            let title = other.title();
            Err(Error::request(format!(
                "scripts in {title} can't be run here"
            )))
        }
    }
}
