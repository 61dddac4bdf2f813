//! The two tools: what calls of them do. [`offered`](super::offered) has how clients see them.

use std::sync::Arc;
use std::time::Duration;

use ampoule::{Code, Ending, Error, Language, Limits, Outcome, Script};
use ampoule_effort::{self as effort, Effort};
use ampoule_projection::Idiom;
use ampoule_untrusted::text::visible;
use futures::FutureExt;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, InputResponses,
    JsonObject,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::value::RawValue;
use tokio::sync::mpsc;

use super::asked::{self, ForRun, Way};
use super::client::{self, Client};
use super::cut::Room;
use super::estate::Estate;
use super::format::Format;
use super::held::{Step, UnderWay};
use super::incoming::{plain, quoted};
use super::kept::Kept;
use super::wording::{self, Said};
use super::{CUT_TOKENS, Shared, progress::Progress, report, telling};

/// The arguments of `execute_code`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ExecuteCode {
    /// The script. What it returns is the result; what it prints comes with it.
    code: String,
    /// Its language. Default: the one that the code looks like; the answer says which.
    #[serde(default)]
    language: Option<ScriptLanguage>,
    /// Seconds until the script is stopped. Default: the operator's.
    timeout_seconds: Option<f64>,
    /// How the value is written that it returns. Default: json.
    #[serde(default)]
    format: Format,
    /// A component's arguments. Clients that may run components are told of it.
    arguments: Option<Box<RawValue>>,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum ScriptLanguage {
    Typescript,
    Javascript,
    Python,
    Wasm,
}

