//! Calls that wait until a person has answered.
//!
//! Calls of a run that come at once arrive as one question; those that come while it is open are
//! added to it. One task looks for answers, whichever process writes them, and wakes the calls.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::{broadcast, oneshot};
use tokio::task::spawn_blocking;

use room::nobody;

use crate::approval::{Approval, ApprovalError};
use crate::channel::Channel;
use crate::error::QuestionError;
use crate::id::QuestionId;
use crate::names::Name;
use crate::plan::{ApprovedPlan, Plan};
use crate::question::{CallRequest, Caller, Kind, ProposedCall, Question, ToolActivity};
use crate::standing::PriorDecision;
use crate::store::Store;

mod recall;
mod room;
mod watch;
mod write;

/// How many answers somebody who listens may be behind.
const BEHIND: usize = 1024;

/// Asks people about calls. Clones are the same.
#[derive(Debug, Clone)]
pub struct Approvals(pub(crate) Arc<Shared>);

#[derive(Debug)]
pub(crate) struct Shared {
    store: Store,
    places: Vec<Arc<dyn Channel>>,
    open: Mutex<Open>,
    answered: broadcast::Sender<AnswerNotice>,
    /// About how many calls somebody was asked.
    asked: AtomicU64,
}

/// Somebody has answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnswerNotice {
    /// Which run's question it was: one that sleeps can be woken.
    pub run: String,
    /// The question.
    pub question: QuestionId,
}

/// What waits in this process.
#[derive(Debug, Default)]
struct Open {
    questions: HashMap<Name, Waiting>,
    runs: HashMap<String, Run>,
}

/// The calls that wait for a question's answer.
#[derive(Debug)]
struct Waiting {
    question: Arc<Question>,
    calls: Vec<(u32, oneshot::Sender<Settlement>)>,
}

/// What this process knows of a run that has asked.
#[derive(Debug, Default)]
struct Run {
    /// About how many calls it has asked.
    asked: usize,
    /// On whose behalf it happens.
    principal: Option<String>,
    /// Those that gather.
    gathering: Vec<GatheredCall>,
    /// The question that further calls are added to.
    open: Option<Name>,
    /// Held while its questions are written, one after the other.
    writing: Arc<tokio::sync::Mutex<()>>,
}

#[derive(Debug)]
struct GatheredCall {
    call: ProposedCall,
    done: Vec<ToolActivity>,
    settled: oneshot::Sender<Settlement>,
}

/// What a waiting call gets.
#[derive(Debug)]
enum Settlement {
    /// Look at the answer.
    Answered,
    /// The answer is not about this call: ask again.
    Again,
    /// It won't be answered.
    Not(ApprovalError),
}

impl Approvals {
    /// Asks in these places, and keeps the questions in a store. Must be called within a Tokio
    /// runtime: a task there looks for answers until all clones are gone.
    pub fn new(store: Store, places: Vec<Arc<dyn Channel>>) -> Self {
        let asking = Self(Arc::new(Shared {
            store,
            places,
            open: Mutex::default(),
            answered: broadcast::Sender::new(BEHIND),
            asked: AtomicU64::new(0),
        }));
        watch::start(&asking.0);
        asking
    }

    /// The questions.
    pub fn store(&self) -> &Store {
        &self.0.store
    }

    /// Hears of every answer from now on, whichever process wrote it, to questions of runs that
    /// sleep, too. For what was answered before, see [`Store::list`].
    pub fn answered(&self) -> broadcast::Receiver<AnswerNotice> {
        self.0.answered.subscribe()
    }

    /// Whether there is a place where somebody can be asked about calls of this run now.
    pub fn reaches(&self, caller: &Caller) -> bool {
        self.0.places.iter().any(|place| place.reaches(caller))
    }

    /// Asks about an open question once more, in all places that reach somebody now: where one of
    /// them gave up.
    pub fn ask_again(&self, question: &Arc<Question>) {
        self.0.tell(question);
    }

