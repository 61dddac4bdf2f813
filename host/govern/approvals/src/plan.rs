//! A plan: all that a run would do, which was only tried, approved as one. The run that then does it
//! may make exactly these calls, in this order, each once.

use parking_lot::Mutex;
use serde_json::{Map, Value};

use crate::answer::{Answer, AnswerRecord};
use crate::approval::{Approval, ApprovalError, Reach};
use crate::digest::Digest;
use crate::error::QuestionError;
use crate::id::QuestionId;
use crate::limits::ApprovalLimits;
use crate::names::{Name, Part};
use crate::question::{CallRequest, Kind, ProposedCall, Question};
use crate::store::{State, Store};

/// How much less is shown of each call, since there are that many more.
const LESS: usize = 4;

/// The calls that a run would have made. Each takes its place in it as its number.
#[derive(Debug)]
pub struct Plan {
    store: Store,
    calls: Vec<ProposedCall>,
}

impl Plan {
    /// An empty one.
    pub fn new(store: &Store) -> Self {
        Self {
            store: store.clone(),
            calls: Vec::new(),
        }
    }

    /// Adds a call that was recorded instead of sent. Its number is its place.
    ///
    /// # Errors
    ///
    /// [`QuestionError::Full`]: it has as many calls as one run may ask about.
    pub fn add(&mut self, wanted: &CallRequest<'_>) -> Result<(), QuestionError> {
        let limits = self.store.limits();
        if self.calls.len() >= limits.run {
            let most = limits.run;
            return Err(QuestionError::Full(format!(
                "a plan has {most} calls at most"
            )));
        }
        let limits = ApprovalLimits {
            shown_bytes: limits.shown_bytes / LESS,
            ..*limits
        };
        let number = u32::try_from(self.calls.len()).unwrap_or(u32::MAX);
        let call = ProposedCall::new(
            &CallRequest { number, ..*wanted },
            &self.store.0.keys,
            &limits,
        );
        self.calls.push(call);
        Ok(())
    }

    /// The calls.
    pub fn calls(&self) -> &[ProposedCall] {
        &self.calls
    }

    /// Binds to all of them, and to their order.
    ///
    /// # Errors
    ///
    /// [`QuestionError::Folder`], which does not happen.
    pub fn digest(&self) -> Result<Digest, QuestionError> {
        let calls: Vec<Digest> = self.calls.iter().map(|call| call.digest).collect();
        let digest = Digest::of(&self.store.0.keys.digests, &calls);
        digest.map_err(|error| QuestionError::Folder(std::io::Error::other(error)))
    }

    pub(crate) fn into_calls(self) -> Vec<ProposedCall> {
        self.calls
    }
}

/// A plan that somebody approved.
#[derive(Debug)]
pub struct ApprovedPlan {
    store: Store,
    name: Name,
    question: Question,
    given: AnswerRecord,
    /// The place of the next call.
    next: Mutex<usize>,
}

impl ApprovedPlan {
    /// The plan that was approved by the answer to this question, on behalf of the same principal.
    /// What was done of it before is not done again.
    ///
    /// # Errors
    ///
    /// [`ApprovalError::Denied`], [`ApprovalError::Expired`]; [`ApprovalError::NotPlanned`] if the question is
    /// about no plan of theirs, or nobody has answered yet.
    pub fn open(
        store: &Store,
        id: QuestionId,
        principal: Option<&str>,
    ) -> Result<Self, ApprovalError> {
        let fault = |problem: QuestionError| ApprovalError::fault(&problem);
        let found = store.get(id).map_err(fault)?;
        let question = found.question;
        let not = |why: &str| Err(ApprovalError::NotPlanned(why.to_owned()));
        if question.kind != Kind::Plan || question.caller.principal.as_deref() != principal {
            return not("this is not a plan of yours");
        }
        let given = match found.state {
            State::Answered(given) => given,
            State::Expired => return Err(ApprovalError::Expired),
            State::Open => return not("nobody has approved this plan yet"),
        };
        let seen = question.seen_with(question.calls.len(), &store.0.keys);
        let seen = seen.map_err(fault)?;
        match &given.answer {
            Answer::Deny { reason } => {
                let (reason, by) = (reason.clone(), given.by.clone());
                return Err(ApprovalError::Denied { reason, by });
            }
            Answer::AllowOnce if seen == given.seen => {}
            _ => return Err(fault(QuestionError::Changed)),
        }
        let names = store.names().map_err(fault)?;
        let used = names.iter().filter_map(|name| match name.part {
            Part::Used(place) if name.id == id => Some((place as usize).saturating_add(1)),
            _ => None,
        });
        Ok(Self {
            name: Name::new(&question.caller.run, id, Part::Question),
            given,
            next: Mutex::new(used.max().unwrap_or(0)),
            question,
            store: store.clone(),
        })
    }

    /// Permission for the next call, if it is the one that the plan has there. That it is used is on
    /// the disk before this returns.
    ///
    /// # Errors
    ///
    /// [`ApprovalError::NotPlanned`], [`ApprovalError::Expired`], [`ApprovalError::Used`].
    pub fn take(
        &self,
        server: &str,
        tool: &str,
        arguments: &Map<String, Value>,
    ) -> Result<Approval, ApprovalError> {
        let digest = Digest::of_call(&self.store.0.keys.digests, server, tool, arguments);
        let mut next = self.next.lock();
        let not = |why| Err(ApprovalError::NotPlanned(why));
        let Some(planned) = self.question.calls.get(*next) else {
            return not(format!(
                "all {next} calls of the approved plan have been made; this one is not among them"
            ));
        };
        if planned.digest != digest {
            let (place, all) = (*next + 1, self.question.calls.len());
            let what = match (planned.server.as_str(), planned.tool.as_str()) == (server, tool) {
                true => "the same tool with other arguments".to_owned(),
                false => planned.full_name(),
            };
            return not(format!(
                "the approved plan has another call here, at {place} of {all}: {what}"
            ));
        }
        let until = self.given.good_until(self.store.limits());
        if !self.given.is_good(self.store.now(), until) {
            return Err(ApprovalError::Expired);
        }
        let used = self.name.with(Part::Used(planned.number));
        match self.store.once(&used) {
            Ok(true) => *next += 1,
            Ok(false) => return Err(ApprovalError::Used),
            Err(problem) => return Err(ApprovalError::fault(&problem)),
        }
        Ok(Approval {
            question: self.question.id,
            by: self.given.by.clone(),
            reach: Reach::Once,
        })
    }

    /// The question by whose answer it was approved.
    pub fn id(&self) -> QuestionId {
        self.question.id
    }

    /// How many of its calls have not been made.
    pub fn left(&self) -> usize {
        self.question.calls.len().saturating_sub(*self.next.lock())
    }
}
