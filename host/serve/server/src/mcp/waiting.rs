//! A client's request that waits for a run: which run it is, and until when.

use std::time::Duration;

use ampoule_approvals::{QuestionError, SealedQuestion};
use rmcp::model::{CallToolResponse, InputRequiredResult, InputResponses};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use tokio::time::Instant;

use super::client::Client;
use super::notifications::Notifications;
use super::results::result;
use super::tasks::handover;
use super::{asks, caller};
use crate::runs::answer::Answer;
use crate::runs::handle::{Patience, RunHandle, Step};

/// A request that waits for a run.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Request {
    /// Until when, if not to its end.
    pub(super) until: Option<Instant>,
    /// It began the run.
    pub(super) started: bool,
    /// It ends the run.
    pub(super) cancels: bool,
    /// The only answer is that of the run.
    pub(super) to_its_end: bool,
    /// It is not a call of a tool, and can't be a task.
    pub(super) is_inquiry: bool,
}

/// What a request that waits for a run ends with.
pub(super) enum WaitResult {
    /// The run's end.
    Ended(Answer),
    /// Another answer.
    Answered(CallToolResponse),
}

impl From<CallToolResponse> for WaitResult {
    fn from(response: CallToolResponse) -> Self {
        Self::Answered(response)
    }
}

/// The error for a client whose state is not valid.
fn invalid(problem: &QuestionError) -> ErrorData {
    match problem {
        QuestionError::Folder(_) | QuestionError::Damaged { .. } => {
            let id = ampoule_untrusted::log_id();
            tracing::error!(id, %problem, "can't store a client's answer");
            let said = format!("the host can't store the answer ({id}, in its log)");
            ErrorData::internal_error(said, None)
        }
        problem => ErrorData::invalid_params(problem.to_string(), None),
    }
}

impl Client {
    /// The run that waits under a state, with its client's answers.
    ///
    /// # Errors
    ///
    /// The state is none that this client was given, or was used before.
    pub(super) async fn held_run(
        &self,
        state: &str,
        responses: InputResponses,
        context: &RequestContext<RoleServer>,
    ) -> Result<RunHandle, ErrorData> {
        let unknown = || {
            let said =
                "unknown requestState: its run may have waited for too long; call the tool again";
            ErrorData::invalid_params(said, None)
        };
        let (kept, principal) = (self.state(context), caller::principal(context));
        let runs = &kept.runs;
        if runs.waits_under_plain(state) {
            let run = runs.take(state).ok_or_else(unknown)?;
            run.take_answers(responses).await;
            return Ok(run);
        }
        let dialogues = self.server.runs.dialogues.as_ref().ok_or_else(unknown)?;
        let offer = self.server.offer();
        let opened = dialogues.open(state, principal, offer.toolkit()).await;
        let sealed = opened.map_err(|problem| invalid(&problem))?;
        let requester = caller::requester(context);
        let run = match runs.take(state) {
            Some(run) => {
                runs.forget_asked(run.id());
                run.take_answers(responses).await;
                run
            }
            // It has waited for long, or in the previous process.
            None => {
                self.server.runs.resumed().await;
                let answered = dialogues
                    .answered(sealed, responses, &requester.who())
                    .await;
                let run = answered.map_err(|problem| invalid(&problem))?;
                runs.find(&run).ok_or_else(unknown)?
            }
        };
        dialogues.goes_on(run.id(), &requester);
        Ok(run)
    }

    /// The run that a client means, which may be one of the previous process, to wait for it or to
    /// end it.
    pub(super) async fn long_run(
        &self,
        id: &str,
        cancels: bool,
        context: &RequestContext<RoleServer>,
    ) -> Result<RunHandle, String> {
        let kept = self.state(context);
        let runs = &kept.runs;
        if runs.find(id).is_none() {
            self.server.runs.resumed().await;
        }
        let run = runs.named(id)?;
        if cancels {
            run.cancel();
        } else if let Some(dialogues) = &self.server.runs.dialogues {
            let requester = caller::requester(context);
            dialogues.client_is(run.id(), &requester, self.link.as_ref());
        }
        Ok(run)
    }

    /// The answer of a run that a client waits for again, to its end.
    pub(super) async fn waited(
        &self,
        run: RunHandle,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let request = Request {
            to_its_end: true,
            ..Request::default()
        };
        let waiting = async |context| Ok(self.wait(run, request, &context).await);
        self.done(context, waiting).await
    }

    /// Waits for an active run.
    pub(super) async fn wait(
        &self,
        run: RunHandle,
        request: Request,
        context: &RequestContext<RoleServer>,
    ) -> CallToolResponse {
        let notifications = Notifications::of_next_request(context, &run);
        self.go_on(run, &notifications, request, context).await
    }

