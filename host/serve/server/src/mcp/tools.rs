//! What calls of tools do. [`tool_list`](super::tool_list) has how clients see them.

use std::time::Duration;

use ampoule::{DirectCall, Error, FoundSkill, Principal};
use ampoule_effort::Effort;
use ampoule_projection::Caller;
use ampoule_tools::GrantedTools;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, InputResponses,
    JsonObject,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use serde_json::json;
use serde_json::value::to_raw_value;
use tokio::time::Instant;

use super::apps::AppTool;
use super::arguments::{self, CallTool, ExecuteCode, SearchTools};
use super::begin::{BegunRun, Program, RunRequest};
use super::client::Client;
use super::lacking::lacking;
use super::results::{NotDone, failure, host_failed, result};
use super::tasks::of_2025;
use super::unknown_tool::{self, UnknownCall};
use super::waiting::Request;
use super::wording::{self, HitDetail};
use super::{caller, telemetry};
use crate::content::blocks::Content;
use crate::runs::answer::Answer;
use crate::runs::start::RunOptions;

/// How long a client may wait; no run takes as long.
const LONGEST_WAIT: Duration = Duration::from_hours(24);

/// How many skills a search shows.
const SKILLS: usize = 5;

/// What a client sends to continue a run that asked for something.
struct NextRequest {
    state: Option<String>,
    responses: Option<InputResponses>,
}

/// A call without a script, and who makes it.
struct SingleCall {
    call: DirectCall,
    caller: Caller,
}

