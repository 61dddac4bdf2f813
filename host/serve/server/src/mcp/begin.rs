//! Starts a run for a client's call.

use std::collections::BTreeMap;
use std::sync::Arc;

use ampoule::DirectCall;
use rmcp::RoleServer;
use rmcp::model::{CallToolResult, InputResponses};
use rmcp::service::RequestContext;
use serde_json::value::RawValue;
use tokio::time::Instant;

use super::arguments::ExecuteCode;
use super::caller;
use super::client::Client;
use super::notifications::Notifications;
use super::results::{failure, result};
use super::tasks::of_2025;
use crate::runs::asking::approval_wait::ApprovalWait;
use crate::runs::asking::link::ClientLink;
use crate::runs::code::{CodeLanguage, SentCode};
use crate::runs::finish::not_run;
use crate::runs::handle::RunHandle;
use crate::runs::progress::Progress;
use crate::runs::start::{NewRun, RunOptions};

/// A run that has begun, and the notifications to its client meanwhile.
pub(super) struct BegunRun {
    pub(super) run: RunHandle,
    pub(super) notifications: Notifications,
}

/// What a client has run.
pub(super) enum Program {
    Code {
        text: String,
        /// The texts of a script's global `strings`.
        strings: BTreeMap<String, String>,
        /// None where the code is looked at.
        language: Option<CodeLanguage>,
        /// A component's.
        arguments: Option<Box<RawValue>>,
    },
    /// One call, without a script.
    Call(DirectCall),
    /// What takes back the calls of that run.
    Undo(String),
}

/// A run that a client asks for.
pub(super) struct RunRequest {
    pub(super) program: Program,
    pub(super) options: RunOptions,
    /// Until when the client waits, if not to the end. The run continues after that.
    pub(super) until: Option<Instant>,
    /// What the client answers before it is asked.
    pub(super) given: InputResponses,
}

impl Client {
    /// Starts the code that a client sends.
    pub(super) async fn begin_code(
        &self,
        arguments: ExecuteCode,
        until: Option<Instant>,
        context: &RequestContext<RoleServer>,
    ) -> Result<BegunRun, CallToolResult> {
        if arguments.cancel {
            return Err(failure("`cancel` ends a run: name it with `run`"));
        }
        let program = match (arguments.undo, arguments.run, arguments.code) {
            (true, Some(run), _) => Program::Undo(run),
            (true, None, _) => {
                return Err(failure(
                    "`undo` takes back the calls of a failed run: name it with `run`",
                ));
            }
            (false, _, Some(text)) => Program::Code {
                text,
                strings: arguments.strings,
                language: arguments.language,
                arguments: arguments.arguments,
            },
            (false, _, None) => {
                return Err(failure(
                    "execute_code needs `code`, a script, or `run`, the id of an active run",
                ));
            }
        };
        let request = RunRequest {
            program,
            options: RunOptions {
                limits: None,
                timeout: arguments.timeout_seconds,
                session: arguments.session,
                keep: arguments.keep,
                of_app: false,
                gives_value: false,
            },
            until,
            given: InputResponses::new(),
        };
        self.begin(request, context).await
    }

    /// Starts a run.
    pub(super) async fn begin(
        &self,
        request: RunRequest,
        context: &RequestContext<RoleServer>,
    ) -> Result<BegunRun, CallToolResult> {
        let RunRequest {
            program,
            options,
            until,
            given,
        } = request;
        let state = self.state(context);
        if until.is_some() {
            state.runs.have_room().map_err(|full| failure(&full))?;
        }
        let runs = &self.server.runs;
        let progress = Progress::new(ApprovalWait::new(runs.asking()));
        let progress = match program {
            Program::Call(_) => progress.of_call(),
            Program::Code { .. } | Program::Undo(_) => progress,
        };
        let notifications = Notifications::of_new_run(context, progress, &self.log_level);
        let requester = caller::requester(context);
        let started = async {
            let (code, text) = match program {
                Program::Call(call) => {
                    let text = call.text();
                    (runs.call(call), text)
                }
                Program::Undo(run) => {
                    let grant = &self.server.offer().grant;
                    // In a box: few requests are for this.
                    Box::pin(runs.undo(&run, requester.principal.as_ref(), grant)).await?
                }
                Program::Code {
                    text,
                    strings,
                    language,
                    arguments,
                } => {
                    let sent = SentCode {
                        text: &text,
                        strings,
                        language,
                        arguments,
                        principal: requester.principal.as_ref(),
                        session: options.session.as_deref(),
                    };
                    let code = notifications.while_waiting(runs.read_code(sent)).await?;
                    (code, text)
                }
            };
            let mut routes = runs.routes(self.link_for(until.is_some(), context));
            routes.questions.give(given);
            let new = NewRun {
                grant: self.server.offer().grant.clone(),
                code,
                text: &text,
                options,
                requester,
                routes,
                progress: notifications.progress.clone(),
                tool_progress: notifications.tool_progress(),
                lines: notifications.lines.clone(),
                trace: context.extensions.get(),
            };
            runs.start(new).await
        };
        let started = started.await;
        let run = started.map_err(|error| result(not_run(&error)))?;
        if until.is_some() {
            state.runs.add(run.clone());
        }
        Ok(BegunRun { run, notifications })
    }

    /// The connection for questions to the client of a new run; none if the request that waits for
    /// the run asks. Over HTTP, a client can't be asked after its answer.
    fn link_for(
        &self,
        may_be_answered_before_its_end: bool,
        context: &RequestContext<RoleServer>,
    ) -> Option<Arc<ClientLink>> {
        let waits = caller::ends_requests(context)
            || of_2025::is_wanted(context)
            || (may_be_answered_before_its_end && caller::came_over_http(context));
        self.link.clone().filter(|_| !waits)
    }
}