    /// The questions that calls of a run wait for, in this process.
    pub fn open_of(&self, run: &str) -> Vec<Arc<Question>> {
        let open = self.0.open.lock();
        let theirs = open.questions.iter().filter(|(name, _)| name.run == run);
        let questions = theirs.map(|(_, waiting)| Arc::clone(&waiting.question));
        let mut questions: Vec<_> = questions.collect();
        drop(open);
        questions.sort_by_key(|question| (question.asked_at, question.id));
        questions
    }

    /// About how many calls somebody was asked since this process began.
    pub fn asked(&self) -> u64 {
        self.0.asked.load(Relaxed)
    }

    /// Waits until the call may be made, or may not. `done` is what the run has done so far.
    ///
    /// Permission is for one call, now, with exactly these arguments: that it is used is on the disk
    /// before this returns. The caller pauses the run's clock meanwhile.
    ///
    /// Dropping the future leaves the question open, for a run that is put to sleep: it asks again
    /// with the same number when it wakes, and has the answer. Where nobody wants the call any more,
    /// [`withdraw`](Self::withdraw) it.
    ///
    /// # Errors
    ///
    /// [`ApprovalError`].
    pub async fn ask(
        &self,
        caller: &Caller,
        wanted: &CallRequest<'_>,
        done: &[ToolActivity],
    ) -> Result<Approval, ApprovalError> {
        let store = &self.0.store;
        let call = ProposedCall::new(wanted, &store.0.keys, store.limits());
        loop {
            let settled = match self.known(caller, &call).await? {
                PriorDecision::Decided(decided) => return decided,
                PriorDecision::Asked(name) => self.0.wait_for(name, &call).await?,
                PriorDecision::Nothing => self.0.gather(caller, &call, done)?,
            };
            match settled.await {
                Ok(Settlement::Answered | Settlement::Again) => {}
                Ok(Settlement::Not(why)) => return Err(why),
                Err(_) => return Err(ApprovalError::Withdrawn),
            }
        }
    }

    /// Waits until somebody has approved all calls of a plan, or not.
    ///
    /// # Errors
    ///
    /// [`ApprovalError`].
    pub async fn approve(
        &self,
        caller: &Caller,
        plan: Plan,
    ) -> Result<ApprovedPlan, ApprovalError> {
        let shared = &self.0;
        let Some(first) = plan.calls().first() else {
            let why = "the plan has no calls: there is nothing to approve";
            return Err(ApprovalError::NotPlanned(why.to_owned()));
        };
        if !self.reaches(caller) {
            return Err(ApprovalError::NobodyToAsk(nobody(first)));
        }
        let (store, of) = (shared.store.clone(), caller.clone());
        let put = move || {
            let (now, limits) = (store.now(), store.limits());
            let (calls, done) = (plan.into_calls(), Vec::new());
            let question = Question::new(Kind::Plan, of, calls, done, now, limits)?;
            Ok((store.put(&question)?, Arc::new(question)))
        };
        let (name, question) = blocking(put).await?;
        shared.asked.fetch_add(question.calls.len() as u64, Relaxed);
        let (settled, settles) = oneshot::channel();
        let waiting = Waiting {
            question: Arc::clone(&question),
            calls: vec![(0, settled)],
        };
        shared.open.lock().questions.insert(name, waiting);
        shared.tell(&question);
        match settles.await {
            Ok(Settlement::Answered | Settlement::Again) => {}
            Ok(Settlement::Not(why)) => return Err(why),
            Err(_) => return Err(ApprovalError::Withdrawn),
        }
        let (store, principal) = (shared.store.clone(), caller.principal.clone());
        let opened = move || {
            Ok(ApprovedPlan::open(
                &store,
                question.id,
                principal.as_deref(),
            ))
        };
        blocking(opened).await?
    }

    async fn known(
        &self,
        caller: &Caller,
        call: &ProposedCall,
    ) -> Result<PriorDecision, ApprovalError> {
        let (store, caller, call) = (self.0.store.clone(), caller.clone(), call.clone());
        blocking(move || store.known(&caller, &call)).await
    }

