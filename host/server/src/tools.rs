//! The two tools: what calls of them do. [`offered`](super::offered) has how clients see them.

use std::sync::{Arc, Weak};
use std::time::Duration;

use ampoule::{Code, Ending, Error, Language, Limits, Run, Script};
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
use tokio::time::Instant;

use super::asked::{self, ForRun, Way};
use super::client::{self, Client};
use super::cut::Room;
use super::format::Format;
use super::held::{Answer, Patience, Step, UnderWay};
use super::incoming::{plain, quoted};
use super::kept::Kept;
use super::lines::Lines;
use super::operator::{About, Calls, Seen};
use super::wording::{self, Said};
use super::{CUT_TOKENS, Shared, long, progress::Progress, report, tasks, telling};

/// The arguments of `execute_code`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
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
    /// Runs a script, or goes on with one that is under way: because it wanted to know something,
    /// or needs nobody who waits for it.
    async fn execute_code(
        &self,
        arguments: ExecuteCode,
        (state, responses): (Option<String>, Option<InputResponses>),
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, CallToolResult> {
        let until = arguments.wait.map(long::seconds).transpose();
        let until = until.map_err(|wrong| failure(&wrong))?;
        let until = until.and_then(|wait| Instant::now().checked_add(wait));
        let estate = self.estate(&context);
        let (run, started) = match (state, &arguments.run) {
            (Some(state), _) => {
                let run = estate.held.take(&state).ok_or_else(|| {
                    failure("there is no run that waits under this requestState: it may have waited for too long; run the code again")
                })?;
                run.answer(responses.unwrap_or_default()).await;
                (run, false)
            }
            (None, Some(id)) => (
                long::found(&estate.long, id, &arguments).map_err(|wrong| failure(&wrong))?,
                false,
            ),
            (None, None) => (self.begin(arguments, until, &context).await?, true),
        };
        let run = match started {
            true => run,
            false => {
                let progress = run.progress.again(&context);
                run.telling(progress)
            }
        };
        Ok(self.go_on(run, (until, started), &context).await)
    }

    /// Waits for a run's end, or until its client has to be asked something, or has waited for long
    /// enough.
    async fn go_on(
        &self,
        mut run: UnderWay,
        (until, started): (Option<Instant>, bool),
        context: &RequestContext<RoleServer>,
    ) -> CallToolResponse {
        let estate = self.estate(context);
        let mut patience = Patience {
            until: until.or_else(|| tasks::patience(context)),
            can_be_asked: asked::ends_requests(context),
        };
        loop {
            let step = run.step(patience, &context.ct);
            match run.progress.while_waiting(step).await {
                Step::Ended(answer) => {
                    if started {
                        // Its client has not been told its id, and has all of it.
                        estate.long.forget(run.id);
                    }
                    return answer.into();
                }
                Step::Asks => match estate.held.hold(run) {
                    Ok(wants) => return wants.into(),
                    Err(goes_on) => run = *goes_on,
                },
                Step::GoesOn => match tasks::handed_over(&run, &estate.long, context) {
                    Some(task) => return task,
                    None if until.is_some() => return long::so_far(&run).into(),
                    // There is no room for one more that nobody waits for.
                    None => patience.until = None,
                },
                Step::GivenUp => {
                    let is_long = estate.long.has(run.id);
                    if !is_long || started && client::says_when_it_gives_up(context) {
                        return run.given_up().await.into();
                    }
                    return failure("cancelled").into();
                }
            }
        }
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
                    let answered = self.execute_code(arguments, asked, context).await;
                    answered.unwrap_or_else(Into::into)
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

    /// Starts code. Where its client waits for so long and no longer, it goes on after that.
    async fn begin(
        &self,
        arguments: ExecuteCode,
        until: Option<Instant>,
        context: &RequestContext<RoleServer>,
    ) -> Result<UnderWay, CallToolResult> {
        if arguments.cancel {
            return Err(failure("`cancel` ends a run: say which, by `run`"));
        }
        let Some(code) = arguments.code else {
            return Err(failure(
                "execute_code needs `code`: the script; or `run`: the id of one that is under way",
            ));
        };
        let estate = self.estate(context);
        if until.is_some() {
            estate.long.have_room().map_err(|full| failure(&full))?;
        }
        let lines = Lines::of(context, &self.log_level);
        let (progress, given) = (Progress::of(context, lines), arguments.arguments);
        let about = {
            let client = context.client_info().map(|client| client.name);
            let principal = client::principal(context).cloned();
            move |ran: report::Ran, code: &str| About::new(principal, client, ran.name(), code)
        };
        let read = self.code(arguments.language, &code, given);
        let started = async {
            let (executable, ran) = progress.while_waiting(read).await?;
            let about = about(ran, &code);
            let ran = (ran, arguments.format);
            let timeout = arguments.timeout_seconds;
            self.start((executable, timeout), ran, about, &progress, context)
                .await
        };
        let run = started.await.map_err(|error: Error| failed(&error))?;
        if until.is_some() {
            estate.long.add(run.clone());
        }
        Ok(run)
    }

    /// Starts code that has been read.
    async fn start(
        &self,
        (code, timeout): (Code, Option<f64>),
        ran: (report::Ran, Format),
        about: About,
        progress: &Progress,
        context: &RequestContext<RoleServer>,
    ) -> Result<UnderWay, Error> {
        let Shared { runtime, grant, .. } = &*self.server.shared;
        let (questions, asked) = mpsc::channel(1);
        let way = match &self.asked {
            Some(client) if !asked::ends_requests(context) => Way::Request(Arc::clone(client)),
            _ => Way::Answer(questions),
        };
        let respondent = ForRun {
            way,
            abilities: asked::abilities(context),
            told: progress.told(),
            lines: progress.lines.clone(),
        };
        let mut limits: Limits = *runtime.limits();
        if let Some(seconds) = timeout {
            limits.wall_time = Duration::try_from_secs_f64(seconds).map_err(|_| {
                Error::request(format!(
                    "timeout_seconds must be a number of seconds, not {seconds}"
                ))
            })?;
        }
        let calls = Calls::default();
        let (mut hears, mut counts) = (progress.listener(), calls.listener());
        let mut isolate = runtime
            .isolate(code)
            .limits(limits)?
            .respondent(respondent)
            .on_event(move |happened| {
                hears(happened);
                counts(&happened.event);
            });
        let principal = client::principal(context);
        if let Some(principal) = principal {
            isolate = isolate.principal(principal.clone());
        }
        let telemetry = &self.server.telemetry;
        let mut told = telling::run(telemetry, ran.0, principal, context);
        if let Some(trace) = told.trace() {
            isolate = isolate.trace(trace);
        }
        let mut grant = grant.clone();
        let kept = self.estate(context).kept.clone();
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
        let watched = (run.id(), run.canceller(), run.events());
        let seen = self.server.shared.watched.see(watched, about, &calls);
        let answer = self.answer((run, told), ran, kept, Arc::downgrade(&seen));
        Ok(UnderWay::new(named, answer, progress.clone(), asked, seen))
    }

    /// What a client reads of a run, once it is over. What is large is cut where nobody waits for
    /// the thread.
    fn answer(
        &self,
        (run, told): (Run, ampoule_telemetry::Run),
        (ran, format): (report::Ran, Format),
        kept: Option<Kept>,
        seen: Weak<Seen>,
    ) -> Answer {
        let room = Room {
            bytes: self.server.answer_bytes,
            tokens: CUT_TOKENS,
        };
        let telemetry = self.server.telemetry.clone();
        let answered = async move {
            let id = run.id();
            let outcome = telling::outcome(&telemetry, told, run).await;
            if let Some(seen) = seen.upgrade() {
                seen.end(&outcome);
            }
            let outcome = match outcome {
                Ok(outcome) => outcome,
                Err(error) => return failed(&error),
            };
            let returned = match &outcome.ending {
                Ending::Returned(Some(value)) => value.get().len(),
                _ => 0,
            };
            let printed: usize = (outcome.output.lines().iter())
                .map(|line| line.text.len())
                .sum();
            let price = effort::BYTE * (returned + printed) as u64;
            let report = move |_: &Effort| {
                Ok(report::of(
                    (id, &outcome),
                    ran,
                    (room, format),
                    kept.as_ref(),
                ))
            };
            let reported = Effort::default().work(price, report).await;
            reported.unwrap_or_else(|broken_off| host_failed(&broken_off))
        };
        answered.boxed().shared()
    }

    async fn code(
        &self,
        language: Option<ScriptLanguage>,
        code: &str,
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
                let component = components.component(code, most).await?;
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
        let language = stated.unwrap_or_else(|| Language::of_code(code));
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
