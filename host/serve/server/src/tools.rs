//! The two tools: what calls of them do. [`offered`](super::offered) has how clients see them.

use std::time::Duration;

use ampoule::{FoundSkill, Principal};
use ampoule_effort::Effort;
use ampoule_projection::Idiom;
use ampoule_tools::GrantedTools;
use ampoule_untrusted::text::visible;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, InputResponses,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use serde::Deserialize;
use serde_json::value::RawValue;
use tokio::time::Instant;

use super::client::{self, Client};
use super::format::Format;
use super::waiting::Request;
use super::wording::{self, Said};
use super::{arguments, asked, long, misnamed, tasks, telling};

/// How many skills a search shows.
const SKILLS: usize = 5;

/// The arguments of `execute_code`; [`arguments`](super::arguments) has their names.
#[derive(Debug, Deserialize)]
pub(super) struct ExecuteCode {
    /// The script. What it returns is the result; what it prints comes with it.
    pub(super) code: Option<String>,
    /// Seconds until the answer, if the run is not over by then; it goes on, and has an id.
    wait: Option<f64>,
    /// The id of such a run, to wait for it.
    run: Option<String>,
    /// To end it.
    #[serde(default)]
    pub(super) cancel: bool,
    /// Its language. Default: the one that the code looks like; the answer says which.
    #[serde(default)]
    pub(super) language: Option<ScriptLanguage>,
    /// Seconds until the script is stopped. Default: the operator's.
    pub(super) timeout_seconds: Option<f64>,
    /// How the value is written that it returns. Default: json.
    #[serde(default)]
    pub(super) format: Format,
    /// The session that it is a run of: its top-level names are there in the next one.
    pub(super) session: Option<String>,
    /// Which of its ends are kept in the session.
    #[serde(default)]
    pub(super) keep: Keep,
    /// A component's arguments. Clients that may run components are told of it.
    pub(super) arguments: Option<Box<RawValue>>,
}

/// Which ends of a run are kept in its session.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Keep {
    /// That by itself.
    #[default]
    Returned,
    /// That, and an error that it threw.
    Always,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum ScriptLanguage {
    #[serde(alias = "ts", alias = "TypeScript")]
    Typescript,
    #[serde(alias = "js", alias = "JavaScript")]
    Javascript,
    #[serde(alias = "py", alias = "python3", alias = "Python")]
    Python,
    Wasm,
}

/// The arguments of `search_tools`.
#[derive(Debug, Deserialize)]
pub(super) struct SearchTools {
    /// What the tool should do, in a few words. Without it, all tools are listed.
    #[serde(default)]
    query: String,
    /// Only tools of this server.
    server: Option<String>,
    /// How many at the most. Default: 10, or 200 without a query.
    limit: Option<u32>,
    /// How much is said of each. Default: declarations, or summaries without a query.
    detail: Option<Said>,
    /// The language that they are declared in. Default: typescript.
    #[serde(default)]
    language: Declared,
}

#[derive(Debug, Default, Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Declared {
    #[default]
    #[serde(alias = "ts", alias = "TypeScript", alias = "javascript", alias = "js")]
    Typescript,
    #[serde(alias = "py", alias = "python3", alias = "Python")]
    Python,
}

impl From<Declared> for Idiom {
    fn from(declared: Declared) -> Self {
        match declared {
            Declared::Typescript => Self::TypeScript,
            Declared::Python => Self::Python,
        }
    }
}