impl Client {
    /// Runs a script, or continues with an active run: one that asked for something, or one in the
    /// background.
    async fn execute_code(
        &self,
        arguments: ExecuteCode,
        next: NextRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, NotDone> {
        let wait = arguments.wait.map(seconds).transpose();
        let wait = wait.map_err(|wrong| failure(&wrong))?;
        let wait = match of_2025::is_wanted(&context) {
            true => Some(Duration::ZERO),
            false => wait,
        };
        let cancels = arguments.cancel;
        let until = wait.and_then(|wait| Instant::now().checked_add(wait));
        let request = Request {
            until,
            cancels,
            ..Request::default()
        };
        let run = match (next.state, &arguments.run) {
            (Some(state), _) => {
                let responses = next.responses.unwrap_or_default();
                self.held_run(&state, responses, &context).await?
            }
            (None, Some(_)) if arguments.code.is_some() => {
                let said = "`run` waits for an active run, `code` starts one: give one of them";
                return Err(failure(said).into());
            }
            (None, Some(_)) if arguments.undo => {
                return Box::pin(self.begun(arguments, request, context)).await;
            }
            (None, Some(id)) => match self.long_run(id, cancels, &context).await {
                Ok(run) => run,
                Err(wrong) => {
                    let principal = caller::principal(&context);
                    let ended = (self.server.runs).ended_before(
                        id,
                        principal,
                        self.server.offer().toolkit(),
                    );
                    return Ok(result(ended.unwrap_or_else(|| Answer::failure(&wrong))).into());
                }
            },
            (None, None) => return Box::pin(self.begun(arguments, request, context)).await,
        };
        Ok(self.wait(run, request, &context).await)
    }

    /// Begins a run, and waits for it.
    async fn begun(
        &self,
        arguments: ExecuteCode,
        request: Request,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, NotDone> {
        let begun = self.begin_code(arguments, request.until, &context).await?;
        let BegunRun { run, notifications } = begun;
        let request = Request {
            started: true,
            ..request
        };
        Ok(self.go_on(run, &notifications, request, &context).await)
    }

    /// Makes one call, without a script; or continues with one that asked for something.
    async fn make_call(
        &self,
        call: Option<SingleCall>,
        next: NextRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, NotDone> {
        let request = Request {
            until: of_2025::is_wanted(&context).then(Instant::now),
            ..Request::default()
        };
        let call = match (next.state, call) {
            (Some(state), _) => {
                let responses = next.responses.unwrap_or_default();
                let run = self.held_run(&state, responses, &context).await?;
                let answer = self.wait(run.clone(), request, &context).await;
                return lacking(&run, answer, &context);
            }
            (None, Some(call)) => call,
            (None, None) => {
                return Err(failure("call_tool needs `server` and `tool`").into());
            }
        };
        let begun = RunRequest {
            program: Program::Call(call.call),
            options: RunOptions {
                of_app: call.caller == Caller::App,
                ..RunOptions::default()
            },
            until: request.until,
            given: next.responses.unwrap_or_default(),
        };
        let BegunRun { run, notifications } = self.begin(begun, &context).await?;
        let request = Request {
            started: true,
            ..request
        };
        let answer = self.go_on(run.clone(), &notifications, request, &context);
        lacking(&run, answer.await, &context)
    }

    /// The direct tool of that name, or that of an app, as a call with these arguments, if the client
    /// has one.
    async fn direct_call(
        &self,
        name: &str,
        arguments: &JsonObject,
        context: &RequestContext<RoleServer>,
    ) -> Option<Result<SingleCall, CallToolResult>> {
        let (principal, client) = (caller::principal(context), caller::name(context));
        let client = client.as_deref();
        let meant = async {
            if let Some(direct) = self.server.direct_tool(name, principal, client).await? {
                let of_model = |tool| AppTool {
                    tool,
                    caller: Caller::Model,
                };
                return Ok(Some(direct.map(of_model)));
            }
            match self.has_apps(context) {
                true => self.server.app_tool(name, principal, client).await,
                false => Ok(None),
            }
        };
        let meant: Option<Result<_, Error>> = context.ct.run_until_cancelled(meant).await;
        let meant = match meant {
            Some(Ok(meant)) => meant?,
            Some(Err(error)) => return Some(Err(host_failed(&error))),
            None => return Some(Err(failure("cancelled"))),
        };
        Some(match meant {
            Ok(AppTool { tool, caller }) => match made(tool.server(), tool.name(), arguments) {
                Ok(call) => Ok(SingleCall { call, caller }),
                Err(error) => Err(host_failed(&error)),
            },
            Err(why) => Err(failure(&why)),
        })
    }

    /// Finds tools that scripts can call, with their declarations in TypeScript or Python.
    async fn search_tools(
        &self,
        arguments: SearchTools,
        context: &RequestContext<RoleServer>,
    ) -> CallToolResult {
        let (principal, client) = (caller::principal(context), caller::name(context));
        let listing = arguments.query.trim().is_empty();
        let limit = arguments.limit.unwrap_or(if listing { 200 } else { 10 }) as usize;
        let effort = Effort::without_a_run(principal.cloned());
        let _waiting = effort.until_dropped();
        let tools = match self.server.tools_of(principal, client.as_deref()) {
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
                    HitDetail::Summaries
                } else {
                    HitDetail::Declarations
                };
                let detail = arguments.detail.unwrap_or(usual);
                let most = self.server.runs.answer_bytes;
                let found = wording::found(&searched, &skills, detail, most);
                result(Answer::success(vec![Content::text(found)]))
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
        let runtime = &self.server.runs.shared.runtime;
        if !runtime.has_skills() {
            return Vec::new();
        }
        let found = runtime.find_skills(query, SKILLS, principal, tools).await;
        found.unwrap_or_else(|error| {
            tracing::error!(%error, "skills can't be searched");
            Vec::new()
        })
    }

    /// The result of a call of a tool. Errors about arguments are results, so that
    /// the model sees them.
    pub(super) async fn called(
        &self,
        call: CallToolRequestParams,
        mut context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let _request = telemetry::request(&self.server.runs.telemetry, &call.name, &mut context);
        let CallToolRequestParams {
            name,
            arguments,
            input_responses,
            request_state,
            ..
        } = call;
        self.can_be_asked(&context);
        self.tell_of_changes(&context);
        match &*name {
            "execute_code" => {
                let (arguments, note) = match arguments::EXECUTE_CODE.read(arguments) {
                    Ok(read) => read,
                    Err(wrong) => return Ok(failure(&wrong).into()),
                };
                let next = NextRequest {
                    state: request_state,
                    responses: input_responses,
                };
                let answered = self.execute_code(arguments, next, context).await;
                Ok(with_note(answered.or_else(NotDone::answer)?, note))
            }
            "search_tools" => {
                let (arguments, note) = match arguments::SEARCH_TOOLS.read(arguments) {
                    Ok(read) => read,
                    Err(wrong) => return Ok(failure(&wrong).into()),
                };
                let given_up = context.ct.clone();
                let search = self.search_tools(arguments, &context);
                let found = given_up.run_until_cancelled(search).await;
                let found = found.unwrap_or_else(|| failure("cancelled"));
                Ok(with_note(found.into(), note))
            }
            "call_tool" if self.server.offer().exposure.offers_call_tool(&context) => {
                let next = NextRequest {
                    state: request_state,
                    responses: input_responses,
                };
                let (call, note) = match next.state {
                    Some(_) => (None, None),
                    None => match one_call(arguments) {
                        Ok((call, note)) => {
                            let caller = Caller::Model;
                            (Some(SingleCall { call, caller }), note)
                        }
                        Err(wrong) => return Ok(failure(&wrong).into()),
                    },
                };
                let answered = self.make_call(call, next, context).await;
                Ok(with_note(answered.or_else(NotDone::answer)?, note))
            }
            other => {
                let arguments = arguments.unwrap_or_default();
                if let Some(call) = self.direct_call(other, &arguments, &context).await {
                    let next = NextRequest {
                        state: request_state,
                        responses: input_responses,
                    };
                    let answered = match call {
                        Ok(call) => self.make_call(Some(call), next, context).await,
                        Err(wrong) => Err(wrong.into()),
                    };
                    return answered.or_else(NotDone::answer);
                }
                let given_up = context.ct.clone();
                let client = caller::name(&context);
                let call = UnknownCall {
                    tool: other,
                    arguments,
                    principal: caller::principal(&context),
                    client: client.as_deref(),
                    has_call_tool: self.server.offer().exposure.offers_call_tool(&context),
                };
                let said = unknown_tool::answer(&self.server, call);
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

/// The call that the arguments of `call_tool` mean. What stands beside them is refused: the tool would
/// not get it.
fn one_call(sent: Option<JsonObject>) -> Result<(DirectCall, Option<String>), String> {
    let (sent, note) = arguments::CALL_TOOL.read_alone(sent, |call: &CallTool, beside| {
        let mut arguments = call.arguments.clone().unwrap_or_default();
        for (name, value) in beside {
            arguments.entry(name).or_insert(value);
        }
        json!({ "server": call.server, "tool": call.tool, "arguments": arguments })
    })?;
    let arguments = sent.arguments.unwrap_or_default();
    let call = made(&sent.server, &sent.tool, &arguments).map_err(|error| error.to_string())?;
    Ok((call, note))
}

/// A call of a tool, with these arguments, whose answer is passed on whole.
fn made(server: &str, tool: &str, arguments: &JsonObject) -> serde_json::Result<DirectCall> {
    Ok(DirectCall::new(server, tool, to_raw_value(arguments)?).whole())
}

/// How long a client waits.
fn seconds(wait: f64) -> Result<Duration, String> {
    Duration::try_from_secs_f64(wait)
        .map(|wait| wait.min(LONGEST_WAIT))
        .map_err(|_| format!("`wait` must be a number of seconds, not {wait}"))
}