    /// Nobody wants these calls of a run any more, or none of its calls: the run has ended, or has
    /// given up on them. Questions that nothing waits for are withdrawn.
    ///
    /// # Errors
    ///
    /// [`QuestionError::Folder`].
    pub fn withdraw(&self, run: &str, only: Option<&[u32]>) -> Result<(), QuestionError> {
        let wanted = |number: &u32| only.is_some_and(|only| !only.contains(number));
        let mut open = self.0.open.lock();
        if let Some(found) = open.runs.get_mut(run) {
            found.gathering.retain(|one| wanted(&one.call.number));
        }
        let mut over = Vec::new();
        for (name, waiting) in &mut open.questions {
            if name.run == run {
                // What was recalled has no calls here, and stays until all of them are unwanted.
                let had_calls = !waiting.calls.is_empty();
                waiting.calls.retain(|(number, _)| wanted(number));
                if waiting.calls.is_empty() && (had_calls || only.is_none()) {
                    over.push(name.clone());
                }
            }
        }
        for name in &over {
            open.close(name);
        }
        if only.is_none() {
            open.runs.remove(run);
        }
        drop(open);
        for name in over {
            match self.0.store.withdraw(name.id) {
                Ok(()) | Err(QuestionError::Missing(_)) => self.0.tell_over(name.id),
                Err(problem) => return Err(problem),
            }
        }
        Ok(())
    }
}

impl Open {
    /// A question gets no further calls, and what waits for it is returned.
    fn close(&mut self, name: &Name) -> Option<Waiting> {
        if let Some(run) = self.runs.get_mut(&name.run)
            && run.open.as_ref() == Some(name)
        {
            run.open = None;
        }
        self.questions.remove(name)
    }
}

impl Shared {
    /// Waits for a question that is asked already: the run slept, or the host was restarted.
    async fn wait_for(
        &self,
        name: Name,
        call: &ProposedCall,
    ) -> Result<oneshot::Receiver<Settlement>, ApprovalError> {
        let (store, of) = (self.store.clone(), name.clone());
        let question = blocking(move || store.question(&of)).await?;
        let (settled, settles) = oneshot::channel();
        let question = Arc::new(question);
        let mut open = self.open.lock();
        let is_new = !open.questions.contains_key(&name);
        let run = open.runs.entry(name.run.clone()).or_insert_with(|| Run {
            principal: question.caller.principal.clone(),
            ..Run::default()
        });
        run.open.get_or_insert_with(|| name.clone());
        let waiting = open.questions.entry(name).or_insert_with(|| Waiting {
            question: Arc::clone(&question),
            calls: Vec::new(),
        });
        waiting
            .calls
            .retain(|(number, settled)| *number != call.number && !settled.is_closed());
        waiting.calls.push((call.number, settled));
        drop(open);
        if is_new {
            // The client may be another one by now.
            self.tell(&question);
        }
        // The answer may have been written between the first look and now.
        self.store.0.changed.send_replace(());
        Ok(settles)
    }

    fn tell(&self, question: &Arc<Question>) {
        for place in &self.places {
            if place.reaches(&question.caller) {
                place.asked(question);
            }
        }
    }

    fn tell_over(&self, question: QuestionId) {
        for place in &self.places {
            place.over(question);
        }
    }
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, QuestionError> + Send + 'static,
) -> Result<T, ApprovalError> {
    match spawn_blocking(work).await {
        Ok(Ok(done)) => Ok(done),
        Ok(Err(QuestionError::Full(why))) => Err(ApprovalError::TooMany(format!(
            "a person must allow this call, and no more questions can be asked: {why}"
        ))),
        Ok(Err(problem)) => Err(ApprovalError::fault(&problem)),
        Err(stopped) => Err(ApprovalError::fault(&stopped)),
    }
}

/// How often files are looked at.
const EVERY: Duration = Duration::from_millis(400);