impl Client {
    /// Runs a script, or goes on with one that is under way: because it wanted to know something,
    /// or needs nobody who waits for it.
    async fn execute_code(
        &self,
        arguments: ExecuteCode,
        (state, responses): (Option<String>, Option<InputResponses>),
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, CallToolResult> {
        let wait = arguments.wait.map(long::seconds).transpose();
        let wait = wait.map_err(|wrong| failure(&wrong))?;
        let wait = match tasks::of_2025::is_wanted(&context) {
            true => Some(Duration::ZERO),
            false => wait,
        };
        let cancels = arguments.cancel;
        let until = wait.and_then(|wait| Instant::now().checked_add(wait));
        let (run, started) = match (state, &arguments.run) {
            (Some(state), _) => {
                let responses = responses.unwrap_or_default();
                let run = self.held_run(&state, responses, &context).await;
                (run.map_err(|wrong| failure(&wrong))?, false)
            }
            (None, Some(id)) => match self.long_run(id, &arguments, &context).await {
                Ok(run) => (run, false),
                Err(wrong) => {
                    let principal = client::principal(&context);
                    let ended = self.server.ended_before(id, principal);
                    let ended = ended.filter(|_| arguments.code.is_none());
                    return Ok(ended.ok_or_else(|| failure(&wrong))?.into());
                }
            },
            (None, None) => (self.begin(arguments, until, &context).await?, true),
        };
        let request = Request {
            until,
            started,
            cancels,
            to_its_end: false,
        };
        Ok(match started {
            true => self.go_on(run, request, &context).await,
            false => self.wait(run, request, &context).await,
        })
    }

    /// Finds tools that scripts can call, with their declarations in TypeScript or Python.
    async fn search_tools(
        &self,
        arguments: SearchTools,
        (principal, client): (Option<&Principal>, Option<&str>),
    ) -> CallToolResult {
        let listing = arguments.query.trim().is_empty();
        let limit = arguments.limit.unwrap_or(if listing { 200 } else { 10 }) as usize;
        let effort = Effort::without_a_run(principal.cloned());
        let _waiting = effort.until_dropped();
        let tools = match self.server.shared.tools_of(principal, client) {
            Ok(tools) => tools,
            Err(error) => return host_failed(&error),
        };
        let tools = tools.named_as(arguments.language.into()).paid_by(effort);
        let skills = match &arguments.server {
            None => self.skills(&arguments.query, principal, &tools).await,
            Some(_) => Vec::new(),
        };
        let searched = tools
            .search(&arguments.query, limit, arguments.server.as_deref())
            .await;
        match searched {
            Ok(searched) => {
                let usual = if listing {
                    Said::Summaries
                } else {
                    Said::Declarations
                };
                let said = arguments.detail.unwrap_or(usual);
                let found = wording::found(&searched, &skills, said, self.server.answer_bytes);
                CallToolResult::success(vec![ContentBlock::text(found)])
            }
            Err(unknown) => failure(&unknown.message),
        }
    }

    /// The skills that match, which scripts import.
    async fn skills(
        &self,
        query: &str,
        principal: Option<&Principal>,
        tools: &GrantedTools,
    ) -> Vec<FoundSkill> {
        let runtime = &self.server.shared.runtime;
        if !runtime.has_skills() {
            return Vec::new();
        }
        let found = runtime.find_skills(query, SKILLS, principal, tools).await;
        found.unwrap_or_else(|error| {
            tracing::error!(%error, "skills can't be searched");
            Vec::new()
        })
    }

    /// What a call of one of the two tools gives. A model is to see what is wrong with its
    /// arguments: that is a result.
    pub(super) async fn called(
        &self,
        call: CallToolRequestParams,
        mut context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let _request = telling::request(&self.server.telemetry, &call.name, &mut context);
        let CallToolRequestParams {
            name,
            arguments,
            input_responses,
            request_state,
            ..
        } = call;
        self.server
            .shared
            .tools
            .can_be_answered(asked::abilities(&context));
        match &*name {
            "execute_code" => {
                let (arguments, note) = match arguments::EXECUTE_CODE.read(arguments) {
                    Ok(read) => read,
                    Err(wrong) => return Ok(failure(&wrong).into()),
                };
                let asked = (request_state, input_responses);
                let answered = self.execute_code(arguments, asked, context).await;
                Ok(with_note(answered.unwrap_or_else(Into::into), note))
            }
            "search_tools" => {
                let (arguments, note) = match arguments::SEARCH_TOOLS.read(arguments) {
                    Ok(read) => read,
                    Err(wrong) => return Ok(failure(&wrong).into()),
                };
                let given_up = context.ct.clone();
                let name = client::name(&context);
                let whose = (client::principal(&context), name.as_deref());
                let search = self.search_tools(arguments, whose);
                let found = given_up.run_until_cancelled(search).await;
                let found = found.unwrap_or_else(|| failure("cancelled"));
                Ok(with_note(found.into(), note))
            }
            other => {
                let given_up = context.ct.clone();
                let name = client::name(&context);
                let whose = (client::principal(&context), name.as_deref());
                let said = misnamed::said(&self.server, (other, arguments), whose);
                let said = given_up.run_until_cancelled(said).await;
                let said = said.unwrap_or_else(|| "cancelled".to_owned());
                Err(ErrorData::invalid_params(said, None))
            }
        }
    }
}

/// An answer with a note behind it, where it has room for one.
fn with_note(mut answer: CallToolResponse, note: Option<String>) -> CallToolResponse {
    if let (CallToolResponse::Complete(result), Some(note)) = (&mut answer, note) {
        result.content.push(ContentBlock::text(note));
    }
    answer
}

/// What is said of a fault of the host's: the reason is the operator's.
pub(super) fn host_failed(reason: &dyn std::fmt::Debug) -> CallToolResult {
    let id = ampoule_untrusted::log_id();
    tracing::error!(id, ?reason, "a tool could not be called");
    failure(&format!(
        "the host failed, not the script; the operator can find the reason in the log under {id}"
    ))
}

/// A result that says what went wrong. Some of that may be quoted from elsewhere.
pub(super) fn failure(message: &str) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(visible(message))])
}
