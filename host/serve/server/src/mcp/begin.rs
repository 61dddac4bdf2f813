//! Starts a run for a client's call.

use std::sync::Arc;

use rmcp::RoleServer;
use rmcp::model::CallToolResult;
use rmcp::service::RequestContext;
use tokio::time::Instant;

use super::arguments::ExecuteCode;
use super::caller;
use super::client::Client;
use super::notifications::Notifications;
use super::results::{failure, result};
use super::tasks::of_2025;
use crate::runs::asking::approval_wait::ApprovalWait;
use crate::runs::asking::link::ClientLink;
use crate::runs::code::SentCode;
use crate::runs::finish::not_run;
use crate::runs::handle::RunHandle;
use crate::runs::progress::Progress;
use crate::runs::start::{NewRun, RunOptions};

/// A run that has begun, and the notifications to its client meanwhile.
pub(super) struct BegunRun {
    pub(super) run: RunHandle,
    pub(super) notifications: Notifications,
}

impl Client {
    /// Starts code. If the client waits only for a time, the run continues after that.
    pub(super) async fn begin(
        &self,
        arguments: ExecuteCode,
        until: Option<Instant>,
        context: &RequestContext<RoleServer>,
    ) -> Result<BegunRun, CallToolResult> {
        if arguments.cancel {
            return Err(failure("`cancel` ends a run: name it with `run`"));
        }
        let Some(text) = arguments.code else {
            return Err(failure(
                "execute_code needs `code`, a script, or `run`, the id of an active run",
            ));
        };
        let state = self.state(context);
        if until.is_some() {
            state.runs.have_room().map_err(|full| failure(&full))?;
        }
        let runs = &self.server.runs;
        let progress = Progress::new(ApprovalWait::new(runs.asking()));
        let notifications = Notifications::of_new_run(context, progress, &self.log_level);
        let requester = caller::requester(context);
        let options = RunOptions {
            timeout: arguments.timeout_seconds,
            session: arguments.session,
            keep: arguments.keep,
        };
        let started = async {
            let sent = SentCode {
                text: &text,
                language: arguments.language,
                arguments: arguments.arguments,
                principal: requester.principal.as_ref(),
                session: options.session.as_deref(),
            };
            let code = notifications.while_waiting(runs.read_code(sent)).await?;
            let new = NewRun {
                code,
                text: &text,
                options,
                requester,
                routes: runs.routes(self.link_for(until.is_some(), context)),
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