    /// Waits for a run's end, or until its client has to be asked something, or has waited for long
    /// enough.
    pub(super) async fn go_on(
        &self,
        run: RunHandle,
        notifications: &Notifications,
        request: Request,
        context: &RequestContext<RoleServer>,
    ) -> CallToolResponse {
        if let Some(task) = handover::at_once(&run, notifications, self, context) {
            return task;
        }
        // Boxed: each future that has it in itself would be as large once more.
        let waited = Box::pin(self.waits_on(run, notifications, request, context));
        match waited.await {
            WaitResult::Ended(answer) => result(answer).into(),
            WaitResult::Answered(response) => response,
        }
    }

    /// The same, with the run's answer as it is.
    pub(super) async fn waits_on(
        &self,
        mut run: RunHandle,
        notifications: &Notifications,
        request: Request,
        context: &RequestContext<RoleServer>,
    ) -> WaitResult {
        let Request { until, started, .. } = request;
        let brief = match request.is_inquiry {
            true => None,
            false => handover::patience(context),
        };
        let kept = self.state(context);
        let runs = &kept.runs;
        let mut patience = Patience {
            until: until.or(brief),
            can_be_asked: caller::ends_requests(context) && !request.cancels,
        };
        let mut hands_over = !request.to_its_end;
        // A server that makes a task of a call says that it takes long.
        let mut follows_task = brief.is_some() && hands_over && run.record.is_call();
        loop {
            let asks = async {
                match &self.link {
                    Some(client) if !patience.can_be_asked => run.ask(client).await,
                    _ => std::future::pending().await,
                }
            };
            let step = async {
                tokio::select! {
                    step = run.step(patience, &context.ct) => step,
                    () = self.waits_for_others(&run), if hands_over => Step::WaitsForOthers,
                    () = run.becomes_task(), if follows_task => Step::GoesOn,
                    never = asks => match never {},
                }
            };
            match notifications.while_waiting(step).await {
                Step::Ended(answer) => {
                    if started {
                        // The client does not know the run's id, and gets all of it.
                        runs.forget(run.id());
                    }
                    return WaitResult::Ended(answer);
                }
                Step::Asks => match self.hold(run, context) {
                    Ok(wants) => return CallToolResponse::from(wants).into(),
                    Err(goes_on) => run = *goes_on,
                },
                // Its client may be anybody's, and does not know for how long it will be.
                Step::WaitsForOthers => {
                    if !runs.has(run.id()) {
                        if runs.have_room().is_err() {
                            hands_over = false;
                            continue;
                        }
                        runs.add(run.clone());
                    }
                    let task = handover::handed_over(&run, runs, context);
                    let so_far = || CallToolResponse::from(result(run.so_far()));
                    return task.unwrap_or_else(so_far).into();
                }
                Step::GoesOn => match handover::handed_over(&run, runs, context) {
                    Some(task) => return task.into(),
                    None if until.is_some() => return WaitResult::Ended(run.so_far()),
                    // There is no room for one more run in the background.
                    None => (patience.until, follows_task) = (None, false),
                },
                Step::GivenUp => {
                    let is_long = runs.has(run.id());
                    if !is_long || started && caller::says_when_it_gives_up(context) {
                        return WaitResult::Ended(run.given_up().await);
                    }
                    return WaitResult::Ended(Answer::failure("cancelled"));
                }
            }
        }
    }

    /// Holds a run that asks its client something.
    fn hold(
        &self,
        run: RunHandle,
        context: &RequestContext<RoleServer>,
    ) -> Result<InputRequiredResult, Box<RunHandle>> {
        let (state, principal) = (self.state(context), caller::principal(context));
        let dialogues = self.server.runs.dialogues.as_ref();
        let offer = self.server.offer();
        let seal = |about: &SealedQuestion| dialogues?.seal(about, principal, offer.toolkit());
        let open = state.runs.hold(run, seal)?;
        let requests = asks::input_requests(open.requests);
        Ok(InputRequiredResult::new(Some(requests), Some(open.state)))
    }

    /// Waits until a run has waited for a while for a person whom its client does not ask.
    async fn waits_for_others(&self, run: &RunHandle) {
        const LOOKS: Duration = Duration::from_secs(1);
        let mut since = None;
        loop {
            tokio::time::sleep(LOOKS).await;
            let dialogues = self.server.runs.dialogues.as_ref();
            let asks_itself = dialogues.is_some_and(|dialogues| dialogues.is_asking(run.id()));
            match run.progress.approval.what() {
                Some(_) if !asks_itself => {
                    let since = since.get_or_insert_with(Instant::now);
                    if since.elapsed() >= self.server.runs.person_wait {
                        return;
                    }
                }
                _ => since = None,
            }
        }
    }
}