/// The arguments of `search_tools`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
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
    Typescript,
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
    /// Runs a script, or goes on with one that wanted to know something.
    async fn execute_code(
        &self,
        arguments: ExecuteCode,
        (state, responses): (Option<String>, Option<InputResponses>),
        context: RequestContext<RoleServer>,
    ) -> CallToolResponse {
        let run = match state {
            None => self.begin(arguments, &context).await,
            Some(state) => match self.estate(&context).held.take(&state) {
                Some(mut run) => {
                    run.progress = run.progress.again(&context);
                    run.answer(responses.unwrap_or_default());
                    Ok(run)
                }
                None => {
                    let gone = "there is no run that waits under this requestState: it may have waited for too long; run the code again";
                    return failure(gone).into();
                }
            },
        };
        match run {
            Ok(run) => self.go_on(run, &context).await,
            Err(error) => failed(&error).into(),
        }
    }

    /// Waits for a run's end, or until its client has to be asked something.
    async fn go_on(
        &self,
        mut run: UnderWay,
        context: &RequestContext<RoleServer>,
    ) -> CallToolResponse {
        let estate = self.estate(context);
        loop {
            let progress = run.progress.clone();
            match progress.while_waiting(run.step(&context.ct)).await {
                Step::Ended(Ok(outcome)) => {
                    return self
                        .report(outcome, (run.ran, run.format), &estate)
                        .await
                        .into();
                }
                Step::Ended(Err(error)) => return failed(&error).into(),
                Step::Asks(question) => match estate.held.hold(run, question) {
                    Ok(wants) => return wants.into(),
                    Err(goes_on) => run = *goes_on,
                },
            }
        }
    }

    /// What a client reads of a run. What is large is cut where nobody waits for the thread.
    async fn report(
        &self,
        outcome: Outcome,
        (ran, format): (report::Ran, Format),
        estate: &Estate,
    ) -> CallToolResult {
        let returned = match &outcome.ending {
            Ending::Returned(Some(value)) => value.get().len(),
            _ => 0,
        };
        let printed: usize = (outcome.output.lines().iter())
            .map(|line| line.text.len())
            .sum();
        let bytes = returned + printed;
        let room = Room {
            bytes: self.server.answer_bytes,
            tokens: CUT_TOKENS,
        };
        let kept = estate.kept.clone();
        let report = move |_: &Effort| Ok(report::of(&outcome, ran, (room, format), kept.as_ref()));
        let price = effort::BYTE * bytes as u64;
        let reported = Effort::default().work(price, report).await;
        reported.unwrap_or_else(|broken_off| host_failed(&broken_off))
    }

    /// Finds tools that scripts can call, with their declarations in TypeScript or Python.
    async fn search_tools(&self, arguments: SearchTools) -> CallToolResult {
        let listing = arguments.query.trim().is_empty();
        let limit = arguments.limit.unwrap_or(if listing { 200 } else { 10 }) as usize;
        let tools = self
            .server
            .shared
            .tools
            .clone()
            .named_as(arguments.language.into());
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
                let found = wording::found(&searched, said, self.server.answer_bytes);
                CallToolResult::success(vec![ContentBlock::text(found)])
            }
            Err(unknown) => failure(&unknown.message),
        }
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
        Ok(match &*name {
            "execute_code" => match arguments_of(&name, arguments) {
                Ok(arguments) => {
                    let asked = (request_state, input_responses);
                    self.execute_code(arguments, asked, context).await
                }
                Err(wrong) => failure(&wrong).into(),
            },
            "search_tools" => match arguments_of(&name, arguments) {
                Ok(arguments) => {
                    let given_up = context.ct.clone();
                    let search = self.search_tools(arguments);
                    let found = given_up.run_until_cancelled(search).await;
                    found.unwrap_or_else(|| failure("cancelled")).into()
                }
                Err(wrong) => failure(&wrong).into(),
            },
            other => {
                let said = format!(
                    "there is no tool `{}`; the tools are execute_code and search_tools, and scripts call all others",
                    quoted(other)
                );
                return Err(ErrorData::invalid_params(said, None));
            }
        })
    }

    /// Starts code.
    async fn begin(
        &self,
        arguments: ExecuteCode,
        context: &RequestContext<RoleServer>,
    ) -> Result<UnderWay, Error> {
        let Shared { runtime, grant, .. } = &*self.server.shared;
        let (progress, format) = (Progress::of(context), arguments.format);
        let (questions, asked) = mpsc::channel(1);
        let way = match &self.asked {
            Some(client) if !asked::ends_requests(context) => Way::Request(Arc::clone(client)),
            _ => Way::Answer(questions),
        };
        let respondent = ForRun {
            way,
            abilities: asked::abilities(context),
            told: progress.told(),
        };
        let code = self.code(arguments.language, arguments.code, arguments.arguments);
        let (code, ran) = progress.while_waiting(code).await?;
        let mut limits: Limits = *runtime.limits();
        if let Some(seconds) = arguments.timeout_seconds {
            limits.wall_time = Duration::try_from_secs_f64(seconds).map_err(|_| {
                Error::request(format!(
                    "timeout_seconds must be a number of seconds, not {seconds}"
                ))
            })?;
        }
        let mut isolate = runtime
            .isolate(code)
            .limits(limits)?
            .respondent(respondent)
            .on_event(progress.listener());
        let principal = client::principal(context);
        if let Some(principal) = principal {
            isolate = isolate.principal(principal.clone());
        }
        let telemetry = &self.server.telemetry;
        let mut told = telling::run(telemetry, ran, principal, context);
        if let Some(trace) = told.trace() {
            isolate = isolate.trace(trace);
        }
        let mut grant = grant.clone();
        let kept = &self.estate(context).kept;
        if let Some((binding, name)) = kept.as_ref().and_then(Kept::binding) {
            isolate = isolate.binding(binding);
            grant = grant.and_server(name);
        }
        let run = match isolate.grant(grant).start().await {
            Ok(run) => run,
            Err(error) => {
                told.ended(telling::not_run(telemetry, &error));
                return Err(error);
            }
        };
        told.called(run.id());
        let named = (run.id(), run.canceller());
        let outcome = telling::outcome(telemetry.clone(), told, run).boxed();
        Ok(UnderWay::new(
            named,
            outcome,
            (ran, format),
            progress,
            asked,
        ))
    }

    async fn code(
        &self,
        language: Option<ScriptLanguage>,
        code: String,
        arguments: Option<Box<RawValue>>,
    ) -> Result<(Code, report::Ran), Error> {
        let stated = match language {
            None => None,
            Some(ScriptLanguage::Typescript) => Some(Language::TypeScript),
            Some(ScriptLanguage::Javascript) => Some(Language::JavaScript),
            Some(ScriptLanguage::Python) => Some(Language::Python),
            Some(ScriptLanguage::Wasm) => {
                let Shared {
                    runtime,
                    components,
                    ..
                } = &*self.server.shared;
                let most = runtime.limits().host_bytes;
                let component = components.component(&code, most).await?;
                let component = match arguments {
                    Some(arguments) => component.arguments(arguments),
                    None => component,
                };
                return Ok((component.into(), report::Ran::Component));
            }
        };
        if arguments.is_some() {
            return Err(Error::request(
                "`arguments` are for components; write a script's values into its code",
            ));
        }
        let language = stated.unwrap_or_else(|| Language::of_code(&code));
        let ran = report::Ran::Script {
            language,
            looked_at: stated.is_none(),
        };
        Ok((Script::new(language, code).into(), ran))
    }
}

/// Why there is no outcome.
fn failed(error: &Error) -> CallToolResult {
    if error.is_request() || error.is_busy() {
        failure(&error.to_string())
    } else {
        host_failed(error)
    }
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

fn arguments_of<T: DeserializeOwned>(
    tool: &str,
    arguments: Option<JsonObject>,
) -> Result<T, String> {
    serde_json::from_value(Value::Object(arguments.unwrap_or_default()))
        .map_err(|error| format!("the arguments of {tool} are wrong: {}", plain(&error)))
}
