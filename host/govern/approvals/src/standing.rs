//! What was allowed beyond the calls that were asked about: for a run, or for a session until a
//! time. It follows from an answer, and is kept nowhere else.
//!
//! It holds for the same principal, run or session, server and tool, where the same policy asks;
//! not by arguments. So what somebody allowed because a tool writes does not allow what another
//! policy asks about because the run has read something since.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::answer::{Answer, AnswerRecord, Answerer, CallVerdict};
use crate::approval::{Approval, ApprovalError, Reach};
use crate::error::QuestionError;
use crate::id::QuestionId;
use crate::names::{Name, Part};
use crate::question::{Caller, Kind, ProposedCall, Question};
use crate::store::Store;

/// What was allowed for a run or for a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Standing {
    /// By the answer to this question. `ampoule approvals deny` ends it by that, too.
    pub question: QuestionId,
    /// Whose calls.
    pub caller: Caller,
    /// How far it goes: to the run, or to its session.
    pub reach: Reach,
    /// Of which tools: server, tool, and the policy that asked.
    pub tools: Vec<(String, String, String)>,
    /// The person who allowed it.
    pub by: Answerer,
    /// Until when, in seconds since 1970.
    pub until: u64,
    given: AnswerRecord,
    /// The same by a clock that nobody sets.
    deadline: Instant,
}

impl Standing {
    fn of(question: Question, given: AnswerRecord, store: &Store) -> Option<Self> {
        let (reach, until) = match given.answer {
            Answer::AllowRun => (Reach::Run, given.good_until(store.limits())),
            Answer::AllowSession { until } => (Reach::Session, until),
            Answer::AllowOnce | Answer::Deny { .. } => return None,
        };
        let seen = question.seen_with(given.seen.calls, &store.0.keys).ok()?;
        if seen.digest != given.seen.digest {
            return None;
        }
        let calls = question.calls.iter().enumerate();
        let allowed =
            calls.filter(|(place, call)| given.says_of(*place, call) == CallVerdict::Allowed);
        let tools =
            allowed.map(|(_, call)| (call.server.clone(), call.tool.clone(), call.policy.clone()));
        let tools: HashSet<_> = tools.collect();
        let left = Duration::from_secs(until.saturating_sub(store.now()));
        Some(Self {
            question: question.id,
            reach,
            tools: tools.into_iter().collect(),
            by: given.by.clone(),
            until,
            caller: question.caller,
            deadline: Instant::now() + left.min(Duration::from_hours(24 * 365)),
            given,
        })
    }

    fn is_good(&self, now: u64) -> bool {
        self.given.is_good(now, self.until) && Instant::now() < self.deadline
    }

    fn covers(&self, caller: &Caller, call: &ProposedCall) -> bool {
        let theirs = self.caller.principal == caller.principal
            && match self.reach {
                Reach::Run => self.caller.run == caller.run,
                Reach::Session => {
                    caller.session.is_some()
                        && self.caller.session == caller.session
                        && self.caller.toolkit == caller.toolkit
                }
                Reach::Once => false,
            };
        theirs
            && !call.once_only
            && self.tools.iter().any(|(server, tool, policy)| {
                (server, tool, policy) == (&call.server, &call.tool, &call.policy)
            })
    }
}

/// What is known of a call before somebody is asked.
#[derive(Debug)]
pub(crate) enum PriorDecision {
    /// Nothing.
    Nothing,
    /// It is asked about already.
    Asked(Name),
    /// It has been decided.
    Decided(Result<Approval, ApprovalError>),
}

