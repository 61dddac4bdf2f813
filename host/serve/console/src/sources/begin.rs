//! Runs that people start in the console: scripts, and single calls.

use ampoule::{DirectCall, Language};
use ampoule_server::operator::{PersonRun, RunProgram};
use serde_json::value::to_raw_value;

use crate::model::{CallRequest, NewRun, StartedRun, Viewer};
use crate::{Console, ConsoleError};

/// The client of runs that people start in the console.
pub(super) const CLIENT: &str = "console";

impl Console {
    /// Runs a script, in the background.
    ///
    /// # Errors
    ///
    /// [`ConsoleError::Invalid`] for an unknown language, toolkit or session, and if too many runs of
    /// the principal are active.
    pub async fn start_run(
        &self,
        viewer: &Viewer,
        wanted: NewRun,
    ) -> Result<StartedRun, ConsoleError> {
        let language = wanted.language.as_deref().filter(|it| !it.is_empty());
        let language = language.map(language_of).transpose()?;
        let run = PersonRun {
            program: RunProgram::Script {
                source: wanted.code,
                language,
            },
            principal: viewer.owner().cloned(),
            client: CLIENT.to_owned(),
            session: wanted.session.filter(|name| !name.is_empty()),
            timeout: wanted.timeout_seconds,
        };
        self.begin(run, wanted.toolkit.as_deref()).await
    }

    /// Calls a tool, as a run of one call.
    ///
    /// # Errors
    ///
    /// [`ConsoleError::NotFound`] for an unknown tool.
    pub async fn call_tool(
        &self,
        viewer: &Viewer,
        name: &str,
        request: CallRequest,
    ) -> Result<StartedRun, ConsoleError> {
        let tool = self.resolved(viewer, name).await?;
        let arguments = to_raw_value(&request.arguments);
        let arguments = arguments.map_err(|error| ConsoleError::host(&error))?;
        let (server, tool) = (tool.server().to_string(), tool.definition().name.clone());
        let call = DirectCall::new(server, tool, arguments);
        let run = PersonRun {
            program: RunProgram::Call(call),
            principal: viewer.owner().cloned(),
            client: CLIENT.to_owned(),
            session: None,
            timeout: None,
        };
        self.begin(run, None).await
    }

    async fn begin(
        &self,
        run: PersonRun,
        toolkit: Option<&str>,
    ) -> Result<StartedRun, ConsoleError> {
        let server = &self.sources().server;
        let id = match toolkit.filter(|name| !name.is_empty()) {
            None => server.begin_for_person(run).await?,
            Some(name) => {
                let within = server.toolkit(name);
                let within = within.ok_or(ConsoleError::NotFound("this toolkit"))?;
                within.begin_for_person(run).await?
            }
        };
        Ok(StartedRun {
            run: id.to_string(),
        })
    }
}

pub(super) fn language_of(name: &str) -> Result<Language, ConsoleError> {
    match name {
        "typescript" => Ok(Language::TypeScript),
        "javascript" => Ok(Language::JavaScript),
        "python" => Ok(Language::Python),
        _ => Err(ConsoleError::Invalid(
            "unknown language: write `typescript`, `javascript` or `python`".to_owned(),
        )),
    }
}
