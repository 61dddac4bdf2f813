//! From code to a run that is under way, and from its outcome to what its client reads.

use std::sync::{Arc, Weak};
use std::time::Duration;

use ampoule::governance::Governance;
use ampoule::{Code, Ending, Error, Language, Limits, Principal, Run, Script};
use ampoule_effort::{self as effort, Effort};
use futures::FutureExt;
use rmcp::RoleServer;
use rmcp::model::CallToolResult;
use rmcp::service::RequestContext;
use serde_json::value::RawValue;
use tokio::sync::mpsc;
use tokio::time::Instant;

use super::approvals::{Reached, Registered, Waits};
use super::asked::{self, ForRun, Way};
use super::client::{self, Client};
use super::cut::Room;
use super::format::Format;
use super::held::{Answer, Question, UnderWay};
use super::kept::Kept;
use super::lines::Lines;
use super::operator::{About, Calls, Seen};
use super::progress::Progress;
use super::tools::{ExecuteCode, Keep, ScriptLanguage, failure, host_failed};
use super::{CUT_TOKENS, Server, Shared, report, tasks, telling};

/// How a run's client is asked what the run's servers want to know, and where that waits to be
/// asked.
struct Ways {
    way: Way,
    questions: mpsc::Sender<Question>,
    asked: mpsc::Receiver<Question>,
}

impl Client {
    /// Starts code. Where its client waits for so long and no longer, it goes on after that.
    pub(super) async fn begin(
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
        let runtime = &self.server.shared.runtime;
        let asking = runtime.governance().and_then(Governance::asking);
        let (progress, given) = (
            Progress::of(context, lines, Waits::new(asking)),
            arguments.arguments,
        );
        let about = {
            let client = client::name(context);
            let principal = client::principal(context).cloned();
            move |ran: report::Ran, code: &str| About::new(principal, client, ran.name(), code)
        };
        let session = arguments.session.clone();
        let place = (client::principal(context), session.as_deref());
        let read = self.code(arguments.language, &code, given, place);
        let started = async {
            let (executable, ran) = progress.while_waiting(read).await?;
            let about = about(ran, &code);
            let ran = (ran, arguments.format);
            let timeout = arguments.timeout_seconds;
            let way = self.way(until.is_some(), context);
            let code = (executable, timeout, arguments.session, arguments.keep);
            let started = self.start(code, ran, about, (&progress, way), context);
            started.await
        };
        let run = started.await.map_err(|error: Error| failed(&error))?;
        if until.is_some() {
            estate.long.add(run.clone());
        }
        Ok(run)
    }

    /// How a run's client is asked what the run's servers want to know, and where that waits to be
    /// asked. Over HTTP, nobody can be asked who has been answered.
    fn way(
        &self,
        may_be_answered_before_its_end: bool,
        context: &RequestContext<RoleServer>,
    ) -> Ways {
        let (questions, asked) = mpsc::channel(1);
        let waits = asked::ends_requests(context)
            || tasks::of_2025::is_wanted(context)
            || (may_be_answered_before_its_end && client::came_over_http(context));
        let way = match &self.asked {
            Some(client) if !waits => Way::Request(Arc::clone(client)),
            _ => Way::Waits(questions.clone()),
        };
        Ways {
            way,
            questions,
            asked,
        }
    }

    /// Starts code that has been read.
    async fn start(
        &self,
        (code, timeout, session, keep): (Code, Option<f64>, Option<String>, Keep),
        ran: (report::Ran, Format),
        about: About,
        (progress, ways): (&Progress, Ways),
        context: &RequestContext<RoleServer>,
    ) -> Result<UnderWay, Error> {
        let Shared { runtime, grant, .. } = &*self.server.shared;
        let Ways {
            way,
            questions,
            asked,
        } = ways;
        let in_client = (way.clone(), questions);
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
        if let Some(session) = session {
            isolate = isolate.session(session);
        }
        if self.server.previews {
            isolate = isolate.preview();
        }
        if keep == Keep::Always {
            isolate = isolate.keep_always();
        }
        let principal = client::principal(context);
        if let Some(principal) = principal {
            isolate = isolate.principal(principal.clone());
        }
        if let Some(name) = client::name(context) {
            isolate = isolate.client(name);
        }
        let telemetry = &self.server.telemetry;
        let mut told = telling::run(telemetry, ran.0, principal, context);
        if let Some(trace) = told.trace() {
            isolate = isolate.trace(trace);
        }
        // Before the first of its calls has somebody asked.
        let reached = self.server.dialogues.as_ref().map(|dialogues| {
            let (who, abilities) = (client::who(context), asked::abilities(context));
            dialogues.register(isolate.id(), Reached::new(who, in_client, abilities))
        });
        progress.waits.is(isolate.id());
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
        let seen = self.server.shared.watched.see(&run, about, &calls);
        let effort = Effort::without_a_run(principal.cloned());
        let answer = self.server.answer(
            (run, told),
            ran,
            (kept, effort),
            (Arc::downgrade(&seen), reached),
        );
        Ok(UnderWay::new(named, answer, progress.clone(), asked, seen))
    }

    async fn code(
        &self,
        language: Option<ScriptLanguage>,
        code: &str,
        arguments: Option<Box<RawValue>>,
        (principal, session): (Option<&Principal>, Option<&str>),
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
        let runtime = &self.server.shared.runtime;
        let language = stated.unwrap_or_else(|| runtime.language_of(code, principal, session));
        let ran = report::Ran::Script {
            language,
            looked_at: stated.is_none(),
        };
        Ok((Script::new(language, code).into(), ran))
    }
}

impl Server {
    /// What a client reads of a run, once it is over. What is large is cut where nobody waits for
    /// the thread.
    pub(super) fn answer(
        &self,
        (run, told): (Run, ampoule_telemetry::Run),
        (ran, format): (report::Ran, Format),
        (kept, effort): (Option<Kept>, Effort),
        (seen, reached): (Weak<Seen>, Option<Registered>),
    ) -> Answer {
        let room = Room {
            bytes: self.answer_bytes,
            tokens: CUT_TOKENS,
        };
        let telemetry = self.telemetry.clone();
        let answered = async move {
            let id = run.id();
            let outcome = telling::outcome(&telemetry, told, run).await;
            // Nobody is asked any more.
            drop(reached);
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
            let reported = effort.work(price, report).await;
            reported.unwrap_or_else(|broken_off| host_failed(&broken_off))
        };
        answered.boxed().shared()
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