impl Store {
    /// What is known of a call: what was answered to a question about it, or what was allowed
    /// before.
    pub(crate) fn known(
        &self,
        caller: &Caller,
        call: &ProposedCall,
    ) -> Result<PriorDecision, QuestionError> {
        let names = self.names()?;
        let theirs = names
            .iter()
            .filter(|name| name.part == Part::Question && name.run == caller.run);
        let mut denied = None;
        for name in theirs {
            let Ok(question) = self.question(name) else {
                continue;
            };
            let is_theirs = question.caller.principal == caller.principal;
            let place =
                place_of(&question, call).filter(|_| is_theirs && question.kind == Kind::Calls);
            let Some(place) = place else { continue };
            let (asked, given) = (&question.calls[place], self.given(name)?);
            let said = given.as_ref().map(|given| given.says_of(place, asked));
            let same = asked.number == call.number;
            match said {
                Some(CallVerdict::Denied(_)) if same || denied.is_none() => {
                    denied = Some(self.take(name, asked.number, &asked.digest));
                }
                None if same && self.is_open(&question) => {
                    return Ok(PriorDecision::Asked(name.clone()));
                }
                Some(CallVerdict::Allowed) if same => {
                    return Ok(PriorDecision::Decided(self.take(
                        name,
                        call.number,
                        &call.digest,
                    )));
                }
                _ => {}
            }
        }
        if let Some(denied) = denied {
            return Ok(PriorDecision::Decided(denied));
        }
        self.read_standings(&names)?;
        let now = self.now();
        let standings = self.0.standings.lock();
        let mut standing = standings.values().flatten();
        let found =
            standing.find(|standing| standing.is_good(now) && standing.covers(caller, call));
        Ok(match found {
            Some(standing) => PriorDecision::Decided(Ok(Approval {
                question: standing.question,
                by: standing.by.clone(),
                reach: standing.reach,
            })),
            None => PriorDecision::Nothing,
        })
    }

    /// All that is allowed for runs and sessions now, the latest to end first.
    ///
    /// # Errors
    ///
    /// [`QuestionError::Folder`].
    pub fn standing(&self) -> Result<Vec<Arc<Standing>>, QuestionError> {
        self.read_standings(&self.names()?)?;
        let now = self.now();
        let standings = self.0.standings.lock();
        let good = standings.values().flatten();
        let mut good: Vec<_> = good.filter(|found| found.is_good(now)).cloned().collect();
        good.sort_by_key(|found| std::cmp::Reverse(found.until));
        Ok(good)
    }

    /// Ends what the answer to a question allows for its run or its session: from now on, calls are
    /// asked about again.
    ///
    /// # Errors
    ///
    /// [`QuestionError::Missing`], [`QuestionError::Folder`].
    pub fn revoke(&self, id: QuestionId) -> Result<(), QuestionError> {
        let name = self.name_of(id)?;
        self.once(&name.with(Part::Revoked)).map(drop)
    }

    /// Reads the answers that are new, and forgets those that are gone or revoked.
    fn read_standings(&self, names: &[Name]) -> Result<(), QuestionError> {
        let is = |part: Part| {
            let of = names.iter().filter(move |name| name.part == part);
            of.map(|name| name.id).collect::<HashSet<_>>()
        };
        let (answers, revoked) = (is(Part::Answer), is(Part::Revoked));
        let mut standings = self.0.standings.lock();
        standings.retain(|id, _| answers.contains(id) && !revoked.contains(id));
        for name in names.iter().filter(|name| name.part == Part::Answer) {
            if revoked.contains(&name.id) || standings.contains_key(&name.id) {
                continue;
            }
            let found = match (self.question(name), self.given(name)?) {
                (Ok(question), Some(given)) => Standing::of(question, given, self).map(Arc::new),
                // It may be written anew, and right then.
                _ => continue,
            };
            standings.insert(name.id, found);
        }
        Ok(())
    }
}

/// The place of a call in a question: of the same call, or of one like it.
fn place_of(question: &Question, call: &ProposedCall) -> Option<usize> {
    let place = |fits: &dyn Fn(&ProposedCall) -> bool| {
        let mut calls = question.calls.iter();
        calls.position(|asked| asked.digest == call.digest && fits(asked))
    };
    place(&|asked| asked.number == call.number).or_else(|| place(&|_| true))
}
