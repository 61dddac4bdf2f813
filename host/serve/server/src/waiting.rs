//! A client's request that waits for a run: which run it is, and until when.

use std::time::Duration;

use ampoule_approvals::Problem;
use rmcp::RoleServer;
use rmcp::model::{CallToolResponse, InputRequiredResult, InputResponses};
use rmcp::service::RequestContext;
use tokio::time::Instant;

use super::client::{self, Client};
use super::held::{Patience, Step, UnderWay};
use super::tools::{ExecuteCode, failure};
use super::{asked, long, tasks};

/// For how long a run waits for a person whom its client does not ask, until the client has its
/// answer: some give up after a minute.
pub(super) const FOR_OTHERS: Duration = Duration::from_secs(30);

/// A request that waits for a run.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Request {
    /// Until when, if not to its end.
    pub(super) until: Option<Instant>,
    /// It began the run.
    pub(super) started: bool,
    /// It ends the run.
    pub(super) cancels: bool,
    /// It has no other answer than what the run gives.
    pub(super) to_its_end: bool,
}

/// What a client is told whose state is not good.
fn told(problem: &Problem) -> String {
    match problem {
        Problem::Folder(_) | Problem::Damaged { .. } => {
            let id = ampoule_untrusted::log_id();
            tracing::error!(id, %problem, "what a client answered can't be kept");
            format!("the host can't keep the answer ({id}, in its log)")
        }
        problem => problem.to_string(),
    }
}

impl Client {
    /// The run that waits under a state, with its client's answers.
    pub(super) async fn held_run(
        &self,
        state: &str,
        responses: InputResponses,
        context: &RequestContext<RoleServer>,
    ) -> Result<UnderWay, String> {
        const NONE: &str = "there is no run that waits under this requestState: it may have waited for too long; run the code again";
        let (estate, principal) = (self.estate(context), client::principal(context));
        if estate.held.is_plain(state) {
            let run = estate.held.take(state).ok_or(NONE)?;
            run.answer(responses).await;
            return Ok(run);
        }
        let dialogues = self.server.dialogues.as_ref().ok_or(NONE)?;
        let opened = dialogues.open(state, principal).await;
        let sealed = opened.map_err(|problem| told(&problem))?;
        let who = client::who(context);
        let run = match estate.held.take(state) {
            Some(run) => {
                estate.long.forget_held(run.id);
                run.answer(responses).await;
                run
            }
            // It has waited for long, or in the process before this one.
            None => {
                self.server.resumed().await;
                let answered = dialogues.answered(sealed, responses, &who).await;
                let run = answered.map_err(|problem| told(&problem))?;
                estate.long.find(&run).ok_or(NONE)?
            }
        };
        dialogues.goes_on(run.id, (who, asked::abilities(context)));
        Ok(run)
    }

    /// The run that a client means, which may be one of the process before this one.
    pub(super) async fn long_run(
        &self,
        id: &str,
        arguments: &ExecuteCode,
        context: &RequestContext<RoleServer>,
    ) -> Result<UnderWay, String> {
        let estate = self.estate(context);
        if estate.long.find(id).is_none() {
            self.server.resumed().await;
        }
        let run = long::found(&estate.long, id, arguments)?;
        if let Some(dialogues) = &self.server.dialogues
            && !arguments.cancel
        {
            let client = (client::who(context), asked::abilities(context));
            dialogues.client_is(run.id, client, self.asked.as_ref());
        }
        Ok(run)
    }

    /// Waits for a run that is under way already.
    pub(super) async fn wait(
        &self,
        run: UnderWay,
        request: Request,
        context: &RequestContext<RoleServer>,
    ) -> CallToolResponse {
        let progress = run.progress.again(context);
        self.go_on(run.telling(progress), request, context).await
    }

    /// Waits for a run's end, or until its client has to be asked something, or has waited for long
    /// enough.
    pub(super) async fn go_on(
        &self,
        mut run: UnderWay,
        request: Request,
        context: &RequestContext<RoleServer>,
    ) -> CallToolResponse {
        if let Some(task) = tasks::at_once(&run, self, context) {
            return task;
        }
        let Request { until, started, .. } = request;
        let estate = self.estate(context);
        let mut patience = Patience {
            until: until.or_else(|| tasks::patience(context)),
            can_be_asked: asked::ends_requests(context) && !request.cancels,
        };
        let mut hands_over = !request.to_its_end;
        loop {
            let asks = async {
                match &self.asked {
                    Some(client) if !patience.can_be_asked => run.ask(client).await,
                    _ => std::future::pending().await,
                }
            };
            let step = async {
                tokio::select! {
                    step = run.step(patience, &context.ct) => step,
                    () = self.waits_for_others(&run), if hands_over => Step::WaitsForOthers,
                    never = asks => match never {},
                }
            };
            match run.progress.while_waiting(step).await {
                Step::Ended(answer) => {
                    if started {
                        // Its client has not been told its id, and has all of it.
                        estate.long.forget(run.id);
                    }
                    return answer.into();
                }
                Step::Asks => match self.hold(run, context) {
                    Ok(wants) => return wants.into(),
                    Err(goes_on) => run = *goes_on,
                },
                // Its client may be anybody's, and does not know for how long it will be.
                Step::WaitsForOthers => {
                    if !estate.long.has(run.id) {
                        if estate.long.have_room().is_err() {
                            hands_over = false;
                            continue;
                        }
                        estate.long.add(run.clone());
                    }
                    let task = tasks::handed_over(&run, &estate.long, context);
                    return task.unwrap_or_else(|| long::so_far(&run).into());
                }
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

    /// Holds a run that wants to know something of its client. One that waits for a person does not
    /// end where its client needs long to ask.
    fn hold(
        &self,
        run: UnderWay,
        context: &RequestContext<RoleServer>,
    ) -> Result<InputRequiredResult, Box<UnderWay>> {
        let (estate, principal) = (self.estate(context), client::principal(context));
        let (held, dialogues) = (run.clone(), self.server.dialogues.as_ref());
        estate.held.hold(run, |about| {
            let sealed = dialogues?.seal(about, principal)?;
            estate.long.add_held(held);
            Some(sealed)
        })
    }

    /// Waits until a run has waited for a person for a while whom its client does not ask.
    async fn waits_for_others(&self, run: &UnderWay) {
        const LOOKS: Duration = Duration::from_secs(1);
        let mut since = None;
        loop {
            tokio::time::sleep(LOOKS).await;
            let dialogues = self.server.dialogues.as_ref();
            let asks_itself = dialogues.is_some_and(|dialogues| dialogues.is_asking(run.id));
            match run.progress.waits.what() {
                Some(_) if !asks_itself => {
                    let since = since.get_or_insert_with(Instant::now);
                    if since.elapsed() >= self.server.for_others {
                        return;
                    }
                }
                _ => since = None,
            }
        }
    }
}
